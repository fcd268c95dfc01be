/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc/acc.h>

#include "acc-core/array/acc-array-private.h"

#include <math.h>
#include <string.h>

static AccExpr *
one (AccExpr *x, gpointer data)
{
  return acc_expr_new_int (1);
}

static AccExpr *
add (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_add (x, y);
}

static AccExpr *
itself (AccExpr *x, gpointer data)
{
  return x;
}

static AccExpr *
zero (AccExpr *x, gpointer data)
{
  return acc_expr_new_int (0);
}

static AccExpr *
zero2 (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_new_int (0);
}

static AccElementType *
type_of (const char *code)
{
  AccElementType *type = acc_element_type_parse (code, NULL);

  g_assert_nonnull (type);
  return type;
}

/* An array of a shape without memory. */
static AccArray *
filled (const char *code, guint rank, const gint64 *extents)
{
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);

  return acc_array_fill (shape, acc_expr_new_minimum (type_of (code)));
}

#define SHAPE(...) (sizeof ((gint64[]) { __VA_ARGS__ }) / sizeof (gint64)), (gint64[]) { __VA_ARGS__ }
#define LIST(...) (gint64[]) { __VA_ARGS__ }, (sizeof ((gint64[]) { __VA_ARGS__ }) / sizeof (gint64))

static void
assert_shape (AccArray *array, const char *expected)
{
  g_autoptr(AccArray) owned = array;
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;

  acc_array_check (array, &error);
  g_assert_no_error (error);
  g_assert_nonnull (acc_array_get_shape (array));
  text = acc_shape_to_string (acc_array_get_shape (array));
  g_assert_cmpstr (text, ==, expected);
}

static void
assert_unknown (AccArray *array, guint rank)
{
  g_autoptr(AccArray) owned = array;
  g_autoptr(GError) error = NULL;

  acc_array_check (array, &error);
  g_assert_no_error (error);
  g_assert_null (acc_array_get_shape (array));
  g_assert_cmpuint (acc_array_get_rank (array), ==, rank);
}

static void
assert_fails (AccArray *array, AccError code, const char *text)
{
  g_autoptr(AccArray) owned = array;
  g_autoptr(GError) error = NULL;

  g_assert_false (acc_array_check (array, &error));
  g_assert_error (error, ACC_ERROR, (int) code);
  if (strstr (error->message, text) == NULL)
    g_error ("“%s” does not contain “%s”", error->message, text);
}

static void
test_elementwise (void)
{
  g_autoptr(AccArray) a = filled ("f4", SHAPE (4, 7, 2));
  g_autoptr(AccArray) b = filled ("f4", SHAPE (5, 3, 2));
  g_autoptr(AccArray) empty = filled ("f4", SHAPE (0, 9, 9));
  g_autoptr(AccArray) vector = filled ("f4", SHAPE (4));
  g_autoptr(AccArray) scalar = filled ("f4", 0, NULL);

  assert_shape (acc_array_map (a, itself, NULL), "[4,7,2]");
  assert_shape (acc_array_map (scalar, itself, NULL), "[]");
  assert_shape (acc_array_zip_with (a, b, add, NULL), "[4,3,2]");
  assert_shape (acc_array_zip_with (a, empty, add, NULL), "[0,7,2]");
  assert_shape (acc_array_zip_with (scalar, scalar, add, NULL), "[]");
  assert_shape (acc_array_zip_many ((AccArray *[]) { a, b, empty }, 3), "[0,3,2]");
  assert_fails (acc_array_zip_with (a, vector, add, NULL), ACC_ERROR_SHAPE, "zip_with: array 1 has rank 1 where the first has rank 3");
  assert_fails (acc_array_zip (a, scalar), ACC_ERROR_SHAPE, "zip: ");
}

static void
test_construction (void)
{
  g_autoptr(AccShape) negative = acc_shape_new_matrix (3, -2);
  g_autoptr(AccShape) huge = acc_shape_new_matrix (G_MAXINT64 / 2, 4);
  g_autoptr(AccArray) a = filled ("f4", SHAPE (4, 7));

  assert_shape (acc_array_generate (negative, zero, NULL), "[3,0]");
  assert_shape (acc_array_unit (acc_expr_new_int (1)), "[]");
  assert_fails (acc_array_generate (huge, zero, NULL), ACC_ERROR_SHAPE, "more than can be addressed");
  assert_shape (acc_array_fill_expr (acc_expr_shape (a), acc_expr_new_int (1)), "[4,7]");
  assert_shape (acc_array_fill_expr (acc_expr_new_int (-4), acc_expr_new_int (1)), "[0]");
  assert_shape (acc_array_fill_expr (acc_expr_tuple (NULL, 0), acc_expr_new_int (1)), "[]");
  assert_fails (acc_array_fill_expr (acc_expr_new_float (4), acc_expr_new_int (1)), ACC_ERROR_TYPE, "fill: a shape is");
  assert_fails (acc_array_fill_expr (acc_expr_quot (acc_expr_extent (a, 0), acc_expr_new_int (0)), acc_expr_new_int (1)),
                ACC_ERROR_ARITHMETIC, "fill: its shape: quot by zero");
}

static void
test_reshape (void)
{
  g_autoptr(AccArray) a = filled ("f4", SHAPE (4, 6));
  g_autoptr(AccArray) scalar = filled ("f4", 0, NULL);
  g_autoptr(AccArray) empty = filled ("f4", SHAPE (0, G_MAXINT64));
  g_autoptr(AccShape) fits = acc_shape_new ((gint64[]) { 2, 3, 4 }, 3);
  g_autoptr(AccShape) differs = acc_shape_new_vector (23);
  g_autoptr(AccShape) one = acc_shape_new_vector (1);
  g_autoptr(AccShape) none = acc_shape_new_scalar ();
  g_autoptr(AccShape) zeros = acc_shape_new_matrix (7, 0);

  assert_shape (acc_array_reshape (a, fits), "[2,3,4]");
  assert_fails (acc_array_reshape (a, differs), ACC_ERROR_SHAPE, "reshape: [23] does not have as many elements as [4,6]");
  assert_fails (acc_array_reshape (a, none), ACC_ERROR_SHAPE, "reshape: ");
  assert_shape (acc_array_reshape (scalar, one), "[1]");
  assert_shape (acc_array_reshape (empty, zeros), "[7,0]");
  assert_shape (acc_array_flatten (a), "[24]");
  assert_shape (acc_array_flatten (scalar), "[1]");
  assert_shape (acc_array_flatten (empty), "[0]");
  assert_shape (acc_array_reshape_expr (a, acc_expr_tuple2 (acc_expr_extent (a, 1), acc_expr_extent (a, 0))), "[6,4]");
}

static void
test_slice_replicate (void)
{
  g_autoptr(AccArray) a = filled ("f4", SHAPE (4, 6, 2));
  g_autoptr(AccArray) v = filled ("f4", SHAPE (10));
  g_autoptr(AccArray) scalar = filled ("f4", 0, NULL);
  g_autoptr(AccArray) empty = filled ("f4", SHAPE (0, 3));

  assert_shape (acc_array_slice (a, LIST (ACC_ALL, 5, ACC_ALL)), "[4,2]");
  assert_shape (acc_array_slice (a, LIST (0, 0, 0)), "[]");
  assert_shape (acc_array_slice (a, LIST (ACC_ALL, ACC_ALL, ACC_ALL)), "[4,6,2]");
  assert_shape (acc_array_slice (scalar, NULL, 0), "[]");
  assert_fails (acc_array_slice (a, LIST (ACC_ALL, 6, ACC_ALL)), ACC_ERROR_BOUNDS, "slice: index 6 is outside dimension 1 of extent 6");
  assert_fails (acc_array_slice (a, LIST (-1, ACC_ALL, ACC_ALL)), ACC_ERROR_BOUNDS, "slice: index -1");
  assert_fails (acc_array_slice (empty, LIST (0, ACC_ALL)), ACC_ERROR_BOUNDS, "slice: ");
  assert_fails (acc_array_slice (a, LIST (0, 0)), ACC_ERROR_SHAPE, "slice: ");
  assert_shape (acc_array_replicate (v, LIST (2, ACC_ALL, 3)), "[2,10,3]");
  assert_shape (acc_array_replicate (scalar, LIST (5, 6)), "[5,6]");
  assert_shape (acc_array_replicate (v, LIST (0, ACC_ALL)), "[0,10]");
  assert_shape (acc_array_replicate (v, LIST (-7, ACC_ALL)), "[0,10]");
  assert_fails (acc_array_replicate (v, LIST (2, 3)), ACC_ERROR_SHAPE, "replicate: ");
  assert_fails (acc_array_replicate (v, LIST (ACC_ALL, ACC_ALL)), ACC_ERROR_SHAPE, "replicate: ");
  assert_fails (acc_array_replicate (v, LIST (G_MAXINT64, ACC_ALL)), ACC_ERROR_SHAPE, "addressed");
}

static AccExpr *
swap (AccExpr *ix, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_item (ix, 1), acc_expr_item (ix, 0));
}

static void
test_backpermute (void)
{
  g_autoptr(AccArray) a = filled ("f4", SHAPE (4, 6));
  g_autoptr(AccArray) v = filled ("f4", SHAPE (4));
  g_autoptr(AccShape) shape = acc_shape_new_matrix (6, 4);
  g_autoptr(AccShape) line = acc_shape_new_vector (6);

  assert_shape (acc_array_backpermute (a, shape, swap, NULL), "[6,4]");
  assert_shape (acc_array_backpermute (v, shape, zero, NULL), "[6,4]");
  assert_fails (acc_array_backpermute (a, line, itself, NULL), ACC_ERROR_TYPE,
                "backpermute: its function gives i8 where (i8,i8) is needed");
  assert_fails (acc_array_backpermute (a, shape, zero, NULL), ACC_ERROR_TYPE, "backpermute: ");
}

static void
test_folds (void)
{
  g_autoptr(AccArray) a = filled ("f4", SHAPE (4, 6));
  g_autoptr(AccArray) rows = filled ("f4", SHAPE (4, 0));
  g_autoptr(AccArray) none = filled ("f4", SHAPE (0, 0));
  g_autoptr(AccArray) outer = filled ("f4", SHAPE (0, 3));
  g_autoptr(AccArray) scalar = filled ("f4", 0, NULL);

  assert_shape (acc_array_sum (a), "[4]");
  assert_shape (acc_array_sum (rows), "[4]");
  assert_fails (acc_array_sum (scalar), ACC_ERROR_SHAPE, "sum: an array of rank 0");
  assert_shape (acc_array_maximum (a), "[4]");
  assert_shape (acc_array_maximum (outer), "[0]");
  assert_fails (acc_array_maximum (rows), ACC_ERROR_SHAPE, "maximum: empty array");
  assert_fails (acc_array_maximum (none), ACC_ERROR_SHAPE, "maximum: empty array");
  assert_fails (acc_array_maximum (scalar), ACC_ERROR_SHAPE, "maximum: ");
  assert_shape (acc_array_sum_all (a), "[]");
  assert_shape (acc_array_sum_all (none), "[]");
  assert_shape (acc_array_sum_all (scalar), "[]");
  assert_shape (acc_array_maximum_all (scalar), "[]");
  assert_fails (acc_array_maximum_all (outer), ACC_ERROR_SHAPE, "maximum_all: empty array");
  assert_shape (acc_array_scanl1 (a, add, NULL), "[4,6]");
  assert_shape (acc_array_scanl1 (rows, add, NULL), "[4,0]");
  assert_fails (acc_array_scanl1 (scalar, add, NULL), ACC_ERROR_SHAPE, "scanl1: ");
  assert_shape (acc_array_sort_by_key (a, FALSE, one, NULL), "[4,6]");
  assert_shape (acc_array_sort_by_key (rows, FALSE, one, NULL), "[4,0]");
  assert_fails (acc_array_sort_by_key (scalar, FALSE, one, NULL), ACC_ERROR_SHAPE, "sort_by_key: ");
}

static AccExpr *
check_neighbourhood (AccExpr *x, gpointer code)
{
  g_assert_cmpstr (acc_element_type_get_code (acc_expr_get_element_type (x)), ==, code);
  return acc_expr_new_int (0);
}

static AccArray *
stencil (AccArray *a, const gint64 *sizes, guint n)
{
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);

  return acc_array_stencil (a, sizes, n, clamp, zero, NULL);
}

static void
test_stencils (void)
{
  g_autoptr(AccArray) a = filled ("f4", SHAPE (4, 6));
  g_autoptr(AccArray) b = filled ("i4", SHAPE (9, 2));
  g_autoptr(AccArray) v = filled ("f4", SHAPE (5));
  g_autoptr(AccArray) pairs = acc_array_zip (a, b);
  g_autoptr(AccArray) scalar = filled ("f4", 0, NULL);
  g_autoptr(AccArray) empty = filled ("f4", SHAPE (0, 6));
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccBoundary) constant = acc_boundary_new_constant (acc_expr_new_int (7));
  g_autoptr(AccBoundary) bools = acc_boundary_new_constant (acc_expr_new_bool (TRUE));
  g_autoptr(AccBoundary) function = acc_boundary_new_function (1, zero, NULL);
  g_autoptr(AccArray) resolved = acc_array_stencil (a, LIST (3, 3), constant, zero, NULL);

  assert_shape (stencil (a, LIST (3, 5)), "[4,6]");
  assert_shape (stencil (a, LIST (1, 1)), "[4,6]");
  assert_shape (stencil (a, LIST (101, 101)), "[4,6]");
  assert_shape (stencil (empty, LIST (3, 3)), "[0,6]");
  assert_fails (stencil (a, LIST (3, 2)), ACC_ERROR_SHAPE, "stencil: a neighbourhood has odd extents, not 2");
  assert_fails (stencil (a, LIST (-3, 3)), ACC_ERROR_SHAPE, "not -3");
  assert_fails (stencil (a, LIST (1001, 1001)), ACC_ERROR_SHAPE, "65536");
  assert_fails (stencil (a, LIST (3)), ACC_ERROR_SHAPE, "rank 1 does not fit");
  assert_fails (stencil (scalar, (gint64[]) { 3 }, 0), ACC_ERROR_SHAPE, "rank 0");
  assert_shape (acc_array_stencil (a, LIST (1, 3), clamp, check_neighbourhood, (char *) "((f4,f4,f4),)"), "[4,6]");
  assert_shape (acc_array_stencil (v, LIST (3), clamp, check_neighbourhood, (char *) "(f4,f4,f4)"), "[5]");
  assert_shape (acc_array_stencil (pairs, LIST (3, 1), clamp, check_neighbourhood,
                                   (char *) "(((f4,i4),),((f4,i4),),((f4,i4),))"), "[4,2]");
  assert_shape (acc_array_stencil2 (a, LIST (3, 3), clamp, b, LIST (1, 5), constant, zero2, NULL), "[4,2]");
  assert_fails (acc_array_stencil2 (a, LIST (3, 3), clamp, v, LIST (5), clamp, zero2, NULL), ACC_ERROR_SHAPE, "stencil2: ");
  assert_fails (acc_array_stencil (a, LIST (3, 3), bools, zero, NULL), ACC_ERROR_TYPE, "its boundary gives b1 where f4 is needed");
  assert_fails (acc_array_stencil (a, LIST (3, 3), function, zero, NULL), ACC_ERROR_SHAPE, "boundary function of rank 1");
  g_assert_true (acc_array_get_stencil (resolved)->boundaries[0]->function->body->type == type_of ("f4"));
  g_assert_cmpfloat (acc_scalar_to_double (ACC_KIND_F32, acc_array_get_stencil (resolved)->boundaries[0]->function->body->value), ==, 7);
}

static AccExpr *
target (AccExpr *ix, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_new_bool (TRUE), ix);
}

static void
test_permute (void)
{
  g_autoptr(AccArray) a = filled ("f4", SHAPE (4, 6));
  g_autoptr(AccArray) defaults = filled ("f4", SHAPE (9));
  g_autoptr(AccArray) targets = filled ("i8", SHAPE (4, 6));
  g_autoptr(AccArray) optional = acc_array_map (targets, target, NULL);
  g_autoptr(AccArray) small = filled ("i8", SHAPE (4, 5));
  g_autoptr(AccArray) ints = filled ("i4", SHAPE (9));
  g_autoptr(AccArray) scalar = filled ("f4", 0, NULL);
  g_autoptr(AccArray) flat = filled ("i8", SHAPE (24));

  assert_shape (acc_array_permute (a, defaults, targets, add, NULL), "[9]");
  assert_shape (acc_array_permute (a, defaults, optional, add, NULL), "[9]");
  assert_fails (acc_array_permute (a, defaults, small, add, NULL), ACC_ERROR_SHAPE,
                "permute: the targets have extent 5 in dimension 1 where the elements have 6");
  assert_fails (acc_array_permute (a, defaults, flat, add, NULL), ACC_ERROR_SHAPE, "rank 1");
  assert_fails (acc_array_permute (a, ints, targets, add, NULL), ACC_ERROR_TYPE, "the defaults are i4");
  assert_fails (acc_array_permute (a, a, targets, add, NULL), ACC_ERROR_TYPE, "the targets are i8 where (i8,i8) or (b1,(i8,i8))");
  assert_fails (acc_array_permute (a, scalar, targets, add, NULL), ACC_ERROR_TYPE, "the targets are i8");
}

static AccArray *
below_ten (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) sum = acc_array_sum_all (arrays[0]);
  g_autoptr(AccArray) ten = acc_array_unit (acc_expr_new_typed_float (type_of ("f4"), 10));

  return acc_array_lt (sum, ten);
}

static AccArray *
doubled (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_add (arrays[0], arrays[0]);
}

static AccArray *
with_capture (AccArray **arrays, guint n, gpointer captured)
{
  return acc_array_add (arrays[0], captured);
}

static AccArray *
to_pair (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_zip (arrays[0], arrays[0]);
}

static AccProgram *
program (const char *signature, AccArrayFunc function, gpointer data)
{
  return acc_program_new ((const char *const[]) { signature, NULL }, function, data);
}

static void
test_flow (void)
{
  g_autoptr(AccArray) yes = filled ("b1", 0, NULL);
  g_autoptr(AccArray) flags = filled ("b1", SHAPE (3));
  g_autoptr(AccArray) a = filled ("f4", SHAPE (4));
  g_autoptr(AccArray) b = filled ("f4", SHAPE (5));
  g_autoptr(AccArray) ints = filled ("i4", SHAPE (4));
  g_autoptr(AccArray) matrix = filled ("f4", SHAPE (4, 4));
  g_autoptr(AccProgram) condition = program ("f4[:]", below_ten, NULL);
  g_autoptr(AccProgram) step = program ("f4[:]", doubled, NULL);
  g_autoptr(AccProgram) fixed_condition = program ("f4[4]", below_ten, NULL);
  g_autoptr(AccProgram) fixed_step = program ("f4[4]", doubled, NULL);
  g_autoptr(AccProgram) pairs = program ("f4[:]", to_pair, NULL);
  g_autoptr(AccProgram) broken = program ("f4[:", doubled, NULL);
  g_autoptr(AccArray) negative = acc_array_neg (a);
  g_autoptr(AccProgram) capturing = program ("f4[:]", with_capture, negative);
  g_autoptr(AccArray) loop = acc_array_while_loop (b, condition, capturing);

  assert_shape (acc_array_cond (yes, a, a), "[4]");
  assert_unknown (acc_array_cond (yes, a, b), 1);
  assert_fails (acc_array_cond (flags, a, b), ACC_ERROR_TYPE, "cond: the condition is b1 of rank 1");
  assert_fails (acc_array_cond (yes, a, ints), ACC_ERROR_TYPE, "cond: one side is f4, the other i4");
  assert_fails (acc_array_cond (yes, a, matrix), ACC_ERROR_SHAPE, "cond: ");

  assert_unknown (acc_array_while_loop (a, condition, step), 1);
  assert_shape (acc_array_while_loop (a, fixed_condition, fixed_step), "[4]");
  assert_fails (acc_array_while_loop (b, fixed_condition, step), ACC_ERROR_SHAPE, "while_loop: its initial state has extent 5");
  assert_fails (acc_array_while_loop (matrix, condition, step), ACC_ERROR_SHAPE, "while_loop: its condition takes rank 1");
  assert_fails (acc_array_while_loop (ints, condition, step), ACC_ERROR_TYPE, "while_loop: its condition takes f4");
  assert_fails (acc_array_while_loop (a, step, step), ACC_ERROR_TYPE, "while_loop: its condition gives f4");
  assert_fails (acc_array_while_loop (a, condition, pairs), ACC_ERROR_TYPE, "while_loop: its step gives (f4,f4)");
  assert_fails (acc_array_while_loop (a, condition, broken), ACC_ERROR_PARSE, "while_loop: step: program: signature of parameter 0");

  g_assert_cmpuint (loop->references->len, ==, 1);
  g_assert_true (g_ptr_array_index (loop->references, 0) == negative);
}

static AccArray *
rules_on_parameters (AccArray **arrays, guint n, gpointer data)
{
  AccArray *a = arrays[0], *partly = arrays[1], *whole = arrays[2];
  g_autoptr(AccShape) shape = acc_shape_new_matrix (3, 5);

  assert_unknown (acc_array_map (a, itself, NULL), 2);
  assert_unknown (acc_array_sum (a), 1);
  assert_shape (acc_array_sum_all (whole), "[]");
  assert_unknown (acc_array_reshape (a, shape), 2);
  assert_unknown (acc_array_slice (a, LIST (1000, ACC_ALL)), 1);
  assert_shape (acc_array_backpermute (a, shape, itself, NULL), "[3,5]");
  assert_shape (acc_array_fill_expr (acc_expr_extent (partly, 2), acc_expr_new_int (0)), "[3]");
  assert_unknown (acc_array_fill_expr (acc_expr_extent (partly, 1), acc_expr_new_int (0)), 1);
  assert_shape (acc_array_fill_expr (acc_expr_shape (whole), acc_expr_new_int (0)), "[2,8]");
  assert_fails (acc_array_reshape (whole, shape), ACC_ERROR_SHAPE, "reshape: ");

  return g_object_ref (whole);
}

static void
test_parameters (void)
{
  g_autoptr(AccProgram) checked =
    acc_program_new ((const char *const[]) { "f4[:,:]", "u1[:,:,3]", "f8[2,8]", NULL }, rules_on_parameters, NULL);
  g_autoptr(GError) error = NULL;

  acc_program_check (checked, &error);
  g_assert_no_error (error);
}

/* Extents given by hand, as a backend does when it runs. */
static const gint64 *
get_extents (AccArray *array, gpointer data, GError **error)
{
  const gint64 *extents = g_object_get_data (G_OBJECT (array), "extents");

  if (extents == NULL)
    g_set_error_literal (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "unknown");
  return extents;
}

static gboolean
evaluate (AccFunction *function, gint64 *values, gpointer data, GError **error)
{
  values[0] = 17;
  return TRUE;
}

static void
test_at_run (void)
{
  gint64 given[] = { 3, 0 };
  AccShapeContext context = { get_extents, evaluate, NULL };
  g_autoptr(AccArray) parameter = acc_array_new_parameter (type_of ("f4"), 2, NULL, 0);
  g_autoptr(AccArray) sizes = acc_array_new_parameter (type_of ("i8"), 0, NULL, 1);
  g_autoptr(AccArray) folded = acc_array_maximum (parameter);
  g_autoptr(AccArray) sliced = acc_array_slice (parameter, LIST (3, ACC_ALL));
  g_autoptr(AccArray) computed = acc_array_fill_expr (acc_expr_the (sizes), acc_expr_new_int (0));
  g_autoptr(AccArray) derived = acc_array_fill_expr (acc_expr_tuple2 (acc_expr_add (acc_expr_extent (parameter, 0), acc_expr_new_int (2)),
                                                                      acc_expr_new_int (4)), acc_expr_new_int (0));
  g_autoptr(GError) error = NULL;
  gint64 extents[2];

  g_object_set_data (G_OBJECT (parameter), "extents", given);
  acc_array_set_label (folded, "largest");
  g_assert_false (acc_array_infer_extents (folded, &context, extents, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_SHAPE);
  g_assert_true (g_str_has_prefix (error->message, "maximum “largest”: empty array"));
  g_clear_error (&error);
  g_assert_false (acc_array_infer_extents (sliced, &context, extents, &error));
  g_assert_error (error, ACC_ERROR, ACC_ERROR_BOUNDS);
  g_clear_error (&error);
  g_assert_true (acc_array_infer_extents (computed, &context, extents, &error));
  g_assert_cmpint (extents[0], ==, 17);
  g_assert_true (acc_array_infer_extents (derived, &context, extents, &error));
  g_assert_cmpint (extents[0], ==, 5);
  g_assert_cmpint (extents[1], ==, 4);
  given[1] = 2;
  g_assert_true (acc_array_infer_extents (folded, &context, extents, &error));
  g_assert_cmpint (extents[0], ==, 3);
  given[0] = 4;
  g_assert_true (acc_array_infer_extents (sliced, &context, extents, &error));
  g_assert_cmpint (extents[0], ==, 2);
}

/* The value of a closed i8 expression, seen through the extent it gives. */
static void
assert_value (AccExpr *expr, gint64 expected)
{
  g_autoptr(AccArray) array = acc_array_fill_expr (expr, acc_expr_new_bool (FALSE));
  g_autoptr(GError) error = NULL;

  acc_array_check (array, &error);
  g_assert_no_error (error);
  g_assert_nonnull (array->shape);
  g_assert_cmpint (acc_shape_get_extent (array->shape, 0), ==, expected);
}

static AccExpr *
lit (const char *code, gint64 value)
{
  AccElementType *type = type_of (code);

  if (acc_element_kind_is_float (acc_element_type_get_kind (type)))
    return acc_expr_new_typed_float (type, value);
  else if (acc_element_kind_is_signed (acc_element_type_get_kind (type)))
    return acc_expr_new_typed_int (type, value);
  else
    return acc_expr_new_typed_uint (type, value);
}

static AccExpr *
to_i8 (AccExpr *expr)
{
  return acc_expr_cast (expr, type_of ("i8"));
}

static void
test_closed (void)
{
  AccExpr *i;

  assert_value (to_i8 (acc_expr_add (lit ("i1", 127), lit ("i1", 1))), 0);
  assert_value (to_i8 (acc_expr_sub (lit ("u1", 0), lit ("u1", 1))), 255);
  assert_value (to_i8 (acc_expr_abs (lit ("i2", -32767))), 32767);
  assert_value (acc_expr_neg (acc_expr_div (lit ("i8", -7), lit ("i8", 2))), 4);
  assert_value (acc_expr_neg (acc_expr_quot (lit ("i8", -7), lit ("i8", 2))), 3);
  assert_value (acc_expr_mod (lit ("i8", -7), lit ("i8", 4)), 1);
  assert_value (acc_expr_neg (acc_expr_rem (lit ("i8", -7), lit ("i8", 4))), 3);
  assert_value (to_i8 (acc_expr_div (lit ("u8", -1), lit ("u8", 4))), G_MAXINT64 / 2);
  assert_value (acc_expr_shl (lit ("i8", 3), lit ("i8", 4)), 48);
  assert_value (acc_expr_shl (lit ("i8", 3), lit ("i8", 64)), 0);
  assert_value (acc_expr_shl (lit ("i8", 48), lit ("i8", -4)), 3);
  assert_value (acc_expr_neg (acc_expr_shr (lit ("i8", -9), lit ("i8", 100))), 1);
  assert_value (to_i8 (acc_expr_rotl (lit ("u1", 0x81), lit ("i8", 9))), 3);
  assert_value (to_i8 (acc_expr_rotr (lit ("u1", 0x81), lit ("i8", 1))), 0xc0);
  assert_value (acc_expr_popcount (lit ("i2", -1)), 16);
  assert_value (acc_expr_clz (lit ("u1", 1)), 7);
  assert_value (acc_expr_clz (lit ("u4", 0)), 32);
  assert_value (acc_expr_ctz (lit ("i8", 40)), 3);
  assert_value (acc_expr_ctz (lit ("i1", 0)), 8);
  assert_value (to_i8 (acc_expr_mul (lit ("f4", 3), acc_expr_new_typed_float (type_of ("f4"), 2.75))), 8);
  assert_value (to_i8 (acc_expr_round (acc_expr_new_typed_float (type_of ("f8"), 2.5))), 2);
  assert_value (to_i8 (acc_expr_add (lit ("f2", 2048), lit ("f2", 1))), 2048);
  assert_value (to_i8 (acc_expr_sqrt (lit ("f4", 1000000))), 1000);
  assert_value (to_i8 (acc_expr_cast (acc_expr_new_typed_float (type_of ("f8"), 1e30), type_of ("u2"))), 65535);
  assert_value (to_i8 (acc_expr_new_typed_float (type_of ("f8"), NAN)), 0);
  assert_value (to_i8 (acc_expr_lt (lit ("u8", 1), lit ("u8", -1))), 1);
  assert_value (to_i8 (acc_expr_le (acc_expr_new_typed_float (type_of ("f4"), NAN), lit ("f4", 1))), 0);
  assert_value (to_i8 (acc_expr_ne (acc_expr_new_typed_float (type_of ("f4"), NAN), lit ("f4", 1))), 1);
  assert_value (acc_expr_max (lit ("i8", -1), lit ("i8", 5)), 5);
  assert_value (acc_expr_min (lit ("i8", 9), lit ("i8", 5)), 5);
  assert_value (acc_expr_signum (lit ("i8", 44)), 1);
  assert_value (acc_expr_item (acc_expr_cond (acc_expr_lt (lit ("i8", 1), lit ("i8", 2)),
                                              acc_expr_tuple2 (lit ("i8", 4), lit ("i8", 5)),
                                              acc_expr_tuple2 (lit ("i8", 6), lit ("i8", 7))), 1), 5);

  /* The side that is not taken may fail. */
  assert_value (acc_expr_cond (acc_expr_eq (lit ("i8", 0), lit ("i8", 0)), lit ("i8", 3),
                               acc_expr_div (lit ("i8", 1), lit ("i8", 0))), 3);

  /* Shared, and deep. */
  i = lit ("i8", 1);
  for (guint k = 0; k < 62; k++)
    i = acc_expr_add (i, i);
  assert_value (acc_expr_min (i, lit ("i8", 9)), 9);

  i = lit ("i8", 0);
  for (guint k = 0; k < 100000; k++)
    i = acc_expr_add (i, lit ("i8", 1));
  assert_value (i, 100000);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/shape-rules/elementwise", test_elementwise);
  g_test_add_func ("/shape-rules/construction", test_construction);
  g_test_add_func ("/shape-rules/reshape", test_reshape);
  g_test_add_func ("/shape-rules/slice-replicate", test_slice_replicate);
  g_test_add_func ("/shape-rules/backpermute", test_backpermute);
  g_test_add_func ("/shape-rules/folds", test_folds);
  g_test_add_func ("/shape-rules/stencils", test_stencils);
  g_test_add_func ("/shape-rules/permute", test_permute);
  g_test_add_func ("/shape-rules/flow", test_flow);
  g_test_add_func ("/shape-rules/parameters", test_parameters);
  g_test_add_func ("/shape-rules/at-run", test_at_run);
  g_test_add_func ("/shape-rules/closed", test_closed);

  return g_test_run ();
}
