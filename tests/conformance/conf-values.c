/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <math.h>
#include <string.h>

const char * const conf_types[] = {
  "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "(f4,i4)", "((u1,b1),f8)",
  "c8", "3u2", "(c16,4u1)", NULL
};

guint
conf_n_types (void)
{
  return g_strv_length ((char **) conf_types);
}

AccElementType *
conf_type (const char *code)
{
  g_autoptr(GError) error = NULL;
  AccElementType *type = acc_element_type_parse (code, &error);

  g_assert_no_error (error);
  return type;
}

/* Not the interpreter's: bits of the nearest half. */
static guint16
half_bits (double value)
{
  guint16 sign = signbit (value) ? 0x8000 : 0;
  double magnitude = fabs (value);
  int exponent;
  double mantissa;

  if (isnan (value))
    return sign | 0x7e00;
  if (magnitude >= 65520)
    return sign | 0x7c00;
  if (magnitude < ldexp (1, -14))
    return sign | (guint16) rint (ldexp (magnitude, 24));
  mantissa = frexp (magnitude, &exponent);
  return sign | (guint16) (((exponent + 14) << 10) + (int) rint (ldexp (mantissa, 11)) - 1024);
}

static void
store (guint8         *data,
       AccElementKind  kind,
       gint64          integer,
       double          real)
{
  guint16 half;
  float single;

  switch (kind)
    {
    case ACC_KIND_BOOL:
      *data = integer != 0;
      break;
    case ACC_KIND_F16:
      half = half_bits (real);
      memcpy (data, &half, 2);
      break;
    case ACC_KIND_F32:
      single = (float) real;
      memcpy (data, &single, 4);
      break;
    case ACC_KIND_F64:
      memcpy (data, &real, 8);
      break;
    case ACC_KIND_I8:
    case ACC_KIND_I16:
    case ACC_KIND_I32:
    case ACC_KIND_I64:
    case ACC_KIND_U8:
    case ACC_KIND_U16:
    case ACC_KIND_U32:
    case ACC_KIND_U64:
    case ACC_KIND_TUPLE:
    case ACC_KIND_COMPLEX:
    case ACC_KIND_VECTOR:
      /* The low bytes, on a little-endian host. */
      integer = GINT64_TO_LE (integer);
      memcpy (data, &integer, acc_element_kind_get_size (kind));
      break;
    }
}

static const double float_edges[] = {
  0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.5, -3.5, 0.1, -0.1, 2.0, 3.0, -2.0, 10.0, 100.0, -100.0,
  127.0, 128.0, -128.0, -129.0, 255.0, 255.5, 256.0, 32767.5, 65504.0, -65504.0, 65535.0, 65536.0, 0.49999997, 0.9999999,
  2147483647.0, 2147483648.0, -2147483648.0, -2147483649.0, 4294967295.0, 4294967296.0,
  9.2233720368547748e18, 9223372036854775808.0, -9223372036854775808.0, 1.8446744073709552e19,
  1e-3, -1e-3, 1e-7, 5.9604644775390625e-08, 6.103515625e-05, 1e-30, 1e30, -1e30, 88.0, -88.0, 700.0, -700.0,
  0.7853981633974483, 1.5707963267948966, 3.141592653589793, -3.141592653589793, 6.283185307179586, 1e5, 2.718281828459045,
  INFINITY, -INFINITY, NAN,
};

static const double float_extremes[] = { 0x1p-24, 0x1p-14, 0x1p-149, 0x1.8p-130, 0x1p-126, 0x1.fffffep127, 0x1p-1074, 0x1p-1022,
                                         0x1.fffffffffffffp1023 };

guint
conf_n_edge_values (AccElementKind kind)
{
  if (acc_element_kind_is_float (kind))
    return G_N_ELEMENTS (float_edges) + G_N_ELEMENTS (float_extremes);
  if (kind == ACC_KIND_BOOL)
    return 2;
  return 16;
}

static void
store_edge (guint8         *data,
            AccElementKind  kind,
            guint           n)
{
  guint bits = (guint) acc_element_kind_get_size (kind) * 8;
  guint64 top = G_GUINT64_CONSTANT (1) << (bits - 1);
  guint64 values[] = { 0, 1, (guint64) -1, top, top - 1, top + 1, 2, 3, 7, (guint64) -2, (guint64) -7, 100, 0x55, (guint64) -100,
                       top >> 1, 10 };

  n %= conf_n_edge_values (kind);
  if (!acc_element_kind_is_float (kind))
    store (data, kind, kind == ACC_KIND_BOOL ? n : (gint64) values[n], 0);
  else if (n < G_N_ELEMENTS (float_edges))
    store (data, kind, 0, float_edges[n]);
  else
    store (data, kind, 0, float_extremes[n - G_N_ELEMENTS (float_edges)]);
}

static AccExpr *
twice (AccExpr *x,
       gpointer data)
{
  return acc_expr_add (x, x);
}

gboolean
conf_keeps_subnormals (void)
{
  static gsize answer;

  if (g_once_init_enter (&answer))
    {
      gboolean keeps = TRUE;

      for (guint i = 0; i < conf_n_backends (); i++)
        {
          g_autoptr(AccArray) least = CONF_FLOATS1 ("f4", 0x1p-140), doubled = acc_array_map (least, twice, NULL);
          g_autoptr(GError) error = NULL;
          g_autoptr(AccArray) result = acc_backend_run (conf_backend (i), doubled, NULL, &error);

          g_assert_no_error (error);
          keeps &= acc_array_get_double (result, 0, 0) == 0x1p-139;
        }
      g_once_init_leave (&answer, keeps ? 1 : 2);
    }

  return answer == 1;
}

static void
clear_small (guint8         *data,
             AccElementKind  kind)
{
  if (kind == ACC_KIND_F32)
    {
      float value;

      memcpy (&value, data, sizeof value);
      value = fabsf (value) < 0x1p-31f ? copysignf (0, value) : value;
      memcpy (data, &value, sizeof value);
    }
  else if (kind == ACC_KIND_F64)
    {
      double value;

      memcpy (&value, data, sizeof value);
      value = fabs (value) < 0x1p-255 ? copysign (0, value) : value;
      memcpy (data, &value, sizeof value);
    }
}

static void
store_random (guint8         *data,
              AccElementKind  kind,
              GRand          *rand,
              ConfValues      values)
{
  guint64 bits = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);

  if (values == CONF_SMALL)
    {
      gint64 small = g_rand_int_range (rand, acc_element_kind_is_float (kind) || acc_element_kind_is_signed (kind) ? -1 : 0, 3);

      store (data, kind, kind == ACC_KIND_BOOL ? (bits & 1) : (guint64) small, (double) small);
    }
  else if (values <= CONF_NORMAL && bits % 16 == 0)
    store_edge (data, kind, g_rand_int (rand) % 1000);
  else if (!acc_element_kind_is_float (kind))
    store (data, kind, kind == ACC_KIND_BOOL ? (gint64) (bits & 1) : (gint64) bits, 0);
  else if (values <= CONF_NORMAL && bits % 4 == 1)
    memcpy (data, &bits, acc_element_kind_get_size (kind));
  else
    store (data, kind, 0, g_rand_double_range (rand, -1000, 1000));

  if (values == CONF_NORMAL && !conf_keeps_subnormals ())
    clear_small (data, kind);
}

static gint64
count (const gint64 *extents,
       guint         rank)
{
  gint64 n = 1;

  for (guint i = 0; i < rank; i++)
    n *= extents[i];
  return n;
}

AccArray *
conf_array (AccElementType *type,
            const gint64   *extents,
            guint           rank,
            GRand          *rand,
            ConfValues      values)
{
  guint n_buffers = acc_element_type_get_n_buffers (type);
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint k = 0; k < n_buffers; k++)
    {
      AccElementType *buffer = acc_element_type_get_buffer (type, k);
      AccElementKind kind = acc_element_type_get_leaf (buffer, 0);
      gint64 n = count (extents, rank) * acc_element_type_get_n_leaves (buffer);
      gsize size = acc_element_kind_get_size (kind);
      guint8 *data = g_malloc (MAX (size * n, 1));

      for (gint64 i = 0; i < n; i++)
        store_random (data + i * size, kind, rand, values);
      g_ptr_array_add (buffers, g_bytes_new_take (data, size * n));
    }
  return acc_array_use_buffers (type, shape, (GBytes **) buffers->pdata, n_buffers);
}

AccArray *
conf_cut (AccArray *values, gint64 begin, AccShape *shape)
{
  AccElementType *type = acc_array_get_element_type (values);
  guint n = acc_element_type_get_n_buffers (type);
  g_autoptr(GPtrArray) buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint b = 0; b < n; b++)
    {
      gsize size = acc_element_type_get_buffer_size (type, b);
      const guint8 *data = GSIZE_TO_POINTER (acc_array_get_address (values, b));

      g_ptr_array_add (buffers, g_bytes_new (data + begin * size, acc_shape_get_size (shape) * size));
    }
  return acc_array_use_buffers (type, shape, (GBytes **) buffers->pdata, n);
}

AccArray *
conf_edge_values (AccElementKind  kind,
                  guint           extra,
                  GRand          *rand)
{
  guint n = conf_n_edge_values (kind) + extra;
  gsize size = acc_element_kind_get_size (kind);
  guint8 *data = g_malloc (n * size);
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new_take (data, n * size);

  for (guint i = 0; i < n; i++)
    if (i < conf_n_edge_values (kind))
      store_edge (data + i * size, kind, i);
    else
      store_random (data + i * size, kind, rand, i % 2 ? CONF_FULL : CONF_FINITE);
  return acc_array_use (acc_element_type_new (kind), shape, bytes);
}

static AccArray *
literal (const char   *code,
         const gint64 *extents,
         guint         rank,
         const gint64 *integers,
         const double *reals)
{
  AccElementType *type = conf_type (code);
  AccElementKind kind = acc_element_type_get_kind (type);
  gsize size = acc_element_kind_get_size (kind);
  gint64 n = count (extents, rank);
  guint8 *data = g_malloc (MAX (n * size, 1));
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);
  g_autoptr(GBytes) bytes = g_bytes_new_take (data, n * size);

  for (gint64 i = 0; i < n; i++)
    store (data + i * size, kind, integers != NULL ? integers[i] : (gint64) reals[i], reals != NULL ? reals[i] : (double) integers[i]);
  return acc_array_use (type, shape, bytes);
}

AccArray *
conf_ints (const char   *code,
           const gint64 *extents,
           guint         rank,
           const gint64 *values)
{
  return literal (code, extents, rank, values, NULL);
}

AccArray *
conf_floats (const char   *code,
             const gint64 *extents,
             guint         rank,
             const double *values)
{
  return literal (code, extents, rank, NULL, values);
}

/* --- comparing */

static double
half_value (guint16 bits)
{
  int exponent = (bits >> 10) & 31;
  double magnitude = exponent == 31 ? ((bits & 1023) ? NAN : INFINITY)
                   : exponent == 0 ? ldexp (bits & 1023, -24) : ldexp (1024 + (bits & 1023), exponent - 25);

  return bits & 0x8000 ? -magnitude : magnitude;
}

static double
read_float (const guint8   *data,
            AccElementKind  kind,
            gint64         *order)
{
  guint16 half;
  float single;
  double value;
  gint32 bits32;
  gint64 bits64;

  if (kind == ACC_KIND_F16)
    {
      memcpy (&half, data, 2);
      *order = half & 0x8000 ? -(gint64) (half & 0x7fff) : half;
      return half_value (half);
    }
  if (kind == ACC_KIND_F32)
    {
      memcpy (&single, data, 4);
      memcpy (&bits32, data, 4);
      *order = bits32 < 0 ? -(gint64) (bits32 & G_MAXINT32) : bits32;
      return single;
    }
  memcpy (&value, data, 8);
  memcpy (&bits64, data, 8);
  *order = bits64 < 0 ? -(bits64 & G_MAXINT64) : bits64;
  return value;
}

static gboolean
same_element (const guint8   *a,
              const guint8   *b,
              AccElementKind  kind,
              ConfTolerance   tolerance)
{
  gint64 order_a, order_b;
  double x, y;
  guint64 distance;

  if (memcmp (a, b, acc_element_kind_get_size (kind)) == 0)
    return TRUE;
  if (!acc_element_kind_is_float (kind))
    return FALSE;

  x = read_float (a, kind, &order_a);
  y = read_float (b, kind, &order_b);
  if (isnan (x) || isnan (y))
    return isnan (x) && isnan (y);
  if (x == 0 && y == 0)
    return tolerance.zeros_equal;
  if (isfinite (x) && isfinite (y) && fabs (x - y) <= tolerance.absolute)
    return TRUE;
  distance = order_a > order_b ? (guint64) order_a - (guint64) order_b : (guint64) order_b - (guint64) order_a;
  return distance <= tolerance.ulps;
}

static char *
element_to_string (AccArray *array,
                   guint     leaf,
                   gint64    index)
{
  if (acc_element_kind_is_float (acc_element_type_get_leaf (array->type, leaf)))
    return g_strdup_printf ("%.17g (%a)", acc_array_get_double (array, leaf, index), acc_array_get_double (array, leaf, index));
  return g_strdup_printf ("%" G_GINT64_FORMAT, acc_array_get_int (array, leaf, index));
}

char *
conf_compare (AccArray      *expected,
              AccArray      *actual,
              ConfTolerance  tolerance)
{
  g_autofree char *shape = acc_shape_to_string (expected->shape);
  g_autofree char *other = acc_shape_to_string (actual->shape);
  gint64 n = acc_shape_get_size (expected->shape);

  if (expected->type != actual->type)
    return g_strdup_printf ("type %s instead of %s", acc_element_type_get_code (actual->type), acc_element_type_get_code (expected->type));
  if (!acc_shape_equal (expected->shape, actual->shape))
    return g_strdup_printf ("shape %s instead of %s", other, shape);

  for (guint leaf = 0; leaf < acc_element_type_get_n_leaves (expected->type); leaf++)
    {
      AccElementKind kind = acc_element_type_get_leaf (expected->type, leaf);
      gsize size = acc_element_kind_get_size (kind);
      g_autoptr(GError) error = NULL;
      const AccLeafPlace *place = acc_element_type_locate (expected->type, leaf);
      const guint8 *a = acc_buffer_map (acc_array_get_buffers (expected)[place->buffer], &error);
      const guint8 *b = a != NULL ? acc_buffer_map (acc_array_get_buffers (actual)[place->buffer], &error) : NULL;
      gint64 n_wrong = 0, first = -1;

      if (b == NULL)
        return g_strdup (error->message);

      for (gint64 i = 0; i < n; i++)
        if (!same_element (a + (i * place->lanes + place->lane) * size, b + (i * place->lanes + place->lane) * size, kind, tolerance))
          {
            first = first < 0 ? i : first;
            n_wrong++;
          }
      if (n_wrong > 0)
        {
          g_autofree char *wanted = element_to_string (expected, leaf, first);
          g_autofree char *got = element_to_string (actual, leaf, first);

          return g_strdup_printf ("%s of %s: element %" G_GINT64_FORMAT " of leaf %u is %s, not %s; %" G_GINT64_FORMAT " of %"
                                  G_GINT64_FORMAT " differ",
                                  acc_element_type_get_code (expected->type), shape, first, leaf, got, wanted, n_wrong, n);
        }
    }
  return NULL;
}
