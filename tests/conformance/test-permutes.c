/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

/* Permutes of many elements to many places, where the last one that goes to a place is seen, or the order of all. Devices need not keep it;
 * the native backend does, by all its threads where they are many. */

#define N_ELEMENTS 200003
#define N_PLACES   300007

/* Tells the order of what was combined: not associative, and so for permutes that go over the source in order alone. */
static AccExpr *
in_order (AccExpr *new_value, AccExpr *old_value, gpointer data)
{
  return acc_expr_add (acc_expr_mul (old_value, acc_expr_new_int (3)), new_value);
}

static AccExpr *
in_order_of_pairs (AccExpr *new_value, AccExpr *old_value, gpointer data)
{
  AccExpr *count = acc_expr_add (acc_expr_item (old_value, 1), acc_expr_new_int (1));

  return acc_expr_tuple2 (in_order (acc_expr_item (new_value, 0), acc_expr_item (old_value, 0), NULL), count);
}

/* --- targets, and what goes there */

static AccExpr *
number (AccExpr *index, gpointer data)
{
  return acc_expr_cast (acc_expr_item (index, 0), acc_element_type_new (ACC_KIND_I32));
}

typedef enum { ANYWHERE, NEAR, SAME, DESCENDING, N_FORMS } Form;

static AccExpr *
spread_out (AccExpr *n, gint64 size)
{
  return acc_expr_rem (acc_expr_mul (n, conf_i64 (7919 * 104729ll)), conf_i64 (size));
}

static AccExpr *
choose_place (AccExpr *i, gpointer data)
{
  AccExpr *n = acc_expr_cast (i, acc_element_type_new (ACC_KIND_I64));

  switch ((Form) GPOINTER_TO_INT (data))
    {
    case NEAR:
      return acc_expr_add (conf_i64 (100003), spread_out (n, 1009));
    case SAME:
      return acc_expr_add (conf_i64 (N_PLACES - 1), acc_expr_mul (n, conf_i64 (0)));
    case DESCENDING:
      return acc_expr_sub (conf_i64 (N_PLACES - 1), acc_expr_rem (n, conf_i64 (50021)));
    case ANYWHERE:
    case N_FORMS:
    default:
      return spread_out (n, N_PLACES);
    }
}

/* By floats, which are not the same where multiplications and additions are contracted. */
static AccExpr *
by_floats (AccExpr *i, gpointer data)
{
  AccExpr *x = acc_expr_cast (acc_expr_rem (i, acc_expr_new_int (60013)), acc_element_type_new (ACC_KIND_F32));

  return acc_expr_cast (acc_expr_add (acc_expr_mul (x, acc_expr_new_float (4.7)), acc_expr_new_float (0.3)),
                        acc_element_type_new (ACC_KIND_I32));
}

static AccExpr *
sometimes (AccExpr *i, AccExpr *place, gpointer data)
{
  AccExpr *wanted = acc_expr_ne (acc_expr_rem (i, acc_expr_new_int (3)), acc_expr_new_int (0));

  /* Those that go nowhere say so from outside. */
  return acc_expr_tuple2 (wanted, acc_expr_cond (wanted, place, conf_i64 (-7)));
}

static AccExpr *
to_square (AccExpr *place, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_div (place, conf_i64 (1000)), acc_expr_rem (place, conf_i64 (1000)));
}

static AccExpr *
dear (AccExpr *i, gpointer data)
{
  AccExpr *x = acc_expr_cast (i, acc_element_type_new (ACC_KIND_F32));

  for (guint k = 0; k < 8; k++)
    x = acc_expr_sqrt (acc_expr_add (acc_expr_mul (x, x), acc_expr_new_float (k + 0.5)));
  return x;
}

static AccExpr *
beside (AccExpr *i, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_cast (i, acc_element_type_new (ACC_KIND_I64)),
                          acc_expr_cast (acc_expr_new_int (1), acc_element_type_new (ACC_KIND_U8)));
}

static AccArray *
numbers (gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(AccArray) delayed = acc_array_generate (shape, number, NULL);

  return acc_array_compute (delayed);
}

static AccArray *
defaults_of_size (const char *code, gint64 size)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  return conf_array (conf_type (code), &size, 1, rand, CONF_SMALL);
}

static AccArray *
defaults_of (const char *code)
{
  return defaults_of_size (code, N_PLACES);
}

/* --- tests */

static gboolean
keep_order (void)
{
  for (guint i = 0; i < conf_n_backends (); i++)
    if (g_strcmp0 (acc_backend_get_name (conf_backend (i)), "native") != 0)
      {
        g_test_skip ("an order that devices need not keep");
        return FALSE;
      }

  return TRUE;
}

static void
test_forms (void)
{
  g_autoptr(AccArray) xs = numbers (N_ELEMENTS), defaults = defaults_of ("i4");

  if (!keep_order ())
    return;

  for (Form form = 0; form < N_FORMS; form++)
    for (guint stored = 0; stored < 2; stored++)
      {
        g_autoptr(AccArray) delayed = acc_array_map (xs, choose_place, GINT_TO_POINTER (form));
        g_autoptr(AccArray) targets = stored ? acc_array_compute (delayed) : g_object_ref (delayed);
        g_autoptr(AccArray) optional = acc_array_zip_with (xs, targets, sometimes, NULL);
        g_autofree char *name = g_strdup_printf ("permutes/%d%s", form, stored ? "-stored" : ""),
          *ordered = g_strconcat (name, "-in-order", NULL);
        g_autofree char *some = g_strconcat (name, "-some", NULL), *one = g_strconcat (name, "-one", NULL);
        g_autoptr(AccArray) ones = acc_array_fill (acc_array_get_shape (xs),
                                                   acc_expr_cast (acc_expr_new_int (1), acc_element_type_new (ACC_KIND_I32)));

        conf_check_array (name, acc_array_permute (xs, defaults, targets, conf_first, NULL), CONF_EXACT);
        conf_check_array (ordered, acc_array_permute (xs, defaults, targets, in_order, NULL), CONF_EXACT);
        conf_check_array (some, acc_array_permute (xs, defaults, optional, in_order, NULL), CONF_EXACT);
        conf_check_array (one, acc_array_permute (ones, defaults, targets, in_order, NULL), CONF_EXACT);
      }
}

static void
test_kinds (void)
{
  static const char *const codes[] = { "b1", "u1", "i2", "f2", "f4", "i8", "f8", "c8", "(i2,(f4,b1))", "4f4" };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  g_autoptr(AccArray) indices = numbers (N_ELEMENTS), targets = acc_array_map (indices, choose_place, GINT_TO_POINTER (ANYWHERE));

  if (!keep_order ())
    return;

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autoptr(AccArray) xs = conf_array (conf_type (codes[i]), (gint64[]) { N_ELEMENTS }, 1, rand, CONF_FULL),
        defaults = defaults_of (codes[i]);
      g_autofree char *name = g_strconcat ("permutes/", codes[i], NULL), *mixed = g_strconcat (name, "-mixed", NULL);

      conf_check_array (name, acc_array_permute (xs, defaults, targets, conf_first, NULL), CONF_EXACT);
      conf_check_array (mixed, acc_array_permute (xs, defaults, targets, conf_mix2, NULL), CONF_EXACT);
    }
}

/* What is computed once, before elements are counted. */
static void
test_computed (void)
{
  g_autoptr(AccArray) indices = numbers (N_ELEMENTS), rounded = acc_array_map (indices, by_floats, NULL), places = NULL;
  g_autoptr(AccArray) wide = acc_array_cast (rounded, acc_element_type_new (ACC_KIND_I64)),
    optional = acc_array_zip_with (indices, wide, sometimes, NULL);
  g_autoptr(AccArray) roots = acc_array_map (indices, dear, NULL), floats = defaults_of ("f4"), ints = defaults_of ("i4");
  g_autoptr(AccArray) pairs = acc_array_map (indices, beside, NULL), before = defaults_of ("(i8,u1)");

  if (!keep_order ())
    return;

  places = acc_array_map (indices, choose_place, GINT_TO_POINTER (ANYWHERE));
  conf_check_array ("permutes/places-by-floats", acc_array_permute (indices, ints, rounded, in_order, NULL), CONF_EXACT);
  conf_check_array ("permutes/some-by-floats", acc_array_permute (indices, ints, optional, in_order, NULL), CONF_EXACT);
  conf_check_array ("permutes/dear", acc_array_permute (roots, floats, places, in_order, NULL), CONF_EXACT);
  conf_check_array ("permutes/dear-by-floats", acc_array_permute (roots, floats, optional, in_order, NULL), CONF_EXACT);
  conf_check_array ("permutes/one-of-pairs", acc_array_permute (pairs, before, places, in_order_of_pairs, NULL), CONF_EXACT);
}

static AccExpr *
turned (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (index, 1), acc_expr_item (index, 0));
}

/* From and to several dimensions, and by rows. */
static void
test_ranks (void)
{
  static const gint64 extents[][2] = { { 7, 20011 }, { 20011, 7 }, { 300, 501 }, { 1, 150001 }, { 150001, 1 } };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());
  g_autoptr(AccArray) line = defaults_of ("i4"), square = conf_array (conf_type ("i4"), (gint64[]) { 301, 1000 }, 2, rand, CONF_SMALL);

  if (!keep_order ())
    return;

  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    {
      gint64 n = extents[i][0] * extents[i][1];
      g_autoptr(AccShape) shape = acc_shape_new (extents[i], 2), other = acc_shape_new_matrix (extents[i][1], extents[i][0]);
      g_autoptr(AccArray) all = numbers (n), xs = acc_array_reshape (all, shape),
        plain = acc_array_map (xs, choose_place, GINT_TO_POINTER (ANYWHERE));
      g_autoptr(AccArray) places = acc_array_compute (plain), cells = acc_array_map (places, to_square, NULL);
      g_autoptr(AccArray) across = acc_array_backpermute (xs, other, turned, NULL),
        places_across = acc_array_backpermute (places, other, turned, NULL);
      g_autoptr(AccArray) rows = conf_through_source (acc_array_compute (xs)), place_rows = conf_through_source (g_object_ref (places));
      g_autofree char *name = g_strdup_printf ("permutes/%dx%d", (int) extents[i][0], (int) extents[i][1]);
      g_autofree char *to_cells = g_strconcat (name, "-to-cells", NULL), *turned_name = g_strconcat (name, "-turned", NULL);
      g_autofree char *by_rows = g_strconcat (name, "-by-rows", NULL);

      conf_check_array (name, acc_array_permute (xs, line, places, in_order, NULL), CONF_EXACT);
      conf_check_array (to_cells, acc_array_permute (xs, square, cells, in_order, NULL), CONF_EXACT);
      conf_check_array (turned_name, acc_array_permute (across, line, places_across, in_order, NULL), CONF_EXACT);
      conf_check_array (by_rows, acc_array_permute (rows, line, place_rows, in_order, NULL), CONF_EXACT);
    }
}

/* More elements than are spread at a time, to more places than have tables, which would combine in another order. */
static void
test_rounds (void)
{
  enum { N = 5 << 19, COLUMNS = 10, SIZE = 2 * N_PLACES };
  g_autoptr(AccShape) shape = acc_shape_new_matrix (N / COLUMNS, COLUMNS);
  g_autoptr(AccArray) xs = numbers (N), places = acc_array_map (xs, choose_place, GINT_TO_POINTER (ANYWHERE)),
    defaults = defaults_of_size ("i4", SIZE);
  g_autoptr(AccArray) rows = acc_array_reshape (xs, shape), row_places = acc_array_reshape (places, shape);
  g_autoptr(AccArray) streamed = conf_through_source (acc_array_compute (rows));

  if (!conf_is_thorough ())
    g_test_skip ("it takes long");
  if (!conf_is_thorough () || !keep_order ())
    return;

  conf_check_array ("permutes/rounds", acc_array_permute (xs, defaults, places, in_order, NULL), CONF_EXACT);
  conf_check_array ("permutes/rounds-of-rows", acc_array_permute (rows, defaults, row_places, in_order, NULL), CONF_EXACT);
  conf_check_array ("permutes/rounds-of-streamed-rows", acc_array_permute (streamed, defaults, row_places, in_order, NULL), CONF_EXACT);
}

typedef AccExpr *(*Combine) (AccExpr *x, AccExpr *y);

static AccExpr *
combine (AccExpr *x, AccExpr *y, gpointer data)
{
  return (*(Combine *) data) (x, y);
}

static AccExpr *
choose_few (AccExpr *i, gpointer data)
{
  return spread_out (acc_expr_cast (i, acc_element_type_new (ACC_KIND_I64)), GPOINTER_TO_INT (data));
}

static AccExpr *
convert (AccExpr *x, gpointer type)
{
  return acc_expr_cast (acc_expr_add (acc_expr_mul (x, acc_expr_new_int (77)), acc_expr_new_int (1)), type);
}

/* Many elements to few places, by operators for which the order is nothing, so that workers may have results of their own for all that they
 * see: of lines, rows of pixels, columns, and pieces that come by rows. */
static void
test_few_places (void)
{
  static struct { const char *type; Combine combine; } forms[] = {
    { "i4", acc_expr_add }, { "i8", acc_expr_add }, { "u1", acc_expr_add }, { "u4", acc_expr_mul }, { "i2", acc_expr_min },
    { "i8", acc_expr_max }, { "u2", acc_expr_bxor }, { "i1", acc_expr_band },
  };
  static const int sizes[] = { 1, 3, 256, 2333 };
  enum { ROWS = 50021, COLUMNS = 3, N = ROWS * COLUMNS };
  g_autoptr(AccShape) pixels = acc_shape_new_matrix (ROWS, COLUMNS), across = acc_shape_new_matrix (COLUMNS, ROWS);
  g_autoptr(AccArray) all = numbers (N);

  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
      {
        g_autoptr(AccArray) plain = acc_array_map (all, convert, conf_type (forms[i].type)), line = acc_array_compute (plain);
        g_autoptr(AccArray) chosen = acc_array_map (all, choose_few, GINT_TO_POINTER (sizes[k])), places = acc_array_compute (chosen);
        g_autoptr(AccArray) rows = acc_array_reshape (line, pixels), row_places = acc_array_reshape (places, pixels);
        g_autoptr(AccArray) turned_rows = acc_array_backpermute (rows, across, turned, NULL);
        g_autoptr(AccArray) turned_places = acc_array_backpermute (row_places, across, turned, NULL);
        g_autoptr(AccArray) streamed = conf_through_source (acc_array_compute (rows)), before = defaults_of_size (forms[i].type, sizes[k]);
        g_autoptr(AccArray) streamed_places = conf_through_source (acc_array_compute (row_places));
        g_autofree char *name = g_strdup_printf ("permutes/few-%u-%d", i, sizes[k]), *of_rows = g_strconcat (name, "-of-rows", NULL);
        g_autofree char *of_columns = g_strconcat (name, "-of-columns", NULL), *by_rows = g_strconcat (name, "-by-rows", NULL);
        gpointer data = &forms[i].combine;

        conf_check_array (name, acc_array_permute (line, before, places, combine, data), CONF_EXACT);
        conf_check_array (of_rows, acc_array_permute (rows, before, row_places, combine, data), CONF_EXACT);
        conf_check_array (of_columns, acc_array_permute (turned_rows, before, turned_places, combine, data), CONF_EXACT);
        conf_check_array (by_rows, acc_array_permute (streamed, before, streamed_places, combine, data), CONF_EXACT);
      }
}

static AccExpr *
astray_at (AccExpr *i, AccExpr *place, gpointer data)
{
  return acc_expr_cond (acc_expr_eq (i, acc_expr_new_int (60001)), conf_i64 (GPOINTER_TO_INT (data)), place);
}

static void
test_bounds (void)
{
  static const int outside[] = { N_PLACES, -1, G_MAXINT };
  g_autoptr(AccArray) xs = numbers (N_ELEMENTS), places = acc_array_map (xs, choose_place, GINT_TO_POINTER (ANYWHERE)),
    defaults = defaults_of ("i4");

  if (!conf_checks_are_on ())
    return;

  for (guint i = 0; i < G_N_ELEMENTS (outside); i++)
    {
      g_autoptr(AccArray) targets = acc_array_zip_with (xs, places, astray_at, GINT_TO_POINTER (outside[i]));
      g_autofree char *index = g_strdup_printf ("%d", outside[i]);
      AccArray *bad = acc_array_permute (xs, defaults, targets, conf_first, NULL);

      acc_array_set_label (bad, "astray");
      CONF_EXPECT_ERROR ("permutes/outside", bad, ACC_ERROR_BOUNDS, "permute", "astray", index);
    }
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);

  g_test_add_func ("/permutes/forms", test_forms);
  g_test_add_func ("/permutes/kinds", test_kinds);
  g_test_add_func ("/permutes/computed", test_computed);
  g_test_add_func ("/permutes/ranks", test_ranks);
  g_test_add_func ("/permutes/rounds", test_rounds);
  g_test_add_func ("/permutes/few-places", test_few_places);
  g_test_add_func ("/permutes/bounds", test_bounds);

  return conf_run ();
}
