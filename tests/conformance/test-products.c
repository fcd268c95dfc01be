/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

/* Products of vectors and matrices: hand-worked, and against loops in C. */

/* Small numbers, different everywhere, whose sums every type holds exactly or wraps. */
static gint64
nth (gint64 i, gint64 salt)
{
  return (i * 7 + salt * 5 + i / 11) % 6;
}

static AccArray *
numbers (const char *code, const gint64 *extents, guint rank, gint64 salt)
{
  g_autofree gint64 *values = NULL;
  gint64 size = 1;

  for (guint d = 0; d < rank; d++)
    size *= extents[d];
  values = g_new (gint64, size + 1);
  for (gint64 i = 0; i < size; i++)
    values[i] = nth (i, salt);

  return conf_ints (code, extents, rank, values);
}

typedef struct {
  gint64 outer, m, k, n;
  guint  left_rank, right_rank;
} Case;

static const Case cases[] = {
  { 1, 3, 4, 5, 2, 2 }, { 1, 1, 7, 1, 2, 2 }, { 1, 2, 3, 9, 2, 2 }, { 1, 5, 0, 3, 2, 2 }, { 1, 0, 3, 2, 2, 2 }, { 1, 2, 3, 0, 2, 2 },
  { 1, 65, 33, 130, 2, 2 }, { 1, 8, 5, 64, 2, 2 }, { 1, 4, 300, 3, 2, 2 }, { 1, 1, 4, 5, 1, 2 }, { 1, 3, 4, 1, 2, 1 },
  { 1, 1, 40, 1, 1, 1 }, { 1, 37, 1100, 41, 2, 2 }, { 1, 230, 9, 70, 2, 2 }, { 2, 15, 260, 6, 3, 3 }, { 2, 5, 3, 70, 2, 3 },
  { 40, 2, 3, 2, 3, 2 }, { 3, 3, 4, 5, 3, 2 }, { 3, 3, 4, 5, 2, 3 }, { 3, 3, 4, 5, 3, 3 }, { 0, 3, 4, 5, 3, 3 }, { 3, 3, 4, 1, 3, 1 },
  { 3, 1, 4, 5, 1, 3 }, { 1, 64, 32, 128, 2, 2 }, { 3, 20, 40, 33, 3, 3 }, { 2, 17, 12, 48, 2, 3 }, { 2, 17, 8, 16, 3, 2 },
};

static void
check_case (const char *code, const Case *c)
{
  gint64 left_extents[3], right_extents[3];
  guint l = 0, r = 0;
  g_autoptr(AccArray) left = NULL, right = NULL;
  g_autoptr(GString) shape = g_string_new ("[");
  g_autofree gint64 *wanted = g_new (gint64, c->outer * c->m * c->n + 1);
  g_autofree char *name = g_strdup_printf ("matmul/%s/%d-%d-%d-%d/%u-%u", code, (int) c->outer, (int) c->m, (int) c->k, (int) c->n,
                                           c->left_rank, c->right_rank);
  gboolean has_outer = c->left_rank > 2 || c->right_rank > 2;

  if (c->left_rank > 2)
    left_extents[l++] = c->outer;
  if (c->left_rank > 1)
    left_extents[l++] = c->m;
  left_extents[l++] = c->k;
  if (c->right_rank > 2)
    right_extents[r++] = c->outer;
  right_extents[r++] = c->k;
  if (c->right_rank > 1)
    right_extents[r++] = c->n;
  left = numbers (code, left_extents, l, 1);
  right = numbers (code, right_extents, r, 2);

  for (gint64 o = 0; o < c->outer; o++)
    for (gint64 i = 0; i < c->m; i++)
      for (gint64 j = 0; j < c->n; j++)
        {
          gint64 sum = 0;

          for (gint64 d = 0; d < c->k; d++)
            sum += nth (((c->left_rank > 2 ? o * c->m : 0) + i) * c->k + d, 1) * nth (((c->right_rank > 2 ? o * c->k : 0) + d) * c->n + j,
                                                                                      2);
          wanted[(o * c->m + i) * c->n + j] = g_str_equal (code, "u1") ? (guint8) sum : sum;
        }
  if (has_outer)
    g_string_append_printf (shape, "%d,", (int) c->outer);
  if (c->left_rank > 1)
    g_string_append_printf (shape, "%d,", (int) c->m);
  if (c->right_rank > 1)
    g_string_append_printf (shape, "%d,", (int) c->n);
  if (shape->len > 1)
    g_string_truncate (shape, shape->len - 1);
  g_string_append_c (shape, ']');

  conf_expect_ints (name, acc_array_matmul (left, right), shape->str, 0, c->outer * c->m * c->n, wanted);
}

static void
test_matmul (gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    if (cases[i].k <= 300 || !g_str_equal (data, "f2"))      /* which holds the sums of no more exactly */
      check_case (data, &cases[i]);
}

static AccExpr *
all (AccExpr *x, gpointer data)
{
  return acc_expr_ge (x, conf_i64 (0));
}

static void
test_others (void)
{
  g_autoptr(AccArray) x = CONF_INTS1 ("i4", 1, 2, 3), y = CONF_INTS1 ("i4", 4, 5, 6), matrix = CONF_INTS2 ("i4", 2, 3, 1, 2, 3, 4, 5, 6);
  g_autoptr(AccArray) none = acc_array_take (x, 0), bytes = CONF_INTS1 ("u1", 16, 17), halves = CONF_FLOATS1 ("f2", 2048, 1, 1),
    ones = CONF_FLOATS1 ("f2", 1, 1, 1);
  g_autoptr(AccArray) number = CONF_INTS1 ("i4", 3), scalar = acc_array_sum (number);

  CONF_EXPECT_INTS ("dot", acc_array_dot (x, y), "[]", 32);
  CONF_EXPECT_INTS ("dot/rows", acc_array_dot (matrix, matrix), "[2]", 14, 77);
  CONF_EXPECT_INTS ("dot/nothing", acc_array_dot (none, none), "[]", 0);
  CONF_EXPECT_INTS ("dot/wraps", acc_array_dot (bytes, bytes), "[]", (256 + 289) % 256);
  /* In f2 the first sum would stay at 2048. */
  CONF_EXPECT_FLOATS ("dot/f2", acc_array_dot (halves, ones), "[]", 2050);
  CONF_EXPECT_FLOATS ("matmul/f2", acc_array_matmul (halves, ones), "[]", 2050);
  CONF_EXPECT_INTS ("outer", acc_array_outer (x, y), "[3,3]", 4, 5, 6, 8, 10, 12, 12, 15, 18);
  CONF_EXPECT_INTS ("outer/flattened", acc_array_outer (matrix, number), "[6,1]", 3, 6, 9, 12, 15, 18);
  CONF_EXPECT_INTS ("outer/scalar", acc_array_outer (scalar, y), "[1,3]", 12, 15, 18);
  conf_expect_ints ("outer/nothing", acc_array_outer (none, y), "[0,3]", 0, 0, NULL);
}

static AccExpr *
twice_and_one (AccExpr *x, gpointer data)
{
  return acc_expr_add (acc_expr_mul (x, acc_expr_new_int (2)), acc_expr_new_int (1));
}

/* What factors are computed from, and what is computed of the product, beside it and along its rows. */
static void
test_fused (gconstpointer code)
{
  enum { M = 19, K = 23, N = 37 };
  gint64 left_extents[] = { K, M }, right_extents[] = { N, K }, wanted[M * N], after[M * N], both[M * N], sums[M];
  g_autoptr(AccArray) a = numbers (code, left_extents, 2, 1), b = numbers (code, right_extents, 2, 2);
  g_autoptr(AccArray) left = acc_array_transpose (a), turned = acc_array_transpose (b), right = acc_array_map (turned, twice_and_one, NULL);
  g_autoptr(AccArray) product = acc_array_matmul (left, right), next = acc_array_map (product, twice_and_one, NULL);
  g_autofree char *name = g_strdup_printf ("matmul/fused/%s", (const char *) code);

  for (gint64 i = 0; i < M; i++)
    {
      sums[i] = 0;
      for (gint64 j = 0; j < N; j++)
        {
          gint64 sum = 0;

          for (gint64 d = 0; d < K; d++)
            sum += nth (d * M + i, 1) * (2 * nth (j * K + d, 2) + 1);
          wanted[i * N + j] = sum;
          after[i * N + j] = 2 * sum + 1;
          both[i * N + j] = 3 * sum + 1;
          sums[i] += 2 * sum + 1;
        }
    }
  conf_expect_ints (name, acc_array_matmul (left, right), "[19,37]", 0, M * N, wanted);
  conf_expect_ints (name, acc_array_add (product, next), "[19,37]", 0, M * N, both);
  conf_expect_ints (name, g_object_ref (next), "[19,37]", 0, M * N, after);
  conf_expect_ints (name, acc_array_sum (next), "[19]", 0, M, sums);
}

static AccExpr *
complex_of (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_complex (x, y);
}

static void
test_complex (void)
{
  static const char *const codes[] = { "f4", "f8" };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autoptr(AccArray) real = CONF_INTS2 (codes[i], 2, 3, 1, 2, 3, 4, 5, 6), imaginary = CONF_INTS2 (codes[i], 2, 3, 0, 1, -1, 2, 0, 3);
      g_autoptr(AccArray) x = acc_array_zip_with (real, imaginary, complex_of, NULL), y = acc_array_transpose (x),
        product = acc_array_matmul (x, y);

      CONF_EXPECT_FLOATS ("matmul/complex", acc_array_real (product), "[2,2]", 12, 35, 35, 64);
      CONF_EXPECT_FLOATS ("matmul/complex", acc_array_imag (product), "[2,2]", -2, 10, 10, 52);
    }
}

/* What tiles of groups hold, and more. */
static void
test_complex_tiles (gconstpointer code)
{
  enum { M = 35, K = 19, N = 34 };
  const gint64 left[] = { M, K }, right[] = { K, N };
  g_autoptr(AccArray) a = numbers (code, left, 2, 1), b = numbers (code, left, 2, 2), c = numbers (code, right, 2, 3),
    d = numbers (code, right, 2, 4);
  g_autoptr(AccArray) x = acc_array_zip_with (a, b, complex_of, NULL), y = acc_array_zip_with (c, d, complex_of, NULL);
  g_autoptr(AccArray) product = acc_array_matmul (x, y);
  gint64 real[M * N], imaginary[M * N];

  for (gint64 i = 0; i < M; i++)
    for (gint64 j = 0; j < N; j++)
      {
        gint64 place = i * N + j;

        real[place] = imaginary[place] = 0;
        for (gint64 k = 0; k < K; k++)
          {
            gint64 from = i * K + k, to = k * N + j;

            real[place] += nth (from, 1) * nth (to, 3) - nth (from, 2) * nth (to, 4);
            imaginary[place] += nth (from, 1) * nth (to, 4) + nth (from, 2) * nth (to, 3);
          }
      }
  conf_expect_ints ("matmul/complex-tiles", acc_array_real (product), "[35,34]", 0, M * N, real);
  conf_expect_ints ("matmul/complex-tiles", acc_array_imag (product), "[35,34]", 0, M * N, imaginary);
}

/* Extents that are known only when they are there. */
static void
test_computed (void)
{
  g_autoptr(AccArray) three = CONF_INTS1 ("i8", 1, 2, 3), kept = acc_array_filter (three, all, NULL, NULL),
    matrix = CONF_INTS2 ("i8", 3, 2, 1, 2, 3, 4, 5, 6);
  g_autoptr(AccArray) wide = CONF_INTS2 ("i8", 2, 3, 1, 2, 3, 4, 5, 6), two = CONF_INTS1 ("i8", 1, 2),
    turned = acc_array_outer (kept, kept);

  CONF_EXPECT_INTS ("dot/computed", acc_array_dot (kept, three), "[]", 14);
  CONF_EXPECT_INTS ("matmul/computed", acc_array_matmul (kept, matrix), "[2]", 22, 28);
  CONF_EXPECT_INTS ("matmul/computed-vector", acc_array_matmul (wide, kept), "[2]", 14, 32);
  CONF_EXPECT_INTS ("matmul/computed-matrices", acc_array_matmul (turned, matrix), "[3,2]", 22, 28, 44, 56, 66, 84);
  CONF_EXPECT_ERROR ("dot/computed-extents", acc_array_dot (kept, two), ACC_ERROR_BOUNDS, "-1");
  CONF_EXPECT_ERROR ("matmul/computed-extents", acc_array_matmul (kept, wide), ACC_ERROR_BOUNDS, "-1");
  CONF_EXPECT_ERROR ("matmul/computed-vector-extents", acc_array_matmul (matrix, kept), ACC_ERROR_BOUNDS, "-1");
}

static void
test_mistakes (void)
{
  g_autoptr(AccArray) x = CONF_INTS1 ("i4", 1, 2, 3), y = CONF_INTS1 ("i4", 1, 2), z = CONF_INTS1 ("i8", 1, 2, 3), one = acc_array_sum (x),
    pairs = acc_array_zip (x, x);
  g_autoptr(AccArray) matrix = CONF_INTS2 ("i4", 2, 3, 1, 2, 3, 4, 5, 6), flags = CONF_INTS1 ("b1", 1, 0), broken = acc_array_dot (x, y);
  g_autoptr(AccArray) cube = numbers ("i4", (gint64[]) { 2, 3, 3 }, 3, 1), others = numbers ("i4", (gint64[]) { 3, 3, 3 }, 3, 1);
  AccArray *bad = acc_array_matmul (matrix, matrix);

  acc_array_set_label (bad, "square");
  CONF_EXPECT_ERROR ("matmul/depth", bad, ACC_ERROR_SHAPE, "matmul", "square", "[2,3]");
  CONF_EXPECT_ERROR ("matmul/numbers", acc_array_matmul (cube, others), ACC_ERROR_SHAPE, "matmul", "[2,3,3]", "[3,3,3]");
  CONF_EXPECT_ERROR ("matmul/rank-0", acc_array_matmul (one, x), ACC_ERROR_SHAPE, "matmul", "rank 0");
  CONF_EXPECT_ERROR ("matmul/types", acc_array_matmul (matrix, z), ACC_ERROR_TYPE, "matmul", "i4", "i8");
  CONF_EXPECT_ERROR ("matmul/flags", acc_array_matmul (flags, flags), ACC_ERROR_TYPE, "matmul", "b1");
  CONF_EXPECT_ERROR ("dot/extents", g_object_ref (broken), ACC_ERROR_SHAPE, "dot", "[2]", "[3]");
  CONF_EXPECT_ERROR ("dot/rank-0", acc_array_dot (one, one), ACC_ERROR_SHAPE, "dot", "rank 0");
  CONF_EXPECT_ERROR ("dot/of-broken", acc_array_dot (broken, x), ACC_ERROR_SHAPE, "[2]");
  CONF_EXPECT_ERROR ("outer/pairs", acc_array_outer (pairs, pairs), ACC_ERROR_TYPE, "outer", "(i4,i4)");
}

int
main (int argc, char **argv)
{
  static const char *const codes[] = { "i2", "i4", "i8", "u1", "u4", "u8", "f2", "f4", "f8" };

  conf_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/products/matmul/%s", codes[i]);

      if (conf_is_thorough () || i % 2 == 1)
        g_test_add_data_func (path, codes[i], test_matmul);
    }
  g_test_add_data_func ("/products/fused/i4", "i4", test_fused);
  g_test_add_data_func ("/products/fused/f4", "f4", test_fused);
  g_test_add_func ("/products/complex", test_complex);
  g_test_add_data_func ("/products/complex-tiles/f4", "f4", test_complex_tiles);
  g_test_add_data_func ("/products/complex-tiles/f8", "f8", test_complex_tiles);
  g_test_add_func ("/products/others", test_others);
  g_test_add_func ("/products/computed", test_computed);
  g_test_add_func ("/products/mistakes", test_mistakes);
  return conf_run ();
}
