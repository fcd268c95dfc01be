/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

/* The scans that are made of others, section 1.12 of the language, against loops in C. The operator composes maps x → a x + b:
 * associative, not commutative. */

typedef struct {
  gint64 a, b;
} Map;

static Map
compose (Map first, Map second)
{
  return (Map) { (gint64) ((guint64) first.a * (guint64) second.a),
                 (gint64) ((guint64) first.b * (guint64) second.a + (guint64) second.b) };
}

static AccExpr *
composed (AccExpr *first, AccExpr *second, gpointer data)
{
  AccExpr *a = acc_expr_item (second, 0);

  return acc_expr_tuple2 (acc_expr_mul (acc_expr_item (first, 0), a),
                          acc_expr_add (acc_expr_mul (acc_expr_item (first, 1), acc_expr_item (second, 0)), acc_expr_item (second, 1)));
}

static AccExpr *
map_at (AccExpr *index, gpointer data)
{
  guint last = acc_expr_get_n_items (index) - 1;
  AccExpr *i = acc_expr_item (index, last);

  if (last > 0)
    i = acc_expr_add (i, acc_expr_mul (acc_expr_item (index, 0), conf_i64 (13)));
  return acc_expr_tuple2 (acc_expr_add (acc_expr_rem (acc_expr_mul (i, conf_i64 (3)), conf_i64 (5)), conf_i64 (1)),
                          acc_expr_sub (acc_expr_rem (acc_expr_mul (i, conf_i64 (7)), conf_i64 (11)), conf_i64 (5)));
}

static Map
nth_map (gint64 row, gint64 i)
{
  i += row * 13;
  return (Map) { i * 3 % 5 + 1, i * 7 % 11 - 5 };
}

static const Map seed = { 2, 3 };

static AccExpr *
seed_expr (void)
{
  return acc_expr_tuple2 (conf_i64 (seed.a), conf_i64 (seed.b));
}

typedef enum { SCANL, SCANL_PRIME, PRESCANL, POSTSCANL, SCANR, SCANR_PRIME, SCANR1, PRESCANR, POSTSCANR, N_FORMS } Form;

static const char *const names[] = { "scanl", "scanl-prime", "prescanl", "postscanl", "scanr", "scanr-prime", "scanr1", "prescanr",
                                     "postscanr" };

static AccArray *
make (Form form, AccArray *xs, AccArray **totals)
{
  switch (form)
    {
    case SCANL:
      return acc_array_scanl (xs, seed_expr (), composed, NULL);
    case SCANL_PRIME:
      return acc_array_scanl_with_total (xs, seed_expr (), composed, NULL, totals);
    case PRESCANL:
      return acc_array_prescanl (xs, seed_expr (), composed, NULL);
    case POSTSCANL:
      return acc_array_postscanl (xs, seed_expr (), composed, NULL);
    case SCANR:
      return acc_array_scanr (xs, seed_expr (), composed, NULL);
    case SCANR_PRIME:
      return acc_array_scanr_with_total (xs, seed_expr (), composed, NULL, totals);
    case SCANR1:
      return acc_array_scanr1 (xs, composed, NULL);
    case PRESCANR:
      return acc_array_prescanr (xs, seed_expr (), composed, NULL);
    case POSTSCANR:
      return acc_array_postscanr (xs, seed_expr (), composed, NULL);
    case N_FORMS:
      break;
    }
  g_return_val_if_reached (NULL);
}

/* A row of @n as the definition has it; what it comes to; how many there are. */
static gint64
expect (Form form, gint64 row, gint64 n, Map *results, Map *total)
{
  gboolean with_seed = form != SCANR1, before = form != POSTSCANL && form != POSTSCANR && form != SCANR1,
    all = form == SCANL || form == SCANR;
  gint64 length = all ? n + 1 : n;
  Map sum = seed;

  for (gint64 k = 0; k < n; k++)
    {
      gint64 i = form < SCANR ? k : n - 1 - k;
      Map x = nth_map (row, i), next;

      next = !with_seed && k == 0 ? x : form < SCANR ? compose (sum, x) : compose (x, sum);
      results[all && form == SCANR ? i + 1 : i] = before ? sum : next;
      sum = next;
    }
  if (all)
    results[form == SCANL ? n : 0] = sum;
  *total = sum;
  return length;
}

static void
check_form (Form form, guint rank, gint64 n_rows, gint64 n)
{
  g_autoptr(AccShape) shape = rank == 1 ? acc_shape_new_vector (n) : acc_shape_new_matrix (n_rows, n);
  g_autoptr(AccArray) xs = acc_array_generate (shape, map_at, NULL), totals = NULL, scanned = NULL;
  g_autofree Map *rows = g_new (Map, n_rows * (n + 1)), *wanted_totals = g_new (Map, n_rows);
  g_autofree gint64 *values = g_new (gint64, n_rows * (n + 1));
  g_autofree char *text = NULL, *totals_text = rank == 1 ? g_strdup ("[]") : g_strdup_printf ("[%d]", (int) n_rows);
  gint64 length = n;

  scanned = make (form, xs, &totals);
  for (gint64 r = 0; r < n_rows; r++)
    length = expect (form, r, n, rows + r * (form == SCANL || form == SCANR ? n + 1 : n), &wanted_totals[r]);
  text = rank == 1 ? g_strdup_printf ("[%d]", (int) length) : g_strdup_printf ("[%d,%d]", (int) n_rows, (int) length);
  for (guint leaf = 0; leaf < 2; leaf++)
    {
      g_autofree char *name = g_strdup_printf ("%s/%u-%d/%u", names[form], rank, (int) n, leaf);

      for (gint64 i = 0; i < n_rows * length; i++)
        values[i] = leaf == 0 ? rows[i].a : rows[i].b;
      conf_expect_ints (name, g_object_ref (scanned), text, leaf, n_rows * length, values);
      if (totals == NULL)
        continue;
      for (gint64 r = 0; r < n_rows; r++)
        values[r] = leaf == 0 ? wanted_totals[r].a : wanted_totals[r].b;
      conf_expect_ints (name, g_object_ref (totals), totals_text, leaf, n_rows, values);
    }
}

static void
test_form (gconstpointer data)
{
  static const gint64 sizes[] = { 0, 1, 2, 33, 257, 4097 };
  Form form = GPOINTER_TO_INT (data);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      check_form (form, 1, 1, sizes[i]);
      check_form (form, 2, 3, sizes[i]);
    }
}

/* Long rows are cut: several threads, several tiles, the last one with what is left over. */
#define N_LONG (5 * 32768 + 37)

static void
test_long (void)
{
  static const Form forms[] = { POSTSCANL, SCANL_PRIME, SCANR1 };

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      check_form (forms[i], 1, 1, N_LONG);
      check_form (forms[i], 2, 2, N_LONG);
    }
}

/* Elements of every type, and rows that lie across vectors. */
static void
test_types (void)
{
  static const gint64 extents[][2] = { { 1, N_LONG }, { 29, 1003 } };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint t = 0; t < conf_n_types (); t++)
    for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
      {
        g_autoptr(AccElementType) type = conf_type (conf_types[t]);
        guint rank = extents[i][0] == 1 ? 1 : 2;
        g_autoptr(AccArray) xs = conf_array (type, extents[i] + 2 - rank, rank, rand, CONF_SMALL);
        g_autofree char *name = g_strdup_printf ("types/%s/%u", conf_types[t], rank);

        conf_check_array (name, acc_array_scanl1 (xs, conf_combine, NULL), CONF_EXACT);
      }
}

/* Where nothing came before, the first element stays what it is: also -0, and what is the least or the greatest of its kind. */
static void
test_first (void)
{
  static const struct { const char *name; AccExpr *(*function) (AccExpr *x, AccExpr *y); } operators[] = {
    { "sum", acc_expr_add }, { "product", acc_expr_mul }, { "min", acc_expr_min }, { "max", acc_expr_max },
    { "and", acc_expr_band }, { "or", acc_expr_bor }, { "xor", acc_expr_bxor },
  };
  static const char *const whole[] = { "i1", "u2", "i4", "u8" }, *const real[] = { "f2", "f4", "f8" };
  static const gint64 sizes[] = { 1, 21, N_LONG };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (guint o = 0; o < G_N_ELEMENTS (operators); o++)
      {
        for (guint k = 0; k < G_N_ELEMENTS (whole); k++)
          {
            g_autoptr(AccElementType) type = conf_type (whole[k]);
            g_autoptr(AccArray) xs = conf_array (type, &sizes[s], 1, rand, CONF_FULL);
            g_autofree char *name = g_strdup_printf ("first/%s/%s/%d", operators[o].name, whole[k], (int) sizes[s]);

            conf_check_array (name, acc_array_scanl1 (xs, conf_call2, operators[o].function), CONF_EXACT);
          }
        for (guint k = 0; k < G_N_ELEMENTS (real) && o < 4; k++)
          {
            g_autoptr(AccElementType) type = conf_type (real[k]);
            g_autoptr(AccShape) shape = acc_shape_new_vector (sizes[s]);
            g_autoptr(AccArray) zeros = acc_array_fill (shape, acc_expr_new_typed_float (type, -0.0));
            g_autofree char *name = g_strdup_printf ("first/%s/%s/%d", operators[o].name, real[k], (int) sizes[s]);

            conf_check_array (name, acc_array_scanl1 (zeros, conf_call2, operators[o].function), CONF_EXACT);
          }
      }
}

static AccExpr *
reciprocal (AccExpr *index, gpointer data)
{
  return acc_expr_quot (conf_i64 (1000000), acc_expr_sub (acc_expr_item (index, 0), conf_i64 (N_LONG / 2)));
}

/* Whoever waits for the tile that fails goes on. */
static void
test_failures (void)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (N_LONG);
  g_autoptr(AccArray) xs = acc_array_generate (shape, reciprocal, NULL);

  if (conf_checks_are_on ())
    CONF_EXPECT_ERROR ("scanl1/division", acc_array_scanl1 (xs, conf_plus, NULL), ACC_ERROR_ARITHMETIC, "division by zero");
}

static void
test_mistakes (void)
{
  g_autoptr(AccArray) vector = CONF_INTS1 ("i8", 1, 2, 3), one = acc_array_unit (conf_i64 (1)), totals = NULL;
  AccArray *bad = acc_array_scanl (vector, acc_expr_new_typed_float (conf_type ("f4"), 1), conf_first, NULL);

  acc_array_set_label (bad, "mixed");
  CONF_EXPECT_ERROR ("scanl/type", bad, ACC_ERROR_TYPE, "scanl", "mixed", "f4", "i8");
  CONF_EXPECT_ERROR ("scanr1/rank-0", acc_array_scanr1 (one, conf_first, NULL), ACC_ERROR_SHAPE, "scanr1", "rank 0");
  CONF_EXPECT_ERROR ("scanr-prime/rank-0", acc_array_scanr_with_total (one, conf_i64 (1), conf_first, NULL, &totals), ACC_ERROR_SHAPE,
                     "scanr_with_total");
  CONF_EXPECT_ERROR ("scanr-prime/totals", g_object_ref (totals), ACC_ERROR_SHAPE, "scanr_with_total");
  /* Literals take the type of the elements. */
  CONF_EXPECT_INTS ("prescanl/literal", acc_array_prescanl (vector, acc_expr_new_int (7), conf_first, NULL), "[3]", 7, 7, 7);
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  for (Form form = 0; form < N_FORMS; form++)
    {
      g_autofree char *path = g_strdup_printf ("/scans/%s", names[form]);

      g_test_add_data_func (path, GINT_TO_POINTER (form), test_form);
    }
  g_test_add_func ("/scans/long", test_long);
  g_test_add_func ("/scans/types", test_types);
  g_test_add_func ("/scans/first", test_first);
  g_test_add_func ("/scans/failures", test_failures);
  g_test_add_func ("/scans/mistakes", test_mistakes);
  return conf_run ();
}
