/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <math.h>
#include <string.h>

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/backend/acc-foreign-private.h"

/* Operations that a backend may have a library's routine for: with what it has, and with what is given to it. */

/* --- products of matrices, large enough: small numbers, whose sums every type holds exactly */

static double
nth (gint64 i, gint64 salt)
{
  return (double) ((i * 7 + salt * 5 + i / 11) % 9 - 4);
}

/* Numbers by @salt; imaginary parts by the next. */
static AccArray *
numbers (const char *code, const gint64 *extents, guint rank, gint64 salt)
{
  AccElementType *type = conf_type (code);
  guint lanes = acc_element_type_get_n_leaves (type);
  gboolean is_wide = acc_element_type_get_leaf (type, 0) == ACC_KIND_F64;
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  gint64 n = acc_shape_get_size (shape) * lanes;
  gpointer data = g_malloc0 ((gsize) n * 8 + 8);
  g_autoptr(GBytes) bytes = NULL;

  for (gint64 i = 0; i < n; i++)
    if (is_wide)
      ((double *) data)[i] = nth (i / lanes, salt + i % lanes);
    else
      ((float *) data)[i] = (float) nth (i / lanes, salt + i % lanes);
  bytes = g_bytes_new_take (data, (gsize) n * (is_wide ? 8 : 4));

  return acc_array_use (type, shape, bytes);
}

typedef struct {
  gint64 outer, m, k, n;
  guint  left_rank, right_rank;
} Case;

static const Case cases[] = {
  { 1, 16, 16, 16, 2, 2 }, { 1, 33, 70, 17, 2, 2 }, { 1, 64, 16, 130, 2, 2 }, { 3, 17, 20, 19, 3, 2 }, { 3, 17, 20, 19, 2, 3 },
  { 3, 17, 20, 19, 3, 3 }, { 0, 17, 20, 19, 3, 3 }, { 2, 15, 40, 40, 3, 2 }, { 2, 15, 40, 40, 3, 3 }, { 1, 40, 0, 40, 2, 2 },
};

typedef struct {
  const Case *c;
  gboolean    is_complex;
} Wanted;

static void
sum_at (const Case *c, gint64 o, gint64 i, gint64 j, gboolean is_complex, double *sum)
{
  sum[0] = sum[1] = 0;
  for (gint64 d = 0; d < c->k; d++)
    {
      gint64 x = ((c->left_rank > 2 ? o * c->m : 0) + i) * c->k + d, y = ((c->right_rank > 2 ? o * c->k : 0) + d) * c->n + j;
      double a = nth (x, 1), b = nth (y, 3), a_im = is_complex ? nth (x, 2) : 0, b_im = is_complex ? nth (y, 4) : 0;

      sum[0] += a * b - a_im * b_im;
      sum[1] += a * b_im + a_im * b;
    }
}

static void
check_product (const char *backend, const char *name, AccArray *result, const GError *error, gpointer data)
{
  const Wanted *wanted = data;
  const Case *c = wanted->c;

  if (result == NULL)
    {
      conf_fail (backend, name, "%s", error->message);
      return;
    }
  if (acc_shape_get_size (result->shape) != c->outer * c->m * c->n || acc_shape_get_extent (result->shape, result->rank - 1) != c->n ||
      acc_shape_get_extent (result->shape, result->rank - 2) != c->m)
    {
      conf_fail (backend, name, "the shape is wrong");
      return;
    }
  for (gint64 e = 0; e < c->outer * c->m * c->n; e++)
    {
      double sum[2];

      sum_at (c, e / (c->m * c->n), e / c->n % c->m, e % c->n, wanted->is_complex, sum);
      for (guint part = 0; part < (wanted->is_complex ? 2u : 1u); part++)
        if (acc_array_get_double (result, part, e) != sum[part])
          {
            conf_fail (backend, name, "part %u of element %d is %g, not %g", part, (int) e, acc_array_get_double (result, part, e),
                       sum[part]);
            return;
          }
    }
  conf_pass (backend, name);
}

static void
test_products (gconstpointer data)
{
  const char *code = data;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const Case *c = &cases[i];
      const gint64 left_extents[] = { c->outer, c->m, c->k }, right_extents[] = { c->outer, c->k, c->n };
      g_autoptr(AccArray) left = numbers (code, left_extents + 3 - c->left_rank, c->left_rank, 1);
      g_autoptr(AccArray) right = numbers (code, right_extents + 3 - c->right_rank, c->right_rank, 3);
      g_autofree char *name = g_strdup_printf ("products/%s/%d-%d-%d-%d/%u-%u", code, (int) c->outer, (int) c->m, (int) c->k, (int) c->n,
                                               c->left_rank, c->right_rank);

      conf_run_everywhere (name, acc_array_matmul (left, right), check_product, &(Wanted) { c, *code == 'c' });
    }
}

/* --- transforms of one number in every column, which are known, in long columns */

static gint64
place_of (gint64 column, gint64 n)
{
  return (column * 7919 + 13) % n;
}

static void
check_columns (const char *backend, const char *name, AccArray *result, const GError *error, gpointer data)
{
  const gint64 *extents = data;
  double tolerance = acc_element_type_get_leaf (result != NULL ? result->type : conf_type ("c8"), 0) == ACC_KIND_F64 ? 1e-11 : 1e-4;

  if (result == NULL)
    {
      conf_fail (backend, name, "%s", error->message);
      return;
    }
  for (gint64 i = 0; i < extents[0] * extents[1]; i++)
    {
      gint64 k = i / extents[1], column = i % extents[1];
      double angle = -2 * G_PI * (double) (k * place_of (column, extents[0]) % extents[0]) / (double) extents[0],
        size = (double) (column + 1);

      if (!(fabs (acc_array_get_double (result, 0, i) - size * cos (angle)) < tolerance &&
            fabs (acc_array_get_double (result, 1, i) - size * sin (angle)) < tolerance))
        {
          conf_fail (backend, name, "element %d is %g%+gi", (int) i, acc_array_get_double (result, 0, i),
                     acc_array_get_double (result, 1, i));
          return;
        }
    }
  conf_pass (backend, name);
}

static void
test_columns (gconstpointer data)
{
  static const gint64 shapes[][2] = { { 625, 33 }, { 16807, 9 } };
  const char *code = data;

  for (guint s = 0; s < (conf_is_thorough () ? 2 : 1); s++)
    {
      const gint64 *extents = shapes[s];
      g_autofree double *values = g_new0 (double, extents[0] * extents[1]);
      g_autoptr(AccArray) floats = NULL;
      g_autofree char *name = g_strdup_printf ("columns/%s/%d", code, (int) extents[0]);

      for (gint64 c = 0; c < extents[1]; c++)
        values[place_of (c, extents[0]) * extents[1] + c] = (double) (c + 1);
      floats = conf_floats (code, extents, 2, values);
      conf_run_everywhere (name, acc_array_fft_on (floats, 0, ACC_FFT_FORWARD), check_columns, (gpointer) extents);
    }
}

/* --- what is given to a backend is taken, where all elements are there at once */

/* Sevens, as many as a product has elements. */
static AccArray *
sevens (AccArray **inputs, guint n_inputs, gpointer data, GError **error)
{
  const gint64 extents[] = { acc_shape_get_extent (acc_array_get_shape (inputs[0]), 0),
                             acc_shape_get_extent (acc_array_get_shape (inputs[n_inputs - 1]), 1) };
  g_autofree double *values = g_new (double, extents[0] * extents[1]);

  ++*(guint *) data;
  for (gint64 i = 0; i < extents[0] * extents[1]; i++)
    values[i] = 7;

  return conf_floats ("f4", extents, 2, values);
}

static AccExpr *
increment (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_new_int (1));
}

static AccArray *
product_body (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) first = acc_array_map (arrays[0], increment, NULL), product = acc_array_matmul (first, arrays[1]);

  return acc_array_map (product, increment, NULL);
}

static AccExpr *
is_less (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_lt (x, y);
}

/* Until the first element is 20 or more: once where the product is what it means, twice by sevens. */
static AccArray *
goes_on (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) first = acc_array_slice (arrays[0], (gint64[]) { 0, 0 }, 2);
  g_autoptr(AccArray) limit = acc_array_unit (acc_expr_new_typed_float (conf_type ("f4"), 20));

  return acc_array_zip_with (first, limit, is_less, NULL);
}

static AccArray *
step_body (AccArray **arrays, guint n, gpointer matrix)
{
  g_autoptr(AccArray) product = acc_array_matmul (arrays[0], matrix);

  return acc_array_add (product, arrays[0]);
}

static void
expect_first (AccBackend *backend, AccProgram *program, AccArray **arguments, guint n, double wanted)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr(GPtrArray) results = NULL;

  g_assert_no_error (error);
  results = acc_executable_run (executable, arguments, n, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (acc_array_get_double (results->pdata[0], 0, 0), ==, wanted);
}

static AccProgram *
make_program (const char *first, const char *second, AccArrayFunc body, gpointer data)
{
  AccProgram *program = acc_program_new ((const char *[]) { first, second, NULL }, body, data);
  g_autoptr(GError) error = NULL;

  acc_program_check (program, &error);
  g_assert_no_error (error);
  return program;
}

static AccProgram *
through_text (AccProgram *program)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = acc_program_to_string (program), *again = NULL;
  AccProgram *parsed = acc_program_parse (text, &error);

  g_assert_no_error (error);
  again = acc_program_to_string (parsed);
  g_assert_cmpstr (text, ==, again);
  g_assert_nonnull (strstr (text, " foreign \"acc-matmul\" a"));
  return parsed;
}

static AccArray *
ones (gint64 n)
{
  g_autofree double *values = g_new (double, n * n);

  for (gint64 i = 0; i < n * n; i++)
    values[i] = 1;
  return conf_floats ("f4", (gint64[]) { n, n }, 2, values);
}

static void
check_given (AccBackend *backend)
{
  guint calls = 0;
  g_autoptr(AccProgram) program = make_program ("f4[:,:]", "f4[:,:]", product_body, NULL), parsed = through_text (program);
  g_autoptr(AccProgram) known = make_program ("f4[17,17]", "f4[17,17]", product_body, NULL),
    small = make_program ("f4[4,4]", "f4[4,4]", product_body, NULL);
  g_autoptr(AccArray) matrix = ones (17), four = ones (4), product = acc_array_matmul (matrix, matrix), rows = NULL, streamed = NULL;
  g_autoptr(AccArray) looped = NULL, summed = NULL, loop_result = NULL;
  g_autoptr(AccProgram) condition = make_program ("f4[:,:]", NULL, goes_on, NULL), step = make_program ("f4[:,:]", NULL, step_body, matrix);
  g_autoptr(AccExecutable) before = NULL;
  AccArray *both[] = { matrix, matrix }, *fours[] = { four, four };
  g_autoptr(GError) error = NULL;
  gboolean reads_whole;

  /* What it means, by a library or without one. */
  before = acc_backend_compile (backend, program, NULL, &error);
  g_assert_no_error (error);
  reads_whole = ACC_EXECUTABLE_GET_CLASS (before)->begin_rows == NULL;
  expect_first (backend, program, both, 2, 35);
  expect_first (backend, known, both, 2, 35);

  acc_backend_set_foreign (backend, "acc-matmul", sevens, &calls, NULL);
  expect_first (backend, program, both, 2, 8);
  expect_first (backend, parsed, both, 2, 8);
  expect_first (backend, known, both, 2, 8);
  g_assert_cmpuint (calls, ==, 3);

  /* A program that was compiled before; one that knows that its matrices are small does not ask. */
  {
    g_autoptr(GPtrArray) results = acc_executable_run (before, both, 2, NULL, &error);

    g_assert_no_error (error);
    g_assert_cmpfloat (acc_array_get_double (results->pdata[0], 0, 5), ==, 8);
    g_assert_cmpuint (calls, ==, 4);
  }
  expect_first (backend, small, fours, 2, 9);
  g_assert_cmpuint (calls, ==, 4);

  /* In a loop, with a matrix from outside: 1, 8, 15, 22. */
  looped = acc_array_while_loop (matrix, condition, step);
  loop_result = acc_backend_run (backend, looped, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (acc_array_get_double (loop_result, 0, 16), ==, 22);
  g_assert_cmpuint (calls, ==, 7);

  /* Twice the same product, which is asked for once. */
  summed = acc_array_add (product, product);
  {
    g_autoptr(AccArray) sum = acc_backend_run (backend, summed, NULL, &error);

    g_assert_no_error (error);
    g_assert_cmpfloat (acc_array_get_double (sum, 0, 288), ==, 14);
    g_assert_cmpuint (calls, ==, 8);
  }

  /* By rows, as the other array comes; or whole, where the backend reads sources so. */
  rows = conf_through_source (ones (17));
  streamed = acc_array_add (rows, product);
  {
    g_autoptr(AccArray) all = acc_backend_run (backend, streamed, NULL, &error);

    g_assert_no_error (error);
    g_assert_cmpfloat (acc_array_get_double (all, 0, 288), ==, reads_whole ? 8 : 18);
    g_assert_cmpuint (calls, ==, reads_whole ? 9 : 8);
  }

  acc_backend_set_foreign (backend, "acc-matmul", NULL, NULL, NULL);
  expect_first (backend, parsed, both, 2, 35);
  g_assert_cmpuint (calls, ==, reads_whole ? 9 : 8);
}

/* Every backend that compiles, with an object of its own. */
static void
test_given (void)
{
  for (guint i = 0; i < conf_n_backends (); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccBackend) backend = acc_backend_new_for_name (acc_backend_get_name (conf_backend (i)), &error);

      if (conf_backend (i) == conf_interpreter () || g_str_equal (acc_backend_get_name (conf_backend (i)), "interpreter"))
        continue;
      g_assert_no_error (error);
      check_given (backend);
    }
}

/* An explicit foreign operation of the same name, of other arrays: there is none. */
static AccArray *
nothing_like_it (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_add (arrays[0], arrays[1]);
}

static void
test_others (void)
{
  g_autoptr(AccProgram) fallback = make_program ("f4[:]", "f4[:]", nothing_like_it, NULL);
  g_autoptr(AccArray) x = CONF_FLOATS1 ("f4", 1, 2), y = CONF_FLOATS1 ("f4", 10, 20);
  AccArray *both[] = { x, y };

  CONF_EXPECT_ERROR ("others/matmul", acc_array_foreign ("acc-matmul", both, 2, fallback), ACC_ERROR_TYPE, "foreign: “acc-matmul”",
                     "ranks");
  CONF_EXPECT_ERROR ("others/fft", acc_array_foreign ("acc-fft-forward", both, 2, fallback), ACC_ERROR_TYPE, "foreign: “acc-fft-forward”",
                     "one array");
  CONF_EXPECT_FLOATS ("others/unknown", acc_array_foreign ("nobody", both, 2, fallback), "[2]", 11, 22);
}

/* --- texts: what they say of a name that acc has must be what it takes and gives */

/* Of two parameters: one node, its offer, and the lines below it. */
static AccProgram *
parse_offer (const char *types, const char *node, const char *offer, const char *function, GError **error)
{
  g_auto(GStrv) both = g_strsplit (types, " ", 2);
  g_autofree char *text = g_strdup_printf ("acc program 1\na0 = parameter 0 %s\na1 = parameter 1 %s\na2 = %s%s\n%s\nprogram a0 a1 -> a2\n",
                                           both[0], both[1], node, offer, function);

  return acc_program_parse (text, error);
}

static void
refuse_text (const char *types, const char *node, const char *offer, const char *function, const char *part)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = parse_offer (types, node, offer, function, &error);

  g_assert_null (program);
  g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
  if (strstr (error->message, part) == NULL)
    g_error ("%s: %s", offer, error->message);
}

#define DOUBLE "e0 = variable f4\ne1 = add e0 e0\nfunction e0 -> e1"

static void
accept_text (AccBackend *backend, const char *offer, double wanted)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = parse_offer ("f4[:,:] f4[:,:]", "map a0", offer, DOUBLE, &error);
  g_autoptr(AccArray) matrix = ones (17);

  g_assert_no_error (error);
  expect_first (backend, program, (AccArray *[]) { matrix, matrix }, 2, wanted);
}

static void
test_texts (void)
{
  static const char *const codes[] = { "b1", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c4", "c16", "(f4,f4)", "2f4" };
  const AccForeignTransform *transform;

  refuse_text ("f4[:,:] f4[:,:]", "map a0", " foreign \"acc-fft-forward\" a0 label \"x\"", DOUBLE,
               "“acc-fft-forward” takes elements of c8");
  refuse_text ("f4[:,:] f4[:,:]", "map a0", " foreign \"acc-matmul\"", DOUBLE, "“acc-matmul” takes two arrays");
  refuse_text ("f4[17,18] f4[17,18]", "map a0", " foreign \"acc-matmul\" a0 a0", DOUBLE, "extents");
  refuse_text ("f4[17,18] f4[18,17]", "map a0", " foreign \"acc-matmul\" a0 a1", DOUBLE, "does not give an array of these extents");
  refuse_text ("f4[:,:,:] f4[:,:]", "map a1", " foreign \"acc-matmul\" a0 a1", DOUBLE, "does not give an array of this rank");
  refuse_text ("f4[:,:] f8[:,:]", "map a0", " foreign \"acc-matmul\" a0 a1", DOUBLE, "of one type");
  refuse_text ("c8[64,64] c8[65,64]", "compute a1", " foreign \"acc-fft-forward\" a0", "", "does not give an array of these extents");
  refuse_text ("c8[64,64] c8[64,64]", "compute a0", " foreign \"acc-fft3-forward\" a0", "", "does not take an array of this rank");
  refuse_text ("c8[64,64] c8[64,64]", "compute a0", " foreign \"acc-fft-middle-forward\" a0", "", "does not take an array of this rank");

  for (guint t = 0; (transform = acc_foreign_nth_transform (t)) != NULL; t++)
    {
      g_autofree char *offer = g_strdup_printf (" foreign \"%s\" a0", transform->name);
      g_autoptr(GError) error = NULL;
      g_autoptr(AccProgram) sound = parse_offer ("c8[:,:,:] c8[:]", "compute a0", offer, "", &error);

      g_assert_no_error (error);
      for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
        {
          g_autofree char *types = g_strdup_printf ("c8[:,:,:] %s[]", codes[i]);

          refuse_text (types, "map a0", offer, "e0 = variable c8\ne1 = tuple\ne2 = index a1 e1\nfunction e0 -> e2",
                       "gives elements of the type that it takes");
        }
    }

  for (guint i = 0; i < conf_n_backends (); i++)
    {
      /* The second parameter is not what the node is computed from. */
      accept_text (conf_backend (i), " foreign \"acc-matmul\" a0 a1", 2);
      accept_text (conf_backend (i), " foreign \"nobody\" a0 a0 a0", 2);
    }
}

/* --- what nobody has checked before it runs: extents that are known then, and nodes that were not parsed */

static AccArray *
new_zeros (const char *code, const gint64 *extents, guint rank)
{
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  gsize size = (gsize) acc_shape_get_size (shape) * acc_element_type_get_size (conf_type (code));
  g_autoptr(GBytes) bytes = g_bytes_new_take (g_malloc0 (size), size);

  return acc_array_use (conf_type (code), shape, bytes);
}

/* One row more than what is offered has. */
static void
check_late (AccBackend *backend)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = parse_offer ("c8[:,:] c8[:,:]", "backpermute a0", " foreign \"acc-fft-forward\" a0",
                                               "e0 = extent a0 0\ne1 = literal i8 1\ne2 = add e0 e1\ne3 = extent a0 1\ne4 = tuple e2 e3\nextents -> e4\n"
                                               "e5 = variable (i8,i8)\ne6 = literal i8 0\ne7 = tuple e6 e6\nfunction e5 -> e7", &error);
  g_autoptr(AccExecutable) executable = acc_backend_compile (backend, program, NULL, &error);
  g_autoptr(AccArray) zeros = new_zeros ("c8", (gint64[]) { 64, 64 }, 2);
  g_autoptr(GPtrArray) results = NULL;

  g_assert_no_error (error);
  results = acc_executable_run (executable, (AccArray *[]) { zeros, zeros }, 2, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (acc_shape_get_extent (acc_array_get_shape (results->pdata[0]), 0), ==, 65);
}

static AccExpr *
first_part (AccExpr *x, gpointer code)
{
  return acc_expr_cast (acc_expr_real (x), conf_type (code));
}

static void
check_unsound (AccBackend *backend, const char *name, const char *from, const char *code)
{
  g_autoptr(AccArray) data = new_zeros (from, (gint64[]) { 16, 16, 32 }, 3), numbers = acc_array_compute (data);
  g_autoptr(AccArray) parts = acc_array_map (numbers, first_part, (gpointer) code), result = NULL;
  g_autoptr(GError) error = NULL;

  parts->offer = g_new0 (AccOffer, 1);
  parts->offer->name = g_strdup (name);
  parts->offer->n_inputs = 1;
  parts->offer->inputs = g_memdup2 (&(AccArray *) { g_object_ref (numbers) }, sizeof (AccArray *));

  result = acc_backend_run (backend, parts, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (acc_element_type_get_code (acc_array_get_element_type (result)), ==, code);
  for (gint64 i = 0; i < 8192; i++)
    g_assert_cmpfloat (acc_array_get_double (result, 0, i), ==, 0);
}

static void
test_unsound (void)
{
  static const char *const codes[] = { "u1", "i2", "f4", "f8" };
  const AccForeignTransform *transform;

  for (guint i = 0; i < conf_n_backends (); i++)
    {
      check_late (conf_backend (i));
      for (guint t = 0; (transform = acc_foreign_nth_transform (t)) != NULL; t++)
        check_unsound (conf_backend (i), transform->name, t % 2 == 0 ? "c8" : "c16", codes[t / 2]);
    }
}

/* --- what an offer stands for, which is made when somebody asks */

static AccArray *
transform_by_hand (AccArray **inputs, guint n, gpointer data, GError **error)
{
  static const float sevens[] = { 7, 0, 7, 0 };
  g_autoptr(GBytes) bytes = g_bytes_new_static (sevens, sizeof sevens);

  ++*(guint *) data;
  return acc_array_use (inputs[0]->type, inputs[0]->shape, bytes);
}

static void
expect_second (AccBackend *backend, AccArray *array, double wanted)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) result = acc_backend_run (backend, array, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpfloat (acc_array_get_double (result, 0, 1), ==, wanted);
}

static AccArray *
get_itself (AccArray **arrays, guint n, gpointer array)
{
  return g_object_ref (array);
}

static gpointer
work_out (gpointer array)
{
  acc_array_work_out (array);
  g_assert_cmpuint (((AccArray *) array)->n_inputs, ==, 1);
  return NULL;
}

static void
check_unmade (AccBackend *backend)
{
  const gint64 two = 2;
  g_autoptr(AccArray) xs = numbers ("c8", &two, 1, 1), sum = acc_array_add (xs, xs);
  g_autoptr(AccArray) spectrum = acc_array_fft (xs, ACC_FFT_FORWARD), more = acc_array_add (spectrum, spectrum);
  g_autoptr(AccArray) of_sum = acc_array_fft (sum, ACC_FFT_FORWARD);
  double difference = nth (0, 1) - nth (1, 1);
  guint calls = 0;

  acc_backend_set_foreign (backend, "acc-fft-forward", transform_by_hand, &calls, NULL);
  expect_second (backend, spectrum, 7);
  expect_second (backend, more, 14);
  expect_second (backend, of_sum, 7);
  g_assert_cmpuint (calls, ==, 3);
  g_assert_nonnull (spectrum->offer->expansion);
  g_assert_nonnull (of_sum->offer->expansion);

  acc_backend_set_foreign (backend, "acc-fft-forward", NULL, NULL, NULL);
  expect_second (backend, spectrum, difference);
  expect_second (backend, more, 2 * difference);
  expect_second (backend, of_sum, 2 * difference);
}

static void
test_late (void)
{
  const gint64 two = 2;
  g_autoptr(AccArray) xs = numbers ("c8", &two, 1, 1), spectrum = acc_array_fft (xs, ACC_FFT_FORWARD),
    again = acc_array_fft (spectrum, ACC_FFT_REVERSE);
  g_autoptr(AccArray) printed = acc_array_fft (xs, ACC_FFT_FORWARD);
  g_autoptr(AccProgram) program = acc_program_new ((const char *[]) { NULL }, get_itself, printed);
  g_autofree char *text = acc_program_to_string (program);
  GThread *threads[8];

  for (guint i = 0; i < conf_n_backends (); i++)
    {
      g_autoptr(GError) error = NULL;
      g_autoptr(AccBackend) backend = acc_backend_new_for_name (acc_backend_get_name (conf_backend (i)), &error);

      if (conf_backend (i) == conf_interpreter () || g_str_equal (acc_backend_get_name (conf_backend (i)), "interpreter"))
        continue;
      g_assert_no_error (error);
      check_unmade (backend);
    }

  g_assert_null (printed->offer->expansion);
  g_assert_nonnull (strstr (text, "foreign \"acc-fft-forward\""));

  /* Asked by all at once; nobody asked the other. */
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("work-out", work_out, spectrum);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_null (spectrum->offer->expansion);
  g_assert_nonnull (again->offer->expansion);
}

/* Transforms are made late, are called what they were asked for as, and are not made where a library does them. */
static void
test_late_transforms (void)
{
  static const AccFftMode modes[] = { ACC_FFT_FORWARD, ACC_FFT_INVERSE, ACC_FFT_REVERSE };
  const gint64 sizes[] = { 2, 8, 17, 1000, 4096 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes) * G_N_ELEMENTS (modes); i++)
    {
      g_autoptr(AccArray) row = numbers (i % 2 ? "c8" : "c16", &sizes[i / 3], 1, 1), node = acc_array_fft (row, modes[i % 3]);
      AccArray *offer = node->offer != NULL ? node : node->inputs[0];

      g_assert_nonnull (offer->offer->expansion);
      acc_array_set_label (offer, "spectrum");
      for (guint b = 0; b < conf_n_backends (); b++)
        {
          g_autoptr(AccForeign) foreign = acc_foreign_find (conf_backend (b), offer);
          const gint64 *extents[] = { &sizes[i / 3], &sizes[i / 3] };
          g_autoptr(GError) error = NULL;
          g_autoptr(AccArray) result = NULL;

          if (foreign == NULL || !acc_foreign_fits (foreign, offer, extents) || offer->offer->expansion == NULL)
            continue;
          result = acc_backend_run (conf_backend (b), node, NULL, &error);
          g_assert_no_error (error);
          g_assert_nonnull (offer->offer->expansion);
        }

      acc_array_work_out (offer);
      g_assert_null (offer->offer->expansion);
      g_assert_cmpstr (offer->inputs[0]->made_by, ==, "fft");
      if (offer->direct != NULL)
        g_assert_cmpstr (acc_array_get_label (offer->direct), ==, "spectrum");
    }
}

int
main (int argc, char *argv[])
{
  static const char *const codes[] = { "f4", "f8", "c8", "c16" };

  conf_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autofree char *path = g_strconcat ("/libraries/products/", codes[i], NULL);

      g_test_add_data_func (path, codes[i], test_products);
    }
  g_test_add_data_func ("/libraries/columns/f4", "f4", test_columns);
  g_test_add_data_func ("/libraries/columns/f8", "f8", test_columns);
  g_test_add_func ("/libraries/given", test_given);
  g_test_add_func ("/libraries/others", test_others);
  g_test_add_func ("/libraries/texts", test_texts);
  g_test_add_func ("/libraries/unsound", test_unsound);
  g_test_add_func ("/libraries/late", test_late);
  g_test_add_func ("/libraries/late-transforms", test_late_transforms);

  return conf_run ();
}
