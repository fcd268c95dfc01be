/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <math.h>
#include <string.h>

/* Ready-made element-wise operations and reductions: hand-worked, and every type against the interpreter. */

typedef AccArray *(*Unary)  (AccArray *self);
typedef AccArray *(*Binary) (AccArray *self, AccArray *other);

typedef enum {
  BOOLS    = 1 << 0,
  INTEGERS = 1 << 1,
  FLOATS   = 1 << 2,
} Kinds;

#define NUMBERS (INTEGERS | FLOATS)
#define SCALARS (BOOLS | NUMBERS)

static gboolean
has_kind (AccElementType *type,
          Kinds           kinds)
{
  AccElementKind kind = acc_element_type_get_kind (type);

  if (!acc_element_type_is_scalar (type))
    return FALSE;
  return (kinds & (kind == ACC_KIND_BOOL ? BOOLS : acc_element_kind_is_float (kind) ? FLOATS : INTEGERS)) != 0;
}

/* Checks @array, which @must_build; where it does not, that it says so. Takes it over. */
static void
check (const char *name,
       AccArray   *array,
       gboolean    must_build,
       guint       ulps)
{
  AccElementType *type = acc_array_get_element_type (array);
  ConfTolerance tolerance = CONF_EXACT;

  if (type == NULL && !must_build)
    {
      conf_expect_error (name, array, ACC_ERROR_TYPE, (const char *[]) { NULL });
      return;
    }
  tolerance.ulps = type != NULL && acc_element_type_get_leaf (type, 0) == ACC_KIND_F16 ? (ulps + 7) / 8 : ulps;
  tolerance.zeros_equal = TRUE;
  conf_check_array (name, array, tolerance);
}

/* --- of two arrays, with extents that differ */

typedef struct {
  const char *name;
  Binary      of;
  Kinds       kinds;
  guint       ulps;
  gint64      integers[4];     /* of 7 -2 3 3 and 2 5 3 -1, of b1 0 and 1 */
  double      reals[3];        /* of 7.5 -2 0.25 and 2 4 0.5 */
} BinaryForm;

static const BinaryForm binaries[] = {
  { "add", acc_array_add, NUMBERS, 0, { 9, 3, 6, 2 }, { 9.5, 2, 0.75 } },
  { "sub", acc_array_sub, NUMBERS, 0, { 5, -7, 0, 4 }, { 5.5, -6, -0.25 } },
  { "mul", acc_array_mul, NUMBERS, 0, { 14, -10, 9, -3 }, { 15, -8, 0.125 } },
  { "div", acc_array_div, NUMBERS, 0, { 3, 0, 1, -3 }, { 3.75, -0.5, 0.5 } },
  { "pow", acc_array_pow, FLOATS, 4, { 0 }, { 56.25, 16, 0.5 } },
  { "min", acc_array_min, NUMBERS, 0, { 2, -2, 3, -1 }, { 2, -2, 0.25 } },
  { "max", acc_array_max, NUMBERS, 0, { 7, 5, 3, 3 }, { 7.5, 4, 0.5 } },
  { "lt", acc_array_lt, SCALARS, 0, { 0, 1, 0, 0 }, { 0, 1, 1 } },
  { "le", acc_array_le, SCALARS, 0, { 0, 1, 1, 0 }, { 0, 1, 1 } },
  { "gt", acc_array_gt, SCALARS, 0, { 1, 0, 0, 1 }, { 1, 0, 0 } },
  { "ge", acc_array_ge, SCALARS, 0, { 1, 0, 1, 1 }, { 1, 0, 0 } },
  { "eq", acc_array_eq, SCALARS, 0, { 0, 0, 1, 0 }, { 0, 0, 0 } },
  { "ne", acc_array_ne, SCALARS, 0, { 1, 1, 0, 1 }, { 1, 1, 1 } },
};

static const struct {
  guint  rank;
  gint64 first[5], second[5];
} pairs[] = {
  { 0, { 0 }, { 0 } },
  { 1, { 137 }, { 129 } },
  { 1, { 0 }, { 3 } },
  { 2, { 5, 9 }, { 6, 7 } },
  { 3, { 2, 0, 3 }, { 2, 4, 3 } },
  { 4, { 2, 3, 1, 5 }, { 3, 2, 2, 4 } },
  { 5, { 1, 2, 2, 1, 3 }, { 2, 1, 2, 2, 2 } },
};

static AccExpr *
not_zero (AccExpr  *x,
          gpointer  type)
{
  AccExpr *zero = acc_expr_new_zero (type);

  return acc_expr_cond (acc_expr_eq (x, zero), acc_expr_cast (acc_expr_new_int (3), type), x);
}

static void
test_binary (gconstpointer data)
{
  const BinaryForm *form = data;
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  g_autofree char *by_hand = g_strdup_printf ("ready-made/%s", form->name);

  if (form->kinds & INTEGERS)
    {
      g_autoptr(AccArray) x = CONF_INTS1 ("i4", 7, -2, 3, 3), y = CONF_INTS1 ("i4", 2, 5, 3, -1);

      conf_expect_ints (by_hand, form->of (x, y), "[4]", 0, 4, form->integers);
    }
  g_autoptr(AccArray) u = CONF_FLOATS1 ("f8", 7.5, -2, 0.25), v = CONF_FLOATS1 ("f8", 2, 4, 0.5);
  conf_expect_floats (by_hand, form->of (u, v), "[3]", 0, 3, form->reals);

  for (guint t = 0; t < conf_n_types (); t++)
    for (guint p = 0; p < G_N_ELEMENTS (pairs); p++)
      {
        AccElementType *type = conf_type (conf_types[t]);
        gboolean must_build = has_kind (type, form->kinds);
        ConfValues values = form->ulps > 0 || form->of == acc_array_div ? CONF_SMALL : CONF_NORMAL;
        g_autoptr(AccArray) x = conf_array (type, pairs[p].first, pairs[p].rank, rand, values);
        g_autoptr(AccArray) other = conf_array (type, pairs[p].second, pairs[p].rank, rand, values);
        g_autoptr(AccArray) y = form->of == acc_array_div && must_build ? acc_array_map (other, not_zero, type) : g_object_ref (other);
        g_autofree char *name = g_strdup_printf ("ready-made/%s/%s/%u", form->name, conf_types[t], p);

        /* What rounds is for the tests of complex numbers and of primitives. */
        if (!must_build && (form->ulps > 0 || form->of == acc_array_div || form->of == acc_array_mul))
          continue;
        check (name, form->of (x, y), must_build, form->ulps);
      }
}

static void
test_mistakes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (binaries); i++)
    {
      g_autofree char *name = g_strdup_printf ("ready-made/%s/mistakes", binaries[i].name);
      g_autoptr(AccArray) x = CONF_FLOATS1 ("f4", 1, 2), y = CONF_FLOATS1 ("f8", 1, 2);
      g_autoptr(AccArray) matrix = conf_floats ("f4", (gint64[]) { 1, 2 }, 2, (double[]) { 1, 2 });

      CONF_EXPECT_ERROR (name, binaries[i].of (x, y), ACC_ERROR_TYPE, binaries[i].name);
      CONF_EXPECT_ERROR (name, binaries[i].of (x, matrix), ACC_ERROR_SHAPE, binaries[i].name);
    }
}

/* --- of one array: elements, and reductions */

typedef struct {
  const char *name;
  Unary       of;
  Kinds       kinds;
  guint       ulps;
  gboolean    is_reduction;
  gboolean    needs_some;      /* an element in each row, or at all */
} UnaryForm;

static const UnaryForm unaries[] = {
  { "neg", acc_array_neg, NUMBERS, 0, FALSE },
  { "abs", acc_array_abs, NUMBERS, 0, FALSE },
  { "sqrt", acc_array_sqrt, FLOATS, 0, FALSE },
  { "exp", acc_array_exp, FLOATS, 4, FALSE },
  { "log", acc_array_log, FLOATS, 4, FALSE },
  { "sin", acc_array_sin, FLOATS, 4, FALSE },
  { "cos", acc_array_cos, FLOATS, 4, FALSE },
  { "tanh", acc_array_tanh, FLOATS, 4, FALSE },
  { "sum", acc_array_sum, NUMBERS, 0, TRUE },
  { "product", acc_array_product, INTEGERS, 0, TRUE },
  { "minimum", acc_array_minimum, NUMBERS, 0, TRUE, TRUE },
  { "maximum", acc_array_maximum, NUMBERS, 0, TRUE, TRUE },
  { "all", acc_array_all, BOOLS, 0, TRUE },
  { "any", acc_array_any, BOOLS, 0, TRUE },
  { "sum_all", acc_array_sum_all, NUMBERS, 0, TRUE },
  { "product_all", acc_array_product_all, INTEGERS, 0, TRUE },
  { "minimum_all", acc_array_minimum_all, NUMBERS, 0, TRUE, TRUE },
  { "maximum_all", acc_array_maximum_all, NUMBERS, 0, TRUE, TRUE },
  { "all_true", acc_array_all_true, BOOLS, 0, TRUE },
  { "any_true", acc_array_any_true, BOOLS, 0, TRUE },
};

static const struct {
  guint  rank;
  gint64 extents[5];
} shapes[] = { { 1, { 137 } }, { 1, { 0 } }, { 2, { 5, 9 } }, { 2, { 3, 0 } }, { 2, { 0, 3 } }, { 4, { 2, 3, 1, 5 } },
               { 5, { 1, 2, 2, 1, 3 } } };

/* Whether rows are empty; of all elements, whether there is none. */
static gboolean
is_lacking (const UnaryForm *form,
            guint            rank,
            const gint64    *extents)
{
  gboolean none = FALSE;

  for (guint d = 0; d < rank; d++)
    none |= extents[d] == 0;
  return g_str_has_suffix (form->name, "_all") ? none : extents[rank - 1] == 0;
}

static void
test_unary (gconstpointer data)
{
  const UnaryForm *form = data;
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint t = 0; t < conf_n_types (); t++)
    for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
      {
        AccElementType *type = conf_type (conf_types[t]);
        g_autoptr(AccArray) x = conf_array (type, shapes[s].extents, shapes[s].rank, rand, form->is_reduction ? CONF_SMALL : CONF_NORMAL);
        g_autofree char *name = g_strdup_printf ("ready-made/%s/%s/%u", form->name, conf_types[t], s);

        if (has_kind (type, form->kinds) && form->needs_some && is_lacking (form, shapes[s].rank, shapes[s].extents))
          conf_expect_error (name, form->of (x), ACC_ERROR_SHAPE, (const char *[]) { NULL });
        else if (has_kind (type, form->kinds))
          check (name, form->of (x), TRUE, form->ulps);
        else if (form->kinds == BOOLS)
          conf_expect_error (name, form->of (x), ACC_ERROR_TYPE, (const char *[]) { NULL });
      }
}

static void
test_elements_by_hand (void)
{
  g_autoptr(AccArray) integers = CONF_INTS1 ("i1", 1, -2, -128), reals = CONF_FLOATS1 ("f8", 2.25, 4, 0);
  g_autoptr(AccArray) zero = CONF_FLOATS1 ("f4", 0), one = CONF_FLOATS1 ("f8", 1);

  CONF_EXPECT_INTS ("ready-made/neg", acc_array_neg (integers), "[3]", -1, 2, -128);
  CONF_EXPECT_INTS ("ready-made/abs", acc_array_abs (integers), "[3]", 1, 2, -128);
  CONF_EXPECT_FLOATS ("ready-made/sqrt", acc_array_sqrt (reals), "[3]", 1.5, 2, 0);
  CONF_EXPECT_FLOATS ("ready-made/exp", acc_array_exp (zero), "[1]", 1);
  CONF_EXPECT_FLOATS ("ready-made/log", acc_array_log (one), "[1]", 0);
  CONF_EXPECT_FLOATS ("ready-made/sin", acc_array_sin (zero), "[1]", 0);
  CONF_EXPECT_FLOATS ("ready-made/cos", acc_array_cos (zero), "[1]", 1);
  CONF_EXPECT_FLOATS ("ready-made/tanh", acc_array_tanh (zero), "[1]", 0);
}

static void
test_reductions_by_hand (void)
{
  g_autoptr(AccArray) x = CONF_INTS2 ("i4", 2, 3, 3, 1, 4, 1, 5, 9), none = CONF_INTS2 ("i4", 2, 0, 0);
  g_autoptr(AccArray) b = CONF_INTS2 ("b1", 3, 2, 1, 1, 0, 1, 0, 0), nothing = CONF_INTS2 ("b1", 1, 0, 0);

  CONF_EXPECT_INTS ("ready-made/sum", acc_array_sum (x), "[2]", 8, 15);
  CONF_EXPECT_INTS ("ready-made/sum", acc_array_sum (none), "[2]", 0, 0);
  CONF_EXPECT_INTS ("ready-made/sum_all", acc_array_sum_all (x), "[]", 23);
  CONF_EXPECT_INTS ("ready-made/product", acc_array_product (x), "[2]", 12, 45);
  CONF_EXPECT_INTS ("ready-made/product", acc_array_product (none), "[2]", 1, 1);
  CONF_EXPECT_INTS ("ready-made/product_all", acc_array_product_all (x), "[]", 540);
  CONF_EXPECT_INTS ("ready-made/minimum", acc_array_minimum (x), "[2]", 1, 1);
  CONF_EXPECT_INTS ("ready-made/minimum_all", acc_array_minimum_all (x), "[]", 1);
  CONF_EXPECT_INTS ("ready-made/maximum", acc_array_maximum (x), "[2]", 4, 9);
  CONF_EXPECT_INTS ("ready-made/maximum_all", acc_array_maximum_all (x), "[]", 9);
  CONF_EXPECT_ERROR ("ready-made/minimum", acc_array_minimum (none), ACC_ERROR_SHAPE, "minimum");
  CONF_EXPECT_ERROR ("ready-made/maximum_all", acc_array_maximum_all (none), ACC_ERROR_SHAPE, "maximum_all");
  CONF_EXPECT_INTS ("ready-made/all", acc_array_all (b), "[3]", 1, 0, 0);
  CONF_EXPECT_INTS ("ready-made/any", acc_array_any (b), "[3]", 1, 1, 0);
  CONF_EXPECT_INTS ("ready-made/all", acc_array_all (nothing), "[1]", 1);
  CONF_EXPECT_INTS ("ready-made/any", acc_array_any (nothing), "[1]", 0);
  CONF_EXPECT_INTS ("ready-made/all_true", acc_array_all_true (b), "[]", 0);
  CONF_EXPECT_INTS ("ready-made/any_true", acc_array_any_true (b), "[]", 1);
}

/* --- complex numbers */

static void
test_complex (void)
{
  static const char * const types[] = { "c4", "c8", "c16" };
  static const UnaryForm forms[] = {
    { "real", acc_array_real, 0, 0, FALSE },
    { "imag", acc_array_imag, 0, 0, FALSE },
    { "conjugate", acc_array_conjugate, 0, 0, FALSE },
    { "magnitude", acc_array_magnitude, 0, 8, FALSE },
    { "phase", acc_array_phase, 0, 8, FALSE },
  };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  g_autoptr(AccArray) no = CONF_INTS1 ("i4", 1);

  for (guint f = 0; f < G_N_ELEMENTS (forms); f++)
    {
      g_autofree char *mistake = g_strdup_printf ("ready-made/%s/mistake", forms[f].name);

      CONF_EXPECT_ERROR (mistake, forms[f].of (no), ACC_ERROR_TYPE, forms[f].name);
      for (guint t = 0; t < G_N_ELEMENTS (types); t++)
        for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
          {
            g_autoptr(AccArray) x = conf_array (conf_type (types[t]), shapes[s].extents, shapes[s].rank, rand, CONF_SMALL);
            g_autofree char *name = g_strdup_printf ("ready-made/%s/%s/%u", forms[f].name, types[t], s);

            check (name, forms[f].of (x), TRUE, forms[f].ulps);
          }
    }
}

/* --- memory of somebody else */

static void
count_calls (gpointer data)
{
  (*(guint *) data)++;
}

static AccExpr *double_it (AccExpr *x, gpointer data) { return acc_expr_add (x, x); }

static void
test_memory (void)
{
  static const gint32 values[] = { 1, 2, 3, 4, 5, 6 };
  g_autoptr(AccShape) shape = acc_shape_new_matrix (2, 3), empty = acc_shape_new_matrix (0, 3);
  AccElementType *i4 = acc_element_type_new (ACC_KIND_I32);
  g_autoptr(GObject) owner = g_object_new (G_TYPE_OBJECT, NULL);
  guint released = 0;

  {
    g_autoptr(AccArray) array = acc_array_use_address (i4, shape, (gsize) values, sizeof values, &released, count_calls);
    g_autoptr(AccArray) none = acc_array_use_address (i4, empty, (gsize) values, 0, &released, count_calls);
    g_autoptr(AccArray) owned = acc_array_use_owned (i4, shape, (gsize) values, sizeof values, owner);

    CONF_EXPECT_INTS ("ready-made/use_address", acc_array_map (array, double_it, NULL), "[2,3]", 2, 4, 6, 8, 10, 12);
    conf_expect_ints ("ready-made/use_address/empty", acc_array_map (none, double_it, NULL), "[0,3]", 0, 0, NULL);
    CONF_EXPECT_INTS ("ready-made/use_owned", acc_array_map (owned, double_it, NULL), "[2,3]", 2, 4, 6, 8, 10, 12);
  }
  g_assert_cmpuint (released, ==, 2);
  g_assert_cmpuint (owner->ref_count, ==, 1);
  CONF_EXPECT_ERROR ("ready-made/use_owned/size", acc_array_use_owned (i4, shape, (gsize) values, 4, owner), ACC_ERROR_SHAPE, "use");
  g_assert_cmpuint (owner->ref_count, ==, 1);
}

/* --- scalar functions */

static AccExpr *
there_and_back (AccExpr  *index,
                gpointer  data)
{
  g_autoptr(AccExpr) shape = acc_expr_ref_sink (acc_expr_tuple3 (conf_i64 (2), conf_i64 (3), conf_i64 (4)));
  g_autoptr(AccExpr) place = acc_expr_ref_sink (acc_expr_to_linear (shape, index));
  AccExpr *again = acc_expr_to_linear (shape, acc_expr_from_linear (shape, place));

  return acc_expr_tuple2 (place, acc_expr_sub (again, place));
}

static AccExpr *
pi_scaled (AccExpr  *k,
           gpointer  type)
{
  return acc_expr_scale_float (k, acc_expr_new_pi (type));
}

static void
test_scalars (void)
{
  g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { 2, 3, 4 }, 3);
  gint64 places[24];

  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    places[i] = i;
  conf_expect_ints ("ready-made/to_linear", acc_array_generate (shape, there_and_back, NULL), "[2,3,4]", 0, 24, places);
  memset (places, 0, sizeof places);
  conf_expect_ints ("ready-made/from_linear", acc_array_generate (shape, there_and_back, NULL), "[2,3,4]", 1, 24, places);

  for (guint i = 0; i < 3; i++)
    {
      static const AccElementKind kinds[] = { ACC_KIND_F16, ACC_KIND_F32, ACC_KIND_F64 };
      static const double pi[] = { 3.140625, (float) G_PI, G_PI };
      g_autoptr(AccArray) k = CONF_INTS1 ("i4", 0, 1, -3, 2000);

      conf_expect_floats ("ready-made/pi", acc_array_map (k, pi_scaled, acc_element_type_new (kinds[i])), "[4]", 0, 4,
                          (double[]) { pi[i], 2 * pi[i], pi[i] / 8, INFINITY });
    }
}

int
main (int    argc,
      char **argv)
{
  conf_init (&argc, &argv);
  for (guint i = 0; i < G_N_ELEMENTS (binaries); i++)
    {
      g_autofree char *path = g_strdup_printf ("/ready-made/%s", binaries[i].name);

      g_test_add_data_func (path, &binaries[i], test_binary);
    }
  for (guint i = 0; i < G_N_ELEMENTS (unaries); i++)
    {
      g_autofree char *path = g_strdup_printf ("/ready-made/%s", unaries[i].name);

      g_test_add_data_func (path, &unaries[i], test_unary);
    }
  g_test_add_func ("/ready-made/mistakes", test_mistakes);
  g_test_add_func ("/ready-made/elements-by-hand", test_elements_by_hand);
  g_test_add_func ("/ready-made/reductions-by-hand", test_reductions_by_hand);
  g_test_add_func ("/ready-made/complex", test_complex);
  g_test_add_func ("/ready-made/memory", test_memory);
  g_test_add_func ("/ready-made/scalars", test_scalars);
  return conf_run ();
}
