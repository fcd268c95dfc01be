/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <acc.h>

#include "acc-core/array/acc-array-private.h"
#include "tests/footprint.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Types, ownership, errors and size of scalar expressions. What they compute is in test-expr-values.c. */

static AccElementType *
type (const char *code)
{
  g_autoptr(GError) error = NULL;
  AccElementType *result = acc_element_type_parse (code, &error);

  g_assert_no_error (error);
  return result;
}

static AccExpr *
variable (const char *code)
{
  return acc_expr_new_variable (type (code));
}

#define INT(value)   acc_expr_new_int (value)
#define FLOAT(value) acc_expr_new_float (value)

/* These take over @expr where it floats. */
static void
assert_type (AccExpr    *expr,
             const char *code)
{
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (expr);
  g_autoptr(GError) error = NULL;

  acc_expr_check (owned, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (acc_element_type_get_code (acc_expr_get_element_type (owned)), ==, code);
}

static void
assert_error (AccExpr    *expr,
              AccError    code,
              const char *message)
{
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (expr);
  g_autoptr(GError) error = NULL;

  g_assert_false (acc_expr_check (owned, &error));
  g_assert_error (error, ACC_ERROR, (int) code);
  if (message != NULL)
    g_assert_cmpstr (error->message, ==, message);
  g_assert_null (acc_expr_get_element_type (owned));
  g_assert_false (acc_expr_check (owned, NULL));
  g_assert_cmpuint (acc_expr_get_n_items (owned), ==, 0);
}

static void
test_ownership (void)
{
  g_autoptr(AccExpr) x = acc_expr_ref_sink (variable ("f4"));
  g_autoptr(AccExpr) square = acc_expr_ref_sink (acc_expr_mul (x, x));
  AccExpr *shared = acc_expr_neg (x);
  g_autoptr(AccExpr) twice = acc_expr_ref_sink (acc_expr_add (shared, shared));
  g_auto(GValue) value = G_VALUE_INIT;

  g_assert_true (square->args[0] == x && square->args[1] == x);
  g_assert_true (twice->args[0] == shared && twice->args[1] == shared);
  g_assert_cmpint (shared->ref_count, ==, 2);
  g_assert_cmpint (x->ref_count, ==, 4);

  /* A boxed copy takes over what floats, and adds a reference to the rest. */
  g_value_init (&value, ACC_TYPE_EXPR);
  g_value_set_boxed (&value, acc_expr_abs (x));
  g_assert_cmpint (((AccExpr *) g_value_get_boxed (&value))->ref_count, ==, 1);
  g_value_set_boxed (&value, square);
  g_assert_cmpint (square->ref_count, ==, 2);
}

static AccExpr *
first_of_pair (AccExpr *x)
{
  g_autoptr(AccExpr) pair = acc_expr_ref_sink (acc_expr_tuple2 (acc_expr_neg (x), acc_expr_neg (acc_expr_neg (x))));

  return acc_expr_item (pair, 0);
}

static AccExpr *
same_type (AccExpr *x)
{
  g_autoptr(AccExpr) sum = acc_expr_ref_sink (acc_expr_add (x, INT (1)));

  return acc_expr_cast (sum, type ("f4"));
}

static AccExpr *
itself (AccExpr *x)
{
  g_autoptr(AccExpr) sum = acc_expr_ref_sink (acc_expr_add (x, INT (1)));

  return acc_expr_item (sum, 0);
}

static AccExpr *
wrong (AccExpr *x)
{
  g_autoptr(AccExpr) error = acc_expr_ref_sink (acc_expr_add (x, acc_expr_new_bool (TRUE)));

  return acc_expr_neg (error);
}

/* Results that are old expressions outlive whoever owned them. */
static void
test_old_results (void)
{
  g_autoptr(AccExpr) x = acc_expr_ref_sink (variable ("f4"));
  AccExpr *(*const makers[]) (AccExpr *) = { first_of_pair, same_type, itself, wrong };

  for (guint i = 0; i < G_N_ELEMENTS (makers); i++)
    {
      g_autoptr(AccExpr) result = acc_expr_ref_sink (makers[i] (x));

      g_assert_cmpint (result->ref_count, ==, 1);
    }

  g_assert_cmpint (x->ref_count, ==, 1);
}

static AccExpr *
use_twice (AccExpr *given,
           guint    how,
           AccExpr *x)
{
  AccElementType *f4 = type ("f4");

  switch (how)
    {
    case 0:
      return acc_expr_add (x, given);
    case 1:
      return acc_expr_cast (given, f4);
    case 2:
      return acc_expr_cast (given, type ("u1"));
    case 3:
      return acc_expr_item (given, 0);
    case 4:
      return acc_expr_item (given, 1);
    case 5:
      return acc_expr_cond (acc_expr_new_bool (TRUE), given, x);
    case 6:
      return acc_expr_cond (acc_expr_new_bool (TRUE), given, given);
    case 7:
      return acc_expr_gcd (given, given);
    case 8:
      return acc_expr_from_linear (given, INT (5));
    case 9:
      return acc_expr_to_linear (given, given);
    case 10:
      return acc_expr_lt (given, given);
    case 11:
      return acc_expr_max (given, given);
    case 12:
      return acc_expr_neighbour1 (given, 0);
    case 13:
      return acc_expr_tuple2 (given, NULL);
    case 14:
      return acc_expr_bitcast (given, type ("i8"));
    case 15:
      return acc_expr_scale_float (INT (1), given);
    case 16:
      return acc_expr_shl (INT (1), given);
    default:
      return acc_expr_int_pow (given, given);
    }
}

/* An expression that floats may be given to several constructors, whatever they make of it. */
static void
test_used_twice (void)
{
  g_autoptr(AccExpr) x = acc_expr_ref_sink (variable ("f4"));

  for (guint kind = 0; kind < 8; kind++)
    for (guint how = 0; how < 18; how++)
      for (guint next = 0; next < 18; next++)
        {
          AccExpr *given = kind == 0 ? INT (3) : kind == 1 ? FLOAT (0.5) : kind == 2 ? acc_expr_tuple2 (INT (1), FLOAT (2))
            : kind == 3 ? acc_expr_tuple2 (acc_expr_neg (x), INT (1)) : kind == 4 ? acc_expr_mul (x, INT (2))
            : kind == 5 ? acc_expr_tuple3 (INT (1), variable ("i8"), INT (3))
            : kind == 6 ? acc_expr_cond (acc_expr_new_bool (TRUE), INT (1), FLOAT (2)) : acc_expr_add (x, variable ("u1"));
          AccExpr *first = use_twice (given, how, x);
          AccExpr *second = use_twice (given, next, x);
          g_autoptr(AccExpr) both = acc_expr_ref_sink (acc_expr_tuple2 (first, second));
          g_autofree char *text = acc_expr_to_string (both);

          g_assert_nonnull (text);
        }
  g_assert_cmpint (x->ref_count, ==, 1);

  {
    g_autoptr(AccShape) shape = acc_shape_new_vector (3);
    AccExpr *value = acc_expr_tuple2 (INT (1), FLOAT (2));
    g_autoptr(AccArray) a = acc_array_fill (shape, value);
    g_autoptr(AccArray) b = acc_array_fill (shape, value);

    g_assert_true (acc_array_check (a, NULL) && acc_array_check (b, NULL));
    g_assert_cmpint (value->ref_count, ==, 2);
  }
}

static void
test_simple (void)
{
  g_autoptr(AccExpr) a = acc_expr_ref_sink (variable ("f4"));
  g_autoptr(AccExpr) b = acc_expr_ref_sink (variable ("u1"));
  g_autoptr(AccExpr) pair = acc_expr_ref_sink (acc_expr_tuple2 (a, b));
  g_autoptr(AccExpr) item = acc_expr_ref_sink (acc_expr_item (pair, 1));
  g_autoptr(AccExpr) cast = acc_expr_ref_sink (acc_expr_cast (a, type ("f4")));
  g_autoptr(AccExpr) bits = acc_expr_ref_sink (acc_expr_bitcast (a, type ("f4")));
  g_autoptr(AccExpr) self = acc_expr_ref_sink (acc_expr_item (b, 0));

  g_assert_true (item == b && cast == a && bits == a && self == b);
  g_assert_cmpuint (acc_expr_get_n_items (pair), ==, 2);
  g_assert_cmpuint (acc_expr_get_n_items (a), ==, 1);
  assert_type (pair, "(f4,u1)");
  assert_type (acc_expr_tuple (NULL, 0), "()");
  assert_type (acc_expr_tuple3 (a, b, pair), "(f4,u1,(f4,u1))");
  assert_type (acc_expr_tuple4 (a, b, a, b), "(f4,u1,f4,u1)");
  assert_type (acc_expr_item (variable ("(i4,(f4,u1))"), 1), "(f4,u1)");
  assert_type (acc_expr_bitcast (a, type ("u4")), "u4");
  assert_type (acc_expr_cast (a, type ("b1")), "b1");

  assert_error (acc_expr_item (pair, 2), ACC_ERROR_TYPE, "item: there is no item 2 in (f4,u1)");
  assert_error (acc_expr_item (a, 1), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_cast (pair, type ("f4")), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_cast (a, type ("(f4,)")), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_bitcast (a, type ("u1")), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_bitcast (b, type ("b1")), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_bitcast (pair, type ("i8")), ACC_ERROR_TYPE, NULL);
}

static void
test_primitives (void)
{
  static const char *const codes[] = { "b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8" };

  for (guint p = 0; p < ACC_N_PRIMITIVES; p++)
    for (guint k = 0; k < ACC_KIND_TUPLE; k++)
      {
        const AccPrimitiveInfo *info = acc_primitive_get_info (p);
        AccExpr *x = variable (codes[k]);
        AccExpr *expr = acc_expr_new_primitive (p, (AccExpr *[]) { x, info->operands == ACC_OPERANDS_SHIFT ? variable ("i8") : x });
        AccPrimitive found;

        if (acc_primitive_accepts (p, k))
          assert_type (expr, codes[acc_primitive_result (p, k)]);
        else
          assert_error (expr, ACC_ERROR_TYPE, NULL);
        g_assert_true (acc_primitive_from_name (info->name, &found) && found == p);
      }

  g_assert_false (acc_primitive_from_name ("frobnicate", &(AccPrimitive) { 0 }));
  g_assert_false (acc_primitive_accepts (ACC_PRIM_LT, ACC_KIND_TUPLE));

  assert_error (acc_expr_add (variable ("f4"), variable ("u1")), ACC_ERROR_TYPE, "add: f4 and u1 differ; convert one with cast");
  assert_error (acc_expr_sin (variable ("i4")), ACC_ERROR_TYPE, "sin takes floats, not i4");
  assert_error (acc_expr_add (variable ("(f4,)"), variable ("(f4,)")), ACC_ERROR_TYPE, "add takes numbers, not (f4,)");
  assert_error (acc_expr_add (NULL, variable ("u1")), ACC_ERROR_CALLBACK, "add: operand 1 is missing");
  assert_error (acc_expr_shl (variable ("i4"), variable ("f4")), ACC_ERROR_TYPE, "shl: the amount is f4, not an integer");
  assert_type (acc_expr_shl (variable ("i4"), variable ("u1")), "i4");
  assert_type (acc_expr_popcount (variable ("u1")), "i8");
  assert_type (acc_expr_popcount (variable ("b1")), "i8");
  assert_type (acc_expr_rotl (variable ("b1"), INT (3)), "b1");
  assert_error (acc_expr_shl (variable ("b1"), variable ("f4")), ACC_ERROR_TYPE, "shift takes an integer amount, not f4");
  assert_error (acc_expr_shl (variable ("f4"), INT (1)), ACC_ERROR_TYPE, "shl takes integers, not f4");
  assert_error (acc_expr_clz (variable ("f4")), ACC_ERROR_TYPE, "clz takes integers, not f4");
  assert_error (acc_expr_bit_size (variable ("f4")), ACC_ERROR_TYPE, "bit_size takes an integer or a b1, not f4");
}

static void
test_derived (void)
{
  assert_type (acc_expr_quot_rem (INT (7), variable ("u2")), "(u2,u2)");
  assert_type (acc_expr_div_mod_float (variable ("f2"), FLOAT (1)), "(f2,f2)");
  assert_type (acc_expr_proper_fraction (variable ("f2")), "(f2,f2)");
  assert_type (acc_expr_float_range (variable ("f4")), "(i8,i8)");
  assert_type (acc_expr_shape_size (variable ("(u1,i4)")), "i8");
  assert_type (acc_expr_shape_size (variable ("()")), "i8");
  assert_type (acc_expr_index_tail (variable ("i8")), "()");
  assert_type (acc_expr_index_tail (variable ("(i8,i4)")), "i8");
  assert_type (acc_expr_index_tail (variable ("(i8,i4,u1)")), "(i8,i4)");
  assert_type (acc_expr_intersect (variable ("(i8,i4)"), variable ("(i8,i4)")), "(i8,i4)");
  assert_error (acc_expr_quot_rem (variable ("f4"), FLOAT (1)), ACC_ERROR_TYPE, "quot_rem takes integers, not f4");
  assert_error (acc_expr_div_mod (variable ("u1"), variable ("u2")), ACC_ERROR_TYPE, "div_mod: u1 and u2 differ; convert one with cast");
  assert_error (acc_expr_proper_fraction (variable ("i4")), ACC_ERROR_TYPE, "proper_fraction takes a float, not i4");
  assert_error (acc_expr_float_digits (variable ("i4")), ACC_ERROR_TYPE, "float_digits takes a float, not i4");
  assert_error (acc_expr_index_head (variable ("()")), ACC_ERROR_TYPE, "index_head takes an index of rank 1 or more, not ()");
  assert_error (acc_expr_index_tail (variable ("f4")), ACC_ERROR_TYPE, "index_tail takes an index of rank 1 or more, not f4");
  assert_error (acc_expr_union (variable ("(f4,i4)"), variable ("(f4,i4)")), ACC_ERROR_TYPE, "union takes shapes of integers, not (f4,i4)");
  assert_error (acc_expr_shape_size (NULL), ACC_ERROR_CALLBACK, "shape_size: operand 1 is missing");
}

static void
test_sums (void)
{
  AccExpr *alternatives[] = { INT (1), FLOAT (2), INT (3) };
  AccExpr *differing[] = { variable ("f4"), variable ("f8") };

  g_assert_true (acc_element_type_new_maybe (type ("(f4,u1)")) == type ("(u1,(f4,u1))"));
  g_assert_true (acc_element_type_new_either (type ("f2"), type ("()")) == type ("(u1,f2,())"));
  assert_type (acc_expr_nothing (type ("b1")), "(u1,b1)");
  assert_type (acc_expr_just (INT (1)), "(u1,i8)");
  assert_type (acc_expr_cond (variable ("b1"), acc_expr_just (INT (1)), acc_expr_nothing (type ("f2"))), "(u1,f2)");
  assert_type (acc_expr_cond (variable ("b1"), acc_expr_left (INT (1), type ("b1")), acc_expr_right (variable ("b1"), type ("i2"))),
               "(u1,i2,b1)");
  assert_type (acc_expr_from_maybe (variable ("(u1,f4)"), INT (1)), "f4");
  assert_type (acc_expr_from_maybe (acc_expr_just (INT (1)), variable ("f4")), "f4");
  assert_type (acc_expr_either (variable ("(u1,f4,i8)"), INT (1), variable ("f2")), "f2");
  assert_type (acc_expr_switch (variable ("u1"), alternatives, 3, NULL), "f8");
  assert_type (acc_expr_switch (variable ("u1"), NULL, 0, variable ("f2")), "f2");

  assert_error (acc_expr_is_just (variable ("(i1,f4)")), ACC_ERROR_TYPE, "is_just takes a value or none: (u1, …), not (i1,f4)");
  assert_error (acc_expr_from_just (variable ("(u1,f4,f4)")), ACC_ERROR_TYPE, "from_just takes a value or none: (u1, …), not (u1,f4,f4)");
  assert_error (acc_expr_from_left (variable ("(u1,f4)")), ACC_ERROR_TYPE, "from_left takes one value or another: (u1, …, …), not (u1,f4)");
  assert_error (acc_expr_is_right (variable ("u1")), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_either (variable ("u1"), INT (1), INT (2)), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_from_maybe (variable ("(u1,f4)"), variable ("f8")), ACC_ERROR_TYPE,
                "from_maybe: f8 and f4 differ; convert one with cast");
  assert_error (acc_expr_maybe (variable ("(u1,f4)"), INT (1), NULL, NULL), ACC_ERROR_CALLBACK, "maybe: no function was given");
  assert_error (acc_expr_nothing (NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_just (NULL), ACC_ERROR_CALLBACK, "just: operand 1 is missing");
  assert_error (acc_expr_right (INT (1), NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_switch (variable ("u1"), differing, 2, NULL), ACC_ERROR_TYPE, "switch: f4 and f8 differ; convert one with cast");
  assert_error (acc_expr_switch (variable ("f4"), NULL, 0, INT (1)), ACC_ERROR_TYPE, "switch: the index is f4, not an integer");
  assert_error (acc_expr_switch (variable ("u1"), NULL, 0, NULL), ACC_ERROR_CALLBACK, "switch: there is no alternative");
  assert_error (acc_expr_switch (NULL, NULL, 0, INT (1)), ACC_ERROR_CALLBACK, "switch: operand 1 is missing");
}

static void
test_errors_travel (void)
{
  g_autoptr(AccExpr) error = acc_expr_ref_sink (acc_expr_add (variable ("f4"), variable ("u1")));
  const char *message = "add: f4 and u1 differ; convert one with cast";

  assert_error (acc_expr_mul (error, INT (1)), ACC_ERROR_TYPE, message);
  assert_error (acc_expr_mul (INT (1), error), ACC_ERROR_TYPE, message);
  assert_error (acc_expr_tuple2 (INT (1), error), ACC_ERROR_TYPE, message);
  assert_error (acc_expr_item (error, 0), ACC_ERROR_TYPE, message);
  assert_error (acc_expr_cast (error, type ("f4")), ACC_ERROR_TYPE, message);
  assert_error (acc_expr_bitcast (error, type ("f4")), ACC_ERROR_TYPE, message);
  assert_error (acc_expr_cond (error, INT (1), INT (2)), ACC_ERROR_TYPE, message);
  assert_error (acc_expr_lt (error, acc_expr_tuple2 (INT (1), INT (1))), ACC_ERROR_TYPE, message);
  assert_error (acc_expr_gcd (error, INT (1)), ACC_ERROR_TYPE, message);
  assert_error (acc_expr_decode_float (error), ACC_ERROR_TYPE, message);
  assert_error (acc_expr_neighbour1 (error, 0), ACC_ERROR_TYPE, message);

  g_assert_cmpint (error->ref_count, ==, 1);
}

static void
test_missing (void)
{
  AccExpr *const nothing[] = { NULL, NULL };

  assert_error (acc_expr_neg (NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_tuple ((AccExpr **) nothing, 2), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_tuple2 (variable ("f4"), NULL), ACC_ERROR_CALLBACK, "tuple: operand 2 is missing");
  assert_error (acc_expr_item (NULL, 0), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_cast (NULL, type ("f4")), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_cast (variable ("f4"), NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_bitcast (variable ("f4"), NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_cond (NULL, NULL, NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_while (NULL, NULL, NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_while (INT (1), NULL, NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_iterate (INT (1), INT (1), NULL, NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_neighbour2 (NULL, 0, 0), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_index (NULL, INT (1)), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_the (NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_extent (NULL, 0), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_shape (NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_fold_row (NULL, INT (1), INT (1), NULL, NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_new_typed_int (NULL, 1), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_new_minimum (NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_new_zero (NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_new_pi (NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_scale_float (NULL, FLOAT (1)), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_to_linear (NULL, NULL), ACC_ERROR_CALLBACK, NULL);
}

static void
test_weak (void)
{
  g_autoptr(AccExpr) f4 = acc_expr_ref_sink (variable ("f4"));
  g_autoptr(AccExpr) u1 = acc_expr_ref_sink (variable ("u1"));
  g_autoptr(AccExpr) b1 = acc_expr_ref_sink (variable ("b1"));
  g_autoptr(AccExpr) choice = acc_expr_ref_sink (acc_expr_cond (b1, INT (1), INT (2)));
  g_autoptr(AccExpr) many = NULL;

  assert_type (INT (1), "i8");
  assert_type (FLOAT (1), "f8");
  assert_type (acc_expr_add (f4, INT (1)), "f4");
  assert_type (acc_expr_add (FLOAT (0.1), f4), "f4");
  assert_type (acc_expr_add (u1, INT (255)), "u1");
  assert_type (acc_expr_add (INT (1), INT (2)), "i8");
  assert_type (acc_expr_add (INT (1), FLOAT (2)), "f8");
  assert_type (acc_expr_fdiv (INT (1), INT (2)), "f8");
  assert_type (acc_expr_sqrt (INT (2)), "f8");
  assert_type (acc_expr_shl (u1, INT (3)), "u1");
  assert_type (acc_expr_shl (INT (1), variable ("i8")), "i8");
  assert_type (acc_expr_cond (b1, f4, INT (2)), "f4");
  assert_type (acc_expr_cond (b1, INT (1), FLOAT (2)), "f8");
  assert_type (acc_expr_cast (INT (300), type ("u1")), "u1");
  assert_type (acc_expr_cast (FLOAT (1.5), type ("u1")), "u1");

  assert_error (acc_expr_add (u1, INT (256)), ACC_ERROR_TYPE, "add: the literal 256 does not fit u1");
  assert_error (acc_expr_add (u1, INT (-1)), ACC_ERROR_TYPE, "add: the literal -1 does not fit u1");
  assert_error (acc_expr_add (u1, FLOAT (1.5)), ACC_ERROR_TYPE, "add: the literal 1.5 does not fit u1");
  assert_error (acc_expr_add (u1, FLOAT (-1)), ACC_ERROR_TYPE, "add: the literal -1.0 does not fit u1");
  assert_error (acc_expr_add (f4, FLOAT (1e39)), ACC_ERROR_TYPE, "add: the literal 1e+39 does not fit f4");
  assert_error (acc_expr_add (variable ("f2"), INT (70000)), ACC_ERROR_TYPE, "add: the literal 70000 does not fit f2");
  assert_error (acc_expr_add (variable ("2f2"), INT (-70000)), ACC_ERROR_TYPE, "the literal -70000 does not fit f2");
  assert_type (acc_expr_add (f4, FLOAT (-INFINITY)), "f4");
  assert_type (acc_expr_add (f4, FLOAT (FLT_MAX)), "f4");
  assert_error (acc_expr_band (b1, INT (1)), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_rem (FLOAT (1), INT (1)), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_shl (u1, FLOAT (1)), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_cond (INT (1), f4, f4), ACC_ERROR_TYPE, "cond: the condition is i8, not b1");
  assert_error (acc_expr_cond (b1, f4, u1), ACC_ERROR_TYPE, "cond: f4 and u1 differ; convert one with cast");

  /* Tuples and choices of literals adapt, too. */
  assert_type (acc_expr_eq (acc_expr_tuple2 (INT (1), FLOAT (2)), acc_expr_tuple2 (f4, f4)), "b1");
  assert_type (acc_expr_min (acc_expr_tuple2 (INT (1), INT (2)), acc_expr_tuple2 (FLOAT (1), u1)), "(f8,u1)");
  assert_type (acc_expr_cond (b1, acc_expr_tuple2 (INT (1), f4), acc_expr_tuple2 (u1, INT (3))), "(u1,f4)");
  assert_type (acc_expr_cond (b1, acc_expr_tuple2 (INT (1), INT (1)), acc_expr_tuple2 (INT (2), FLOAT (3))), "(i8,f8)");
  assert_type (acc_expr_mul (f4, choice), "f4");
  assert_type (acc_expr_mul (u1, choice), "u1");
  assert_type (acc_expr_mul (f4, acc_expr_cond (b1, choice, FLOAT (0.5))), "f4");
  assert_type (acc_expr_item (acc_expr_tuple2 (choice, f4), 0), "i8");
  assert_error (acc_expr_mul (u1, acc_expr_cond (b1, choice, INT (-1))), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_eq (acc_expr_tuple2 (INT (300), INT (1)), acc_expr_tuple2 (u1, u1)), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_eq (acc_expr_tuple2 (INT (1), INT (1)), acc_expr_tuple3 (u1, u1, u1)), ACC_ERROR_TYPE, NULL);

  /* Shared choices of choices would resolve to a tree without end: at some size they get their type. */
  many = acc_expr_ref (choice);
  for (guint i = 0; i < 60; i++)
    {
      AccExpr *next = acc_expr_ref_sink (acc_expr_cond (b1, many, many));
      acc_expr_unref (many);
      many = next;
    }
  assert_type (many, "i8");
  assert_error (acc_expr_mul (f4, many), ACC_ERROR_TYPE, NULL);
}

static void
test_literals (void)
{
  static const struct { const char *code; gint64 value; gboolean fits; } ints[] = {
    { "i1", 127, TRUE }, { "i1", 128, FALSE }, { "i1", -128, TRUE }, { "i1", -129, FALSE }, { "u1", 255, TRUE }, { "u1", 256, FALSE },
    { "u1", -1, FALSE }, { "i2", -32768, TRUE }, { "i2", 32768, FALSE }, { "u2", 65535, TRUE }, { "u2", 65536, FALSE },
    { "i4", G_MININT32, TRUE }, { "i4", (gint64) G_MAXINT32 + 1, FALSE }, { "u4", G_MAXUINT32, TRUE }, { "u4", (gint64) 1 << 32, FALSE },
    { "i8", G_MININT64, TRUE }, { "u8", G_MAXINT64, TRUE }, { "u8", -1, FALSE }, { "b1", 1, TRUE }, { "b1", 2, FALSE },
    { "f4", G_MININT64, TRUE }, { "f2", 65504, TRUE }, { "f2", 65519, TRUE }, { "f2", 65520, FALSE }, { "f2", -65520, FALSE },
    { "(i1,)", 1, FALSE }, { "()", 0, FALSE }, };

  for (guint i = 0; i < G_N_ELEMENTS (ints); i++)
    {
      AccExpr *expr = acc_expr_new_typed_int (type (ints[i].code), ints[i].value);

      if (ints[i].fits)
        assert_type (expr, ints[i].code);
      else
        assert_error (expr, ACC_ERROR_TYPE, NULL);
    }

  assert_type (acc_expr_new_typed_uint (type ("u8"), G_MAXUINT64), "u8");
  assert_error (acc_expr_new_typed_uint (type ("i8"), (guint64) 1 << 63), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_new_typed_float (type ("i8"), 1), ACC_ERROR_TYPE, NULL);
  assert_type (acc_expr_new_minimum (type ("(i1,(f4,b1))")), "(i1,(f4,b1))");
  assert_type (acc_expr_new_zero (type ("(i1,(b1,c8,2b1,3u2))")), "(i1,(b1,c8,2b1,3u2))");
  assert_type (acc_expr_new_pi (type ("f2")), "f2");
  assert_error (acc_expr_new_pi (type ("i4")), ACC_ERROR_TYPE, NULL);
}

static double
half_of (AccExpr *literal)
{
  return acc_scalar_to_double (ACC_KIND_F16, literal->value);
}

/* All binary16 numbers are themselves, and what lies between goes to the nearer, or the even one; beyond the largest, nothing fits. */
static void
test_half (void)
{
  AccElementType *f2 = type ("f2");
  double last = 0;

  for (guint bits = 1; bits <= 0x7c00; bits++)
    {
      double value = bits < 0x400 ? ldexp (bits, -24) : ldexp (1024 + (bits & 1023), (int) (bits >> 10) - 25);
      double middle = (last + value) / 2;
      double even = bits & 1 ? last : value;
      const double given[] = { value, middle, nextafter (middle, 0), nextafter (middle, INFINITY) };
      const double wanted[] = { value, even, last, value };

      for (guint i = 0; i < G_N_ELEMENTS (given); i++)
        {
          g_autoptr(AccExpr) plus = acc_expr_ref_sink (acc_expr_new_typed_float (f2, given[i]));
          g_autoptr(AccExpr) minus = acc_expr_ref_sink (acc_expr_new_typed_float (f2, -given[i]));
          double expected = wanted[i];

          if (expected >= 65536)
            {
              assert_error (plus, ACC_ERROR_TYPE, NULL);
              assert_error (minus, ACC_ERROR_TYPE, NULL);
              continue;
            }
          g_assert_true (half_of (plus) == expected && half_of (minus) == -expected);
          g_assert_true (!!signbit (half_of (minus)));
        }
      last = value;
    }
}

static AccExpr *
count_up (AccExpr *state,
          gpointer data)
{
  (*(guint *) data)++;
  return acc_expr_tuple2 (acc_expr_lt (state, INT (10)), acc_expr_add (state, INT (1)));
}

static AccExpr *
constant_step (AccExpr *state,
               gpointer data)
{
  return acc_expr_tuple2 (acc_expr_new_bool (FALSE), INT (7));
}

static AccExpr *no_step (AccExpr *state, gpointer data) { return NULL; }
static AccExpr *identity (AccExpr *state, gpointer data) { return state; }
static AccExpr *to_pair (AccExpr *state, gpointer data) { return acc_expr_tuple2 (state, state); }
static AccExpr *to_float (AccExpr *state, gpointer data) { return acc_expr_cast (state, acc_element_type_new (ACC_KIND_F32)); }
static AccExpr *wrong_type (AccExpr *state, gpointer data) { return acc_expr_tuple2 (acc_expr_new_bool (TRUE), to_float (state, NULL)); }
static AccExpr *wrong_condition (AccExpr *state, gpointer data) { return acc_expr_tuple2 (INT (1), state); }
static AccExpr *bad_literal (AccExpr *state, gpointer data) { return acc_expr_tuple2 (acc_expr_new_bool (TRUE), INT (1000)); }

static void
test_loops (void)
{
  guint calls = 0;

  assert_type (acc_expr_while (INT (0), count_up, &calls), "i8");
  assert_type (acc_expr_while (variable ("u1"), count_up, &calls), "u1");
  g_assert_cmpuint (calls, ==, 2);
  assert_type (acc_expr_while (variable ("f4"), constant_step, NULL), "f4");
  assert_type (acc_expr_iterate (INT (3), variable ("f4"), identity, NULL), "f4");
  assert_type (acc_expr_iterate (variable ("u1"), acc_expr_tuple2 (INT (1), variable ("f4")), identity, NULL), "(i8,f4)");

  assert_error (acc_expr_while (INT (0), no_step, NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_while (INT (0), identity, NULL), ACC_ERROR_TYPE, "while: a step gives i8, not (condition, next state)");
  assert_error (acc_expr_while (INT (0), wrong_type, NULL), ACC_ERROR_TYPE, "while: the state is i8, but a step gives f4");
  assert_error (acc_expr_while (INT (0), wrong_condition, NULL), ACC_ERROR_TYPE, "while: the condition is i8, not b1");
  assert_error (acc_expr_while (variable ("u1"), bad_literal, NULL), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_iterate (INT (3), variable ("f4"), to_pair, NULL), ACC_ERROR_TYPE,
                "iterate: the value is f4, but a step gives (f4,f4)");
  assert_error (acc_expr_iterate (INT (3), INT (1), no_step, NULL), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_iterate (variable ("f4"), INT (1), identity, NULL), ACC_ERROR_TYPE, NULL);
}

/* As a binding does whose wrapper of the result goes when the callback is over. */
static AccExpr *
drop_it (AccExpr  *x,
         gpointer  data)
{
  g_autoptr(AccExpr) leaf = acc_expr_ref_sink (INT (1));
  g_autoptr(AccExpr) sum = acc_expr_ref_sink (acc_expr_add (x, leaf));
  g_autoptr(AccExpr) inner = acc_expr_ref_sink (acc_expr_iterate (INT (2), sum, identity, NULL));

  return inner;
}

static AccExpr *
drop_leaf (AccExpr  *x,
           gpointer  data)
{
  g_autoptr(AccExpr) leaf = acc_expr_ref_sink (INT (5));

  return leaf;
}

static void
test_dropped_results (void)
{
  AccElementType *i8 = acc_element_type_new (ACC_KIND_I64);

  for (guint i = 0; i < 3; i++)
    {
      AccFunction *function = acc_function_new1 (i8, drop_it, NULL, NULL);
      AccFunction *constant = acc_function_new1 (i8, drop_leaf, NULL, i8);

      g_assert_true (function->body->type == i8);
      g_assert_true (constant->body->type == i8);
      acc_function_unref (constant);
      acc_function_unref (function);
    }
  assert_type (acc_expr_iterate (INT (3), variable ("u1"), drop_it, NULL), "u1");
}

static void
test_neighbours (void)
{
  g_autoptr(AccExpr) x = acc_expr_ref_sink (variable ("((u1,u2,u4),(i1,i2,i4),(f2,f4,f8))"));

  assert_type (acc_expr_neighbour2 (x, 0, 0), "i2");
  assert_type (acc_expr_neighbour2 (x, -1, 1), "u4");
  assert_type (acc_expr_neighbour2 (x, 1, -1), "f2");
  assert_type (acc_expr_neighbour1 (x, -1), "(u1,u2,u4)");
  assert_type (acc_expr_neighbour3 (variable ("(((u1,),(u2,),(u4,)),)"), 0, 1, 0), "u4");
  assert_error (acc_expr_neighbour2 (x, 2, 0), ACC_ERROR_SHAPE, NULL);
  assert_error (acc_expr_neighbour2 (x, 0, G_MININT64), ACC_ERROR_SHAPE, NULL);
  assert_error (acc_expr_neighbour2 (x, G_MAXINT64, 0), ACC_ERROR_SHAPE, NULL);
  assert_error (acc_expr_neighbour3 (x, 0, 0, 1), ACC_ERROR_SHAPE, NULL);
  assert_error (acc_expr_neighbour1 (variable ("(f4,f4)"), 0), ACC_ERROR_SHAPE, NULL);
  g_assert_cmpint (x->ref_count, ==, 1);
}

static AccArray *
make_array (const gint64 *extents,
            guint         rank)
{
  g_autoptr(AccShape) shape = acc_shape_new (extents, rank);

  return acc_array_fill (shape, acc_expr_new_typed_float (type ("f4"), 1));
}

static AccExpr *plus (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_add (x, y); }
static AccExpr *keep (AccExpr *x, AccExpr *y, gpointer data) { return acc_expr_tuple2 (x, y); }

static void
test_reading (void)
{
  const gint64 extents[] = { 2, 3, 4 };
  g_autoptr(AccArray) scalar = make_array (NULL, 0);
  g_autoptr(AccArray) vector = make_array (extents, 1);
  g_autoptr(AccArray) matrix = make_array (extents, 2);
  g_autoptr(AccArray) cube = make_array (extents, 3);
  g_autoptr(AccArray) broken = acc_array_map (cube, (AccExprFunc) no_step, NULL);

  assert_type (acc_expr_index (vector, INT (1)), "f4");
  assert_type (acc_expr_index (vector, variable ("u1")), "f4");
  assert_type (acc_expr_index (matrix, acc_expr_tuple2 (INT (1), INT (2))), "f4");
  assert_type (acc_expr_index (matrix, acc_expr_tuple2 (variable ("i4"), INT (2))), "f4");
  assert_type (acc_expr_index (cube, variable ("(i8,i8,i8)")), "f4");
  assert_type (acc_expr_index (cube, variable ("(i4,u1,i8)")), "f4");
  assert_type (acc_expr_index (scalar, acc_expr_tuple (NULL, 0)), "f4");
  assert_type (acc_expr_the (scalar), "f4");
  assert_type (acc_expr_linear_index (cube, INT (5)), "f4");
  assert_type (acc_expr_extent (cube, 2), "i8");
  assert_type (acc_expr_shape (scalar), "()");
  assert_type (acc_expr_shape (vector), "i8");
  assert_type (acc_expr_shape (cube), "(i8,i8,i8)");
  assert_type (acc_expr_fold_row (vector, acc_expr_tuple (NULL, 0), INT (0), plus, NULL), "f4");
  assert_type (acc_expr_fold_row (cube, acc_expr_tuple2 (INT (0), INT (1)), FLOAT (0), plus, NULL), "f4");

  assert_error (acc_expr_index (matrix, INT (1)), ACC_ERROR_TYPE, "index: fill has rank 2 and takes (i8,i8), not i8");
  assert_error (acc_expr_index (matrix, acc_expr_tuple2 (INT (1), FLOAT (1))), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_index (vector, variable ("f4")), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_index (vector, acc_expr_tuple (NULL, 0)), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_linear_index (cube, variable ("(i8,i8,i8)")), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_the (vector), ACC_ERROR_TYPE, "the: fill has rank 1 and takes i8, not ()");
  assert_error (acc_expr_extent (cube, 3), ACC_ERROR_SHAPE, NULL);
  assert_error (acc_expr_extent (broken, 0), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_index (broken, variable ("(i8,i8,i8)")), ACC_ERROR_CALLBACK, NULL);
  assert_error (acc_expr_fold_row (scalar, acc_expr_tuple (NULL, 0), INT (0), plus, NULL), ACC_ERROR_SHAPE, NULL);
  assert_error (acc_expr_fold_row (cube, INT (0), INT (0), plus, NULL), ACC_ERROR_TYPE, NULL);
  assert_error (acc_expr_fold_row (vector, acc_expr_tuple (NULL, 0), INT (0), keep, NULL), ACC_ERROR_TYPE, NULL);
}

static AccExpr *
loop_over_arrays (AccExpr *state,
                  gpointer data)
{
  AccArray **arrays = data;

  return acc_expr_tuple2 (acc_expr_lt (state, acc_expr_extent (arrays[2], 0)),
                          acc_expr_add (state, acc_expr_cast (acc_expr_index (arrays[0], state), type ("i8"))));
}

static AccExpr *
read_arrays (AccExpr *x,
             gpointer data)
{
  AccArray **arrays = data;
  AccExpr *sum = acc_expr_add (acc_expr_index (arrays[1], x), acc_expr_index (arrays[0], x));

  return acc_expr_tuple3 (sum, acc_expr_while (x, loop_over_arrays, data), acc_expr_index (arrays[1], INT (0)));
}

static void
test_function_arrays (void)
{
  const gint64 extents[] = { 4 };
  AccArray *arrays[3];
  AccFunction *function;

  for (guint i = 0; i < 3; i++)
    arrays[i] = make_array (extents, 1);

  function = acc_function_new1 (type ("i8"), read_arrays, arrays, NULL);
  g_assert_null (acc_expr_get_error (function->body));
  g_assert_cmpuint (function->n_params, ==, 1);
  g_assert_cmpuint (function->arrays->len, ==, 3);
  g_assert_true (function->arrays->pdata[0] == arrays[1]);
  g_assert_true (function->arrays->pdata[1] == arrays[0]);
  g_assert_true (function->arrays->pdata[2] == arrays[2]);
  acc_function_unref (acc_function_ref (function));
  acc_function_unref (function);

  for (guint i = 0; i < 3; i++)
    g_assert_finalize_object (arrays[i]);
}

static AccExpr *plus3 (AccExpr *x, AccExpr *y, AccExpr *z, gpointer data) { return acc_expr_add (acc_expr_add (x, y), z); }
static AccExpr *seven (AccExpr *x, gpointer data) { return INT (7); }
static AccExpr *kept (AccExpr *x, gpointer data) { return data; }

static void
test_functions (void)
{
  g_autoptr(AccFunction) add2 = acc_function_new2 (type ("f4"), type ("f4"), plus, NULL, NULL);
  g_autoptr(AccFunction) add3 = acc_function_new3 (type ("f4"), type ("f4"), type ("f4"), plus3, NULL, NULL);
  g_autoptr(AccFunction) id = acc_function_new1 (type ("f4"), identity, NULL, NULL);
  g_autoptr(AccFunction) literal = acc_function_new1 (type ("f4"), seven, NULL, type ("u1"));
  g_autoptr(AccFunction) resolved = acc_function_new1 (type ("f4"), seven, NULL, NULL);
  g_autoptr(AccFunction) nothing = acc_function_new1 (type ("f4"), no_step, NULL, NULL);
  g_autoptr(AccExpr) owned = acc_expr_ref_sink (acc_expr_sqrt (variable ("f4")));
  g_autoptr(AccFunction) outer = acc_function_new1 (type ("f4"), kept, owned, NULL);
  g_autoptr(AccFunction) closed = acc_function_new (NULL, 0, FLOAT (1));

  g_assert_cmpuint (add2->n_params, ==, 2);
  g_assert_true (add3->body->args[1] == add3->params[2]);
  g_assert_true (id->body == id->params[0]);
  g_assert_cmpint (id->body->ref_count, ==, 2);
  g_assert_true (literal->body->type == type ("u1") && !literal->body->weak);
  g_assert_true (resolved->body->type == type ("i8") && !resolved->body->weak);
  g_assert_error (acc_expr_get_error (nothing->body), ACC_ERROR, ACC_ERROR_CALLBACK);
  g_assert_true (outer->body == owned && owned->ref_count == 2);
  g_assert_true (closed->body->type == type ("f8") && !closed->body->weak);
}

static void
test_boundaries (void)
{
  g_autoptr(AccBoundary) clamp = acc_boundary_new (ACC_BOUNDARY_CLAMP);
  g_autoptr(AccBoundary) constant = acc_boundary_new_constant (INT (3));
  g_autoptr(AccBoundary) function = acc_boundary_new_function (2, identity, NULL);
  g_autoptr(AccBoundary) nothing = acc_boundary_new_constant (NULL);

  g_assert_cmpint (acc_boundary_get_kind (clamp), ==, ACC_BOUNDARY_CLAMP);
  g_assert_cmpint (acc_boundary_get_kind (constant), ==, ACC_BOUNDARY_CONSTANT);
  g_assert_cmpint (acc_boundary_get_kind (function), ==, ACC_BOUNDARY_FUNCTION);
  g_assert_true (constant->function->body->weak);
  g_assert_true (function->function->body->type == type ("(i8,i8)"));
  g_assert_error (acc_expr_get_error (nothing->function->body), ACC_ERROR, ACC_ERROR_CALLBACK);
  acc_boundary_unref (acc_boundary_ref (clamp));
}

static void
test_text (void)
{
  g_autoptr(AccExpr) x = acc_expr_ref_sink (variable ("f4"));
  AccExpr *square = acc_expr_mul (x, x);
  g_autoptr(AccExpr) sum = acc_expr_ref_sink (acc_expr_add (square, acc_expr_sqrt (square)));
  g_autofree char *text = acc_expr_to_string (sum);
  g_autofree char *scaled = NULL;
  g_autoptr(AccExpr) scaled_expr = acc_expr_ref_sink (acc_expr_mul (x, INT (2)));
  g_autoptr(AccExpr) doubling = acc_expr_ref (x);
  g_autofree char *doubled = NULL;

  g_assert_cmpstr (text, ==, "let %2 = mul (x1, x1) in\nadd (%2, sqrt (%2))");
  scaled = acc_expr_to_string (scaled_expr);
  g_assert_cmpstr (scaled, ==, "mul (x1, 2.0)");

  for (guint i = 0; i < 200; i++)
    {
      AccExpr *next = acc_expr_ref_sink (acc_expr_add (doubling, doubling));
      acc_expr_unref (doubling);
      doubling = next;
    }
  doubled = acc_expr_to_string (doubling);
  g_assert_cmpuint (strlen (doubled), <, 20000);
}

/* Deep, and through every kind of node that can be deep. */
static void
test_deep (void)
{
  const guint n = 1000000;
  g_autoptr(AccExpr) x = acc_expr_ref_sink (variable ("f4"));
  AccExpr *chain = x, *choice = x;
  AccFunction *function;
  g_autofree char *text = NULL;

  for (guint i = 0; i < n; i++)
    chain = acc_expr_add (chain, INT (1));
  acc_expr_ref_sink (chain);
  text = acc_expr_to_string (chain);
  g_assert_cmpuint (strlen (text), >, n);
  function = acc_function_new (&x, 1, chain);
  acc_function_unref (function);
  g_assert_cmpint (chain->ref_count, ==, 1);
  acc_expr_unref (chain);

  for (guint i = 0; i < n / 10; i++)
    choice = acc_expr_cond (acc_expr_new_bool (TRUE), acc_expr_item (acc_expr_cond (acc_expr_new_bool (FALSE), acc_expr_tuple2 (choice, x),
                                                                                    acc_expr_tuple2 (x, x)), 0), x);
  acc_expr_unref (acc_expr_ref_sink (choice));
  g_assert_cmpint (x->ref_count, ==, 1);
}

static AccExpr *
capture (AccExpr *state,
         gpointer data)
{
  return acc_expr_tuple2 (acc_expr_lt (state, data), acc_expr_add (state, data));
}

/* Loops that capture earlier loops, and read an array. */
static void
test_deep_loops (void)
{
  const gint64 extents[] = { 4 };
  AccArray *array = make_array (extents, 1);
  AccExpr *last = acc_expr_ref_sink (acc_expr_index (array, INT (0)));
  g_autofree char *text = NULL;

  for (guint i = 0; i < 1000; i++)
    {
      AccExpr *next = acc_expr_ref_sink (acc_expr_while (last, capture, last));
      acc_expr_unref (last);
      last = next;
    }
  text = acc_expr_to_string (last);
  g_assert_cmpuint (strlen (text), <, 1000000);
  acc_expr_unref (last);
  g_assert_finalize_object (array);

  last = acc_expr_ref_sink (variable ("f4"));
  for (guint i = 0; i < 100000; i++)
    {
      AccExpr *next = acc_expr_ref_sink (acc_expr_while (last, capture, last));
      acc_expr_unref (last);
      last = next;
    }
  g_clear_pointer (&text, g_free);
  text = acc_expr_to_string (last);
  acc_expr_unref (last);
}

static void
build_some (guint n)
{
  for (guint i = 0; i < n; i++)
    {
      AccExpr *x = variable ("f4");
      AccExpr *pair = acc_expr_tuple2 (acc_expr_mul (x, INT (2)), acc_expr_sqrt (x));

      acc_expr_unref (acc_expr_ref_sink (acc_expr_add (acc_expr_item (pair, 0), acc_expr_cast (x, type ("f4")))));
    }
}

static void
test_constant_memory (void)
{
  gsize before;

  if (!footprint_is_known ())
    {
      g_test_skip ("nobody tells what is allocated, or what is freed is kept");
      return;
    }

  build_some (100000);
  before = footprint_get_pages ();
  build_some (1000000);
  g_assert_cmpuint (footprint_get_pages (), <=, before + 512);
}

static gpointer
build_in_thread (gpointer data)
{
  AccExpr *shared = data;

  for (guint i = 0; i < 20000; i++)
    {
      g_autoptr(AccExpr) sum = acc_expr_ref_sink (acc_expr_add (shared, acc_expr_cast (shared, type ("f4"))));
      g_autoptr(AccExpr) pair = acc_expr_ref_sink (acc_expr_tuple2 (shared, sum));
      g_autoptr(AccExpr) item = acc_expr_ref_sink (acc_expr_item (pair, 0));
      g_autoptr(AccExpr) loop = acc_expr_ref_sink (acc_expr_iterate (INT (3), sum, identity, NULL));

      g_assert_true (item == shared);
      g_assert_true (acc_expr_check (loop, NULL));
    }
  return NULL;
}

static void
test_threads (void)
{
  g_autoptr(AccExpr) shared = acc_expr_ref_sink (acc_expr_neg (variable ("f4")));
  GThread *threads[8];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new (NULL, build_in_thread, shared);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (shared->ref_count, ==, 1);
}

static void
test_deep_types (void)
{
  AccExpr *expr = variable ("u1");
  AccExpr *wide = variable ("u1");

  for (guint i = 0; i < 100000; i++)
    expr = acc_expr_tuple2 (expr, acc_expr_new_bool (TRUE));
  assert_error (expr, ACC_ERROR_TYPE, NULL);

  for (guint i = 0; i < 100; i++)
    wide = acc_expr_tuple2 (wide, wide);
  assert_error (wide, ACC_ERROR_TYPE, NULL);
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/expr/ownership", test_ownership);
  g_test_add_func ("/expr/old-results", test_old_results);
  g_test_add_func ("/expr/used-twice", test_used_twice);
  g_test_add_func ("/expr/simple", test_simple);
  g_test_add_func ("/expr/primitives", test_primitives);
  g_test_add_func ("/expr/derived", test_derived);
  g_test_add_func ("/expr/sums", test_sums);
  g_test_add_func ("/expr/errors-travel", test_errors_travel);
  g_test_add_func ("/expr/missing", test_missing);
  g_test_add_func ("/expr/weak", test_weak);
  g_test_add_func ("/expr/literals", test_literals);
  g_test_add_func ("/expr/half", test_half);
  g_test_add_func ("/expr/loops", test_loops);
  g_test_add_func ("/expr/dropped-results", test_dropped_results);
  g_test_add_func ("/expr/neighbours", test_neighbours);
  g_test_add_func ("/expr/reading", test_reading);
  g_test_add_func ("/expr/functions", test_functions);
  g_test_add_func ("/expr/function-arrays", test_function_arrays);
  g_test_add_func ("/expr/boundaries", test_boundaries);
  g_test_add_func ("/expr/text", test_text);
  g_test_add_func ("/expr/deep", test_deep);
  g_test_add_func ("/expr/deep-loops", test_deep_loops);
  g_test_add_func ("/expr/constant-memory", test_constant_memory);
  g_test_add_func ("/expr/threads", test_threads);
  g_test_add_func ("/expr/deep-types", test_deep_types);
  return g_test_run ();
}
