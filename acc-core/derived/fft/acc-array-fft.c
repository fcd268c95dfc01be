/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-core/array/acc-array-build-private.h"
#include "acc-array-fft-private.h"
#include "acc-array-fft.h"
#include "acc-array-math.h"
#include "acc-array-rearrange.h"
#include "acc-error.h"
#include "acc-core/array/acc-foreign-known-private.h"

/* Discrete Fourier transforms. The inverse transform is the forward one with real and imaginary parts exchanged before and after. */

/* Rows that are at least as long are transformed by themselves, shorter ones side by side. */
#define LONG_ROW 256
/* Elements: arrays of more could have passes that are too large. */
#define MOST_DEFERRED (G_GINT64_CONSTANT (1) << 40)

/* --- along one dimension */

typedef struct {
  AccArray *pairs;
} Turn;

static AccExpr *
element_of_row (AccExpr *index,
                gpointer data)
{
  const Turn *turn = data;

  return acc_expr_index (turn->pairs, acc_expr_tuple3 (acc_expr_item (index, 2), acc_expr_item (index, 1), acc_expr_item (index, 0)));
}

static AccArray *
transform_side_by_side (const AccFft *self,
                        AccArray     *pairs)
{
  AccFft fft = { 1, self->n, self->outer, self->type, self->apart };
  Turn turn = { pairs };
  g_autoptr(AccArray) columns = acc_fft_generate3 (1, self->n, self->outer, element_of_row, &turn), done = NULL;

  turn.pairs = done = acc_fft_transform (&fft, columns);
  return acc_fft_generate3 (self->outer, self->n, 1, element_of_row, &turn);
}

AccArray *
acc_fft_transform (const AccFft *self,
                   AccArray     *pairs)
{
  if (self->n == 1)
    return g_object_ref (pairs);
  if (self->inner == 1 && self->outer > 1 && self->n < LONG_ROW)
    return transform_side_by_side (self, pairs);
  if (!acc_fft_is_smooth (self->n))
    return acc_fft_convolve (self, pairs);

  return self->inner == 1 && self->n >= LONG_ROW ? acc_fft_run_two_steps (self, pairs) : acc_fft_run_passes (self, pairs);
}

/* --- of arrays */

typedef struct {
  AccFftMode      mode;
  AccElementType *type;     /* of what is computed with: floats */
  AccArray       *array;
  guint           first, n_dimensions;
  gboolean        apart;    /* no library does it, as its bits could follow from the number of rows */
} Transform;

/* As complex numbers with parts of @component. */
static AccArray *
convert_all (AccArray       *array,
             AccElementKind  component)
{
  AccElementType *type = acc_element_type_new_complex (component);

  return array->type == type ? g_object_ref (array) : acc_array_cast (array, type);
}

static AccExpr *
parts_of (AccExpr *x,
          gpointer data)
{
  const Transform *transform = data;

  return transform->mode == ACC_FFT_FORWARD ? acc_expr_tuple2 (acc_expr_real (x), acc_expr_imag (x))
                                            : acc_expr_tuple2 (acc_expr_imag (x), acc_expr_real (x));
}

static AccExpr *
join_parts (AccExpr *pair,
            gpointer data)
{
  const Transform *transform = data;
  guint re = transform->mode == ACC_FFT_FORWARD ? 0 : 1;

  return acc_expr_complex (acc_expr_item (pair, re), acc_expr_item (pair, 1 - re));
}

static AccExpr *
divide_by_size (AccExpr *x,
                gpointer data)
{
  const Transform *transform = data;
  AccExpr *product = acc_array_number (1);
  g_autoptr(AccExpr) size = NULL;

  for (guint i = 0; i < transform->n_dimensions; i++)
    product = acc_expr_mul (product, acc_expr_extent (transform->array, transform->first + i));
  size = acc_expr_ref_sink (acc_expr_cast (product, transform->type));

  return acc_expr_complex (acc_expr_fdiv (acc_expr_real (x), size), acc_expr_fdiv (acc_expr_imag (x), size));
}

/* The kind of the floats that transforms of @type are of; b1 for none. */
static AccElementKind
get_component (AccElementType *type)
{
  AccElementKind kind = acc_element_type_get_kind (type);

  if (acc_element_type_is_tuple (type))
    return ACC_KIND_BOOL;
  if (kind == ACC_KIND_COMPLEX)
    return acc_element_type_get_leaf (type, 0);

  return acc_element_kind_is_float (kind) ? kind : ACC_KIND_BOOL;
}

gboolean
acc_fft_check (AccArray   *node,
               const char *operation,
               AccArray   *self,
               gint        dimension,
               guint       n_dimensions,
               guint      *first)
{
  AccShape *shape = acc_array_get_shape (self);
  guint last, unused;

  if (!acc_array_find_dimension (node, self, operation, dimension, &last) ||
      !acc_array_find_dimension (node, self, operation, -(gint) n_dimensions, &unused))
    return FALSE;
  if (get_component (self->type) == ACC_KIND_BOOL)
    return acc_array_fail (node, ACC_ERROR_TYPE, "%s: elements are floats or complex numbers, not %s", operation,
                           acc_element_type_get_code (self->type));

  *first = last + 1 - n_dimensions;
  for (guint d = *first; d <= last && shape != NULL; d++)
    if (acc_shape_get_extent (shape, d) > G_MAXINT32 && !acc_fft_is_smooth (acc_shape_get_extent (shape, d)))
      return acc_array_fail (node, ACC_ERROR_UNSUPPORTED,
                             "%s: a row of %" G_GINT64_FORMAT " elements is too long, for want of small factors", operation,
                             acc_shape_get_extent (shape, d));

  return TRUE;
}

/* The same by operations for those who have them. */
static AccArray *
transform_directly (const Transform *transform,
                    AccArray        *numbers)
{
  g_autoptr(AccArray) values = g_object_ref (numbers);

  for (guint d = transform->first + transform->n_dimensions; values != NULL && d-- > transform->first; )
    {
      AccArray *done = acc_fft_run_directly (values, d, transform->type, transform->mode != ACC_FFT_FORWARD, transform->apart);

      g_object_unref (values);
      values = done;
    }

  return values != numbers ? g_steal_pointer (&values) : NULL;
}

/* The transform of the input, unnormalised, by passes. */
static AccArray *
run_passes (AccArray **inputs,
            gpointer   data)
{
  const Transform *transform = data;
  AccArray *numbers = inputs[0];
  AccShape *shape = acc_array_get_shape (numbers);
  g_autoptr(AccArray) values = acc_array_map (numbers, parts_of, data), shaped = NULL, joined = NULL;

  for (guint d = transform->first + transform->n_dimensions; d-- > transform->first; )
    {
      AccFft fft = { 1, acc_shape_get_extent (shape, d), 1, transform->type, transform->apart };
      g_autoptr(AccArray) rows = NULL;

      for (guint i = 0; i < numbers->rank; i++)
        *(i < d ? &fft.outer : &fft.inner) *= i == d ? 1 : acc_shape_get_extent (shape, i);
      rows = acc_array_reshape_expr (values,
                                     acc_expr_tuple3 (acc_array_number (fft.outer), acc_array_number (fft.n),
                                                      acc_array_number (fft.inner)));
      g_object_unref (values);
      values = acc_fft_transform (&fft, rows);
    }
  shaped = acc_array_reshape (values, shape);
  joined = acc_array_map (shaped, join_parts, data);
  joined->direct = transform_directly (transform, numbers);

  return g_steal_pointer (&joined);
}

/* The passes, which are built when somebody needs them. A library's routine may take their place, or none. */
static AccArray *
transform_numbers (const Transform *transform)
{
  AccArray *numbers = transform->array;
  AccShape *shape = acc_array_get_shape (numbers);
  guint end = transform->first + transform->n_dimensions;
  g_autofree char *name = g_strconcat (transform->apart ? ACC_FOREIGN_OWN : "",
                                       acc_foreign_get_transform_name (transform->n_dimensions, numbers->rank - end,
                                                                       transform->mode == ACC_FFT_FORWARD), NULL);
  Transform *kept;
  AccArray *made;

  if (acc_shape_get_size (shape) == 1 || acc_shape_get_size (shape) > MOST_DEFERRED)
    return run_passes (&numbers, (gpointer) transform);

  kept = g_memdup2 (transform, sizeof *transform);
  kept->array = NULL;

  made = acc_array_new_offer (ACC_OP_MAP, numbers->type, shape, name, &numbers, 1, run_passes, kept, g_free);
  for (guint d = transform->first; d < end; d++)
    made->offer->prepares |= !acc_fft_is_smooth (acc_shape_get_extent (shape, d));

  return made;
}

AccArray *
acc_fft_transform_array (AccArray *numbers,
                         guint     n_dimensions,
                         guint     n_after,
                         gboolean  forward,
                         gboolean  by_library)
{
  Transform transform = { forward ? ACC_FFT_FORWARD : ACC_FFT_REVERSE, acc_element_type_new (get_component (numbers->type)), numbers,
                          numbers->rank - n_after - n_dimensions, n_dimensions, !by_library };

  if (acc_shape_get_size (numbers->shape) == 0)
    return g_object_ref (numbers);

  return transform_numbers (&transform);
}

/* With the dimensions before and after @dimension as one each. */
static AccArray *
put_in_middle (AccArray *array,
               guint     dimension)
{
  AccShape *shape = acc_array_get_shape (array);
  gint64 extents[3] = { 1, acc_shape_get_extent (shape, dimension), 1 };
  g_autoptr(AccShape) three = NULL;

  for (guint i = 0; i < array->rank; i++)
    extents[i < dimension ? 0 : 2] *= i == dimension ? 1 : acc_shape_get_extent (shape, i);
  three = acc_shape_new (extents, 3);

  return acc_array_reshape (array, three);
}

/* Where a run tells the extents. */
static AccArray *
transform_unknown (const Transform *transform,
                   AccArray        *numbers)
{
  gboolean forward = transform->mode == ACC_FFT_FORWARD;
  g_autoptr(AccArray) turned = NULL, done = NULL;

  if (transform->first + transform->n_dimensions == numbers->rank)
    return acc_fft_run_loop (numbers, transform->n_dimensions, transform->type, forward);

  turned = acc_array_transpose_on (numbers, (gint) transform->first, -1);
  done = acc_fft_run_loop (turned, 1, transform->type, forward);

  return acc_array_transpose_on (done, (gint) transform->first, -1);
}

/* Along @dimension and those before it, @n_dimensions in all. */
static AccArray *
transform_dimensions (AccArray   *self,
                      const char *operation,
                      gint        dimension,
                      guint       n_dimensions,
                      AccFftMode  mode)
{
  AccArray *node = acc_array_begin (ACC_OP_GENERATE, &self, 1);
  Transform transform = { mode, NULL, NULL, 0, n_dimensions };
  AccElementKind kind;
  g_autoptr(AccArray) numbers = NULL, spectrum = NULL, shaped = NULL, scaled = NULL;

  if (node->error != NULL || !acc_fft_check (node, operation, self, dimension, n_dimensions, &transform.first))
    return acc_array_complete (node);
  g_object_unref (node);

  kind = get_component (self->type);
  if (self->shape != NULL && acc_shape_get_size (self->shape) == 0)
    return convert_all (self, kind);

  transform.type = acc_array_float_type (acc_element_type_new (kind));
  numbers = convert_all (self, acc_element_type_get_kind (transform.type));
  if (self->shape == NULL)
    shaped = transform_unknown (&transform, numbers);
  else if (transform.first + n_dimensions < self->rank)
    {
      g_autoptr(AccArray) middle = put_in_middle (numbers, transform.first);

      spectrum = transform_numbers (&(Transform) { mode, transform.type, middle, 1, 1 });
      shaped = acc_array_reshape (spectrum, acc_array_get_shape (self));
    }
  else
    {
      transform.array = numbers;
      shaped = transform_numbers (&transform);
    }
  transform.array = self;
  scaled = mode == ACC_FFT_INVERSE ? acc_array_map (shaped, divide_by_size, &transform) : g_object_ref (shaped);

  return convert_all (scaled, kind);
}

/**
 * acc_array_fft:
 * @self: an array of floats or of complex numbers, of rank 1 or more
 * @mode: the direction, and whether the result is divided by n
 *
 * Computes the discrete Fourier transform of each row along the innermost dimension.
 *
 * Element k of a row of n is the sum of x[j] · exp (∓2πi j k / n), divided by n for %ACC_FFT_INVERSE. Any n is possible. f2, c4, f4 and c8
 * are computed in f4, other types in f8. Sines and cosines are computed in f8, which the device must have. The error of rounding grows with
 * log n.
 *
 * Takes O(n log n) operations and memory for the row twice; where n has prime factors above 7, about six times that.
 *
 * A backend may have a routine of its own. It is used like a foreign operation with the name `acc-fft-forward` or `acc-fft-reverse` on an
 * array of c8 or c16 ([method@Backend.set_foreign]); `acc-fft2-…` and `acc-fft3-…` are those of the two and three innermost dimensions,
 * `acc-fft-middle-…` is that of the middle one of three. `native` has those of FFTW, `cuda` those of cuFFT, where they are found, `cuda`
 * for arrays that are large enough. A run by rows does not use them.
 *
 * Extents may be known only when it runs, as those of elements of a nested array: where the backend has no routine, it takes several times
 * as long then.
 *
 * An array of rank 0 is %ACC_ERROR_SHAPE, elements of other types are %ACC_ERROR_TYPE. Rows of 2^31 or more elements that have large prime
 * factors are %ACC_ERROR_UNSUPPORTED.
 *
 * ```c
 * // xs = [1.0, 2.0, 3.0, 4.0]
 * g_autoptr(AccArray) spectrum = acc_array_fft (xs, ACC_FFT_FORWARD); // → [(10, 0), (-2, 2), (-2, 0), (-2, -2)]
 * ```
 *
 * Returns: (transfer full): an array of the extents of @self, of complex numbers
 */
AccArray *
acc_array_fft (AccArray   *self,
               AccFftMode  mode)
{
  ACC_ARRAY_NAMED ("fft");
  return transform_dimensions (self, "fft", -1, 1, mode);
}

/**
 * acc_array_fft_on:
 * @self: an array of floats or of complex numbers
 * @dimension: 0 for the outermost, -1 for the innermost
 * @mode: the direction, and whether the result is divided by n
 *
 * Computes the discrete Fourier transform along any dimension.
 *
 * A dimension that @self does not have is %ACC_ERROR_SHAPE. Behaves otherwise as [method@Array.fft].
 *
 * ```c
 * // xs = [[1.0, 2.0], [3.0, 4.0]]
 * g_autoptr(AccArray) spectrum = acc_array_fft_on (xs, 0, ACC_FFT_FORWARD); // → [[(4, 0), (6, 0)], [(-2, 0), (-2, 0)]]
 * ```
 *
 * Returns: (transfer full): an array of the extents of @self, of complex numbers
 */
AccArray *
acc_array_fft_on (AccArray   *self,
                  gint        dimension,
                  AccFftMode  mode)
{
  ACC_ARRAY_NAMED ("fft_on");
  return transform_dimensions (self, "fft_on", dimension, 1, mode);
}

/**
 * acc_array_fft2:
 * @self: an array of floats or of complex numbers, of rank 2 or more
 * @mode: the direction, and whether the result is divided by n
 *
 * Computes the discrete Fourier transform along the two innermost dimensions.
 *
 * An array of a rank below 2 is %ACC_ERROR_SHAPE. Behaves otherwise as [method@Array.fft].
 *
 * ```c
 * // xs = [[1.0, 2.0], [3.0, 4.0]]
 * g_autoptr(AccArray) spectrum = acc_array_fft2 (xs, ACC_FFT_FORWARD); // → [[(10, 0), (-2, 0)], [(-4, 0), (0, 0)]]
 * ```
 *
 * Returns: (transfer full): an array of the extents of @self, of complex numbers
 */
AccArray *
acc_array_fft2 (AccArray   *self,
                AccFftMode  mode)
{
  ACC_ARRAY_NAMED ("fft2");
  return transform_dimensions (self, "fft2", -1, 2, mode);
}

/**
 * acc_array_fft3:
 * @self: an array of floats or of complex numbers, of rank 3 or more
 * @mode: the direction, and whether the result is divided by n
 *
 * Computes the discrete Fourier transform along the three innermost dimensions.
 *
 * An array of a rank below 3 is %ACC_ERROR_SHAPE. Behaves otherwise as [method@Array.fft].
 *
 * ```c
 * // xs = [[[1.0, 2.0], [3.0, 4.0]]]
 * g_autoptr(AccArray) signal = acc_array_fft3 (xs, ACC_FFT_INVERSE); // → [[[(2.5, 0), (-0.5, 0)], [(-1, 0), (0, 0)]]]
 * ```
 *
 * Returns: (transfer full): an array of the extents of @self, of complex numbers
 */
AccArray *
acc_array_fft3 (AccArray   *self,
                AccFftMode  mode)
{
  ACC_ARRAY_NAMED ("fft3");
  return transform_dimensions (self, "fft3", -1, 3, mode);
}

/* --- the zero frequency in the middle */

typedef struct {
  AccArray *array;
  gint64    round;     /* what is added before halving */
} Shift;

static AccExpr *
shifted_index (AccExpr *index,
               gpointer data)
{
  const Shift *shift = data;
  guint rank = shift->array->rank;
  g_autofree AccExpr **items = g_new (AccExpr *, rank + 1);

  for (guint i = 0; i < rank; i++)
    {
      g_autoptr(AccExpr) n = acc_expr_ref_sink (acc_expr_extent (shift->array, i)), place = NULL;

      place = acc_expr_ref_sink (acc_expr_add (acc_expr_item (index, i),
                                               acc_expr_shr (acc_expr_add (n, acc_array_number (shift->round)), acc_array_number (1))));
      items[i] = acc_expr_cond (acc_expr_lt (place, n), place, acc_expr_sub (place, n));
    }

  return acc_array_join_items (items, rank);
}

static AccArray *
shift_all (AccArray *self,
           gint64    round)
{
  AccArray *node = acc_array_begin (ACC_OP_BACKPERMUTE, &self, 1);

  if (node->error != NULL)
    return acc_array_complete (node);
  g_object_unref (node);

  return acc_array_backpermute_expr (self, acc_expr_shape (self), shifted_index, &(Shift) { self, round });
}

/**
 * acc_array_fftshift:
 * @self: an array of any type and rank
 *
 * Moves the zero frequency to the middle of every dimension, by rotating it by half its extent.
 *
 * Half an extent is rounded down. Extents may be known only when it runs. Takes time linear in the size of @self. No errors of its own
 * occur.
 *
 * ```c
 * // xs = [0, 1, 2, 3, 4]
 * g_autoptr(AccArray) result = acc_array_fftshift (xs); // → [3, 4, 0, 1, 2]
 * ```
 *
 * Returns: (transfer full): an array of the type and extents of @self
 */
AccArray *
acc_array_fftshift (AccArray *self)
{
  ACC_ARRAY_NAMED ("fftshift");
  return shift_all (self, 1);
}

/**
 * acc_array_ifftshift:
 * @self: an array of any type and rank
 *
 * Moves the zero frequency back from the middle of every dimension, as the inverse of fftshift.
 *
 * It differs from [method@Array.fftshift] where an extent is odd, and behaves otherwise as [method@Array.fftshift].
 *
 * ```c
 * // xs = [3, 4, 0, 1, 2]
 * g_autoptr(AccArray) result = acc_array_ifftshift (xs); // → [0, 1, 2, 3, 4]
 * ```
 *
 * Returns: (transfer full): an array of the type and extents of @self
 */
AccArray *
acc_array_ifftshift (AccArray *self)
{
  ACC_ARRAY_NAMED ("ifftshift");
  return shift_all (self, 0);
}
