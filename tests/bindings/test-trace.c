/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What is built by asking for what functions give is what is built by calling them. */

#include <acc/acc.h>

typedef AccArray *(*Build) (gpointer one, gpointer two);

static gboolean tracing;   /* then only the test itself calls */
static AccArray *xs, *lengths, *places;
static AccBoundary *wrap;

static AccExpr *
itself (AccExpr *x, gpointer data)
{
  g_assert_false (tracing);
  return x;
}

static AccExpr *
twice (AccExpr *x, gpointer data)
{
  g_assert_false (tracing);
  return acc_expr_add (x, x);
}

static AccExpr *
is_large (AccExpr *x, gpointer data)
{
  g_assert_false (tracing);
  return acc_expr_gt (x, acc_expr_new_int (2));
}

static AccExpr *
centre (AccExpr *n, gpointer data)
{
  g_assert_false (tracing);
  return acc_expr_neighbour (n, (gint64[]) { 1 }, 1);
}

static AccExpr *
step (AccExpr *x, gpointer data)
{
  g_assert_false (tracing);
  return acc_expr_tuple2 (acc_expr_lt (x, acc_expr_new_int (100)), acc_expr_add (x, x));
}

static AccExpr *
sum (AccExpr *x, AccExpr *y, gpointer data)
{
  g_assert_false (tracing);
  return acc_expr_add (acc_expr_mul (x, acc_expr_new_int (3)), y);
}

static AccExpr *
sum_of_centres (AccExpr *n, AccExpr *m, gpointer data)
{
  return sum (centre (n, NULL), centre (m, NULL), NULL);
}

static AccExpr *
sum3 (AccExpr *x, AccExpr *y, AccExpr *z, gpointer data)
{
  return sum (sum (x, y, NULL), z, NULL);
}

static AccExpr *
sum10 (AccExpr *a, AccExpr *b, AccExpr *c, AccExpr *d, AccExpr *e, AccExpr *f, AccExpr *g, AccExpr *h, AccExpr *i, AccExpr *j,
       gpointer data)
{
  return sum (sum3 (a, b, sum3 (c, d, e, NULL), NULL), sum3 (f, g, sum3 (h, i, j, NULL), NULL), NULL);
}

/* The arguments, for a function of any number. */
static AccExpr *
answer_any (gpointer function, AccExpr **x, guint n)
{
  switch (n)
    {
    case 1:
      return ((AccExprFunc) function) (x[0], NULL);
    case 2:
      return ((AccExprFunc2) function) (x[0], x[1], NULL);
    case 3:
      return ((AccExprFunc3) function) (x[0], x[1], x[2], NULL);
    case 10:
      return ((AccExprFunc10) function) (x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], NULL);
    default:
      g_assert_not_reached ();
    }
}

static AccArray *
trace (Build build, gpointer one, gpointer two)
{
  g_autoptr(AccTrace) trace = acc_trace_new ();

  for (;;)
    {
      AccArray *made;
      GPtrArray *arguments;

      acc_trace_begin (trace);
      tracing = TRUE;
      made = build (one, two);
      tracing = FALSE;
      if (!acc_trace_end (trace))
        return made;

      g_object_unref (made);
      g_assert_cmpuint (acc_trace_get_function (trace), <, 2);
      arguments = acc_trace_get_arguments (trace);
      acc_trace_answer (trace, answer_any (acc_trace_get_function (trace) == 0 ? one : two, (AccExpr **) arguments->pdata, arguments->len));
    }
}

/* The operations it is made of, and its values; items and literals of a function may be there twice. */
static char *
describe (AccArray *made)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("interpreter", &error);
  g_autoptr(AccArray) result = acc_backend_run (backend, made, NULL, &error);
  g_assert_no_error (error);
  g_autoptr(AccProgram) program = acc_program_new_for_results (&made, 1);
  g_autofree char *text = acc_program_to_string (program), *values = acc_array_to_string (result);
  g_auto(GStrv) lines = g_strsplit (text, "\n", -1);
  GString *operations = g_string_new (values);

  for (guint i = 0; lines[i] != NULL; i++)
    if (lines[i][0] == 'a')
      g_string_append_printf (operations, "\n%s", lines[i]);
  return g_string_free (operations, FALSE);
}

static AccExpr *
five (void)
{
  return acc_expr_cast (acc_expr_new_int (5), acc_element_type_new (ACC_KIND_I64));
}

/* Of one and two, as functions of one and of two arguments, or of three and ten. */
#define BUILD(name, made) \
  static AccArray *build_##name (gpointer one, gpointer two) { return made; }
#define SCAN(name) \
  BUILD (name, acc_array_##name (xs, five (), (AccExprFunc2) one, NULL)) \
  BUILD (name##_seg, acc_array_##name##_seg (xs, five (), lengths, (AccExprFunc2) one, NULL))
#define SCAN_PRIME(name) \
  static AccArray *build_##name (gpointer one, gpointer two) \
  { g_autoptr (AccArray) ends = NULL; return acc_array_##name (xs, five (), (AccExprFunc2) one, NULL, &ends); } \
  static AccArray *build_##name##_seg (gpointer one, gpointer two) \
  { g_autoptr (AccArray) ends = NULL; return acc_array_##name##_seg (xs, five (), lengths, (AccExprFunc2) one, NULL, &ends); }

BUILD (map, acc_array_map (xs, one, NULL))
BUILD (imap, acc_array_imap (xs, one, NULL))
BUILD (zip_with, acc_array_zip_with (xs, places, one, NULL))
BUILD (izip_with, acc_array_izip_with (xs, places, one, NULL))
BUILD (zip_with3, acc_array_zip_with3 (xs, places, xs, one, NULL))
BUILD (izip_with9, acc_array_izip_with9 (xs, xs, xs, xs, xs, xs, xs, xs, places, one, NULL))
BUILD (generate_expr, acc_array_generate_expr (acc_expr_extent (xs, 0), one, NULL))
BUILD (backpermute_expr, acc_array_backpermute_expr (xs, acc_expr_extent (xs, 0), one, NULL))
BUILD (fold, acc_array_fold (xs, five (), one, NULL))
BUILD (fold1, acc_array_fold1 (xs, one, NULL))
BUILD (fold_all, acc_array_fold_all (xs, five (), one, NULL))
BUILD (fold1_all, acc_array_fold1_all (xs, one, NULL))
BUILD (fold_seg, acc_array_fold_seg (xs, five (), lengths, one, NULL))
BUILD (fold1_seg, acc_array_fold1_seg (xs, lengths, one, NULL))
BUILD (fold_seg_offsets, acc_array_fold_seg_offsets (xs, five (), lengths, one, NULL))
BUILD (fold1_seg_offsets, acc_array_fold1_seg_offsets (xs, lengths, one, NULL))
BUILD (scanl1, acc_array_scanl1 (xs, one, NULL))
BUILD (scanr1, acc_array_scanr1 (xs, one, NULL))
BUILD (scanl1_seg, acc_array_scanl1_seg (xs, lengths, one, NULL))
BUILD (scanr1_seg, acc_array_scanr1_seg (xs, lengths, one, NULL))
SCAN (scanl)
SCAN (scanr)
SCAN (prescanl)
SCAN (prescanr)
SCAN (postscanl)
SCAN (postscanr)
SCAN_PRIME (scanl_with_total)
SCAN_PRIME (scanr_with_total)
BUILD (sort_by_key, acc_array_sort_by_key (xs, TRUE, one, NULL))
BUILD (permute, acc_array_permute (xs, xs, places, one, NULL))
BUILD (scatter_if, acc_array_scatter_if (xs, xs, places, xs, one, NULL))
BUILD (gather_if, acc_array_gather_if (xs, places, xs, xs, one, NULL))
BUILD (stencil, acc_array_stencil (xs, (gint64[]) { 3 }, 1, wrap, one, NULL))
BUILD (stencil2, acc_array_stencil2 (xs, (gint64[]) { 3 }, 1, wrap, places, (gint64[]) { 3 }, 1, wrap, one, NULL))
BUILD (expand, acc_array_expand (xs, one, NULL, two, NULL))

static AccArray *
build_filter (gpointer one, gpointer two)
{
  g_autoptr(AccArray) counts = NULL;

  return acc_array_filter (xs, one, NULL, &counts);
}

static AccArray *
build_boundary (gpointer one, gpointer two)
{
  g_autoptr(AccBoundary) boundary = acc_boundary_new_function (1, one, NULL);

  return acc_array_stencil (xs, (gint64[]) { 3 }, 1, boundary, two, NULL);
}

BUILD (while, acc_array_unit (acc_expr_while (five (), one, NULL)))
BUILD (iterate, acc_array_unit (acc_expr_iterate (five (), five (), one, NULL)))
BUILD (maybe, acc_array_unit (acc_expr_maybe (acc_expr_just (five ()), five (), one, NULL)))
BUILD (fold_row, acc_array_unit (acc_expr_fold_row (xs, acc_expr_tuple (NULL, 0), five (), one, NULL)))

static const struct {
  const char *name;
  Build       build;
  gpointer    one, two;
} cases[] = {
#define CASE(name, ...) { #name, build_##name, __VA_ARGS__ }
  CASE (map, itself), CASE (map, twice), CASE (imap, sum), CASE (zip_with, sum), CASE (izip_with, sum3), CASE (zip_with3, sum3),
  CASE (izip_with9, sum10), CASE (generate_expr, twice), CASE (backpermute_expr, itself),
  CASE (fold, sum), CASE (fold1, sum), CASE (fold_all, sum), CASE (fold1_all, sum),
  CASE (fold_seg, sum), CASE (fold1_seg, sum), CASE (fold_seg_offsets, sum), CASE (fold1_seg_offsets, sum),
  CASE (scanl1, sum), CASE (scanr1, sum), CASE (scanl1_seg, sum), CASE (scanr1_seg, sum), CASE (scanl, sum), CASE (scanl_seg, sum),
  CASE (scanr, sum), CASE (scanr_seg, sum), CASE (prescanl, sum), CASE (prescanl_seg, sum), CASE (prescanr, sum), CASE (prescanr_seg, sum),
  CASE (postscanl, sum), CASE (postscanl_seg, sum), CASE (postscanr, sum), CASE (postscanr_seg, sum), CASE (scanl_with_total, sum),
  CASE (scanl_with_total_seg, sum), CASE (scanr_with_total, sum), CASE (scanr_with_total_seg, sum),
  CASE (sort_by_key, twice), CASE (permute, sum), CASE (scatter_if, is_large), CASE (gather_if, is_large), CASE (filter, is_large),
  CASE (stencil, centre), CASE (stencil2, sum_of_centres), CASE (expand, itself, sum), CASE (boundary, twice, centre),
  CASE (while, step), CASE (iterate, twice), CASE (maybe, twice), CASE (fold_row, sum),
#undef CASE
};

static void
test_operations (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr(AccArray) called = cases[i].build (cases[i].one, cases[i].two);
      g_autoptr(AccArray) traced = trace (cases[i].build, cases[i].one, cases[i].two);
      g_autofree char *wanted = describe (called), *got = describe (traced);

      g_test_message ("%s", cases[i].name);
      g_assert_cmpstr (got, ==, wanted);
    }
}

/* A function that builds what takes another. */
static AccExpr *
iterated (AccExpr *x, gpointer data)
{
  g_autoptr(AccTrace) inner = acc_trace_new ();
  AccExpr *made;

  acc_trace_begin (inner);
  made = acc_expr_ref_sink (acc_expr_iterate (acc_expr_new_int (3), x, twice, NULL));
  g_assert_true (acc_trace_end (inner));
  acc_expr_unref (made);

  acc_trace_answer (inner, acc_expr_add (acc_trace_get_arguments (inner)->pdata[0], x));
  acc_trace_begin (inner);
  made = acc_expr_iterate (acc_expr_new_int (3), x, twice, NULL);
  g_assert_false (acc_trace_end (inner));
  return made;
}

static void
test_nested (void)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccBackend) backend = acc_backend_new_for_name ("interpreter", &error);
  g_autoptr(AccArray) made = trace (build_map, iterated, NULL);
  g_autoptr(AccArray) result = acc_backend_run (backend, made, NULL, &error);

  g_assert_no_error (error);
  for (int i = 0; i < 6; i++)
    g_assert_cmpint (acc_array_get_int (result, 0, i), ==, 4 * acc_array_get_int (xs, 0, i));
}

static AccArray *
never (AccArray **arrays, guint n, gpointer data)
{
  g_assert_not_reached ();
}

static GPtrArray *
never_many (AccArray **arrays, guint n, gpointer data)
{
  g_assert_not_reached ();
}

static void
test_programs (void)
{
  const char *signatures[] = { "i8[:]", "i8[]", NULL };

  for (int many = 0; many < 2; many++)
    {
      g_autoptr(AccTrace) trace = acc_trace_new ();
      g_autoptr(AccProgram) program = NULL;
      g_autoptr(GError) error = NULL;
      g_autoptr(AccArray) doubled = NULL;

      for (int pass = 0; pass < 2; pass++)
        {
          g_clear_object (&program);
          acc_trace_begin (trace);
          program = many ? acc_program_new_many (signatures, never_many, NULL) : acc_program_new (signatures, never, NULL);
          g_assert_cmpint (acc_trace_end (trace), ==, pass == 0);
          if (pass == 0)
            {
              GPtrArray *arrays = acc_trace_get_arrays (trace);

              g_assert_cmpuint (arrays->len, ==, 2);
              doubled = acc_array_map (arrays->pdata[0], twice, NULL);
              acc_trace_answer_arrays (trace, (GObject *[]) { G_OBJECT (doubled), arrays->pdata[1] }, many + 1);
            }
        }
      acc_program_check (program, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (acc_program_get_n_results (program), ==, many + 1);
    }
}

/* What is no array is neither taken nor freed twice. */
static void
test_other_classes (void)
{
  const char *signatures[] = { "i8[:]", NULL };
  g_autoptr(AccTrace) trace = acc_trace_new ();
  g_autoptr(GObject) other = g_object_new (G_TYPE_OBJECT, NULL);
  g_autoptr(AccProgram) program = NULL;
  g_autoptr(GError) error = NULL;

  for (int pass = 0; pass < 2; pass++)
    {
      g_clear_object (&program);
      acc_trace_begin (trace);
      program = acc_program_new (signatures, never, NULL);
      if (acc_trace_end (trace))
        acc_trace_answer_arrays (trace, &other, 1);
    }
  g_assert_false (acc_program_check (program, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_CALLBACK);
  g_clear_object (&trace);
  g_assert_cmpuint (other->ref_count, ==, 1);
}

/* Nothing given, mistakes, and traces that are dropped on the way. */
static void
test_failures (void)
{
  for (int answer = 0; answer < 3; answer++)
    {
      g_autoptr(AccTrace) trace = acc_trace_new ();
      g_autoptr(AccArray) asked = NULL, made = NULL;
      g_autoptr(GError) error = NULL;
      AccError code = answer == 0 ? ACC_ERROR_CALLBACK : ACC_ERROR_TYPE;

      acc_trace_begin (trace);
      asked = acc_array_map (xs, twice, NULL);
      g_assert_true (acc_trace_end (trace));
      if (answer == 2)
        continue;

      acc_trace_answer (trace, answer == 0 ? NULL : acc_expr_add (acc_expr_new_bool (TRUE), five ()));
      acc_trace_begin (trace);
      made = acc_array_map (xs, twice, NULL);
      g_assert_false (acc_trace_end (trace));
      g_assert_false (acc_array_check (made, &error));
      g_assert_error (error, ACC_ERROR, (int) code);
    }

  /* A mistake that comes before any function is that of the operation. */
  g_autoptr(AccTrace) trace = acc_trace_new ();
  g_autoptr(AccArray) unit = acc_array_unit (five ()), made = NULL;
  g_autoptr(GError) error = NULL;

  acc_trace_begin (trace);
  made = acc_array_fold (unit, five (), sum, NULL);
  g_assert_false (acc_trace_end (trace));
  g_assert_false (acc_array_check (made, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);

  /* Functions are called as ever afterwards. */
  g_autoptr(AccArray) called = acc_array_map (xs, twice, NULL);
  g_assert_true (acc_array_check (called, NULL));
}

int
main (int argc, char **argv)
{
  const gint64 values[] = { 3, 1, 4, 1, 5, 0 }, some[] = { 1, 2, 3 };
  g_autoptr(AccShape) six = acc_shape_new_vector (6), three = acc_shape_new_vector (3);
  g_autoptr(GBytes) bytes = g_bytes_new_static (values, sizeof values), few = g_bytes_new_static (some, sizeof some);
  AccElementType *i8 = acc_element_type_new (ACC_KIND_I64);
  int code;

  g_test_init (&argc, &argv, NULL);
  xs = acc_array_use (i8, six, bytes);
  places = acc_array_use (i8, six, bytes);
  lengths = acc_array_use (i8, three, few);
  wrap = acc_boundary_new (ACC_BOUNDARY_WRAP);
  g_test_add_func ("/trace/operations", test_operations);
  g_test_add_func ("/trace/nested", test_nested);
  g_test_add_func ("/trace/programs", test_programs);
  g_test_add_func ("/trace/other-classes", test_other_classes);
  g_test_add_func ("/trace/failures", test_failures);
  code = g_test_run ();
  g_object_unref (xs);
  g_object_unref (places);
  g_object_unref (lengths);
  acc_boundary_unref (wrap);
  return code;
}
