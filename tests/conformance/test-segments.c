/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

/* Folds and scans of segments, sections 1.11 and 1.13 of the language, against loops in C. */

/* --- operators: associative, not commutative */

typedef struct {
  gint64 v[4];
} Element;

typedef struct {
  const char   *name;
  guint         n_items;
  Element       seed;
  Element     (*combine) (Element, Element);
  AccExprFunc2  function;
} Operator;

static gint64
dot (gint64 a, gint64 b, gint64 c, gint64 d)
{
  return (gint64) ((guint64) a * (guint64) b + (guint64) c * (guint64) d);
}

static Element
multiply (Element x, Element y)
{
  return (Element) { { dot (x.v[0], y.v[0], x.v[1], y.v[2]), dot (x.v[0], y.v[1], x.v[1], y.v[3]),
                       dot (x.v[2], y.v[0], x.v[3], y.v[2]), dot (x.v[2], y.v[1], x.v[3], y.v[3]) } };
}

static AccExpr *
dot_expr (AccExpr *x, guint a, AccExpr *y, guint b)
{
  return acc_expr_add (acc_expr_mul (acc_expr_item (x, a), acc_expr_item (y, b)),
                       acc_expr_mul (acc_expr_item (x, a + 1), acc_expr_item (y, b + 2)));
}

static AccExpr *
multiplied (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple4 (dot_expr (x, 0, y, 0), dot_expr (x, 0, y, 1), dot_expr (x, 2, y, 0), dot_expr (x, 2, y, 1));
}

/* Intervals that follow on each other, joined; everything else is no interval. */
static Element
join (Element x, Element y)
{
  return x.v[1] + 1 == y.v[0] ? (Element) { { x.v[0], y.v[1] } } : (Element) { { G_MAXINT64, G_MININT64 } };
}

static AccExpr *
joined (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_cond (acc_expr_eq (acc_expr_add (acc_expr_item (x, 1), conf_i64 (1)), acc_expr_item (y, 0)),
                        acc_expr_tuple2 (acc_expr_item (x, 0), acc_expr_item (y, 1)),
                        acc_expr_tuple2 (conf_i64 (G_MAXINT64), conf_i64 (G_MININT64)));
}

static const Operator matrices = { "matrix", 4, { { 2, -1, 3, 1 } }, multiply, multiplied };
static const Operator intervals = { "interval", 2, { { -1, -1 } }, join, joined };

static AccExpr *
element_expr (const Operator *op, Element x)
{
  AccExpr *items[4];

  for (guint i = 0; i < op->n_items; i++)
    items[i] = conf_i64 (x.v[i]);
  return acc_expr_tuple (items, op->n_items);
}

static Element
nth_element (const Operator *op, GRand *rand, gint64 place)
{
  Element x = { { place, place } };

  for (guint i = 0; op == &matrices && i < 4; i++)
    x.v[i] = g_rand_int_range (rand, -3, 4);
  return x;
}

/* All items in one number. */
static gint64
digest (Element x)
{
  return (gint64) ((guint64) x.v[0] + 3 * (guint64) x.v[1] + 5 * (guint64) x.v[2] + 7 * (guint64) x.v[3]);
}

static AccExpr *
digest_expr (AccExpr *x, gpointer data)
{
  AccExpr *sum = acc_expr_item (x, 0);

  for (guint i = 1; i < acc_expr_get_n_items (x); i++)
    sum = acc_expr_add (sum, acc_expr_mul (acc_expr_item (x, i), conf_i64 (2 * i + 1)));
  return sum;
}

/* --- forms */

typedef enum { FOLD, FOLD1, FOLD_OFFSETS, FOLD1_OFFSETS, SCANL, SCANL1, SCANL_PRIME, PRESCANL, POSTSCANL,
               SCANR, SCANR1, SCANR_PRIME, PRESCANR, POSTSCANR, N_FORMS } Form;

static const char *const names[] = { "fold_seg", "fold1_seg", "fold_seg_offsets", "fold1_seg_offsets", "scanl_seg", "scanl1_seg",
                                     "scanl_with_total_seg", "prescanl_seg", "postscanl_seg", "scanr_seg", "scanr1_seg",
                                     "scanr_with_total_seg", "prescanr_seg", "postscanr_seg" };

static gboolean
has_offsets (Form form)
{
  return form == FOLD_OFFSETS || form == FOLD1_OFFSETS;
}

static gboolean
has_seed (Form form)
{
  return form != FOLD1 && form != FOLD1_OFFSETS && form != SCANL1 && form != SCANR1;
}

/* @seed is used by the forms that have one. */
static AccArray *
make (Form form, AccArray *xs, AccExpr *seed, AccArray *segments, AccExprFunc2 function, AccArray **totals)
{
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (seed);

  switch (form)
    {
    case FOLD:
      return acc_array_fold_seg (xs, owned, segments, function, NULL);
    case FOLD1:
      return acc_array_fold1_seg (xs, segments, function, NULL);
    case FOLD_OFFSETS:
      return acc_array_fold_seg_offsets (xs, owned, segments, function, NULL);
    case FOLD1_OFFSETS:
      return acc_array_fold1_seg_offsets (xs, segments, function, NULL);
    case SCANL:
      return acc_array_scanl_seg (xs, owned, segments, function, NULL);
    case SCANL1:
      return acc_array_scanl1_seg (xs, segments, function, NULL);
    case SCANL_PRIME:
      return acc_array_scanl_with_total_seg (xs, owned, segments, function, NULL, totals);
    case PRESCANL:
      return acc_array_prescanl_seg (xs, owned, segments, function, NULL);
    case POSTSCANL:
      return acc_array_postscanl_seg (xs, owned, segments, function, NULL);
    case SCANR:
      return acc_array_scanr_seg (xs, owned, segments, function, NULL);
    case SCANR1:
      return acc_array_scanr1_seg (xs, segments, function, NULL);
    case SCANR_PRIME:
      return acc_array_scanr_with_total_seg (xs, owned, segments, function, NULL, totals);
    case PRESCANR:
      return acc_array_prescanr_seg (xs, owned, segments, function, NULL);
    case POSTSCANR:
      return acc_array_postscanr_seg (xs, owned, segments, function, NULL);
    case N_FORMS:
      break;
    }
  g_return_val_if_reached (NULL);
}

/* One segment of @n, as the definition has it; *total: what it comes to. How many results there are. */
static gint64
expect_segment (Form form, const Operator *op, const Element *xs, gint64 n, Element *results, Element *total)
{
  gboolean right = form >= SCANR, extra = form == SCANL || form == SCANR;
  gboolean after = form == SCANL1 || form == SCANR1 || form == POSTSCANL || form == POSTSCANR;
  gint64 length = extra ? n + 1 : n;
  Element sum = op->seed;

  for (gint64 k = 0; k < n; k++)
    {
      gint64 place = right ? n - 1 - k : k;
      Element next = right ? op->combine (xs[place], sum) : op->combine (sum, xs[place]);

      if (k == 0 && !has_seed (form))
        next = xs[place];
      if (form >= SCANL)
        results[extra && right ? place + 1 : place] = after ? next : sum;
      sum = next;
    }
  *total = sum;
  if (form < SCANL)
    results[0] = sum;
  else if (extra)
    results[right ? 0 : n] = sum;

  return form < SCANL ? 1 : length;
}

/* --- cases */

typedef struct {
  const char *name;
  const char *lengths;     /* "3*100" is 3 hundred times, "?100" is 100 random ones from 0 to 8 */
  gint64      surplus;
} Case;

static const Case cases[] = {
  { "nothing", "", 0 },
  { "no-segments", "", 5 },
  { "empty-of-nothing", "0 0 0", 0 },
  { "empty", "0 0 0", 4 },
  { "example", "1 4 0 3", 2 },
  { "leading", "0 0 3 1", 0 },
  { "trailing", "2 0 0", 1 },
  { "one", "1", 0 },
  { "4095", "4095", 0 },
  { "4096", "0 4096", 1 },
  { "4097", "4097 0", 0 },
  { "blocks", "127 1 128 129 0 256 511 640 129", 300 },
  { "skewed", "2 0 3500 ?150", 0 },
  { "random", "?1500", 9 },
  { "ones", "1*2100", 0 },
  { "equal", "33*130", 70 },
};

static GArray *
parse_lengths (const char *text, gboolean no_empty, GRand *rand)
{
  GArray *lengths = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_auto(GStrv) words = g_strsplit (text, " ", -1);

  for (guint i = 0; words[i] != NULL && *words[i] != 0; i++)
    {
      const char *times = strchr (words[i], '*');
      gint64 count = *words[i] == '?' ? atoi (words[i] + 1) : times != NULL ? atoi (times + 1) : 1;

      for (gint64 k = 0; k < count; k++)
        {
          gint64 length = *words[i] == '?' ? g_rand_int_range (rand, 0, 9) : atoi (words[i]);

          if (no_empty)
            length = MAX (length, 1);
          g_array_append_val (lengths, length);
        }
    }
  return lengths;
}

static AccArray *
make_elements (const Operator *op, const Element *elements, gint64 size, const gint64 *extents, guint rank)
{
  AccArray *leaves[4], *array;
  g_autofree gint64 *values = g_new (gint64, size + 1);

  for (guint i = 0; i < op->n_items; i++)
    {
      for (gint64 k = 0; k < size; k++)
        values[k] = elements[k].v[i];
      leaves[i] = conf_ints ("i8", extents, rank, values);
    }
  array = acc_array_zip_many (leaves, op->n_items);
  for (guint i = 0; i < op->n_items; i++)
    g_object_unref (leaves[i]);
  return array;
}

static void
expect_digests (const char *name, AccArray *array, const gint64 *extents, guint rank, gint64 innermost, const Element *wanted)
{
  g_autofree gint64 *full = g_memdup2 (extents, rank * sizeof (gint64)), *values = NULL;
  g_autoptr(AccShape) shape = NULL;
  g_autofree char *text = NULL;
  gint64 size;

  full[rank - 1] = innermost;
  shape = acc_shape_new (full, rank);
  text = acc_shape_to_string (shape);
  size = acc_shape_get_size (shape);
  values = g_new (gint64, size + 1);
  for (gint64 i = 0; i < size; i++)
    values[i] = digest (wanted[i]);
  conf_expect_ints (name, acc_array_map (array, digest_expr, NULL), text, 0, size, values);
}

static void
check_case (Form form, const Operator *op, const Case *given, const gint64 *outer, guint n_outer, GRand *rand)
{
  gint64 skipped = has_offsets (form) ? MIN (given->surplus, 2) : 0, n = given->surplus, rows = 1, sum = skipped, extents[5], n_results = 0;
  g_autoptr(GArray) lengths = parse_lengths (given->lengths, form == FOLD1 || form == FOLD1_OFFSETS, rand);
  g_autofree gint64 *offsets = g_new (gint64, lengths->len + 1);
  g_autofree char *name = NULL, *totals_name = NULL;
  g_autoptr(AccArray) xs = NULL, segments = NULL, result = NULL, totals = NULL;
  g_autofree Element *elements = NULL, *wanted = NULL, *wanted_totals = NULL;

  for (guint i = 0; i < n_outer; i++)
    rows *= extents[i] = outer[i];
  for (guint i = 0; i < lengths->len; i++)
    {
      offsets[i] = sum;
      sum += g_array_index (lengths, gint64, i);
    }
  offsets[lengths->len] = sum;
  n += sum - skipped;
  extents[n_outer] = n;

  elements = g_new (Element, rows * n + 1);
  for (gint64 i = 0; i < rows * n; i++)
    elements[i] = nth_element (op, rand, i % n);
  wanted = g_new0 (Element, rows * (n + lengths->len) + 1);
  wanted_totals = g_new0 (Element, rows * lengths->len + 1);
  for (gint64 r = 0; r < rows; r++)
    for (guint i = 0; i < lengths->len; i++)
      n_results += expect_segment (form, op, elements + r * n + offsets[i], offsets[i + 1] - offsets[i], wanted + n_results,
                                   &wanted_totals[r * lengths->len + i]);

  xs = make_elements (op, elements, rows * n, extents, n_outer + 1);
  segments = has_offsets (form) ? conf_ints ("i4", (gint64[]) { lengths->len + 1 }, 1, offsets)
                                : conf_ints ("i4", (gint64[]) { lengths->len }, 1, (const gint64 *) lengths->data);
  result = make (form, xs, element_expr (op, op->seed), segments, op->function, &totals);
  name = g_strdup_printf ("%s/%s/%s-%u", names[form], given->name, op->name, n_outer + 1);
  totals_name = g_strconcat (name, "/totals", NULL);
  expect_digests (name, result, extents, n_outer + 1,
                  form < SCANL ? lengths->len : sum + (form == SCANL || form == SCANR ? lengths->len : 0), wanted);
  if (form == SCANL_PRIME || form == SCANR_PRIME)
    expect_digests (totals_name, totals, extents, n_outer + 1, lengths->len, wanted_totals);
}

static void
test_form (gconstpointer data)
{
  Form form = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed () + form);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      check_case (form, &matrices, &cases[i], NULL, 0, rand);
      check_case (form, &intervals, &cases[i], (gint64[]) { 3 }, 1, rand);
      if (conf_is_thorough ())
        check_case (form, &matrices, &cases[i], (gint64[]) { 2, 2 }, 2, rand);
    }
  check_case (form, &matrices, &cases[4], (gint64[]) { 0 }, 1, rand);
  check_case (form, &intervals, &cases[11], (gint64[]) { 2, 1, 2, 1 }, 4, rand);
  /* More than what workers take at once, of elements in one segment, of empty segments, and of both. */
  if (form < SCANL)
    {
      check_case (form, &matrices, &(Case) { "tiles", "7 40000 0*36000 ?3000 15*30 16 1 17 31 33 1*2000", 9 }, NULL, 0, rand);
      check_case (form, &intervals, &(Case) { "tiles", "33000 0*3 2 300", 2 }, (gint64[]) { 2 }, 1, rand);
      check_case (form, &intervals, &(Case) { "rows", "300 0*3 ?20", 2 }, (gint64[]) { 150 }, 1, rand);
    }
  if (conf_is_thorough ())
    check_case (form, &matrices, &(Case) { "long", "10 200000 ?20000", 2000 }, NULL, 0, rand);
}

/* The example of the language. */
static void
test_example (void)
{
  g_autoptr(AccArray) row = CONF_INTS1 ("i8", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9), lengths = CONF_INTS1 ("u1", 1, 4, 0, 3),
    offsets = CONF_INTS1 ("i2", 0, 1, 5, 5, 8);
  g_autoptr(AccArray) some = CONF_INTS1 ("i4", 2, 1), later = CONF_INTS1 ("i4", 3, 5, 6), totals = NULL;
  AccArray *scanned;

#define EXAMPLE(form, segments, ...) \
  CONF_EXPECT_INTS (names[form], make (form, row, acc_expr_new_int (0), segments, conf_combine, NULL), __VA_ARGS__)
  EXAMPLE (FOLD, lengths, "[4]", 0, 10, 0, 18);
  EXAMPLE (FOLD_OFFSETS, offsets, "[4]", 0, 10, 0, 18);
  EXAMPLE (FOLD1, some, "[2]", 1, 2);
  EXAMPLE (FOLD1_OFFSETS, later, "[2]", 7, 5);
  EXAMPLE (SCANL, lengths, "[12]", 0, 0, 0, 1, 3, 6, 10, 0, 0, 5, 11, 18);
  EXAMPLE (SCANL1, lengths, "[8]", 0, 1, 3, 6, 10, 5, 11, 18);
  EXAMPLE (PRESCANL, lengths, "[8]", 0, 0, 1, 3, 6, 0, 5, 11);
  EXAMPLE (POSTSCANL, lengths, "[8]", 0, 1, 3, 6, 10, 5, 11, 18);
  EXAMPLE (SCANR, lengths, "[12]", 0, 0, 10, 9, 7, 4, 0, 0, 18, 13, 7, 0);
  EXAMPLE (SCANR1, lengths, "[8]", 0, 10, 9, 7, 4, 18, 13, 7);
  EXAMPLE (PRESCANR, lengths, "[8]", 0, 9, 7, 4, 0, 13, 7, 0);
  EXAMPLE (POSTSCANR, lengths, "[8]", 0, 10, 9, 7, 4, 18, 13, 7);
#undef EXAMPLE

  scanned = acc_array_scanl_with_total_seg (row, acc_expr_new_int (0), lengths, conf_combine, NULL, &totals);
  CONF_EXPECT_INTS ("scanl_with_total_seg", scanned, "[8]", 0, 0, 1, 3, 6, 0, 5, 11);
  CONF_EXPECT_INTS ("scanl_with_total_seg/totals", g_steal_pointer (&totals), "[4]", 0, 10, 0, 18);
  scanned = acc_array_scanr_with_total_seg (row, acc_expr_new_int (0), lengths, conf_combine, NULL, &totals);
  CONF_EXPECT_INTS ("scanr_with_total_seg", scanned, "[8]", 0, 9, 7, 4, 0, 13, 7, 0);
  CONF_EXPECT_INTS ("scanr_with_total_seg/totals", g_steal_pointer (&totals), "[4]", 0, 10, 0, 18);

  /* Only one of the two. */
  CONF_EXPECT_INTS ("scanl_with_total_seg/alone", acc_array_scanl_with_total_seg (row, acc_expr_new_int (7), some, conf_first, NULL, NULL),
                    "[3]", 7, 7, 7);
}

static void
test_segment_types (void)
{
  static const char *const codes[] = { "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8" };
  g_autoptr(AccShape) shape = acc_shape_new_vector (330);
  g_autoptr(AccArray) ones = acc_array_fill (shape, conf_i64 (1));

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autoptr(AccArray) lengths = CONF_INTS1 (codes[i], 100, 27, 0, 100, 100), offsets = CONF_INTS1 (codes[i], 3, 50, 50, 127);
      g_autofree char *name = g_strdup_printf ("segments/%s", codes[i]);
      g_autoptr(AccArray) scanned = acc_array_scanl1_seg (ones, lengths, conf_combine, NULL), last = acc_array_drop (scanned, 324);

      CONF_EXPECT_INTS (name, acc_array_fold_seg (ones, conf_i64 (1), lengths, conf_combine, NULL), "[5]", 101, 28, 1, 101, 101);
      CONF_EXPECT_INTS (name, acc_array_fold_seg_offsets (ones, conf_i64 (0), offsets, conf_combine, NULL), "[3]", 47, 0, 77);
      CONF_EXPECT_INTS (name, g_steal_pointer (&last), "[3]", 98, 99, 100);
    }
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  g_test_add_func ("/segments/example", test_example);
  g_test_add_func ("/segments/types", test_segment_types);
  for (Form form = 0; form < N_FORMS; form++)
    {
      g_autofree char *path = g_strdup_printf ("/segments/%s", names[form]);

      g_test_add_data_func (path, GINT_TO_POINTER (form), test_form);
    }
  return conf_run ();
}
