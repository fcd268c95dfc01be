/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include <stdlib.h>
#include <string.h>

#include "acc-core/array/acc-array-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"

/* Random graphs: what fusion makes of them against what the interpreter does, in memory and from a source, by rows. All
 * elements are integers, so that results are equal to the bit; operators of folds and scans are often not commutative. */

#define MAX_NODES 24
#define MAX_SIZE  20000

static AccBackend *native, *judge;
static GRand *rand_;
static guint32 seed;

/* --- a source of a manifest array's rows */

typedef struct {
  AccSource parent_instance;
  AccArray *data;
} RowSource;

typedef AccSourceClass RowSourceClass;

GType row_source_get_type (void);
G_DEFINE_TYPE (RowSource, row_source, ACC_TYPE_SOURCE)

static gboolean
row_source_read (AccSource    *source,
                 AccChunk     *chunk,
                 GCancellable *cancellable,
                 GError      **error)
{
  RowSource *self = (RowSource *) source;

  for (guint i = 0; i < acc_element_type_get_n_buffers (self->data->type); i++)
    {
      guint64 bytes = acc_chunk_get_size (chunk, i);
      guint64 row = acc_chunk_get_n_rows (chunk) > 0 ? bytes / acc_chunk_get_n_rows (chunk) : 0;

      if (bytes > 0)
        memcpy ((gpointer) (guintptr) acc_chunk_get_address (chunk, i),
                (const char *) (guintptr) acc_array_get_address (self->data, i) + row * acc_chunk_get_first_row (chunk), bytes);
    }

  return TRUE;
}

static void
row_source_finalize (GObject *object)
{
  g_clear_object (&((RowSource *) object)->data);
  G_OBJECT_CLASS (row_source_parent_class)->finalize (object);
}

static void
row_source_class_init (RowSourceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = row_source_finalize;
  klass->read = row_source_read;
}

static void
row_source_init (RowSource *self)
{
}

static AccArray *
new_sourced (AccArray *data)
{
  g_autoptr(AccSource) source = g_object_new (row_source_get_type (), NULL);

  acc_source_set_layout (source, acc_array_get_element_type (data), acc_array_get_shape (data));
  ((RowSource *) source)->data = g_object_ref (data);

  return acc_array_new_from_source (source);
}

/* --- random scalar functions; the numbers are drawn before, so that a graph can be built twice */

static guint
draw (guint n)
{
  return g_rand_int_range (rand_, 0, n);
}

static gint64
draw_number (void)
{
  const gint64 numbers[] = { 0, 1, -1, 2, 3, 7, 100000, 65537, -5, 255 };

  return numbers[draw (G_N_ELEMENTS (numbers))];
}

static AccElementType *
scalar (void)
{
  return acc_element_type_new (ACC_KIND_I32);
}

static AccElementType *
pair (void)
{
  return acc_element_type_new_tuple ((AccElementType *[]) { scalar (), scalar () }, 2);
}

static AccExpr *
number (gint64 n)
{
  return acc_expr_new_typed_int (scalar (), n);
}

static AccExpr *
first (AccExpr *x)
{
  return acc_expr_item (x, 0);
}

static AccExpr *
second (AccExpr *x)
{
  return acc_expr_item (x, 1);
}

static AccExpr *
halve (AccExpr *state, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_gt (first (state), number (3)),
                          acc_expr_tuple2 (acc_expr_quot (first (state), number (2)), acc_expr_add (second (state), number (1))));
}

static AccExpr *
to_scalar (AccExpr *x, gpointer data)
{
  gint64 n = draw_number (), m = draw_number ();
  g_autoptr(AccExpr) y = NULL;
  g_autoptr(AccExpr) quotient = NULL;
  AccExpr *loop;

  if (acc_expr_get_n_items (x) == 2)
    y = acc_expr_ref_sink (draw (2) ? acc_expr_sub (acc_expr_mul (first (x), number (3)), second (x)) : second (x));
  else
    y = acc_expr_ref_sink (x);
  switch (draw (10))
    {
    case 8:
      /* The division is shared by both sides, and fails in neither. */
      quotient = acc_expr_ref_sink (acc_expr_quot (number (n), y));
      return acc_expr_cond (acc_expr_gt (y, number (0)), acc_expr_add (quotient, number (m)),
                            acc_expr_cond (acc_expr_lt (y, number (0)), acc_expr_sub (quotient, acc_expr_mul (quotient, y)), number (m)));
    case 9:
      /* Fails, now and then. */
      return draw (4)
             ? acc_expr_cond (acc_expr_and_then (acc_expr_ne (y, number (0)), acc_expr_gt (acc_expr_rem (number (77), y), number (3))),
                              y, number (n))
                      : acc_expr_mod (y, acc_expr_add (acc_expr_abs (y), number (draw (8) > 0)));
    case 0:
      return acc_expr_add (acc_expr_mul (y, number (n)), number (m));
    case 1:
      return acc_expr_cond (acc_expr_gt (y, number (m)), acc_expr_sub (y, number (n)), acc_expr_mul (y, y));
    case 2:
      return acc_expr_cond (acc_expr_lt (y, number (m)), acc_expr_rem (y, number (n ? n : 3)),
                            acc_expr_cond (acc_expr_eq (acc_expr_band (y, number (1)), number (0)),
                                           acc_expr_quot (number (1000), acc_expr_bor (y, number (1))), acc_expr_neg (y)));
    case 3:
      loop = acc_expr_while (acc_expr_tuple2 (acc_expr_band (y, number (255)), number (n)), halve, NULL);
      return acc_expr_add (second (loop), acc_expr_mul (first (loop), number (16)));
    case 4:
      return acc_expr_cast (acc_expr_cast (y, acc_element_type_new (ACC_KIND_U8)), scalar ());
    case 5:
      return acc_expr_max (acc_expr_min (y, number (1000)), acc_expr_neg (y));
    case 6:
      return acc_expr_cond (acc_expr_gt (y, number (0)), second (acc_expr_while (acc_expr_tuple2 (y, number (0)), halve, NULL)), y);
    default:
      return acc_expr_bxor (y, number (n));
    }
}

static AccExpr *
to_pair (AccExpr *x, gpointer data)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (to_scalar (x, data));

  if (draw (3) == 0)
    return acc_expr_cond (acc_expr_gt (a, number (5)), acc_expr_tuple2 (a, number (draw_number ())), acc_expr_tuple2 (number (2), a));

  return acc_expr_tuple2 (a, draw (2) ? to_scalar (x, data) : number (draw_number ()));
}

static AccExpr *
sum_of_index (AccExpr *index, guint rank)
{
  AccExpr *sum = number (draw (5));

  for (guint d = 0; d < rank; d++)
    if (draw (3) > 0)
      sum = acc_expr_add (sum, acc_expr_mul (acc_expr_cast (acc_expr_item (index, d), scalar ()), number (1 + draw (4))));

  return sum;
}

static AccExpr *
index_map (AccExpr *index, AccExpr *x, gpointer data)
{
  AccExpr *y = acc_expr_get_n_items (x) == 2 ? acc_expr_add (first (x), second (x)) : x;

  return acc_expr_add (sum_of_index (index, GPOINTER_TO_UINT (data)), y);
}

static AccExpr *
generate (AccExpr *index, gpointer data)
{
  return sum_of_index (index, GPOINTER_TO_UINT (data));
}

static AccExpr *
mix2 (AccExpr *x, AccExpr *y, gpointer data)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (acc_expr_get_n_items (x) == 2 ? first (x) : x);
  g_autoptr(AccExpr) b = acc_expr_ref_sink (acc_expr_get_n_items (y) == 2 ? second (y) : y);

  switch (draw (4))
    {
    case 0: return acc_expr_add (a, acc_expr_mul (b, number (3)));
    case 1: return acc_expr_cond (acc_expr_lt (a, b), acc_expr_sub (b, a), a);
    case 2: return acc_expr_tuple2 (acc_expr_sub (a, b), acc_expr_bxor (a, b));
    default: return acc_expr_max (a, b);
    }
}

static AccExpr *
plus (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
greater (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_max (x, y);
}

/* Associative, and the order matters: the later one wins unless it is even. */
static AccExpr *
last_odd (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_cond (acc_expr_eq (acc_expr_band (y, number (1)), number (1)), y, x);
}

/* x -> a x + b, one after the other */
static AccExpr *
compose (AccExpr *f, AccExpr *g, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_mul (first (f), first (g)), acc_expr_add (acc_expr_mul (second (f), first (g)), second (g)));
}

static AccExpr *
both_plus (AccExpr *f, AccExpr *g, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (first (f), first (g)), acc_expr_max (second (g), second (f)));
}

static AccExprFunc2
draw_operator (AccArray *array)
{
  if (acc_array_get_element_type (array) == pair ())
    return draw (2) ? compose : both_plus;

  return draw (3) == 0 ? plus : draw (2) ? greater : last_odd;
}

static AccExpr *
draw_element (AccElementType *type)
{
  return type == pair () ? acc_expr_tuple2 (number (draw_number ()), number (draw_number ())) : number (draw_number ());
}

typedef struct {
  guint         rank;
  const gint64 *sizes[2];
} Neighbourhood;

static AccExpr *
one_neighbour (AccExpr *n, const Neighbourhood *hood, guint which)
{
  gint64 offsets[4];
  AccExpr *x;

  for (guint d = 0; d < hood->rank; d++)
    offsets[d] = (gint64) draw (hood->sizes[which][d]) - hood->sizes[which][d] / 2;
  x = acc_expr_neighbour (n, offsets, hood->rank);

  return acc_expr_get_n_items (x) == 2 ? acc_expr_sub (first (x), second (x)) : x;
}

static AccExpr *
stencil (AccExpr *n, gpointer data)
{
  AccExpr *sum = one_neighbour (n, data, 0);
  guint taps = draw (6);

  for (guint i = 0; i < taps; i++)
    {
      AccExpr *more = one_neighbour (n, data, 0);

      if (draw (5) == 0)
        sum = acc_expr_cond (acc_expr_gt (more, number (draw_number ())), sum,
                             acc_expr_quot (one_neighbour (n, data, 0), acc_expr_bor (one_neighbour (n, data, 0), number (1))));
      else
        sum = acc_expr_add (sum, acc_expr_mul (more, number (draw_number ())));
    }

  return sum;
}

static AccExpr *
stencil2 (AccExpr *m, AccExpr *n, gpointer data)
{
  return acc_expr_add (acc_expr_mul (one_neighbour (m, data, 0), number (5)),
                       acc_expr_sub (one_neighbour (n, data, 1), one_neighbour (m, data, 0)));
}

static AccExpr *
outside (AccExpr *index, gpointer data)
{
  AccArray *array = data;
  AccExpr *sum = sum_of_index (index, acc_array_get_rank (array));

  return acc_array_get_element_type (array) == pair () ? acc_expr_tuple2 (sum, number (3)) : sum;
}

/* --- random operations */

typedef struct {
  AccArray *nodes[MAX_NODES];
  guint     n;
} Pool;

static AccArray *
pick (Pool *pool)
{
  return pool->nodes[draw (3) ? pool->n - 1 - draw (MIN (pool->n, 4)) : draw (pool->n)];
}

static AccArray *
pick_of_rank (Pool *pool, guint rank)
{
  for (guint i = 0; i < 20; i++)
    {
      AccArray *array = pick (pool);

      if (acc_array_get_rank (array) == rank)
        return array;
    }

  return NULL;
}

static gint64
get_extent (AccArray *array, guint d)
{
  return acc_shape_get_extent (acc_array_get_shape (array), d);
}

static gint64
draw_extent (void)
{
  return draw (12) == 0 ? 0 : draw (6) == 0 ? 70 + draw (80) : 1 + draw (9);
}

static AccArray *
draw_data (guint rank)
{
  gint64 extents[4], n = 1;
  g_autoptr(AccShape) shape = NULL;
  g_autoptr(GBytes) bytes = NULL;
  gint32 *values;

  for (guint d = 0; d < rank; d++)
    {
      extents[d] = draw_extent ();
      if (n * extents[d] > MAX_SIZE)
        extents[d] = 3;
      n *= extents[d];
    }
  if (rank == 1 && draw (4) == 0)
    n = extents[0] = 300000;
  values = g_new (gint32, n + 1);
  for (gint64 i = 0; i < n; i++)
    values[i] = (gint32) draw (2000) - 1000;
  bytes = g_bytes_new_take (values, n * sizeof (gint32));
  shape = acc_shape_new (extents, rank);

  return acc_array_use (scalar (), shape, bytes);
}

static AccExpr *
wrapped (AccExpr *x, gint64 n)
{
  return acc_expr_mod (x, acc_expr_new_int (MAX (n, 1)));
}

static AccExpr *
permuted (AccExpr *index, gpointer data)
{
  AccArray *array = data;
  guint rank = acc_array_get_rank (array);
  AccExpr *items[4];
  gint64 shift = draw (3);
  gboolean swap = draw (3) == 0;

  if (rank == 1)
    return wrapped (acc_expr_add (acc_expr_mul (acc_expr_item (index, 0), acc_expr_new_int (1 + draw (2))), acc_expr_new_int (shift)),
                    get_extent (array, 0));

  for (guint d = 0; d < rank; d++)
    {
      guint from = swap ? rank - 1 - d : d;
      AccExpr *item = acc_expr_item (index, from);

      if (d > 0 && draw (2))
        item = acc_expr_sub (acc_expr_new_int (get_extent (array, d) - 1), wrapped (item, get_extent (array, d)));
      items[d] = swap || d > 0 || draw (2) ? wrapped (acc_expr_add (item, acc_expr_new_int (d ? shift : 0)), get_extent (array, d)) : item;
    }

  return acc_expr_tuple (items, rank);
}

static AccExpr *
read_other (AccExpr *x, gpointer data)
{
  AccArray *array = data;
  gint64 n = acc_shape_get_size (acc_array_get_shape (array));
  AccExpr *y = acc_expr_get_n_items (x) == 2 ? first (x) : x;
  g_autoptr(AccExpr) whole = acc_expr_ref_sink (acc_expr_cast (y, acc_element_type_new (ACC_KIND_I64)));
  gboolean guarded = draw (3) == 0;
  AccExpr *at = guarded || draw (30) == 0 ? whole : acc_expr_mod (whole, acc_expr_new_int (n));
  AccExpr *read = acc_expr_linear_index (array, at);
  AccExpr *result = acc_array_get_element_type (array) == pair () ? acc_expr_add (first (read), second (read)) : read;

  if (guarded)
    result = acc_expr_cond (acc_expr_band (acc_expr_ge (whole, acc_expr_new_int (0)), acc_expr_lt (whole, acc_expr_new_int (n))),
                            result, number (-1));

  return result;
}

static AccExpr *
target (AccExpr *x, gpointer data)
{
  gint64 n = GPOINTER_TO_SIZE (data);
  g_autoptr(AccExpr) y = acc_expr_ref_sink (acc_expr_get_n_items (x) == 2 ? first (x) : x);
  AccExpr *at = wrapped (acc_expr_cast (y, acc_element_type_new (ACC_KIND_I64)), n);

  return draw (2) ? at : acc_expr_tuple2 (acc_expr_gt (y, number (-200)), at);
}

static AccArray *
draw_operation (Pool *pool)
{
  AccArray *a = pick (pool), *b;
  guint rank = acc_array_get_rank (a);
  gint64 size = acc_shape_get_size (acc_array_get_shape (a));
  gint64 sizes[2][4], spec[8];
  Neighbourhood hood = { rank, { sizes[0], sizes[1] } };
  const AccBoundaryKind kinds[] = { ACC_BOUNDARY_CLAMP, ACC_BOUNDARY_MIRROR, ACC_BOUNDARY_WRAP };
  g_autoptr(AccBoundary) boundary = NULL;
  AccExprFunc2 operator;
  guint n = 0;

  for (guint i = 0; i < 2; i++)
    for (guint d = 0; d < 4; d++)
      sizes[i][d] = 1 + 2 * draw (3);

  switch (draw (20))
    {
    case 0:
    case 1:
      return acc_array_map (a, to_scalar, NULL);
    case 2:
      return acc_array_map (a, to_pair, NULL);
    case 3:
      return acc_array_imap (a, index_map, GUINT_TO_POINTER (rank));
    case 4:
    case 5:
      b = pick_of_rank (pool, rank);
      return b ? acc_array_zip_with (a, b, mix2, NULL) : NULL;
    case 6:
      b = pick_of_rank (pool, rank);
      if (b == NULL || acc_array_get_element_type (a) != scalar () || acc_array_get_element_type (b) != scalar ())
        return acc_array_get_element_type (a) == pair () ? acc_array_unzip (a, draw (2)) : NULL;
      return acc_array_zip (a, b);
    case 7:
      {
        gint64 extents[3] = { size, 1, 1 };
        g_autoptr(AccShape) shape = NULL;

        n = 1;
        if (size > 0 && draw (2))
          {
            gint64 k = draw (2) ? 2 : 3;

            if (rank > 1 && draw (2))
              k = get_extent (a, rank - 1);
            if (size % k == 0)
              {
                extents[0] = size / k;
                extents[1] = k;
                n = 2;
              }
          }
        else if (rank == 0)
          n = 1 + draw (2);
        shape = acc_shape_new (extents, n);
        return acc_array_reshape (a, shape);
      }
    case 8:
      if (rank == 0)
        return NULL;
      for (guint d = 0; d < rank; d++)
        {
          spec[d] = draw (2) && get_extent (a, d) > 0 ? (gint64) draw (MIN (get_extent (a, d), 1000)) : ACC_ALL;
        }
      return acc_array_slice (a, spec, rank);
    case 9:
      if (rank > 2)
        return NULL;
      for (guint d = 0; d < rank; d++)
        {
          if (draw (2) && n - d < 1)
            spec[n++] = 1 + draw (4);
          spec[n++] = ACC_ALL;
        }
      if (n == rank)
        spec[n++] = draw (5);
      if (size * 4 > MAX_SIZE)
        return NULL;
      return acc_array_replicate (a, spec, n);
    case 10:
      if (rank == 0 || size == 0 || size > MAX_SIZE)
        return NULL;
      return acc_array_backpermute (a, acc_array_get_shape (a), permuted, a);
    case 11:
    case 12:
      if (rank == 0)
        return NULL;
      operator = draw_operator (a);
      if (get_extent (a, rank - 1) > 0 && draw (3) == 0)
        return acc_array_fold1 (a, operator, NULL);
      return acc_array_fold (a, draw_element (acc_array_get_element_type (a)), operator, NULL);
    case 13:
      if (draw (2))
        return NULL;
      return acc_array_fold_all (a, draw_element (acc_array_get_element_type (a)), draw_operator (a), NULL);
    case 14:
      return rank > 0 ? acc_array_scanl1 (a, draw_operator (a), NULL) : NULL;
    case 15:
    case 16:
    case 17:
      if (rank == 0)
        return NULL;
      n = draw (5);
      if (n < 3)
        boundary = acc_boundary_new (kinds[n]);
      else if (n == 3)
        boundary = acc_boundary_new_constant (draw_element (acc_array_get_element_type (a)));
      else
        boundary = acc_boundary_new_function (rank, outside, a);
      b = draw (4) == 0 ? pick_of_rank (pool, rank) : NULL;
      if (b != NULL && acc_array_get_element_type (b) == acc_array_get_element_type (a))
        return acc_array_stencil2 (a, sizes[0], rank, boundary, b, sizes[1], rank, boundary, stencil2, &hood);
      return acc_array_stencil (a, sizes[0], rank, boundary, stencil, &hood);
    case 18:
      b = pick_of_rank (pool, 1);
      if (b == NULL || get_extent (b, 0) == 0 || acc_array_get_element_type (b) != acc_array_get_element_type (a))
        return NULL;
      {
        g_autoptr(AccArray) targets = acc_array_map (a, target, GSIZE_TO_POINTER ((gsize) get_extent (b, 0)));

        return acc_array_permute (a, b, targets, draw_operator (a), NULL);
      }
    default:
      b = pick (pool);
      if (acc_shape_get_size (acc_array_get_shape (b)) == 0)
        {
          g_autoptr(AccShape) shape = acc_shape_new ((gint64[]) { 3, 1 + draw (40) }, 2);

          return acc_array_generate (shape, generate, GUINT_TO_POINTER (2));
        }
      return acc_array_map (a, read_other, b);
    }
}

/* The same numbers give the same graph, over @data or over a source of it. */
static guint
build (guint32 graph, AccArray *data, AccArray **results)
{
  Pool pool = { .n = 0 };
  guint n_results, wanted;

  g_clear_pointer (&rand_, g_rand_free);
  rand_ = g_rand_new_with_seed (graph);
  pool.nodes[pool.n++] = g_object_ref (data);
  pool.nodes[pool.n++] = draw_data (1 + draw (3));
  pool.nodes[pool.n++] = draw_data (2);
  wanted = 4 + draw (MAX_NODES - 4);
  for (guint tries = 0; tries < 100 && pool.n < wanted; tries++)
    {
      g_autoptr(GError) error = NULL;
      AccArray *array = draw_operation (&pool);

      if (array == NULL)
        continue;
      if (!acc_array_check (array, &error))
        g_error ("graph %u: %s", graph, error->message);
      if (acc_array_get_shape (array) == NULL || acc_shape_get_size (acc_array_get_shape (array)) > 2000000)
        {
          g_object_unref (array);
          continue;
        }
      pool.nodes[pool.n++] = array;
    }

  n_results = 1 + draw (3);
  results[0] = g_object_ref (pool.nodes[pool.n - 1]);
  for (guint i = 1; i < n_results; i++)
    results[i] = g_object_ref (pool.nodes[draw (pool.n)]);
  while (pool.n > 0)
    g_object_unref (pool.nodes[--pool.n]);

  return n_results;
}

static AccArray *
new_data (guint32 graph)
{
  g_clear_pointer (&rand_, g_rand_free);
  rand_ = g_rand_new_with_seed (graph ^ 0x5bd1e995);

  return draw_data (1 + draw (3));
}

static void
assert_same (guint32 graph, const char *how, AccArray **arrays, GPtrArray *got, GPtrArray *expected)
{
  for (guint i = 0; i < expected->len; i++)
    {
      AccArray *a = g_ptr_array_index (got, i), *b = g_ptr_array_index (expected, i);

      g_assert_true (acc_shape_equal (acc_array_get_shape (a), acc_array_get_shape (b)));
      for (guint leaf = 0; leaf < acc_element_type_get_n_leaves (acc_array_get_element_type (a)); leaf++)
        {
          gint64 n = acc_shape_get_size (acc_array_get_shape (a));

          for (gint64 k = 0; k < n; k++)
            if (acc_array_get_int (a, leaf, k) != acc_array_get_int (b, leaf, k))
              {
                g_autoptr(AccProgram) program = acc_program_new_for_results (arrays, expected->len);
                g_autofree char *text = acc_program_to_string (program);

                g_printerr ("%s\n", text);
                g_error ("graph %u, %s: result %u leaf %u element %" G_GINT64_FORMAT " is %" G_GINT64_FORMAT ", not %" G_GINT64_FORMAT,
                         graph, how, i, leaf, k, acc_array_get_int (a, leaf, k), acc_array_get_int (b, leaf, k));
              }
        }
    }
}

static guint n_streamed, n_failed, n_spared;

static void
check_graph (guint32 graph)
{
  g_autoptr(AccArray) data = new_data (graph);
  AccArray *results[3];
  g_autoptr(GError) error = NULL, native_error = NULL;
  g_autoptr(GPtrArray) expected = NULL;
  g_autoptr(GPtrArray) got = NULL;
  guint n;

  if (g_test_verbose ())
    g_printerr ("# graph %u\n", graph);
  n = build (graph, data, results);
  expected = acc_backend_run_many (judge, results, n, NULL, &error);
  got = acc_backend_run_many (native, results, n, NULL, &native_error);
  /* Fusion may spare what nobody needs, and its failure with it. */
  if (expected == NULL && got != NULL)
    n_spared++;
  else if ((expected == NULL) != (got == NULL)
           || (error != NULL && error->code != native_error->code && native_error->code != ACC_ERROR_BOUNDS &&
               native_error->code != ACC_ERROR_ARITHMETIC))
    {
      g_autoptr(AccProgram) program = acc_program_new_for_results (results, n);
      g_autofree char *text = acc_program_to_string (program);

      g_printerr ("%s\n", text);
      g_error ("graph %u: interpreter: %s; native: %s", graph, error ? error->message : "fine",
               native_error ? native_error->message : "fine");
    }
  if (expected != NULL)
    assert_same (graph, "whole", results, got, expected);
  else
    n_failed++;
  for (guint i = 0; i < n; i++)
    g_object_unref (results[i]);

  if (expected != NULL)
    {
      const gint64 heights[] = { 1, 2, 3, 7, 50, 1000 };
      gint64 height = heights[graph % G_N_ELEMENTS (heights)];
      g_autoptr(AccArray) sourced = new_sourced (data);
      g_autoptr(GPtrArray) streamed = NULL;
      g_autofree char *how = g_strdup_printf ("by %d rows", (int) height);

      if (acc_shape_get_extent (acc_array_get_shape (data), 0) > 1000)
        height = MAX (height, 777);
      n = build (graph, sourced, results);
      streamed = acc_evaluate_with_chunk_rows (native, results, n, height, NULL, &error);
      if (streamed == NULL)
        g_error ("graph %u, %s: %s", graph, how, error->message);
      n_streamed++;
      assert_same (graph, how, results, streamed, expected);
      for (guint i = 0; i < n; i++)
        g_object_unref (results[i]);
    }
}

static void
test_graphs (void)
{
  const char *count = g_getenv ("ACC_TEST_GRAPHS");
  guint n = count != NULL && *count ? atoi (count) : 200;

  for (guint i = 0; i < n; i++)
    check_graph (seed + i);
  g_test_message ("%u graphs from seed %u: %u streamed, %u failed as they should, %u failures were spared",
                  n, seed, n_streamed, n_failed, n_spared);
  g_assert_cmpint (n_spared, <=, n_failed / 4 + 2);
  g_assert_cmpint (n_streamed, >, n / 50);
}

/* Shapes for which folds, scans and permutes have forms of their own. */

static AccExpr *
low_byte (AccExpr *x, gpointer data)
{
  return acc_expr_cast (acc_expr_band (x, number (255)), acc_element_type_new (ACC_KIND_I64));
}

static AccExpr *
one_and_self (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (acc_expr_mul (x, number (2)), number (1)), x);
}

static AccExpr *
sum_and_largest (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_add (first (x), first (y)), acc_expr_max (second (x), second (y)));
}

static void
check_both (const char *what, AccArray *data, AccArray *(*make) (AccArray *))
{
  const gint64 heights[] = { 1, 7, 1000 };
  g_autoptr(GError) error = NULL;
  AccArray *array = (g_rand_set_seed (rand_, 5), make (data));
  g_autoptr(GPtrArray) expected = acc_backend_run_many (judge, &array, 1, NULL, &error);
  g_autoptr(GPtrArray) got = acc_backend_run_many (native, &array, 1, NULL, &error);
  gint64 n_rows = acc_shape_get_extent (acc_array_get_shape (data), 0);

  g_assert_no_error (error);
  assert_same (0, what, &array, got, expected);
  g_object_unref (array);

  for (guint i = 0; i < G_N_ELEMENTS (heights); i++)
    {
      g_autoptr(AccArray) sourced = new_sourced (data);
      g_autoptr(GPtrArray) streamed = NULL;

      if (n_rows / heights[i] > 2000)
        continue;
      g_rand_set_seed (rand_, 5);
      array = make (sourced);
      streamed = acc_evaluate_with_chunk_rows (native, &array, 1, heights[i], NULL, &error);
      g_assert_no_error (error);
      assert_same (0, what, &array, streamed, expected);
      g_object_unref (array);
    }
}

static AccArray *make_sums (AccArray *a) { return acc_array_fold (a, number (3), plus, NULL); }
static AccArray *make_last (AccArray *a) { return acc_array_fold1 (a, last_odd, NULL); }
static AccArray *make_scan (AccArray *a) { return acc_array_scanl1 (a, last_odd, NULL); }
static AccArray *make_sum_scan (AccArray *a) { return acc_array_scanl1 (a, plus, NULL); }
static AccArray *make_all (AccArray *a) { return acc_array_fold_all (a, number (5), plus, NULL); }
static AccArray *make_all1 (AccArray *a) { return acc_array_fold1_all (a, last_odd, NULL); }

static AccArray *
make_composed (AccArray *a)
{
  g_autoptr(AccArray) pairs = acc_array_map (a, one_and_self, NULL);

  return acc_array_fold1_all (pairs, compose, NULL);
}

static AccArray *
make_composed_rows (AccArray *a)
{
  g_autoptr(AccArray) pairs = acc_array_map (a, one_and_self, NULL);
  g_autoptr(AccArray) rows = acc_array_fold1 (pairs, compose, NULL);

  return acc_array_map (rows, to_scalar, NULL);
}

static AccArray *
make_histogram (AccArray *a)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (256);
  g_autoptr(AccArray) bins = acc_array_fill (shape, number (7));
  g_autoptr(AccArray) targets = acc_array_map (a, low_byte, NULL);

  return acc_array_permute (a, bins, targets, plus, NULL);
}

static AccArray *
make_pair_histogram (AccArray *a)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (256);
  g_autoptr(AccArray) bins = acc_array_fill (shape, acc_expr_tuple2 (number (7), number (-3000)));
  g_autoptr(AccArray) pairs = acc_array_map (a, one_and_self, NULL);
  g_autoptr(AccArray) targets = acc_array_map (a, low_byte, NULL);

  return acc_array_permute (pairs, bins, targets, sum_and_largest, NULL);
}

static AccArray *
make_ordered_scatter (AccArray *a)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (256);
  g_autoptr(AccArray) bins = acc_array_fill (shape, number (7));
  g_autoptr(AccArray) targets = acc_array_map (a, low_byte, NULL);

  return acc_array_permute (a, bins, targets, last_odd, NULL);
}

static void
test_long (void)
{
  const gint64 extents[][2] = { { 3, 300001 }, { 1, 262144 }, { 9, 140000 }, { 1500, 67 }, { 40, 5000 }, { 131072, 3 }, { 700, 129 } };
  const struct {
    const char *name;
    AccArray *(*make) (AccArray *);
  } cases[] = {
    { "sums", make_sums },
    { "last", make_last },
    { "scan", make_scan },
    { "sum scan", make_sum_scan },
    { "all", make_all },
    { "all1", make_all1 },
    { "composed", make_composed },
    { "composed rows", make_composed_rows },
    { "histogram", make_histogram },
    { "pair histogram", make_pair_histogram },
    { "ordered scatter", make_ordered_scatter },
  };

  for (guint i = 0; i < G_N_ELEMENTS (extents); i++)
    {
      gint64 n = extents[i][0] * extents[i][1];
      gint32 *values = g_new (gint32, n);
      g_autoptr(GBytes) bytes = g_bytes_new_take (values, n * sizeof (gint32));
      g_autoptr(AccShape) shape = acc_shape_new (extents[i], 2), flat = acc_shape_new_vector (n);
      g_autoptr(AccArray) matrix = acc_array_use (scalar (), shape, bytes);
      g_autoptr(AccArray) vector = acc_array_use (scalar (), flat, bytes);

      g_clear_pointer (&rand_, g_rand_free);
      rand_ = g_rand_new_with_seed (i);
      for (gint64 k = 0; k < n; k++)
        values[k] = (gint32) draw (200000) - 100000;
      for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
        {
          g_autofree char *what = g_strdup_printf ("%s of %d x %d", cases[c].name, (int) extents[i][0], (int) extents[i][1]);

          check_both (what, matrix, cases[c].make);
          if (cases[c].make != make_composed_rows)
            check_both (what, vector, cases[c].make);
        }
    }
}

int
main (int    argc,
      char **argv)
{
  g_autoptr(GError) error = NULL;
  const char *given;

  g_test_init (&argc, &argv, NULL);
  given = g_getenv ("ACC_TEST_SEED");
  seed = given != NULL && *given ? strtoul (given, NULL, 0) : 1;
  native = acc_backend_new_for_name ("native", &error);
  g_assert_no_error (error);
  judge = acc_backend_new_for_name ("interpreter", &error);
  g_assert_no_error (error);
  g_test_add_func ("/graphs/long", test_long);
  g_test_add_func ("/graphs/random", test_graphs);

  return g_test_run ();
}
