/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-core/array/acc-array-build-private.h"
#include "acc-array-fft-private.h"

#include <math.h>

/* Transforms by one operation, of rows that fit the shared memory of a group of threads, or of columns of which several side by side do.
 * Longer ones are matrices of such (Bailey 1990): transform the columns, multiply by twiddle factors, transform the rows, which are the
 * columns of the transposed matrix. Transposing and twiddling are part of the last step's reads. */

/* Bytes of a row, and elements of a column, of the longest. */
#define MAX_ROW_BYTES (32 << 10)
#define MAX_COLUMN    1024
#define LEAST_ROW     32     /* of a table of roots that has rows */

static gboolean
check_fft (AccArray *node)
{
  node->type = node->inputs[0]->type;
  node->rank = node->inputs[0]->rank;

  return TRUE;
}

static void
list_transform (AccArray *node,
                GArray   *numbers)
{
  const AccTransformPayload *payload = acc_array_get_transform (node);

  g_array_append_vals (numbers, (gint64[]) { payload->dimension, payload->reverse, payload->apart }, 3);
  g_array_append_vals (numbers, payload->radices, payload->n_passes);
}

static const AccPayloadClass payload_class = { ACC_PAYLOAD_TRANSFORM, sizeof (AccTransformPayload), .list = list_transform };

const AccOperationClass acc_class_fft = { check_fft, NULL, acc_infer_first, &payload_class };

typedef struct {
  AccElementType *type;      /* of the floats */
  gboolean        reverse, apart;
  gint64          outer, n, inner;
} Direct;

/* --- passes */

/* @n as @n_passes radices up to @most, none above the one before it. */
static gboolean
split (gint64  n,
       guint   n_passes,
       gint64  most,
       gint64 *radices)
{
  if (n_passes == 0)
    return n == 1;

  for (gint64 radix = most; radix > 1; radix--)
    if (n % radix == 0 && split (n / radix, n_passes - 1, radix, radices + 1))
      {
        radices[0] = radix;
        return TRUE;
      }

  return FALSE;
}

/* From @least on as few as can be, and as even; 0: there are none. */
static guint
choose_radices (gint64  n,
                guint   least,
                gint64 *radices)
{
  for (guint n_passes = least; n_passes <= ACC_FFT_MAX_PASSES; n_passes++)
    for (gint64 most = 2; most <= ACC_FFT_MAX_RADIX; most++)
      if (split (n, n_passes, most, radices))
        return n_passes;

  return 0;
}

/* Threads that have rows to themselves would read neighbours one after the other. */
static guint
choose_passes (gint64    n,
               gboolean  rows,
               gint64   *radices)
{
  guint n_passes = rows && n > 4 ? choose_radices (n, 2, radices) : 0;

  return n_passes > 0 ? n_passes : choose_radices (n, 1, radices);
}

/* --- tables of roots */

/* Tables that something holds, by what they are of: GWeakRef. They stay where a device has them. */
G_LOCK_DEFINE_STATIC (tables);
static GHashTable *tables;

/* exp (-2πi @turns / @n), from an angle of at most an eighth of a turn; @known: sines and cosines of those, cosines 0 where they are not
 * known. */
static void
get_root (gint64  turns,
          gint64  n,
          double *known,
          double *re,
          double *im)
{
  gint64 quarter = 4 * turns / n, rest = 4 * turns - quarter * n, nearest = MIN (rest, n - rest);
  gboolean swapped = (quarter % 2 != 0) != (2 * rest > n);
  double *pair = known + 2 * nearest;

  if (pair[0] == 0)
    {
      pair[0] = cos ((double) nearest * G_PI_2 / (double) n);
      pair[1] = sin ((double) nearest * G_PI_2 / (double) n);
    }
  *re = pair[swapped ? 1 : 0];
  *im = pair[swapped ? 0 : 1];
  if (quarter == 1 || quarter == 2)
    *re = -*re;
  if (quarter < 2)
    *im = -*im;
}

/* All @n roots of 1; with @n_across, the twiddle factors of the elements of transform k as row k. */
static AccArray *
make_table (AccElementKind kind,
            gint64         n,
            gint64         n_across)
{
  gboolean wide = kind == ACC_KIND_F64;
  g_autofree double *known = g_new0 (double, 2 * (n / 2 + 1));
  double *doubles = g_new (double, 2 * n);
  float *singles = (float *) doubles;
  g_autoptr(GBytes) bytes = NULL;
  g_autoptr(AccShape) shape = n_across > 0 ? acc_shape_new ((gint64[]) { n / n_across, n_across }, 2) : acc_shape_new (&n, 1);

  for (gint64 i = 0; i < n; i++)
    {
      double re, im;

      get_root (n_across > 0 ? i / n_across * (i % n_across) : i, n, known, &re, &im);
      if (wide)
        doubles[2 * i] = re, doubles[2 * i + 1] = im;
      else
        singles[2 * i] = (float) re, singles[2 * i + 1] = (float) im;
    }
  bytes = g_bytes_new_take (doubles, (gsize) (2 * n) * (wide ? sizeof (double) : sizeof (float)));

  return acc_array_use (acc_element_type_new_complex (kind), shape, bytes);
}

static void
weak_ref_free (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

/* The roots in order; or as rows that neighbouring threads read neighbours of in the first pass, where all passes can read those. */
static AccArray *
find_table (AccElementType *type,
            gint64          n,
            const gint64   *radices,
            guint           n_passes)
{
  AccElementKind kind = acc_element_type_get_kind (type);
  gboolean by_rows = n_passes > 1 && n / radices[0] >= LEAST_ROW;
  AccArray *table;
  GWeakRef *place;
  gint64 key;

  for (guint i = 1; i < n_passes; i++)
    by_rows &= radices[0] % radices[i] == 0;
  key = n * 4 + (kind == ACC_KIND_F64 ? 2 : 0) + (by_rows ? 1 : 0);

  G_LOCK (tables);
  if (tables == NULL)
    tables = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, weak_ref_free);
  place = g_hash_table_lookup (tables, &key);
  table = place != NULL ? g_weak_ref_get (place) : NULL;
  if (table == NULL)
    {
      table = make_table (kind, n, by_rows ? n / radices[0] : 0);
      if (place == NULL)
        {
          place = g_new0 (GWeakRef, 1);
          g_weak_ref_init (place, table);
          g_hash_table_insert (tables, g_memdup2 (&key, sizeof key), place);
        }
      else
        {
          g_weak_ref_set (place, table);
        }
    }
  G_UNLOCK (tables);

  return table;
}

static gboolean
is_row (AccArray *array,
        guint     dimension)
{
  while (dimension + 1 < array->rank && acc_shape_get_extent (acc_array_get_shape (array), dimension + 1) == 1)
    dimension++;

  return dimension + 1 == array->rank;
}

/* Along @dimension, of @n elements. */
static AccArray *
run_operation (const Direct *self,
               AccArray     *array,
               guint         dimension,
               gint64        n)
{
  AccTransformPayload payload = { dimension, self->reverse, self->apart };
  g_autoptr(AccArray) table = NULL;
  AccArray *node;

  payload.n_passes = choose_passes (n, is_row (array, dimension), payload.radices);
  table = find_table (self->type, n, payload.radices, payload.n_passes);
  node = acc_array_begin (ACC_OP_FFT, (AccArray *[]) { array, table }, 2);
  *acc_array_get_transform (node) = payload;

  return acc_array_complete (node);
}

/* --- matrices */

typedef struct {
  const Direct *direct;
  AccFftTurns   turns;
} Turn;

/* @index: outer, n2, n1, and inner where that is not 1 */
static AccExpr *
transposed_index (AccExpr *index,
                  gpointer data)
{
  const Turn *turn = data;
  AccExpr *column = acc_expr_item (index, 1);

  if (turn->direct->inner > 1)
    column = acc_expr_add (acc_expr_mul (column, acc_array_number (turn->direct->inner)), acc_expr_item (index, 3));

  return acc_expr_tuple3 (acc_expr_item (index, 0), acc_expr_item (index, 2), column);
}

static AccExpr *
part_of (AccExpr *x,
         guint    part)
{
  return acc_element_type_is_tuple (acc_expr_get_element_type (x)) ? acc_expr_item (x, part) : part == 0
         ? acc_expr_real (x) : acc_expr_imag (x);
}

static AccExpr *
turned (AccExpr *index,
        AccExpr *x,
        gpointer data)
{
  const Turn *turn = data;
  g_autoptr(AccExpr) root = acc_expr_ref_sink (acc_fft_turns_get (&turn->turns, acc_expr_item (index, 1), acc_expr_item (index, 2)));
  AccExpr *im = acc_expr_item (root, 1);
  AccExpr *angle = acc_expr_tuple2 (acc_expr_item (root, 0), turn->direct->reverse ? acc_expr_neg (im) : im);
  g_autoptr(AccExpr) product = acc_expr_ref_sink (acc_fft_mul (acc_expr_tuple2 (part_of (x, 0), part_of (x, 1)), angle));
  AccExpr *re_part = acc_expr_item (product, 0), *im_part = acc_expr_item (product, 1);

  return acc_element_type_is_tuple (acc_expr_get_element_type (x))
         ? acc_expr_tuple2 (re_part, im_part) : acc_expr_complex (re_part, im_part);
}

/* What divides @n, from its root on if it can be; columns of as many elements. */
static gint64
choose_columns (gint64 n)
{
  gint64 best = 1;

  for (gint64 i = 2; i <= MIN (MAX_COLUMN, n / 2); i++)
    if (n % i == 0)
      {
        best = i;
        if (i * i >= n)
          break;
      }

  return best;
}

/* @array: outer, n, inner */
static AccArray *
run_matrix (const Direct *self,
            AccArray     *array)
{
  gint64 n1 = choose_columns (self->n), n2 = self->n / n1;
  g_autoptr(AccExpr) outer = acc_expr_ref_sink (acc_array_number (self->outer)), inner = acc_expr_ref_sink (acc_array_number (self->inner));
  g_autoptr(AccExpr) rows = acc_expr_ref_sink (acc_array_number (n2)), columns = acc_expr_ref_sink (acc_array_number (n1));
  Turn turn = { self };
  g_autoptr(AccArray) matrix = NULL, first = NULL, transposed = NULL, all = NULL, second = NULL, last = NULL;

  matrix = acc_array_reshape_expr (array, acc_expr_tuple3 (outer, columns, acc_array_number (n2 * self->inner)));
  first = run_operation (self, matrix, 1, n1);
  transposed = acc_array_backpermute_expr (first,
                                           self->inner > 1
                                           ? acc_expr_tuple4 (outer, rows, columns, inner) : acc_expr_tuple3 (outer, rows, columns),
                                           transposed_index, &turn);
  acc_fft_turns_init (&turn.turns, self->type, transposed, self->n);
  all = acc_array_imap (transposed, turned, &turn);
  acc_fft_turns_clear (&turn.turns);
  second = acc_array_reshape_expr (all, acc_expr_tuple3 (outer, rows, acc_array_number (n1 * self->inner)));
  last = acc_fft_run_directly (second, 1, self->type, self->reverse, self->apart);

  return acc_array_reshape_expr (last, acc_expr_tuple3 (outer, acc_array_number (self->n), inner));
}

AccArray *
acc_fft_run_directly (AccArray       *self,
                      guint           dimension,
                      AccElementType *type,
                      gboolean        reverse,
                      gboolean        apart)
{
  AccShape *shape = acc_array_get_shape (self);
  Direct direct = { type, reverse, apart, 1, acc_shape_get_extent (shape, dimension), 1 };
  gint64 most = MAX_ROW_BYTES / (2 * (gint64) acc_element_type_get_size (type));
  g_autoptr(AccArray) rows = NULL, done = NULL;

  if (!acc_fft_is_smooth (direct.n))
    return NULL;
  if (direct.n == 1)
    return g_object_ref (self);

  for (guint i = 0; i < self->rank; i++)
    *(i < dimension ? &direct.outer : &direct.inner) *= i == dimension ? 1 : acc_shape_get_extent (shape, i);
  if (direct.n <= (direct.inner > 1 ? MIN (most, MAX_COLUMN) : most))
    return run_operation (&direct, self, dimension, direct.n);

  rows = acc_array_reshape_expr (self,
                                 acc_expr_tuple3 (acc_array_number (direct.outer), acc_array_number (direct.n),
                                                  acc_array_number (direct.inner)));
  done = run_matrix (&direct, rows);

  return acc_array_reshape (done, shape);
}
