/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

/* Every primitive on every kind it accepts, and every conversion, over edge values and random ones.
 *
 * Tolerances against the judge, which uses the C library (in double for f2 and f4):
 *
 *   arithmetic, comparisons, rounding, integers, casts   exact; NaN equals NaN; either zero for min and max
 *   transcendental functions                             4 ulp (f4, f8), 1 ulp (f2)
 *   logbase: a quotient of two logarithms                12 ulp (f4, f8), 2 ulp (f2) */

static guint
get_ulps (AccPrimitive primitive)
{
  if (primitive == ACC_PRIM_LOGBASE)
    return 12;

  return acc_primitive_is (primitive, ACC_FAMILY_TRANSCENDENTAL) ? 4 : 0;
}

static ConfTolerance
get_tolerance (AccPrimitive   primitive,
               AccElementKind kind)
{
  ConfTolerance tolerance = CONF_EXACT;

  tolerance.ulps = get_ulps (primitive);
  if (kind == ACC_KIND_F16)
    tolerance.ulps = (tolerance.ulps + 7) / 8;
  tolerance.zeros_equal = primitive == ACC_PRIM_MIN || primitive == ACC_PRIM_MAX;
  return tolerance;
}

static AccPrimitive
get_primitive (gpointer data)
{
  return (AccPrimitive) GPOINTER_TO_UINT (data);
}

/* As acc_expr_add() and its like do, and said to be used as they are. */
static AccExpr *
apply (AccPrimitive  primitive,
       AccExpr     **args)
{
  g_autofree char *name = g_strconcat ("primitive_", acc_primitive_get_info (primitive)->name, NULL);

  conf_use (name);
  return acc_expr_new_primitive (primitive, args);
}

static gboolean
is_division (AccPrimitive primitive)
{
  return primitive == ACC_PRIM_QUOT || primitive == ACC_PRIM_REM || primitive == ACC_PRIM_DIV || primitive == ACC_PRIM_MOD;
}

/* A divisor that does not fail; the failures have cases of their own. */
static AccExpr *
safe_divisor (AccExpr *x,
              AccExpr *y)
{
  AccElementType *type = acc_expr_get_element_type (x);
  AccExpr *bad = acc_expr_eq (y, acc_expr_new_int (0));

  if (acc_element_kind_is_signed (acc_element_type_get_kind (type)))
    bad = acc_expr_lor (bad, acc_expr_land (acc_expr_eq (x, acc_expr_new_minimum (type)), acc_expr_eq (y, acc_expr_new_int (-1))));
  return acc_expr_cond (bad, acc_expr_cast (acc_expr_new_int (3), type), y);
}

static AccExpr *
apply1 (AccExpr *x, gpointer data)
{
  return apply (get_primitive (data), &x);
}

static AccExpr *
apply2 (AccExpr *x, AccExpr *y, gpointer data)
{
  if (is_division (get_primitive (data)) && conf_checks_are_on ())
    y = safe_divisor (x, y);
  return apply (get_primitive (data), (AccExpr *[]) { x, y });
}

static AccArray *
body (AccArray **arrays, guint n, gpointer data)
{
  return n == 1 ? acc_array_map (arrays[0], apply1, data) : acc_array_zip_with (arrays[0], arrays[1], apply2, data);
}

/* --- operands */

typedef struct {
  AccArray *edges;
  gint64    n;
} Column;

static AccExpr *
slow_index (AccExpr *i, gpointer data)
{
  return acc_expr_quot (i, conf_i64 (((Column *) data)->n));
}

static AccExpr *
fast_index (AccExpr *i, gpointer data)
{
  return acc_expr_rem (i, conf_i64 (((Column *) data)->n));
}

static AccArray *
spread (AccArray *edges, gint64 n, gint64 period, AccExprFunc index)
{
  g_autoptr(AccArray) owned = edges;
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  Column column = { edges, period };
  g_autoptr(AccArray) repeated = acc_array_backpermute (edges, shape, index, &column);
  g_autoptr(GError) error = NULL;
  AccArray *result = acc_backend_run (conf_interpreter (), repeated, NULL, &error);

  g_assert_no_error (error);
  return result;
}

static AccArray *
shift_amounts (void)
{
  return CONF_INTS1 ("i8", 0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, -1, -2, -7, -8, -9, -16, -31, -32, -33,
                     -63, -64, -65, -100, G_MAXINT64, G_MININT64);
}

static void
check_primitive (AccPrimitive   primitive,
                 AccElementKind kind,
                 GRand         *rand)
{
  const AccPrimitiveInfo *info = acc_primitive_get_info (primitive);
  const char *code = acc_element_kind_get_code (kind);
  g_autofree char *name = g_strdup_printf ("primitive/%s/%s", info->name, code);
  g_autofree char *first = g_strdup_printf ("%s[:]", code);
  const char *signatures[] = { first, NULL, NULL };
  AccArray *arguments[2];
  g_autoptr(ConfProgram) program = NULL;
  gint64 n = conf_n_edge_values (kind) + 30, m = n;

  if (info->arity == 2)
    signatures[1] = info->operands == ACC_OPERANDS_SHIFT ? "i8[:]" : first;
  program = conf_program_new (name, acc_program_new (signatures, body, GUINT_TO_POINTER (primitive)));

  if (info->arity == 1)
    {
      arguments[0] = conf_edge_values (kind, 1000, rand);
      conf_program_check (program, arguments, 1, get_tolerance (primitive, kind));
      return;
    }

  /* All edge values against all. */
  if (info->operands == ACC_OPERANDS_SHIFT)
    m = 32;
  arguments[0] = spread (conf_edge_values (kind, 30, rand), n * m, m, slow_index);
  arguments[1] = spread (info->operands == ACC_OPERANDS_SHIFT ? shift_amounts () : conf_edge_values (kind, 30, rand), n * m, m, fast_index);
  conf_program_check (program, arguments, 2, get_tolerance (primitive, kind));
}

static void
test_primitive (gconstpointer data)
{
  AccPrimitive primitive = (AccPrimitive) GPOINTER_TO_UINT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed () + primitive);

  for (guint kind = 0; kind < ACC_KIND_TUPLE; kind++)
    if (acc_primitive_accepts (primitive, kind))
      check_primitive (primitive, kind, rand);
}

/* --- a failing division is reported, whatever lane it is in */

static AccExpr *
divide (AccExpr *x, AccExpr *y, gpointer data)
{
  return apply (get_primitive (data), (AccExpr *[]) { x, y });
}

static void
test_division_failures (void)
{
  static const AccPrimitive divisions[] = { ACC_PRIM_QUOT, ACC_PRIM_REM, ACC_PRIM_DIV, ACC_PRIM_MOD };
  static const gint64 places[] = { 0, 1, 63, 64, 1000, 4999 };

  if (!conf_checks_are_on ())
    {
      g_test_skip ("checks are off");
      return;
    }
  for (guint kind = ACC_KIND_I8; kind <= ACC_KIND_U64; kind++)
    for (guint p = 0; p < G_N_ELEMENTS (divisions); p++)
      for (guint i = 0; i < G_N_ELEMENTS (places); i++)
        {
          const char *code = acc_element_kind_get_code (kind);
          g_autofree char *name = g_strdup_printf ("failure/%s/%s/%d", acc_primitive_get_info (divisions[p])->name, code, (int) places[i]);
          g_autofree gint64 *ones = g_new (gint64, 5000);
          g_autoptr(AccArray) x = NULL;
          g_autoptr(AccArray) y = NULL;
          AccArray *quotient;

          if (i != (p + kind) % G_N_ELEMENTS (places))
            continue;
          for (guint k = 0; k < 5000; k++)
            ones[k] = 1;
          x = conf_ints (code, (gint64[]) { 5000 }, 1, ones);
          ones[places[i]] = 0;
          y = conf_ints (code, (gint64[]) { 5000 }, 1, ones);
          quotient = acc_array_zip_with (x, y, divide, GUINT_TO_POINTER (divisions[p]));
          acc_array_set_label (quotient, "failing");
          CONF_EXPECT_ERROR (name, quotient, ACC_ERROR_ARITHMETIC, "zip_with", "failing");
        }
}

/* --- conversions */

static AccExpr *
cast_to (AccExpr *x, gpointer type)
{
  return acc_expr_cast (x, type);
}

static AccExpr *
bitcast_to (AccExpr *x, gpointer type)
{
  return acc_expr_bitcast (x, type);
}

static AccArray *
cast_body (AccArray **arrays, guint n, gpointer type)
{
  return acc_array_map (arrays[0], cast_to, type);
}

static AccArray *
bitcast_body (AccArray **arrays, guint n, gpointer type)
{
  return acc_array_map (arrays[0], bitcast_to, type);
}

static void
check_conversion (AccElementKind from,
                  AccElementKind to,
                  AccArrayFunc   function,
                  const char    *what,
                  GRand         *rand)
{
  g_autofree char *name = g_strdup_printf ("%s/%s/%s", what, acc_element_kind_get_code (from), acc_element_kind_get_code (to));
  g_autofree char *signature = g_strdup_printf ("%s[:]", acc_element_kind_get_code (from));
  AccArray *argument = conf_edge_values (from, 1000, rand);
  g_autoptr(ConfProgram) program =
    conf_program_new (name, acc_program_new ((const char *[]) { signature, NULL }, function, acc_element_type_new (to)));

  conf_program_check (program, &argument, 1, CONF_EXACT);
}

static void
test_casts (gconstpointer data)
{
  AccElementKind from = (AccElementKind) GPOINTER_TO_UINT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed () + from);

  for (guint to = 0; to < ACC_KIND_TUPLE; to++)
    {
      check_conversion (from, to, cast_body, "cast", rand);
      if (from != to && to != ACC_KIND_BOOL && acc_element_kind_get_size (from) == acc_element_kind_get_size (to))
        check_conversion (from, to, bitcast_body, "bitcast", rand);
    }
}

/* --- literals */

static AccExpr *
limits (AccExpr *x, gpointer type)
{
  return acc_expr_tuple3 (acc_expr_new_minimum (type), acc_expr_new_maximum (type), x);
}

static AccArray *
limits_body (AccArray **arrays, guint n, gpointer type)
{
  return acc_array_map (arrays[0], limits, type);
}

static void
test_limits (void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed ());

  for (guint kind = 0; kind < ACC_KIND_TUPLE; kind++)
    check_conversion (kind, kind, limits_body, "limits", rand);
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  for (guint p = 0; p < ACC_N_PRIMITIVES; p++)
    {
      g_autofree char *path = g_strdup_printf ("/primitives/%s", acc_primitive_get_info (p)->name);

      g_test_add_data_func (path, GUINT_TO_POINTER (p), test_primitive);
    }
  g_test_add_func ("/primitives/failures", test_division_failures);
  for (guint kind = 0; kind < ACC_KIND_TUPLE; kind++)
    {
      g_autofree char *path = g_strdup_printf ("/casts/%s", acc_element_kind_get_code (kind));

      g_test_add_data_func (path, GUINT_TO_POINTER (kind), test_casts);
    }
  g_test_add_func ("/primitives/limits", test_limits);
  return conf_run ();
}
