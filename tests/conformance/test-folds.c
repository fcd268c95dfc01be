/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include "acc-seq/stream/acc-evaluate-private.h"

/* Operators that are associative and not commutative, at sizes around every block that a backend might cut: an element out
 * of order shows. */

static const gint64 sizes[] = {
  0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 4095, 4096, 4097,
  65535, 65536, 65537, 200003,
};

/* --- monoids */

static AccExpr *
item (AccExpr *x, guint n)
{
  return acc_expr_item (x, n);
}

/* Products of 2 x 2 matrices in wrapping arithmetic. */
static AccExpr *
multiply (AccExpr *x, AccExpr *y, gpointer data)
{
  AccExpr *cells[4];

  for (guint i = 0; i < 2; i++)
    for (guint j = 0; j < 2; j++)
      cells[2 * i + j] = acc_expr_add (acc_expr_mul (item (x, 2 * i), item (y, j)), acc_expr_mul (item (x, 2 * i + 1), item (y, 2 + j)));
  return acc_expr_tuple (cells, 4);
}

/* Intervals that follow each other are joined, all else is top. */
static AccExpr *
join (AccExpr *x, AccExpr *y, gpointer data)
{
  AccElementType *type = acc_element_type_get_item (acc_expr_get_element_type (x), 0);
  AccExpr *top = acc_expr_tuple2 (acc_expr_new_typed_int (type, -1), acc_expr_new_typed_int (type, -2));
  AccExpr *is_top = acc_expr_lor (acc_expr_lt (item (x, 0), acc_expr_new_int (0)), acc_expr_lt (item (y, 0), acc_expr_new_int (0)));
  AccExpr *follows = acc_expr_eq (acc_expr_add (item (x, 1), acc_expr_new_int (1)), item (y, 0));

  return acc_expr_cond (acc_expr_land (acc_expr_lnot (is_top), follows), acc_expr_tuple2 (item (x, 0), item (y, 1)), top);
}

/* Digits appended, as (value, power of ten), modulo 2^32. */
static AccExpr *
append (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (acc_expr_mul (item (x, 0), item (y, 1)), item (y, 0)), acc_expr_mul (item (x, 1), item (y, 1)));
}

/* Best, best prefix, best suffix and whole sum of a segment. */
static AccExpr *
segments (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple4 (
    acc_expr_max (acc_expr_max (item (x, 0), item (y, 0)), acc_expr_add (item (x, 2), item (y, 1))),
    acc_expr_max (item (x, 1), acc_expr_add (item (x, 3), item (y, 1))),
    acc_expr_max (acc_expr_add (item (x, 2), item (y, 3)), item (y, 2)),
    acc_expr_add (item (x, 3), item (y, 3)));
}

/* --- inputs, from the index */

static AccExpr *
matrix_at (AccExpr *i, gpointer type)
{
  AccExpr *cells[4];

  for (guint k = 0; k < 4; k++)
    cells[k] = acc_expr_cast (acc_expr_rem (acc_expr_mul (i, conf_i64 (k + 3)), conf_i64 (7 + k)), type);
  return acc_expr_tuple (cells, 4);
}

static AccExpr *
interval_at (AccExpr *i, gpointer type)
{
  AccExpr *x = acc_expr_cast (i, type);

  return acc_expr_tuple2 (x, x);
}

static AccExpr *
digit_at (AccExpr *i, gpointer type)
{
  return acc_expr_tuple2 (acc_expr_cast (acc_expr_rem (acc_expr_mul (i, conf_i64 (7)), conf_i64 (10)), type),
                          acc_expr_cast (acc_expr_new_int (10), type));
}

static AccExpr *
segment_at (AccExpr *i, gpointer type)
{
  AccExpr *x = acc_expr_cast (acc_expr_sub (acc_expr_rem (acc_expr_mul (i, conf_i64 (37)), conf_i64 (19)), conf_i64 (9)), type);

  return acc_expr_tuple4 (x, x, x, x);
}

static AccExpr *
index_at (AccExpr *i, gpointer type)
{
  return acc_expr_cast (i, type);
}

/* --- neutral elements and other seeds */

static AccExpr *
matrix_seed (AccElementType *type)
{
  AccExpr *cells[4];

  for (guint k = 0; k < 4; k++)
    cells[k] = acc_expr_cast (acc_expr_new_int (k + 1), type);
  return acc_expr_tuple (cells, 4);
}

static AccExpr *
pair_seed (AccElementType *type)
{
  return acc_expr_tuple2 (acc_expr_cast (acc_expr_new_int (9), type), acc_expr_cast (acc_expr_new_int (10), type));
}

/* The interval just before the first one. */
static AccExpr *
interval_seed (AccElementType *type)
{
  return acc_expr_tuple2 (acc_expr_cast (acc_expr_new_int (3), type), acc_expr_cast (acc_expr_new_int (9), type));
}

static AccExpr *
scalar_seed (AccElementType *type)
{
  return acc_expr_cast (acc_expr_new_int (77), type);
}

typedef struct {
  const char   *name;
  AccExprFunc2  combine;
  AccExprFunc   element;
  AccExpr     *(*seed) (AccElementType *type);
  const char   *type;
} Monoid;

static const Monoid monoids[] = {
  { "matrix-i4",    multiply, matrix_at, matrix_seed, "i4" },
  { "matrix-u1",    multiply, matrix_at, matrix_seed, "u1" },
  { "matrix-i8",    multiply, matrix_at, matrix_seed, "i8" },
  { "interval-i8",  join, interval_at, interval_seed, "i8" },
  { "interval-i4",  join, interval_at, interval_seed, "i4" },
  { "append-u4",    append, digit_at, pair_seed, "u4" },
  { "append-i2",    append, digit_at, pair_seed, "i2" },
  { "segments-i4",  segments, segment_at, matrix_seed, "i4" },
  { "segments-f8",  segments, segment_at, matrix_seed, "f8" },
  { "first-i4",     conf_first, index_at, scalar_seed, "i4" },
  { "second-f4",    conf_second, index_at, scalar_seed, "f4" },
};

typedef enum { FOLD, FOLD1, FOLD_ALL, SCANL1, N_FORMS } Form;

static const char * const form_names[] = { "fold", "fold1", "fold_all", "scanl1" };

typedef struct {
  const Monoid *monoid;
  Form          form;
} Case;

/* @offset: where the numbering of a row begins */
static AccExpr *
numbered (AccExpr *index, AccExpr *x, gpointer data)
{
  const Monoid *monoid = data;
  guint last = acc_expr_get_n_items (index) - 1;
  AccExpr *i = acc_expr_item (index, last);

  if (last > 0)
    i = acc_expr_add (i, acc_expr_mul (acc_expr_item (index, 0), conf_i64 (2)));
  return monoid->element (acc_expr_add (i, acc_expr_cast (x, acc_element_type_new (ACC_KIND_I64))), conf_type (monoid->type));
}

static AccArray *
reduce (AccArray **arrays, guint n, gpointer data)
{
  const Case *c = data;
  const Monoid *monoid = c->monoid;
  g_autoptr(AccArray) elements = acc_array_imap (arrays[0], numbered, (gpointer) monoid);

  switch (c->form)
    {
    case FOLD:
      return acc_array_fold (elements, monoid->seed (conf_type (monoid->type)), monoid->combine, NULL);
    case FOLD1:
      return acc_array_fold1 (elements, monoid->combine, NULL);
    case FOLD_ALL:
      return acc_array_fold_all (elements, monoid->seed (conf_type (monoid->type)), monoid->combine, NULL);
    case SCANL1:
      return acc_array_scanl1 (elements, monoid->combine, NULL);
    case N_FORMS:
      break;
    }
  g_return_val_if_reached (NULL);
}

/* The argument says where the numbering starts: 10, after the seed of the intervals. */
static AccArray *
tens (const gint64 *extents, guint rank)
{
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  g_autoptr(AccArray) filled = acc_array_fill (shape, acc_expr_new_typed_int (conf_type ("u1"), 10));
  g_autoptr(GError) error = NULL;
  AccArray *result = acc_backend_run (conf_interpreter (), filled, NULL, &error);

  g_assert_no_error (error);
  return result;
}

static void
test_vectors (gconstpointer data)
{
  const Case *c = data;
  g_autofree char *name = g_strdup_printf ("%s/%s", form_names[c->form], c->monoid->name);
  g_autoptr(ConfProgram) program = conf_program_new (name, acc_program_new ((const char *[]) { "u1[:]", NULL }, reduce, (gpointer) c));

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      AccArray *argument = tens (&sizes[i], 1);

      conf_program_check (program, &argument, 1, CONF_EXACT);
    }
}

static void
test_rows (gconstpointer data)
{
  static const gint64 extents[][2] = {
    { 0, 5 }, { 5, 0 }, { 1, 1 }, { 1, 130 }, { 2, 748 }, { 5, 28 }, { 28, 5 }, { 4, 34 }, { 27, 5 }, { 1000, 3 }, { 3, 1000 },
    { 130, 1 }, { 64, 64 }, { 65, 33 }, { 3, 20001 }, { 20001, 2 },
    /* As many as a lane each pays for, of most elements; and more than a tile of them. */
    { 15, 129 }, { 16, 512 }, { 17, 513 }, { 300, 300 },
  };
  const Case *c = data;
  g_autofree char *name = g_strdup_printf ("%s-rows/%s", form_names[c->form], c->monoid->name);
  g_autoptr(ConfProgram) program = conf_program_new (name, acc_program_new ((const char *[]) { "u1[:,:]", NULL }, reduce, (gpointer) c));

  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    {
      AccArray *argument = tens (extents[i], 2);

      conf_program_check (program, &argument, 1, CONF_EXACT);
    }
}

/* Scans of a vector that comes in pieces, which end inside of what a backend takes at a time. */
static void
test_pieces (gconstpointer data)
{
  static const gint64 heights[] = { 100, 777, 4096, 20000 };
  const Case *c = data;
  g_autofree char *name = g_strdup_printf ("pieces/%s", c->monoid->name);
  g_autoptr(AccArray) argument = tens (&(gint64) { 30011 }, 1);
  g_autoptr(AccArray) source = conf_through_source (g_object_ref (argument));
  g_autoptr(AccArray) whole = reduce (&argument, 1, (gpointer) c);
  g_autoptr(AccArray) pieces = reduce (&source, 1, (gpointer) c);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccArray) expected = acc_backend_run (conf_interpreter (), whole, NULL, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < conf_n_backends (); i++)
    for (guint h = conf_is_thorough () ? 0 : 1; h < G_N_ELEMENTS (heights); h++)
      {
        g_autoptr(GPtrArray) actual = acc_evaluate_with_chunk_rows (conf_backend (i), &pieces, 1, heights[h], NULL, &error);
        g_autofree char *difference = NULL;

        if (actual == NULL)
          {
            conf_fail (acc_backend_get_name (conf_backend (i)), name, "by %d: %s", (int) heights[h], error->message);
            g_clear_error (&error);
            continue;
          }
        difference = conf_compare (expected, g_ptr_array_index (actual, 0), CONF_EXACT);
        if (difference != NULL)
          conf_fail (acc_backend_get_name (conf_backend (i)), name, "by %d: %s", (int) heights[h], difference);
        else
          conf_pass (acc_backend_get_name (conf_backend (i)), name);
      }
}

/* --- float sums: any order of additions, so a bound of the sum of magnitudes times the number of roundings */

static AccArray *
sum_rows (AccArray **arrays, guint n, gpointer data)
{
  AccElementType *type = acc_array_get_element_type (arrays[0]);

  return GPOINTER_TO_INT (data) ? acc_array_scanl1 (arrays[0], conf_plus, NULL)
                                : acc_array_fold (arrays[0], acc_expr_new_typed_float (type, 1), conf_plus, NULL);
}

static void
test_float_sums (void)
{
  static const gint64 lengths[] = { 1, 5, 64, 1000, 100003 };
  static const char * const codes[] = { "f4", "f8" };
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint t = 0; t < 2; t++)
    for (gint form = 0; form < 2; form++)
      {
        g_autofree char *name = g_strdup_printf ("float-sum/%s/%s", codes[t], form ? "scanl1" : "fold");
        g_autofree char *signature = g_strdup_printf ("%s[:]", codes[t]);
        g_autoptr(ConfProgram) program =
          conf_program_new (name, acc_program_new ((const char *[]) { signature, NULL }, sum_rows, GINT_TO_POINTER (form)));

        for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
          {
            AccArray *argument = conf_array (conf_type (codes[t]), &lengths[i], 1, rand, CONF_FINITE);
            double epsilon = t == 0 ? 0x1p-24 : 0x1p-53;
            ConfTolerance tolerance = { .absolute = 1000.0 * (lengths[i] + 1) * lengths[i] * epsilon };

            conf_program_check (program, &argument, 1, tolerance);
          }
      }
}

/* --- the place of what is found: of equal elements the first or the last, where places grow along the row or do not, and where
 * they need more than 4 bytes */

static AccExpr *
few_values (AccExpr *x, gpointer data)
{
  return acc_expr_rem (x, acc_expr_new_int (5));
}

typedef enum { GROWS, GROWS_BY_STEPS, SHRINKS, IS_WIDE, N_PLACES } Place;

typedef struct {
  const char   *name;
  AccExprFunc2  combine;
} Choice;

static AccExpr *
with_place (AccExpr *index, AccExpr *x, gpointer data)
{
  AccExpr *i = acc_expr_item (index, acc_expr_get_n_items (index) - 1);

  switch ((Place) GPOINTER_TO_INT (data))
    {
    case GROWS_BY_STEPS:
      return acc_expr_tuple2 (x, acc_expr_add (acc_expr_mul (i, conf_i64 (3)), conf_i64 (1)));
    case SHRINKS:
      return acc_expr_tuple2 (x, acc_expr_neg (i));
    case IS_WIDE:
      return acc_expr_tuple2 (x, acc_expr_mul (i, conf_i64 (G_GINT64_CONSTANT (1) << 33)));
    case GROWS:
    case N_PLACES:
    default:
      return acc_expr_tuple2 (x, i);
    }
}

static AccExpr *
smaller (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_min (x, y);
}

static AccExpr *
larger (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_max (x, y);
}

/* The smallest, and the last place of it */
static AccExpr *
last_smaller (AccExpr *x, AccExpr *y, gpointer data)
{
  AccExpr *later = acc_expr_land (acc_expr_eq (item (x, 0), item (y, 0)), acc_expr_gt (item (x, 1), item (y, 1)));

  return acc_expr_cond (acc_expr_lor (acc_expr_lt (item (x, 0), item (y, 0)), later), x, y);
}

/* Where the second comes after the first, neither */
static AccExpr *
not_later (AccExpr *x, AccExpr *y, gpointer data)
{
  AccExpr *least = acc_expr_min (item (x, 0), item (y, 0));

  return acc_expr_tuple2 (least, acc_expr_cond (acc_expr_ge (item (y, 1), item (x, 1)), item (x, 1), item (y, 1)));
}

static const Choice choices[] = { { "min", smaller }, { "max", larger }, { "last-min", last_smaller }, { "least-place", not_later } };

typedef struct {
  const Choice *choice;
  Place         place;
} PlaceCase;

static AccArray *
find_places (AccArray **arrays, guint n, gpointer data)
{
  const PlaceCase *c = data;
  g_autoptr(AccArray) pairs = acc_array_imap (arrays[0], with_place, GINT_TO_POINTER (c->place));

  return acc_array_fold1 (pairs, c->choice->combine, NULL);
}

/* Bytes of few values, in rows that workers cut and take in any way. */
static void
test_places (void)
{
  static const gint64 extents[][2] = { { 1, 1 }, { 3, 7 }, { 100, 64 }, { 5, 700 }, { 70, 513 }, { 1, 200003 } };
  AccElementType *type = conf_type ("u1");
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint i = 0; i < G_N_ELEMENTS (choices); i++)
    for (Place place = 0; place < N_PLACES; place++)
      {
        PlaceCase c = { &choices[i], place };
        g_autofree char *name = g_strdup_printf ("place/%s/%d", choices[i].name, (gint) place);
        g_autoptr(ConfProgram) program = conf_program_new (name, acc_program_new ((const char *[]) { "u1[:,:]", NULL }, find_places, &c));

        for (guint e = 0; e < G_N_ELEMENTS (extents); e++)
          {
            g_autoptr(AccArray) bytes = conf_array (type, extents[e], 2, rand, CONF_FINITE);
            g_autoptr(AccArray) few = acc_array_map (bytes, few_values, NULL);
            g_autoptr(GError) error = NULL;
            AccArray *argument = acc_backend_run (conf_interpreter (), few, NULL, &error);

            g_assert_no_error (error);
            conf_program_check (program, &argument, 1, CONF_EXACT);
          }
      }
}

/* --- elements from anywhere in an array that no cache holds: they are asked for before their turn */

#define N_FAR ((8 << 20) + 77)

static AccExpr *
number (AccExpr *index, gpointer data)
{
  return acc_expr_cast (item (index, 0), acc_element_type_new (ACC_KIND_I32));
}

static AccExpr *
far_place (AccExpr *index, gpointer data)
{
  return acc_expr_rem (acc_expr_mul (item (index, 0), conf_i64 (7919 * 104729ll)), conf_i64 (N_FAR));
}

/* Some are empty, some as long as lanes are, some longer. */
static AccExpr *
end_of_segment (AccExpr *index, gpointer n)
{
  AccExpr *i = item (index, 0), *places = acc_expr_mul (acc_expr_quot (i, conf_i64 (3)), acc_expr_rem (i, conf_i64 (41)));

  return acc_expr_min (acc_expr_add (acc_expr_mul (i, conf_i64 (20)), places), conf_i64 (GPOINTER_TO_INT (n)));
}

static void
check_far (AccArray *table, gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n), tall = acc_shape_new_matrix (n / 8, 8), wide = acc_shape_new_matrix (8, n / 8);
  g_autoptr(AccArray) delayed = acc_array_generate (shape, far_place, NULL), places = acc_array_compute (delayed);
  g_autoptr(AccArray) streamed = conf_through_source (g_object_ref (places)), elements = acc_array_gather (table, places);
  g_autoptr(AccArray) first = acc_array_take (elements, n / 8 * 8), rows = acc_array_reshape (first, tall),
    long_rows = acc_array_reshape (first, wide);
  g_autoptr(AccArray) from_stream = acc_array_gather (table, streamed);
  g_autofree char *name = g_strdup_printf ("far/%d", (int) n), *last = g_strconcat (name, "-last", NULL),
    *by_rows = g_strconcat (name, "-rows", NULL);
  g_autofree char *by_long_rows = g_strconcat (name, "-long-rows", NULL), *by_stream = g_strconcat (name, "-streamed", NULL);
  g_autofree char *by_segments = g_strconcat (name, "-segments", NULL);
  AccElementType *type = acc_array_get_element_type (table);
  gint64 n_segments = n / 40;
  g_autoptr(AccShape) n_ends = acc_shape_new_vector (n_segments + 1);
  g_autoptr(AccArray) each_end = acc_array_generate (n_ends, end_of_segment, GINT_TO_POINTER ((int) n)), running = NULL;

  running = acc_array_scanl1 (each_end, larger, NULL);
  conf_check_array (name, acc_array_fold (elements, conf_neutral (type), conf_plus, NULL), CONF_EXACT);
  conf_check_array (last, acc_array_fold (elements, conf_neutral (type), conf_second, NULL), CONF_EXACT);
  conf_check_array (by_rows, acc_array_fold (rows, conf_neutral (type), conf_plus, NULL), CONF_EXACT);
  conf_check_array (by_long_rows, acc_array_fold (long_rows, conf_neutral (type), conf_plus, NULL), CONF_EXACT);
  conf_check_array (by_stream, acc_array_fold (from_stream, conf_neutral (type), conf_plus, NULL), CONF_EXACT);
  conf_check_array (by_segments, acc_array_fold_seg_offsets (elements, conf_neutral (type), running, conf_plus, NULL), CONF_EXACT);
}

static void
test_far (void)
{
  static const gint64 far_sizes[] = { 1, 255, 256, 4099, 100003 };
  g_autoptr(AccShape) shape = acc_shape_new_vector (N_FAR);
  g_autoptr(AccArray) delayed = acc_array_generate (shape, number, NULL), table = acc_array_compute (delayed);

  for (guint i = 0; i < G_N_ELEMENTS (far_sizes); i++)
    check_far (table, far_sizes[i]);
}

int
main (int argc, char **argv)
{
  static Case cases[G_N_ELEMENTS (monoids) * N_FORMS];
  guint n = 0;

  conf_init (&argc, &argv);
  for (guint m = 0; m < G_N_ELEMENTS (monoids); m++)
    for (guint form = 0; form < N_FORMS; form++)
      {
        g_autofree char *path = g_strdup_printf ("/folds/vectors/%s/%s", form_names[form], monoids[m].name);
        g_autofree char *rows = g_strdup_printf ("/folds/rows/%s/%s", form_names[form], monoids[m].name);

        cases[n] = (Case) { &monoids[m], form };
        g_test_add_data_func (path, &cases[n], test_vectors);
        if (conf_is_thorough ())
          g_test_add_data_func (rows, &cases[n], test_rows);
        if (form == SCANL1)
          {
            g_autofree char *pieces = g_strdup_printf ("/folds/pieces/%s", monoids[m].name);

            g_test_add_data_func (pieces, &cases[n], test_pieces);
          }
        n++;
      }
  g_test_add_func ("/folds/float-sums", test_float_sums);
  g_test_add_func ("/folds/places", test_places);
  g_test_add_func ("/folds/far", test_far);
  return conf_run ();
}
