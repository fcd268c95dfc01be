/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include "acc-core/array/acc-array-private.h"
#include "acc-core/array/acc-program-private.h"

#include <math.h>
#include <string.h>

#define LIST(...) (gint64[]) { __VA_ARGS__ }, (sizeof ((gint64[]) { __VA_ARGS__ }) / sizeof (gint64))

static AccElementType *
type_of (const char *code)
{
  AccElementType *type = acc_element_type_parse (code, NULL);

  g_assert_nonnull (type);
  return type;
}

static AccExpr *
add (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
square (AccExpr *x, gpointer data)
{
  return acc_expr_mul (x, x);
}

static AccArray *
squares (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], square, NULL);
}

static AccArray *
nothing (AccArray **arrays, guint n, gpointer data)
{
  return NULL;
}

static AccArray *
never (AccArray **arrays, guint n, gpointer data)
{
  g_assert_not_reached ();
}

static AccProgram *
program (const char *signature, AccArrayFunc function, gpointer data)
{
  return acc_program_new ((const char *const[]) { signature, NULL }, function, data);
}

static AccArray *
use_floats (const float *values, gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (values, n * sizeof (float));

  return acc_array_use (type_of ("f4"), shape, bytes);
}

/* Through the text form and back; the second text equals the first. */
static AccProgram *
round_trip (AccProgram *self)
{
  g_autofree char *text = acc_program_to_string (self);
  g_autoptr(GError) error = NULL;
  AccProgram *back = acc_program_parse (text, &error);
  g_autofree char *again = NULL;

  if (error != NULL)
    g_error ("%s\n%s", error->message, text);
  again = acc_program_to_string (back);
  g_assert_cmpstr (again, ==, text);
  g_assert_cmpuint (acc_program_get_n_parameters (back), ==, acc_program_get_n_parameters (self));
  g_assert_cmpuint (acc_program_get_n_results (back), ==, acc_program_get_n_results (self));

  for (guint i = 0; i < acc_program_get_n_results (self); i++)
    {
      AccArray *a = acc_program_get_result (self, i), *b = acc_program_get_result (back, i);

      g_assert_true (a->type == b->type);
      g_assert_cmpuint (a->rank, ==, b->rank);
      g_assert_true ((a->shape == NULL) == (b->shape == NULL));
      g_assert_true (a->shape == NULL || acc_shape_equal (a->shape, b->shape));
      g_assert_cmpuint (a->references->len, ==, b->references->len);
    }

  g_assert_cmpuint (acc_program_get_captures (self)->len, ==, acc_program_get_captures (back)->len);
  return back;
}

static void
assert_array_round_trips (AccArray *array)
{
  g_autoptr(AccArray) owned = array;
  g_autoptr(AccProgram) whole = acc_program_new_for_results (&array, 1);
  g_autoptr(AccProgram) back = round_trip (whole);
}

static void
test_signatures (void)
{
  static const struct { const char *signature, *code; guint rank; const char *shape; } good[] = {
    { "f4", "f4", 0, "[]" },
    { "f4[]", "f4", 0, "[]" },
    { " (f4,i4) [ : ] ", "(f4,i4)", 1, NULL },
    { "u1[:,:,3]", "u1", 3, NULL },
    { "b1[2,0,5]", "b1", 3, "[2,0,5]" },
  };
  static const char *const bad[] = { "", "f5", "f4[", "f4[:", "f4]", "f4[:]x", "f4[a]", "f4[-1]", "f4[1,]", "f4[99999999999999999999]",
                                     "(f4[:]" };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr(AccProgram) p = acc_program_new ((const char *const[]) { "i4[:]", good[i].signature, NULL }, nothing, NULL);
      AccArray *parameter = acc_program_get_parameter (p, 1);
      g_autofree char *shape = NULL;

      g_assert_cmpuint (acc_program_get_n_parameters (p), ==, 2);
      g_assert_cmpstr (acc_element_type_get_code (parameter->type), ==, good[i].code);
      g_assert_cmpuint (parameter->rank, ==, good[i].rank);
      g_assert_cmpuint (acc_array_get_parameter (parameter)->position, ==, 1);
      shape = parameter->shape != NULL ? acc_shape_to_string (parameter->shape) : NULL;
      g_assert_cmpstr (shape, ==, good[i].shape);
    }

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr(AccProgram) p = program (bad[i], never, NULL);
      g_autoptr(GError) error = NULL;

      g_assert_false (acc_program_check (p, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
      g_assert_true (g_str_has_prefix (error->message, "program: signature of parameter 0: "));
    }
}

static AccArray *
broken (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) bad = acc_array_sum (arrays[0]);
  AccArray *result = acc_array_map (bad, square, NULL);

  acc_array_set_label (bad, "total");
  return result;
}

static void
test_errors (void)
{
  g_autoptr(AccProgram) missing = program ("f4[:]", nothing, NULL);
  g_autoptr(AccProgram) none = program ("f4[:]", NULL, NULL);
  g_autoptr(AccProgram) bad = program ("f4", broken, NULL);
  g_autoptr(AccProgram) results = acc_program_new_for_results ((AccArray *[]) { NULL }, 1);
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;

  g_assert_false (acc_program_check (missing, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_CALLBACK);
  g_clear_error (&error);
  g_assert_false (acc_program_check (none, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_CALLBACK);
  g_clear_error (&error);
  g_assert_false (acc_program_check (results, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_CALLBACK);
  g_clear_error (&error);
  g_assert_false (acc_program_check (bad, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_assert_true (g_str_has_prefix (error->message, "sum “total”: "));
  g_clear_error (&error);

  text = acc_program_to_string (bad);
  g_assert_null (acc_program_parse (text, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
  g_assert_nonnull (strstr (error->message, "line 2, column 1: the program carries an error: sum “total”"));
}

static void
test_text (void)
{
  g_autoptr(AccProgram) p = program ("f4[:,3]", squares, NULL);
  g_autoptr(AccProgram) back = round_trip (p);
  g_autofree char *text = NULL;
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccProgram) from_bytes = NULL;

  acc_array_set_label (acc_program_get_result (p, 0), "say \"x²\"\n");
  text = acc_program_to_string (p);
  g_assert_cmpstr (text, ==,
                   "acc program 1\n"
                   "a0 = parameter 0 f4[:,3]\n"
                   "a1 = map a0 label \"say \\\"x²\\\"\\n\"\n"
                   "  e0 = variable f4\n"
                   "  e1 = mul e0 e0\n"
                   "  function e0 -> e1\n"
                   "program a0 -> a1\n");
  bytes = acc_program_to_bytes (p);
  from_bytes = acc_program_new_from_bytes (bytes, NULL);
  g_assert_nonnull (from_bytes);
  g_assert_cmpstr (acc_array_get_label (acc_program_get_result (from_bytes, 0)), ==, "say \"x²\"\n");
}

/* What a function says of itself, not only what it is written as. */
static void
test_commutes (void)
{
  static const char *const words[] = { "", " commutes" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_autofree char *text = g_strdup_printf ("acc program 1\na0 = parameter 0 f4[:]\na1 = fold1 a0\n  e0 = variable f4\n  e1 = variable f4\n"
                                               "  function e0 e1 -> e0%s\nprogram a0 -> a1\n", words[i]);
      g_autoptr(GError) error = NULL;
      g_autoptr(AccProgram) p = acc_program_parse (text, &error);
      g_autofree char *again = NULL;

      g_assert_no_error (error);
      g_assert_cmpint (acc_program_get_result (p, 0)->functions[0]->commutes, ==, i == 1);
      again = acc_program_to_string (p);
      g_assert_cmpstr (again, ==, text);
    }
}

/* What nodes are parts of, as messages say it. */
static void
test_asked_for (void)
{
  static const char line[] = "acc program 1\na0 = parameter 0 f4[:]\na1 = map a0%s label \"x\"\n  e0 = variable f4\n  function e0 -> e0\nprogram a0 -> a1\n";
  g_autoptr(AccShape) shape = acc_shape_new_matrix (4, 6);
  g_autoptr(AccArray) ones = acc_array_fill (shape, acc_expr_new_typed_float (acc_element_type_new (ACC_KIND_F32), 1));
  g_autoptr(AccArray) some = acc_array_take (ones, 3), turned = acc_array_transpose (some);
  g_autoptr(AccArray) product = acc_array_matmul (some, turned);
  AccArray *results[] = { some, turned, product };
  g_autoptr(AccProgram) p = acc_program_new_for_results (results, G_N_ELEMENTS (results));
  g_autofree char *longest = g_strnfill (64, 'x'), *too_long = g_strnfill (65, 'x');
  const char *names[] = { "take", "take_2_of_another_version", "_", "for", longest };
  const char *wrong[] = { "", "Take", "a b", "é", "take\\n", too_long };

  for (guint form = 0; form < 2; form++)
    {
      g_autoptr(GVariant) variant = g_variant_ref_sink (acc_program_to_variant (p));
      g_autofree char *text = acc_program_to_string (p), *again = NULL;
      g_autoptr(GError) error = NULL;
      g_autoptr(AccProgram) back = form == 0 ? acc_program_parse (text, &error) : acc_program_new_from_variant (variant, &error);

      g_assert_no_error (error);
      again = acc_program_to_string (back);
      g_assert_cmpstr (again, ==, text);
      for (guint i = 0; i < G_N_ELEMENTS (results); i++)
        {
          g_autofree char *before = NULL, *after = NULL;

          acc_array_set_label (results[i], "it");
          acc_array_set_label (acc_program_get_result (back, i), "it");
          before = acc_array_describe (results[i]);
          after = acc_array_describe (acc_program_get_result (back, i));
          g_assert_cmpstr (after, ==, before);
          g_assert_cmpstr (after, ==, i == 0 ? "take “it”" : i == 1 ? "transpose “it”" : "matmul “it”");
          acc_array_set_label (results[i], NULL);
        }
    }

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *part = g_strdup_printf (" for \"%s\"", names[i]), *text = g_strdup_printf (line, part), *again = NULL, *what = NULL;
      g_autofree char *wanted = g_strdup_printf ("%s “x”", names[i]);
      g_autoptr(GError) error = NULL;
      g_autoptr(AccProgram) back = acc_program_parse (text, &error);

      g_assert_no_error (error);
      again = acc_program_to_string (back);
      g_assert_cmpstr (again, ==, text);
      what = acc_array_describe (acc_program_get_result (back, 0));
      g_assert_cmpstr (what, ==, wanted);
    }

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autofree char *part = g_strdup_printf (" for \"%s\"", wrong[i]), *text = g_strdup_printf (line, part);
      g_autoptr(GError) error = NULL;

      g_assert_null (acc_program_parse (text, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
      g_assert_nonnull (strstr (error->message, "” is not the name of an operation"));
    }
}

static void
test_variant (void)
{
  g_autoptr(AccProgram) p = program ("f4[:,3]", squares, NULL);
  g_autofree char *text = acc_program_to_string (p);
  g_autoptr(GVariant) variant = g_variant_ref_sink (acc_program_to_variant (p)), other = g_variant_ref_sink (g_variant_new_int32 (3));
  g_autoptr(GVariant) wrong = g_variant_ref_sink (g_variant_new_string ("acc program 1\na0 = nothing\n"));
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) back = acc_program_new_from_variant (variant, &error);
  g_autofree char *again = NULL;

  g_assert_no_error (error);
  g_assert_true (g_variant_is_of_type (variant, G_VARIANT_TYPE ("s")));
  again = acc_program_to_string (back);
  g_assert_cmpstr (again, ==, text);

  g_assert_null (acc_program_new_from_variant (other, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
  g_assert_nonnull (strstr (error->message, "type “i” where a string is needed"));
  g_clear_error (&error);
  g_assert_null (acc_program_new_from_variant (wrong, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
  g_assert_nonnull (strstr (error->message, "line 2"));
}

static const char *const codes[] = { "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8" };

static void
test_literals (void)
{
  static const double floats[] = { 0, -0., 1, 0.1, 1. / 3, 1e300, 1e-300, 5e-324, 65504, 6e-8, 3.4e38, 1e-45, -1.5, 123456789.123, INFINITY,
                                   -INFINITY };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      assert_array_round_trips (acc_array_unit (acc_expr_new_minimum (type_of (codes[i]))));
      assert_array_round_trips (acc_array_unit (acc_expr_new_maximum (type_of (codes[i]))));
    }

  assert_array_round_trips (acc_array_unit (acc_expr_new_bool (TRUE)));
  assert_array_round_trips (acc_array_unit (acc_expr_new_bool (FALSE)));

  for (guint i = 0; i < G_N_ELEMENTS (floats); i++)
    for (guint k = G_N_ELEMENTS (codes) - 3; k < G_N_ELEMENTS (codes); k++)
      {
        static const double largest[] = { 65504, 3.5e38, G_MAXDOUBLE };
        AccElementType *type = type_of (codes[k]);
        gboolean fits = isinf (floats[i]) || fabs (floats[i]) <= largest[k - (G_N_ELEMENTS (codes) - 3)];
        g_autoptr(AccArray) unit = acc_array_unit (acc_expr_new_typed_float (type, fits ? floats[i] : 0));
        g_autoptr(AccProgram) p = acc_program_new_for_results (&unit, 1);
        g_autoptr(AccProgram) back = round_trip (p);
        AccExpr *before = unit->functions[0]->body, *after = acc_program_get_result (back, 0)->functions[0]->body;

        g_assert_cmpuint (before->value.u, ==, after->value.u);
      }

  assert_array_round_trips (acc_array_unit (acc_expr_new_typed_float (type_of ("f8"), NAN)));
  assert_array_round_trips (acc_array_unit (acc_expr_new_typed_float (type_of ("f8"), -NAN)));
  assert_array_round_trips (acc_array_unit (acc_expr_new_literal (type_of ("f8"),
                                                                  (AccScalar) { .u = G_GUINT64_CONSTANT (0x7ff00000deadbeef) })));
}

static void
test_primitives (void)
{
  for (guint i = 0; i < ACC_N_PRIMITIVES; i++)
    {
      const AccPrimitiveInfo *info = acc_primitive_get_info (i);

      for (guint k = 0; k < G_N_ELEMENTS (codes); k++)
        {
          AccElementType *type = type_of (codes[k]);
          AccExpr *args[2];

          if (!acc_primitive_accepts (i, acc_element_type_get_kind (type)))
            continue;

          args[0] = acc_expr_new_maximum (type);
          args[1] = info->operands == ACC_OPERANDS_SHIFT ? acc_expr_new_typed_int (type_of ("i8"), 3) : acc_expr_new_maximum (type);
          if (info->arity == 1)
            acc_expr_unref (acc_expr_ref_sink (args[1]));
          assert_array_round_trips (acc_array_unit (acc_expr_new_primitive (i, args)));
        }
    }
}

static AccExpr *
halve (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_gt (x, acc_expr_new_int (1)), acc_expr_quot (x, acc_expr_new_int (2)));
}

static AccExpr *
outer_step (AccExpr *state, gpointer data)
{
  AccExpr *inner = acc_expr_while (acc_expr_item (state, 0), halve, NULL);

  return acc_expr_tuple2 (acc_expr_lt (acc_expr_item (state, 1), acc_expr_new_int (100)),
                          acc_expr_tuple2 (acc_expr_add (inner, acc_expr_item (state, 1)),
                                           acc_expr_add (acc_expr_item (state, 1), acc_expr_new_int (1))));
}

static AccExpr *
everything (AccExpr *ix, gpointer array)
{
  AccExpr *i = acc_expr_item (ix, 0);
  AccExpr *loop = acc_expr_while (acc_expr_tuple2 (i, acc_expr_new_typed_int (type_of ("i8"), 0)), outer_step, NULL);
  AccExpr *bits = acc_expr_bitcast (acc_expr_cast (acc_expr_item (loop, 0), type_of ("f8")), type_of ("u8"));
  AccExpr *read = acc_expr_cond (acc_expr_lt (i, acc_expr_extent (array, 0)), acc_expr_index (array, i),
                                 acc_expr_linear_index (array, acc_expr_new_int (0)));

  return acc_expr_tuple4 (bits, read, acc_expr_tuple (NULL, 0),
                          acc_expr_fold_row (array, acc_expr_tuple (NULL, 0), acc_expr_new_float (0), add, NULL));
}

static AccExpr *
scalar_sum (AccExpr *ix, AccExpr *x, gpointer scalar)
{
  return acc_expr_add (x, acc_expr_the (scalar));
}

static AccExpr *
sum_neighbours (AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_neighbour2 (x, -1, 1), acc_expr_neighbour2 (x, 0, 0));
}

static AccExpr *
sum_neighbours2 (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (acc_expr_neighbour2 (x, -1, 1), acc_expr_neighbour2 (y, 0, 2));
}

static AccExpr *
edge (AccExpr *ix, gpointer scalar)
{
  return acc_expr_cond (acc_expr_lt (acc_expr_item (ix, 0), acc_expr_new_int (0)), acc_expr_the (scalar), acc_expr_new_float (1));
}

static AccExpr *
add3 (AccExpr *x, AccExpr *y, AccExpr *z, gpointer data)
{
  return acc_expr_add (acc_expr_add (x, y), z);
}

static AccExpr *
swap (AccExpr *ix, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (ix, 1), acc_expr_item (ix, 0));
}

static AccExpr *
to_target (AccExpr *ix, AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_gt (x, acc_expr_new_float (0)), acc_expr_item (ix, 0));
}

static AccExpr *
bits (AccExpr *x, gpointer data)
{
  return acc_expr_bitcast (x, acc_element_type_new (ACC_KIND_U32));
}

/* Every operation, over parameters and captured data. */
static AccArray *
all_operations (AccArray **arrays, guint n, gpointer data)
{
  AccArray *picture = arrays[0], *flag = arrays[1];
  static const float floats[] = { 1, 2.5, -0., 1e-40f, INFINITY, 7 };
  g_autoptr(AccArray) table = use_floats (floats, 6);
  g_autoptr(AccArray) empty = use_floats (floats, 0);
  g_autoptr(AccArray) scalar = acc_array_sum (table);
  g_autoptr(AccArray) generated = acc_array_generate_expr (acc_expr_extent (table, 0), everything, table);
  g_autoptr(AccArray) filled = acc_array_fill_expr (acc_expr_shape (picture), acc_expr_the (scalar));
  g_autoptr(AccArray) imapped = acc_array_imap (picture, scalar_sum, scalar);
  g_autoptr(AccArray) zipped = acc_array_zip_with3 (picture, filled, imapped, add3, NULL);
  g_autoptr(AccArray) tuples = acc_array_zip_many ((AccArray *[]) { picture, filled, zipped }, 3);
  g_autoptr(AccArray) item = acc_array_unzip (tuples, 2);
  g_autoptr(AccArray) flat = acc_array_flatten (item);
  g_autoptr(AccArray) negative = acc_array_map (item, square, NULL);
  g_autoptr(AccArray) sliced = acc_array_slice (negative, LIST (ACC_ALL, 1));
  g_autoptr(AccArray) replicated = acc_array_replicate (sliced, LIST (4, ACC_ALL));
  g_autoptr(AccArray) turned = acc_array_backpermute_expr (replicated, acc_expr_shape (picture), swap, NULL);
  g_autoptr(AccArray) targets = acc_array_imap (sliced, to_target, NULL);
  g_autoptr(AccArray) permuted = acc_array_permute (sliced, flat, targets, add, NULL);
  g_autoptr(AccArray) folded = acc_array_fold (turned, acc_expr_new_int (0), add, NULL);
  g_autoptr(AccArray) folded1 = acc_array_fold1 (turned, add, NULL);
  g_autoptr(AccArray) all = acc_array_fold_all (turned, acc_expr_new_float (0.5), add, NULL);
  g_autoptr(AccArray) all1 = acc_array_fold1_all (turned, add, NULL);
  g_autoptr(AccArray) scanned = acc_array_scanl1 (turned, add, NULL);
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccBoundary) mirror = acc_boundary_new (ACC_BOUNDARY_MIRROR);
  g_autoptr(AccBoundary) wrap = acc_boundary_new (ACC_BOUNDARY_WRAP);
  g_autoptr(AccBoundary) constant = acc_boundary_new_constant (acc_expr_the (all));
  g_autoptr(AccBoundary) function = acc_boundary_new_function (2, edge, scalar);
  g_autoptr(AccArray) sorted = acc_array_sort_by_key (scanned, TRUE, bits, NULL);
  g_autoptr(AccArray) clamped = acc_array_stencil (sorted, LIST (3, 3), clamp, sum_neighbours, NULL);
  g_autoptr(AccArray) mirrored = acc_array_stencil (clamped, LIST (3, 5), mirror, sum_neighbours, NULL);
  g_autoptr(AccArray) wrapped = acc_array_stencil (mirrored, LIST (5, 3), wrap, sum_neighbours, NULL);
  g_autoptr(AccArray) both = acc_array_stencil2 (wrapped, LIST (3, 3), constant, picture, LIST (1, 5), function, sum_neighbours2, NULL);
  g_autoptr(AccArray) chosen = acc_array_cond (flag, both, wrapped);
  g_autoptr(AccArray) items = acc_array_unzip (generated, 1);
  g_autoptr(AccArray) sums = acc_array_add (folded, folded1);
  g_autoptr(AccArray) more = acc_array_add (sums, items);
  g_autoptr(AccArray) yet = acc_array_add (more, permuted);
  g_autoptr(AccArray) nothing_in = acc_array_add (yet, empty);
  g_autoptr(AccArray) total = acc_array_sum_all (nothing_in);
  g_autoptr(AccArray) sum = acc_array_add (total, all1);
  g_autoptr(AccArray) last = acc_array_compute (sum);

  acc_array_set_label (chosen, "the edges");
  return acc_array_imap (chosen, scalar_sum, last);
}

static void
test_operations (void)
{
  g_autoptr(AccProgram) p = acc_program_new ((const char *const[]) { "f4[:,:]", "b1[]", NULL }, all_operations, NULL);
  g_autoptr(AccProgram) back = NULL;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;

  acc_program_check (p, &error);
  g_assert_no_error (error);
  back = round_trip (p);
  text = acc_program_to_string (p);

  /* The loop is below; foreign operations are among the conformance tests. */
  for (guint i = 0; i < ACC_N_OPERATIONS; i++)
    if (acc_operation_get_info (i)->since[0] != 0 && i != ACC_OP_WHILE_LOOP && i != ACC_OP_LOOP_RESULT && i != ACC_OP_FOREIGN &&
        i != ACC_OP_SOURCE)
      {
        g_autofree char *word = g_strdup_printf (" = %s ", acc_operation_get_info (i)->name);
        g_autofree char *line = g_strdup_printf (" = %s\n", acc_operation_get_info (i)->name);

        if (strstr (text, word) == NULL && strstr (text, line) == NULL)
          g_error ("%s is not in the text", acc_operation_get_info (i)->name);
      }
}

typedef struct {
  AccArray   *table;
  AccArray   *limit;
  AccProgram *condition;
  AccProgram *step;
} Loop;

static AccArray *
is_small (AccArray **arrays, guint n, gpointer data)
{
  Loop *loop = data;
  g_autoptr(AccArray) sum = acc_array_sum_all (arrays[0]);

  return acc_array_lt (sum, loop->limit);
}

static AccArray *
grow (AccArray **arrays, guint n, gpointer data)
{
  Loop *loop = data;
  g_autoptr(AccShape) shape = acc_shape_new_vector (6);
  g_autoptr(AccArray) ones = acc_array_fill (shape, acc_expr_new_typed_float (type_of ("f4"), 1));
  g_autoptr(AccArray) more = acc_array_map (loop->table, square, NULL);
  g_autoptr(AccArray) sum = acc_array_add (arrays[0], more);

  return acc_array_add (sum, ones);
}

static AccArray *
grow_twice (AccArray **arrays, guint n, gpointer data)
{
  Loop *loop = data;
  g_autoptr(AccArray) once = acc_array_while_loop (arrays[0], loop->condition, loop->step);

  return acc_array_add (once, arrays[0]);
}

static AccArray *
loops (AccArray **arrays, guint n, gpointer data)
{
  Loop *loop = data;
  g_autoptr(AccProgram) twice = NULL;
  AccArray *result;

  loop->limit = arrays[1];
  loop->condition = program ("f4[:]", is_small, loop);
  loop->step = program ("f4[:]", grow, loop);
  twice = program ("f4[:]", grow_twice, loop);
  result = acc_array_while_loop (arrays[0], loop->condition, twice);

  /* The table's squares are computed once, outside; ones are cheap and stay inside. */
  g_assert_cmpuint (acc_program_get_captures (loop->step)->len, ==, 1);
  g_assert_true (acc_program_get_captures (loop->condition)->len == 1);
  g_assert_true (g_ptr_array_index (acc_program_get_captures (loop->condition), 0) == arrays[1]);
  g_assert_cmpuint (acc_program_get_captures (twice)->len, ==, 2);

  return result;
}

static void
test_loops (void)
{
  static const float floats[] = { 1, 2, 3, 4, 5, 6 };
  g_autoptr(AccArray) table = use_floats (floats, 6);
  Loop loop = { table };
  g_autoptr(AccProgram) p = acc_program_new ((const char *const[]) { "f4[:]", "f4", NULL }, loops, &loop);
  g_autoptr(AccProgram) back = NULL;
  g_autoptr(GError) error = NULL;
  AccArray *after;

  acc_program_check_closed (p, &error);
  g_assert_no_error (error);
  back = round_trip (p);
  after = acc_program_get_result (back, 0);
  g_assert_true (after->op == ACC_OP_WHILE_LOOP);
  g_assert_cmpuint (acc_program_get_captures (back)->len, ==, 1);

  g_assert_false (acc_program_check_closed (loop.condition, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_TYPE);
  g_assert_true (acc_program_check (loop.condition, NULL));
  g_object_unref (loop.condition);
  g_object_unref (loop.step);
}

static void
test_sharing (void)
{
  static const float floats[] = { 1, 2 };
  AccArray *sum = use_floats (floats, 2);
  g_autoptr(AccProgram) p = NULL;
  g_autoptr(AccProgram) back = NULL;
  g_autofree char *text = NULL;
  AccArray *result;

  for (guint i = 0; i < 100; i++)
    {
      AccArray *next = acc_array_add (sum, sum);

      g_object_unref (sum);
      sum = next;
    }

  p = acc_program_new_for_results ((AccArray *[]) { sum, sum }, 2);
  g_object_unref (sum);
  back = round_trip (p);
  result = acc_program_get_result (back, 0);
  g_assert_true (acc_program_get_result (back, 1) == result);
  g_assert_true (result->inputs[0] == result->inputs[1]);
  g_assert_null (acc_program_get_result (back, 2));
  g_assert_null (acc_program_get_parameter (back, 0));
}

static void
test_data (void)
{
  g_autoptr(AccElementType) type = acc_element_type_parse ("(b1,(i2,f8))", NULL);
  g_autoptr(AccShape) shape = acc_shape_new_matrix (13, 7);
  g_autofree guint8 *data = g_malloc (91 * 11);
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccArray) array = NULL;
  g_autoptr(AccProgram) p = NULL;
  g_autoptr(AccProgram) back = NULL;

  for (guint i = 0; i < 91 * 11; i++)
    data[i] = i < 91 ? i % 2 : (guint) g_test_rand_int ();

  bytes = g_bytes_new (data, 91 * 11);
  array = acc_array_use (type, shape, bytes);
  p = acc_program_new_for_results (&array, 1);
  back = round_trip (p);

  for (guint leaf = 0; leaf < 3; leaf++)
    {
      g_autoptr(GBytes) before = acc_array_dup_bytes (array, leaf, NULL);
      g_autoptr(GBytes) after = acc_array_dup_bytes (acc_program_get_result (back, 0), leaf, NULL);

      g_assert_true (g_bytes_equal (before, after));
    }
}

static void
test_deep (void)
{
  AccArray *chain = acc_array_unit (acc_expr_new_int (1));
  g_autoptr(AccProgram) p = NULL;
  g_autoptr(AccProgram) back = NULL;

  for (guint i = 0; i < 30000; i++)
    {
      AccArray *next = acc_array_neg (chain);

      g_object_unref (chain);
      chain = next;
    }

  p = acc_program_new_for_results (&chain, 1);
  g_object_unref (chain);
  back = round_trip (p);
}

static AccArray *
multiply (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_matmul (arrays[0], arrays[1]);
}

static AccArray *
multiply_more (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) turned = acc_array_transpose (arrays[0]), products = acc_array_matmul (turned, arrays[0]);

  return acc_array_matmul (arrays[1], products);
}

/* A product stays one when it is read, but not what is said to be another one than it is. */
static void
test_products (void)
{
  static const struct { const char *left, *right; } cases[] = {
    { "f4[:,:]", "f4[:,:]" }, { "i4[3,4]", "i4[4,5]" }, { "f8[64,64]", "f8[64,64]" },
    { "c8[:,:]", "c8[:,:,:]" }, { "f2[:,:,:]", "f2[:,:,:]" },
  };
  static const char *const others[] = { "direct \"matmul\" a1 a0", "direct \"matmul\" a0 a0", "direct \"matmul\" a0", "direct \"none\"" };
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(AccProgram) p = acc_program_new ((const char *const[]) { cases[i].left, cases[i].right, NULL }, multiply, NULL);
      g_autoptr(AccProgram) back = round_trip (p);
      g_autofree char *text = acc_program_to_string (back);
      const char *said = strstr (text, "direct \"matmul\" a0 a1");

      g_assert_nonnull (said);
      for (guint k = 0; k < G_N_ELEMENTS (others); k++)
        {
          g_autofree char *forged = g_strdup_printf ("%.*s%s%s", (int) (said - text), text, others[k],
                                                       said + strlen ("direct \"matmul\" a0 a1"));
          g_autoptr(AccProgram) other = NULL;
          g_autofree char *again = NULL;

          other = acc_program_parse (forged, &error);
          g_assert_no_error (error);
          again = acc_program_to_string (other);
          if (strstr (again, "direct") != NULL)
            g_error ("%s:\n%s", others[k], again);
        }
    }

  {
    g_autoptr(AccProgram) p = acc_program_new ((const char *const[]) { "u1[:,:]", "u1[:,:]", NULL }, multiply_more, NULL);
    g_autoptr(AccProgram) back = round_trip (p);
    g_autofree char *text = acc_program_to_string (back);

    const char *first = strstr (text, "direct \"matmul\"");

    g_assert_nonnull (first);
    g_assert_nonnull (strstr (first + 1, "direct \"matmul\""));
  }
}

static AccExpr *
is_not_two (AccExpr *x, gpointer data)
{
  return acc_expr_ne (acc_expr_cast (x, acc_element_type_new (ACC_KIND_I64)), acc_expr_new_int (2));
}

static AccArray *
keep_some (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_filter (arrays[0], is_not_two, NULL, NULL);
}

/* A filter stays one when it is read, but nothing else that is said to be one. */
static void
test_filters (void)
{
  static const char *const signatures[] = { "f4[:]", "u1[7]", "i8[:,:]", "f8[2,3,4]" };
  static const struct { const char *what, *other; } changes[] = {
    { "e4 = tuple e0 e3", "e4 = tuple e0 e1" }, { "e2 = literal i8 1", "e2 = literal i8 2" },
    { "function e0 e1 -> e0\nprogram", "function e0 e1 -> e1\nprogram" }, { "e0 = tuple\n  e1 = index a5 e0", "e1 = literal i8 7" },
  };
  g_autoptr(GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (signatures); i++)
    {
      g_autoptr(AccProgram) p = acc_program_new ((const char *const[]) { signatures[i], NULL }, keep_some, NULL);
      g_autoptr(AccProgram) back = round_trip (p);
      g_autofree char *text = acc_program_to_string (back);

      if (strstr (text, "direct \"compact\" a1 a3") == NULL)
        g_error ("%s:\n%s", signatures[i], text);
      for (guint k = 0; k < G_N_ELEMENTS (changes); k++)
        {
          const char *place = strstr (text, changes[k].what);
          g_autofree char *forged = NULL, *again = NULL;
          g_autoptr(AccProgram) other = NULL;

          g_assert_nonnull (place);
          forged = g_strdup_printf ("%.*s%s%s", (int) (place - text), text, changes[k].other, place + strlen (changes[k].what));
          other = acc_program_parse (forged, &error);
          g_assert_no_error (error);
          again = acc_program_to_string (other);
          if (strstr (again, "direct") != NULL)
            g_error ("%s:\n%s", changes[k].other, again);
        }
    }
}

static void
test_parse_errors (void)
{
  static const struct { const char *text, *message; } cases[] = {
    { "", "line 1, column 1: a program begins with" },
    { "acc program 2\n", "line 1, column 1: " },
    { "acc program 1\n", "the last line" },
    { "acc program 1\nprogram\n", "line 2, column 1: “->” is missing" },
    { "acc program 1\nprogram -> a0\n", "line 2, column 12: there is no array “a0”" },
    { "acc program 1\nnonsense\n", "line 2, column 1: “nonsense” belongs to no operation" },
    { "acc program 1\na0 = fly\nprogram -> a0\n", "line 2, column 6: there is no operation “fly”" },
    { "acc program 1\na0 = scanl\nprogram -> a0\n", "line 2, column 6: " },
    { "acc program 1\na0 = source u1[5,5] \"x\"\nprogram -> a0\n", "line 2, column 6: an array backed by a source" },
    { "acc program 1\na0 = parameter 0 f4[:\nprogram -> a0\n", "line 2, column 18: " },
    { "acc program 1\na0 = parameter 0 f4[:]\nprogram -> a0\n", "parameter 0 of another program" },
    { "acc program 1\na0 = parameter 1 f4[:]\nprogram a0 -> a0\n", "line 3, column 9: “a0” is not parameter 0" },
    { "acc program 1\na0 = parameter 0 f4[:]\nprogram a0 a0 -> a0\n", "line 3, column 12: " },
    { "acc program 1\na0 = parameter 0 f4[:] label x\nprogram a0 -> a0\n", "line 2, column 30: a label stands in quotes" },
    { "acc program 1\na0 = parameter 0 f4[:] label \"x\nprogram a0 -> a0\n", "line 2, column 30: a string does not end" },
    { "acc program 1\na0 = parameter 0 f4[:]\na0 = parameter 1 f4[:]\n", "line 3, column 1: “a0” is there already" },
    { "acc program 1\na0 = parameter 0 f4[:]\na1 = map a0\nprogram a0 -> a1\n", "line 3, column 6: map has 1 functions, not 0" },
    { "acc program 1\na0 = parameter 0 f4[:]\na1 = map a0\n e0 = variable i4\n function e0 -> e0\nprogram a0 -> a1\n",
      "line 3, column 6: map: parameter 0 of its function is f4, not i4" },
    { "acc program 1\na0 = parameter 0 f4[:]\na1 = map a0\n e0 = variable f4\n e1 = variable f4\n function e0 -> e1\nprogram a0 -> a1\n",
      "map: it depends on a variable of another function" },
    { "acc program 1\na0 = parameter 0 f4[:]\na1 = map a0\n e0 = variable f4\n function e0 -> e0 commutes\nprogram a0 -> a1\n",
      "line 5, column 20: " },
    { "acc program 1\na0 = parameter 0 f4[:]\na1 = loop_result a0 1\nprogram a0 -> a1\n",
      "line 3, column 6: loop_result: its input is no while_loop" },
    { "acc program 1\na0 = parameter 0 f4[:]\na1 = while_loop a0\nprogram a0 -> a1\n", "line 3, column 17: there is no program “a0”" },
    { "acc program 1\na0 = parameter 0 f4[:]\na1 = while_loop a0 a0 a0 label \"x\"\nprogram a0 -> a1\n",
      "line 3, column 20: there is no program “a0”" },
    { "acc program 1\na0 = fill\n e0 = literal u1 256\n", "line 3, column 18: “256” is not a value of u1" },
    { "acc program 1\na0 = fill\n e0 = literal f4 -1e39\n", "line 3, column 18: “-1e39” is not a value of f4" },
    { "acc program 1\na0 = fill\n e0 = literal f2 65520\n", "line 3, column 18: “65520” is not a value of f2" },
    { "acc program 1\na0 = fill\n e0 = literal f8 1e999\n", "line 3, column 18: “1e999” is not a value of f8" },
    { "acc program 1\na0 = fill\n e0 = literal f4 one\n", "line 3, column 18: “one” is not a value of f4" },
    { "acc program 1\na0 = fill\n e0 = add\n", "line 3, column 7: something is missing here" },
    { "acc program 1\na0 = fill\n e0 = literal f4 1 2\n", "line 3, column 20: too much here" },
    { "acc program 1\na0 = fill\n e0 = literal f4 1\n e1 = and e0 e0\n", "line 4, column 7: " },
    { "acc program 1\na0 = fill\n e0 = literal c8 1\n", "line 3, column 15: a literal is a scalar" },
    { "acc program 1\na0 = fill\n e0 = literal f4 1\n e1 = pack\n", "line 4, column 7: something is missing here" },
    { "acc program 1\na0 = fill\n e0 = literal f4 1\n e1 = pack c8 e0\n", "something is missing here" },
    { "acc program 1\na0 = fill\n e0 = literal f4 1\n e1 = pack 2f4 e0 e0 e0\n", "too much here" },
    { "acc program 1\na0 = fill\n e0 = literal f4 1\n e1 = pack f4 e0\n", "line 4, column 12: f4 is neither complex nor a vector" },
    { "acc program 1\na0 = fill\n e0 = literal f8 1\n e1 = pack c8 e0 e0\n", "an item of c8 is f8" },
    { "acc program 1\na0 = fill\n e0 = literal f4 1\n e1 = pack c8 e0 e0\n e2 = add e1 e1\n", "add takes numbers, not c8" },
    { "acc program 1\na0 = use f4[2]\n leaf\n data AAAA\nprogram -> a0\n",
      "line 2, column 6: use: buffer 0 of f4 [2] needs 8 bytes, not 3" },
    { "acc program 1\na0 = use f4[2]\n leaf\n data *\nprogram -> a0\n", "line 4, column 7: this is not base 64" },
    { "acc program 1\na0 = use f4[:]\nprogram -> a0\n", "line 2, column 10: data has known extents" },
    { "acc program 1\na0 = foreign\nprogram -> a0\n", "line 2, column 6: a name is missing" },
    { "acc program 1\na0 = foreign x\nprogram -> a0\n", "line 2, column 14: a name in quotes is missing" },
    { "acc program 1\na0 = foreign \"x\"\nprogram -> a0\n", "a program is missing" },
    { "acc program 1\na0 = foreign \"x\" p0\nprogram -> a0\n", "line 2, column 18: there is no program “p0”" },
    { "acc program 1\na0 = parameter 0 f4[:]\np0 = program a0 -> a0\na1 = foreign \"x\" p0\nprogram -> a1\n",
      "1 parameters and 1 results where 0 and 1 are needed" },
    { "acc program 1\na0 = parameter 0 c8[:]\na1 = compute a0 foreign\nprogram a0 -> a1\n", "a name is missing" },
    { "acc program 1\na0 = parameter 0 c8[:]\na1 = compute a0 foreign x\nprogram a0 -> a1\n", "a name in quotes is missing" },
    { "acc program 1\na0 = parameter 0 c8[:]\na1 = compute a0 foreign \"x\" a1\nprogram a0 -> a1\n", "there is no array" },
    { "acc program 1\na0 = parameter 0 c8[:] foreign \"x\"\nprogram a0 -> a0\n", "“foreign” is too much here" },
    { "acc program 1\na0 = parameter 0 f4[:]\na1 = compute a0 direct matmul\nprogram a0 -> a1\n", "a name in quotes is missing" },
    { "acc program 1\na0 = parameter 0 f4[:]\na1 = compute a0 direct \"x\" a1\nprogram a0 -> a1\n", "there is no array" },
    { "acc program 1\na0 = parameter 0 f4[:] for\nprogram a0 -> a0\n", "line 2, column 24: a name is missing" },
    { "acc program 1\na0 = parameter 0 f4[:] for take\nprogram a0 -> a0\n", "line 2, column 28: a name in quotes is missing" },
    { "acc program 1\na0 = parameter 0 f4[:] label \"x\" for \"take\"\nprogram a0 -> a0\n", "“for” is too much here" },
    { "acc program 1\na0 = parameter 0 f4[:]\na1 = while_loop a0 a0 a0 for \"x\" label \"x\"\nprogram a0 -> a1\n",
      "line 3, column 20: there is no program “a0”" },
    { "acc program 1\na0 = use f4[0]\n leaf\nprogram -> a0\nprogram -> a0\n", "line 5, column 1: nothing follows" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(GError) error = NULL;

      g_assert_null (acc_program_parse (cases[i].text, &error));
      g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
      if (strstr (error->message, cases[i].message) == NULL)
        g_error ("%u: “%s” does not contain “%s”", i, error->message, cases[i].message);
      g_assert_true (g_str_has_prefix (error->message, "line "));
    }

  {
    g_autoptr(GBytes) zero = g_bytes_new_static ("acc\0program", 11);
    g_autoptr(GBytes) invalid = g_bytes_new_static ("acc \xff", 5);
    g_autoptr(GBytes) empty = g_bytes_new (NULL, 0);
    g_autoptr(GError) error = NULL;

    g_assert_null (acc_program_new_from_bytes (zero, &error));
    g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
    g_clear_error (&error);
    g_assert_null (acc_program_new_from_bytes (invalid, &error));
    g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
    g_clear_error (&error);
    g_assert_null (acc_program_new_from_bytes (empty, &error));
    g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
  }
}

/* Small texts that would ask for large types, shapes or analyses. */
static void
test_bombs (void)
{
  g_autoptr(GString) text = g_string_new ("acc program 1\na0 = fill\n e0 = literal u1 1\n");
  g_autoptr(GString) loops_text = g_string_new ("acc program 1\na0 = fill\n e0 = literal u1 1\n e1 = tuple\n extents -> e1\n function -> e0\n");
  g_autoptr(GError) error = NULL;

  for (guint i = 1; i < 60; i++)
    g_string_append_printf (text, " e%u = tuple e%u e%u\n", i, i - 1, i - 1);
  g_assert_null (acc_program_parse (text->str, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
  g_clear_error (&error);

  for (guint i = 1; i < 60; i++)
    g_string_append_printf (loops_text, "a%u = zip a%u a%u\n", i, i - 1, i - 1);
  g_string_append (loops_text, "program -> a59\n");
  g_assert_null (acc_program_parse (loops_text->str, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
  g_clear_error (&error);

  g_string_assign (text, "acc program 1\na0 = parameter 0 ");
  for (guint i = 0; i < 100000; i++)
    g_string_append_c (text, '(');
  g_assert_null (acc_program_parse (text->str, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/program/signatures", test_signatures);
  g_test_add_func ("/program/errors", test_errors);
  g_test_add_func ("/program/text", test_text);
  g_test_add_func ("/program/commutes", test_commutes);
  g_test_add_func ("/program/asked-for", test_asked_for);
  g_test_add_func ("/program/variant", test_variant);
  g_test_add_func ("/program/literals", test_literals);
  g_test_add_func ("/program/primitives", test_primitives);
  g_test_add_func ("/program/operations", test_operations);
  g_test_add_func ("/program/loops", test_loops);
  g_test_add_func ("/program/sharing", test_sharing);
  g_test_add_func ("/program/data", test_data);
  g_test_add_func ("/program/deep", test_deep);
  g_test_add_func ("/program/products", test_products);
  g_test_add_func ("/program/filters", test_filters);
  g_test_add_func ("/program/parse-errors", test_parse_errors);
  g_test_add_func ("/program/bombs", test_bombs);

  return g_test_run ();
}
