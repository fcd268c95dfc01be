/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a run says where a function of elements fails for some of them: the number of the first, and what the function says of it alone. Of
 * nested arrays, and of walks over sequences in steps of any size. */

#include "tests/nested/nested-backends.h"

#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-memory-source-private.h"

#include <string.h>

static AccExpr *number (gint64 n) { return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I64), n); }

static AccArray *
named (AccArray *array, const char *label)
{
  acc_array_set_label (array, label);

  return array;
}

/* --- functions */

static AccArray *
sixth (AccArray **a, guint n, gpointer data)
{
  return named (acc_array_unit (acc_expr_linear_index (a[0], number (5))), "sixth");
}

static AccExpr *read_at (AccExpr *index, gpointer of) { return acc_expr_index (of, index); }
static AccExpr *reach (AccExpr *index, gpointer of) { return acc_expr_index (of, acc_expr_add (index, number (2))); }

/* Two columns further on, as long as there are; the last one is what an element of few does not have. */
static AccArray *
shifted (AccArray **a, guint n, gpointer data)
{
  AccExpr *length = acc_expr_min (acc_expr_extent (a[0], 0), number (4));

  return named (acc_array_generate_expr (length, reach, a[0]), "shifted");
}

static AccExpr *divide (AccExpr *x, gpointer data) { return acc_expr_quot (number (100), x); }
static AccArray *divided (AccArray **a, guint n, gpointer data) { return named (acc_array_map (a[0], divide, NULL), "divided"); }

static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
/* Histograms of values below 90. */
static AccArray *
counted (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (90);
  g_autoptr(AccArray) none = acc_array_fill (shape, number (0));

  return named (acc_array_permute (a[0], none, a[0], plus, NULL), "counted");
}

/* By the function of a fold. */
static AccExpr *over (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, acc_expr_quot (number (100), y)); }
static AccArray *folded (AccArray **a, guint n, gpointer data) { return named (acc_array_fold (a[0], number (1), over, NULL), "folded"); }

/* Of the number of the element alone. */
static AccArray *
looked_up (AccArray **a, guint n, gpointer data)
{
  static const gint64 four[] = { 1, 2, 3, 4 };
  g_autoptr(AccShape) shape = acc_shape_new_vector (4);
  g_autoptr(GBytes) bytes = g_bytes_new_static (four, sizeof four);
  g_autoptr(AccArray) table = acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);

  return named (acc_array_unit (acc_expr_linear_index (table, acc_expr_the (a[0]))), "looked up");
}

static AccExpr *is_small (AccExpr *x, gpointer data) { return acc_expr_lt (acc_expr_quot (number (100), x), number (50)); }
static AccExpr *both (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_land (x, y); }
static AccArray *
all_small (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) flags = named (acc_array_map (a[0], is_small, NULL), "small");

  return acc_array_fold (flags, acc_expr_new_bool (TRUE), both, NULL);
}

/* --- elements */

static const gint64 lengths[] = { 6, 8, 3, 7, 2, 9, 0, 6, 7 };
enum { N_ELEMENTS = G_N_ELEMENTS (lengths) };

/* Value @i of element @k: two elements have a zero, and two a value of 95. */
static gint64
value_of (guint k, gint64 i)
{
  return (k == 3 || k == 5) && i == 2 ? 0 : (k == 5 || k == 8) && i == 1 ? 95 : 1 + i + k;
}

static AccArray *
make_array (const gint64 *values, gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (values, n * sizeof *values);

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static AccNestedArray *
make_nested (void)
{
  gint64 values[64], n = 0;
  g_autoptr(AccArray) all = NULL, each = make_array (lengths, N_ELEMENTS);

  for (guint k = 0; k < N_ELEMENTS; k++)
    for (gint64 i = 0; i < lengths[k]; i++)
      values[n++] = value_of (k, i);
  all = make_array (values, n);

  return acc_nested_array_new_from_lengths (all, each);
}

/* Elements in groups. */
static AccNestedArray *
make_grouped (gint64 failing)
{
  g_autoptr(AccArray) numbers = make_array ((gint64[]) { failing, 7, 0, failing, 7, 1, failing, 7, failing }, 9);
  g_autoptr(AccArray) groups = make_array ((gint64[]) { 2, 0, 1, 4, 2 }, 5);
  g_autoptr(AccNestedArray) nested = make_nested (), chosen = acc_nested_array_gather (nested, numbers);

  return acc_nested_array_nest (chosen, groups);
}

/* --- cases */

static const struct {
  const char  *name;
  AccArrayFunc function;
  gint64       element;    /* the first that fails */
  AccError     code;
  const char  *says[2];    /* what comes behind its number, and the interpreter's of that */
} cases[] = {
  { "index", sixth, 2, ACC_ERROR_BOUNDS,
    { "unit “sixth”: index 5 is outside extent 3", "unit “sixth”: index [5] is outside the extents [3]" } },
  { "shifted", shifted, 2, ACC_ERROR_BOUNDS,
    { "generate “shifted”: index ", "generate “shifted”: index [" } },
  { "division", divided, 3, ACC_ERROR_ARITHMETIC, { "map “divided”: division by zero", "map “divided”: division by zero" } },
  { "permute", counted, 5, ACC_ERROR_BOUNDS,
    { "permute “counted”: index 95 is outside extent 90", "permute “counted”: index [95] is outside the extents [90]" } },
  { "fold", folded, 3, ACC_ERROR_ARITHMETIC, { "fold “folded”: division by zero", "fold “folded”: division by zero" } },
};

/* It compiles nothing. */
static gboolean is_interpreter (void) { return g_str_equal (acc_backend_get_name (backend), "interpreter"); }

static void
expect_at (const char *name, const char *elements, guint i, const GError *error)
{
  g_autofree char *wanted = g_strdup_printf ("%s: %s", elements, cases[i].says[is_interpreter ()]);

  g_assert_error (error, ACC_ERROR, (int) cases[i].code);
  if (strstr (error->message, wanted) == NULL || strstr (error->message, "-1") != NULL)
    {
      g_test_message ("%s: “%s” and not “%s”", name, error->message, wanted);
      g_test_fail ();
    }
}

static void
expect (const char *name, gint64 element, guint i, const GError *error)
{
  g_autofree char *elements = g_strdup_printf ("element %" G_GINT64_FORMAT, element);

  expect_at (name, elements, i, error);
}

static void
test_nested (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr(AccNestedArray) nested = make_nested (), mapped = acc_nested_array_map (nested, cases[i].function, NULL), computed = NULL;
  g_autoptr(AccArray) flat = acc_nested_array_flatten (mapped), total = acc_array_fold_all (flat, number (0), plus, NULL), sum = NULL;
  g_autoptr(GError) error = NULL, other = NULL;

  computed = acc_backend_run_nested (backend, mapped, NULL, &error);
  expect (cases[i].name, cases[i].element, i, error);
  /* What is made of it. */
  sum = acc_backend_run (backend, total, NULL, &other);
  expect (cases[i].name, cases[i].element, i, other);
}

static void
test_written (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr(AccNestedArray) nested = make_nested (), mapped = acc_nested_array_map (nested, cases[i].function, NULL);
  g_autoptr(AccArray) flat = acc_nested_array_flatten (mapped);
  g_autoptr(GOutputStream) stream = g_memory_output_stream_new_resizable ();
  g_autoptr(GError) error = NULL;
  g_autoptr(AccSink) sink = acc_sink_new_for_stream (stream, "raw", &error);

  g_assert_no_error (error);
  g_assert_false (acc_backend_write (backend, flat, sink, NULL, &error));
  expect (cases[i].name, cases[i].element, i, error);
}

/* Values and lengths, to a total. */
static AccArray *
total_of (AccArray **a, guint n, gpointer which)
{
  g_autoptr(AccNestedArray) nested = acc_nested_array_new_from_lengths (a[0], a[1]);
  g_autoptr(AccNestedArray) mapped = acc_nested_array_map (nested, cases[GPOINTER_TO_UINT (which)].function, NULL);
  g_autoptr(AccArray) flat = acc_nested_array_flatten (mapped);

  return acc_array_fold_all (flat, number (0), plus, NULL);
}

static AccExpr *itself (AccExpr *x, gpointer data) { return acc_expr_add (x, number (0)); }

/* By an executable, of arrays in memory and of others; and by what it is applied to. */
static void
test_program (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { "i8[:]", "i8[:]", NULL }, total_of, GUINT_TO_POINTER (i));
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr(AccNestedArray) nested = make_nested ();
  g_autoptr(AccArray) values = acc_nested_array_flatten (nested), delayed = acc_array_map (values, itself, NULL);
  AccArray *arguments[2] = { values, acc_nested_array_get_lengths (nested) };
  g_autoptr(GPtrArray) applied = NULL;

  g_assert_no_error (error);
  for (guint k = 0; k < 2; k++)
    {
      g_autoptr(GPtrArray) results = NULL;
      g_autoptr(GError) other = NULL;

      results = acc_executable_run (executable, arguments, 2, NULL, &other);
      expect (cases[i].name, cases[i].element, i, other);
      arguments[0] = delayed;
    }

  applied = acc_program_apply (program, arguments, 2, &error);
  g_assert_no_error (error);
  g_assert_null (acc_backend_run (backend, g_ptr_array_index (applied, 0), NULL, &error));
  expect (cases[i].name, cases[i].element, i, error);
}

static AccArray *
same (AccArray **a, guint n, gpointer data)
{
  return g_object_ref (a[0]);
}

/* Of elements behind the first four, which are those of a map of nested arrays of two levels. */
static void
test_derived (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr(AccArray) numbers = make_array ((gint64[]) { 7, 0, 1, cases[i].element, 7, cases[i].element }, 6);
  g_autoptr(AccArray) groups = make_array ((gint64[]) { 2, 0, 4 }, 3);
  g_autoptr(AccNestedArray) nested = make_nested (), chosen = acc_nested_array_gather (nested, numbers);
  g_autoptr(AccNestedArray) grouped = acc_nested_array_nest (chosen, groups);
  g_autoptr(AccNestedArray) before = acc_nested_array_map (grouped, same, NULL);
  g_autoptr(AccNestedArray) mapped = acc_nested_array_map (before, cases[i].function, NULL), computed = NULL;
  g_autoptr(GError) error = NULL;

  computed = acc_backend_run_nested (backend, mapped, NULL, &error);
  expect (cases[i].name, 3, i, error);
}

/* Of elements of elements, which a function of these chooses. */
static AccNestedArray *
mapped_but_first (AccNestedArray *element, gpointer which)
{
  g_autoptr(AccNestedArray) rest = acc_nested_array_drop (element, 1);

  return acc_nested_array_map (rest, cases[GPOINTER_TO_UINT (which)].function, NULL);
}

static AccNestedArray *
mapped_in_groups (AccNestedArray *element, gpointer which)
{
  return acc_nested_array_map_nested (element, mapped_but_first, which);
}

static void
test_levels (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr(AccArray) outer = make_array ((gint64[]) { 3, 0, 2 }, 3);
  g_autoptr(AccNestedArray) grouped = make_grouped (cases[i].element), deep = acc_nested_array_nest (grouped, outer);
  g_autoptr(AccNestedArray) mapped = acc_nested_array_map_nested (grouped, mapped_but_first, GUINT_TO_POINTER (i)), computed = NULL;
  g_autoptr(AccNestedArray) deeper = acc_nested_array_map_nested (deep, mapped_in_groups, GUINT_TO_POINTER (i)), others = NULL;
  g_autoptr(GError) error = NULL, other = NULL;

  computed = acc_backend_run_nested (backend, mapped, NULL, &error);
  expect_at (cases[i].name, "element 3, 2", i, error);
  if (!is_interpreter ())
    return;
  others = acc_backend_run_nested (backend, deeper, NULL, &other);
  expect_at (cases[i].name, "element 2, 0, 2", i, other);
}

/* Numbers in pairs, to which a function is applied. */
static AccArray *
in_pairs (AccArray **a, guint n, gpointer data)
{
  AccExpr *pairs = acc_expr_quot (acc_expr_extent (a[0], 0), number (2));
  g_autoptr(AccArray) each = acc_array_fill_expr (pairs, number (2));
  g_autoptr(AccArray) even = acc_array_generate_expr (acc_expr_mul (acc_expr_quot (acc_expr_extent (a[0], 0), number (2)), number (2)),
                                                      read_at, a[0]);
  g_autoptr(AccNestedArray) nested = acc_nested_array_new_from_lengths (even, each);
  g_autoptr(AccNestedArray) mapped = acc_nested_array_map (nested, divided, NULL);

  return acc_nested_array_flatten (mapped);
}

static const gint64 steps[] = { 0, 1, 2, 7 };

static void
says (const GError *error, AccError code, const char *wanted)
{
  g_assert_error (error, ACC_ERROR, (int) code);
  if (strstr (error->message, wanted) == NULL)
    {
      g_test_message ("“%s” and not “%s”", error->message, wanted);
      g_test_fail ();
    }
}

static void
says_in_steps (AccArray *array, AccError code, const char *wanted)
{
  for (guint s = 0; s < G_N_ELEMENTS (steps); s++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, &array, 1, steps[s], NULL, &error);

      says (error, code, wanted);
    }
}

static void
test_sequence (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr(AccNestedArray) nested = make_nested ();
  g_autoptr(AccSequence) sequence = acc_sequence_new_from_nested (nested), mapped = acc_sequence_map (sequence, cases[i].function, NULL);
  g_autoptr(AccArray) elements = acc_sequence_elements (mapped);

  for (guint s = 0; s < G_N_ELEMENTS (steps); s++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, &elements, 1, steps[s], NULL, &error);

      expect (cases[i].name, cases[i].element, i, error);
    }
}

/* Elements of an element of a nested array, of a sequence. */
static void
test_inner (void)
{
  g_autoptr(AccNestedArray) nested = make_nested (), mapped = acc_nested_array_map (nested, in_pairs, NULL), computed = NULL;
  g_autoptr(AccSequence) sequence = acc_sequence_new_from_nested (nested), walked = acc_sequence_map (sequence, in_pairs, NULL);
  g_autoptr(AccArray) elements = acc_sequence_elements (walked);
  g_autoptr(GError) error = NULL;

  computed = acc_backend_run_nested (backend, mapped, NULL, &error);
  says (error, ACC_ERROR_ARITHMETIC, "element 3, 1: map “divided”: division by zero");
  says_in_steps (elements, ACC_ERROR_ARITHMETIC, "element 3, 1: map “divided”: division by zero");
}

/* --- sequences of nested arrays */

static GObject *
but_first (GObject **e, guint n, gpointer data)
{
  return G_OBJECT (acc_nested_array_drop (ACC_NESTED_ARRAY (e[0]), 1));
}

static GObject *
mapped_element (GObject **e, guint n, gpointer which)
{
  return G_OBJECT (acc_nested_array_map (ACC_NESTED_ARRAY (e[0]), cases[GPOINTER_TO_UINT (which)].function, NULL));
}

static AccExpr *is_any (AccExpr *x, gpointer data) { return acc_expr_eq (x, x); }

/* TRUE, if it does not fail. */
static GObject *
holds (GObject **e, guint n, gpointer which)
{
  g_autoptr(AccNestedArray) mapped = mapped_but_first (ACC_NESTED_ARRAY (e[0]), which);
  g_autoptr(AccArray) flat = acc_nested_array_flatten (mapped), flags = acc_array_map (flat, is_any, NULL);

  return G_OBJECT (acc_array_fold (flags, acc_expr_new_bool (TRUE), both, NULL));
}

static void
test_nested_elements (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr(AccNestedArray) grouped = make_grouped (cases[i].element);
  g_autoptr(AccNestedArray) computed = acc_backend_run_nested (backend, grouped, NULL, NULL);
  g_autoptr(AccSequence) sequence = acc_sequence_new_from_nested (computed);
  g_autoptr(AccSequence) rest = acc_sequence_map_nested (sequence, but_first, NULL);
  AccSequence *walked[] = {
    acc_sequence_map_nested (rest, mapped_element, GUINT_TO_POINTER (i)),
    acc_sequence_filter_nested (sequence, holds, GUINT_TO_POINTER (i)),
    acc_sequence_take_while_nested (sequence, holds, GUINT_TO_POINTER (i)),
  };

  for (guint k = 0; k < G_N_ELEMENTS (walked) * G_N_ELEMENTS (steps); k++)
    {
      g_autoptr(AccArray) elements = acc_sequence_elements (walked[k % G_N_ELEMENTS (walked)]);
      g_autoptr(GError) error = NULL;
      g_autoptr(GPtrArray) results = acc_evaluate_with_chunk_rows (backend, &elements, 1, steps[k / G_N_ELEMENTS (walked)], NULL, &error);

      expect_at (cases[i].name, "element 3, 2", i, error);
    }
  for (guint k = 0; k < G_N_ELEMENTS (walked); k++)
    g_object_unref (walked[k]);
}

/* As many as 100 divided by the third value. */
static AccArray *
sized (AccArray **a, guint n, gpointer data)
{
  return acc_array_fill_expr (acc_expr_quot (number (100), acc_expr_linear_index (a[0], number (2))), number (1));
}

static AccNestedArray *
each_sized (AccNestedArray *element, gpointer data)
{
  return acc_nested_array_map (element, sized, NULL);
}

/* Of what is computed for lengths alone. */
static void
test_lengths (void)
{
  g_autoptr(AccNestedArray) grouped = make_grouped (3), groups = acc_nested_array_drop (grouped, 2);
  g_autoptr(AccNestedArray) all = acc_nested_array_drop (acc_nested_array_get_inner (grouped), 1);
  g_autoptr(AccNestedArray) mapped = acc_nested_array_map (all, sized, NULL);
  g_autoptr(AccNestedArray) each = acc_nested_array_map_nested (groups, each_sized, NULL);
  g_autoptr(GError) error = NULL, other = NULL;

  g_assert_null (acc_backend_run (backend, acc_nested_array_get_lengths (mapped), NULL, &error));
  says (error, ACC_ERROR_ARITHMETIC, "element 2: ");
  g_assert_null (acc_backend_run (backend, acc_nested_array_get_lengths (acc_nested_array_get_inner (each)), NULL, &other));
  says (other, ACC_ERROR_ARITHMETIC, "element 1, 0: ");
}

static AccArray *
added_over (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) quotient = divided (a + 1, 1, NULL);

  return acc_array_zip_with (a[0], quotient, plus, NULL);
}

/* What combines elements, none of which fails alone; and what has a state. */
static void
test_combined (void)
{
  g_autoptr(AccArray) values = make_array ((gint64[]) { 1, 2, 3, 4, 5, 0, 7, 8, 9 }, 9), state = acc_array_unit (number (1));
  g_autoptr(AccSequence) sequence = acc_sequence_new_from_array (values);
  g_autoptr(AccSequence) scanned = acc_sequence_scan (sequence, state, added_over, NULL);
  g_autoptr(AccArray) total = acc_sequence_fold (sequence, NULL, added_over, NULL), last = acc_sequence_elements (scanned);

  says_in_steps (total, ACC_ERROR_ARITHMETIC, "up to element 5: map “divided”: division by zero");
  says_in_steps (last, ACC_ERROR_ARITHMETIC, "element 5: map “divided”: division by zero");
}

/* An element of the number, which is no function of the values. */
static void
test_numbers (void)
{
  g_autoptr(AccNestedArray) nested = make_nested (), mapped = acc_nested_array_imap (nested, looked_up, NULL), computed = NULL;
  g_autoptr(AccSequence) sequence = acc_sequence_new_from_nested (nested), walked = acc_sequence_imap (sequence, looked_up, NULL);
  g_autoptr(AccArray) elements = acc_sequence_elements (walked);
  g_autoptr(GError) error = NULL;

  computed = acc_backend_run_nested (backend, mapped, NULL, &error);
  says (error, ACC_ERROR_BOUNDS, "element 4: unit “looked up”: index ");
  says_in_steps (elements, ACC_ERROR_BOUNDS, "element 4: unit “looked up”: index ");
}

/* What decides which elements there are. */
static void
test_predicates (void)
{
  g_autoptr(AccNestedArray) nested = make_nested (), kept = acc_nested_array_filter (nested, all_small, NULL), computed = NULL;
  g_autoptr(AccSequence) sequence = acc_sequence_new_from_nested (nested), some = acc_sequence_filter (sequence, all_small, NULL);
  g_autoptr(AccArray) elements = acc_sequence_elements (some);
  g_autoptr(GError) error = NULL;

  computed = acc_backend_run_nested (backend, kept, NULL, &error);
  says (error, ACC_ERROR_ARITHMETIC, "element 3: map “small”: division by zero");
  says_in_steps (elements, ACC_ERROR_ARITHMETIC, "element 3: map “small”: division by zero");
}

static AccExpr *
add_items (AccExpr *index, gpointer data)
{
  return acc_expr_add (acc_expr_item (index, 0), acc_expr_item (index, 1));
}

static AccArray *
divided_sum (AccArray **a, guint n, gpointer data)
{
  g_autoptr(AccArray) quotients = divided (a, n, NULL);

  return acc_array_fold (quotients, number (0), plus, NULL);
}

/* What is read, and what would be more than memory may have, is not computed a second time. */
static void
test_not_again (void)
{
  g_autoptr(AccArray) values = make_array ((gint64[]) { 1, 2, 0, 4 }, 4), each = make_array ((gint64[]) { 1, 3 }, 2);
  g_autoptr(AccArray) rows = acc_memory_source_new_rows (values);
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { 1 << 15, 1 << 14 }, 2);
  g_autoptr(AccArray) many = acc_array_generate (shape, add_items, NULL);
  g_autoptr(AccNestedArray) read = acc_nested_array_new_from_lengths (rows, each), large = acc_nested_array_new_from_regular (many);
  /* The interpreter takes half a minute for the large one. */
  guint n = g_str_equal (acc_backend_get_name (backend), "interpreter") ? 1 : 2;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr(AccNestedArray) mapped = acc_nested_array_map (i == 0 ? read : large, divided_sum, NULL), computed = NULL;
      g_autoptr(GError) error = NULL;

      computed = acc_backend_run_nested (backend, mapped, NULL, &error);
      says (error, ACC_ERROR_ARITHMETIC, "division by zero");
      g_assert_null (strstr (error->message, "element"));
    }
}

/* Maps of maps know each other, and go together. */
static void
test_chain (void)
{
  enum { LENGTH = 20000 };
  g_autoptr(AccNestedArray) nested = make_nested ();
  gpointer values = acc_nested_array_get_values (nested);

  g_object_add_weak_pointer (values, &values);
  for (guint i = 0; i < LENGTH; i++)
    {
      AccNestedArray *next = acc_nested_array_map (nested, divided, NULL);

      g_object_unref (nested);
      nested = next;
    }
  g_clear_object (&nested);
  g_assert_null (values);
}

static void
add (const char *name, guint i, GTestDataFunc test)
{
  g_autofree char *path = g_strdup_printf ("/blame/%s/%s", name, cases[i].name);

  g_test_add_data_func (path, GUINT_TO_POINTER (i), test);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  if (!open_backends ("native"))
    return 0;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      add ("nested", i, test_nested);
      add ("derived", i, test_derived);
      add ("sequence", i, test_sequence);
      add ("written", i, test_written);
      if (is_interpreter () || cases[i].function == sixth || cases[i].function == divided)
        {
          add ("program", i, test_program);
          add ("levels", i, test_levels);
          add ("nested-elements", i, test_nested_elements);
        }
    }
  g_test_add_func ("/blame/inner", test_inner);
  g_test_add_func ("/blame/lengths", test_lengths);
  g_test_add_func ("/blame/combined", test_combined);
  g_test_add_func ("/blame/numbers", test_numbers);
  g_test_add_func ("/blame/predicates", test_predicates);
  g_test_add_func ("/blame/not-again", test_not_again);
  g_test_add_func ("/blame/chain", test_chain);

  return run_tests ();
}
