/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What compilers of devices make of scalar code, bit for bit, signs of zeros included; NaN equals NaN.
 *
 *   steps       every primitive and conversion, then every conversion, comparison and some arithmetic of what it gave: over all values of
 *               the kinds of one and two bytes, and edge values of wider ones
 *   choices     of each kind, one of a value and a limit that are compared, as they are or converted: all comparisons and kinds
 *   random      trees of primitives, conversions, conditions and literals, over edge values of all kinds at once. Each expression has a
 *               seed of its own: ACC_TEST_SEED=the case's number ACC_TEST_CASES=1 is that one alone
 *
 * A part of each in each run, which the seed chooses; ACC_TEST_THOROUGH=2 is all of it. Functions that are not exact are for
 * test-primitives.c. Where a backend takes denormals for zero, values that lead to such are spared. --verbose prints the programs. */

#define N_STEPS_IN_RUN   24
#define N_RANDOM_IN_RUN  240
#define N_RANDOM         100000
#define PER_PROGRAM      12
#define MOST_PER_PROGRAM 48   /* where all is done: what takes long is to compile, and a program by itself takes as long as some expressions */

static gboolean
is_exact (AccPrimitive primitive)
{
  return !acc_primitive_is (primitive, ACC_FAMILY_TRANSCENDENTAL);
}

static AccElementKind
kind_of (AccExpr *x)
{
  return acc_element_type_get_kind (acc_expr_get_element_type (x));
}

static AccExpr *
unary (AccPrimitive primitive, AccExpr *x)
{
  return acc_expr_new_primitive (primitive, &x);
}

/* A divisor that does not fail where checks are on. */
static AccExpr *
safe_divisor (AccExpr *x, AccExpr *y)
{
  AccElementType *type = acc_expr_get_element_type (x);
  AccExpr *bad = acc_expr_eq (y, acc_expr_new_int (0));

  if (acc_element_kind_is_signed (acc_element_type_get_kind (type)))
    bad = acc_expr_lor (bad, acc_expr_land (acc_expr_eq (x, acc_expr_new_minimum (type)), acc_expr_eq (y, acc_expr_new_int (-1))));
  return acc_expr_cond (bad, acc_expr_cast (acc_expr_new_int (3), type), y);
}

static AccExpr *
binary (AccPrimitive primitive, AccExpr *x, AccExpr *y)
{
  if (primitive >= ACC_PRIM_QUOT && primitive <= ACC_PRIM_MOD && conf_checks_are_on ())
    y = safe_divisor (x, y);
  return acc_expr_new_primitive (primitive, (AccExpr *[]) { x, y });
}

G_STATIC_ASSERT (ACC_PRIM_MOD - ACC_PRIM_QUOT == 3);

static void
check (const char *name, AccProgram *program, AccArray **arguments, guint n)
{
  g_autoptr(ConfProgram) checked = NULL;

  if (g_test_verbose ())
    {
      g_autofree char *text = acc_program_to_string (program);

      g_test_message ("%s: %s", name, text);
    }
  checked = conf_program_new (name, program);
  conf_program_check (checked, arguments, n, CONF_EXACT);
}

/* --- steps */

typedef enum {
  CASTS_AND_COMPARISONS,
  ARITHMETIC,
  N_GROUPS
} Group;

typedef struct {
  AccElementKind kind;
  gboolean       casts;
  guint          first;  /* a primitive or, where .casts, a kind */
  Group          group;
} Step;

#define MAX_RESULTS 44

typedef struct {
  AccExpr *items[MAX_RESULTS];
  guint    n;
} Results;

static void
add (Results *results, AccExpr *x)
{
  g_assert_cmpuint (results->n, <, MAX_RESULTS);
  results->items[results->n++] = x;
}

static void
convert_and_compare (Results *results, AccExpr *r, AccExpr *z)
{
  for (guint to = 0; to < ACC_KIND_TUPLE; to++)
    add (results, acc_expr_cast (r, acc_element_type_new (to)));
  for (guint p = ACC_PRIM_LT; p <= ACC_PRIM_NE; p++)
    add (results, binary (p, r, z));
}

static void
compute (Results *results, AccExpr *r, AccExpr *z)
{
  AccElementType *type = acc_expr_get_element_type (r);
  AccElementKind kind = kind_of (r);
  g_autoptr(AccExpr) three = acc_expr_ref_sink (acc_expr_cast (acc_expr_new_int (3), type));
  g_autoptr(AccExpr) zero = acc_expr_ref_sink (acc_expr_new_zero (type)), whole = NULL, known = NULL, holds = NULL, either = NULL,
    root = NULL;
  static const AccPrimitive with_z[] = {
    ACC_PRIM_ADD, ACC_PRIM_SUB, ACC_PRIM_MUL, ACC_PRIM_FDIV, ACC_PRIM_QUOT, ACC_PRIM_REM, ACC_PRIM_DIV, ACC_PRIM_MOD, ACC_PRIM_MIN,
    ACC_PRIM_MAX, ACC_PRIM_BXOR
  };
  static const AccPrimitive with_three[] = { ACC_PRIM_QUOT, ACC_PRIM_REM, ACC_PRIM_DIV, ACC_PRIM_MOD };
  static const AccPrimitive alone[] = {
    ACC_PRIM_NEG, ACC_PRIM_ABS, ACC_PRIM_SIGNUM, ACC_PRIM_RECIP, ACC_PRIM_SQRT, ACC_PRIM_ROUND, ACC_PRIM_FLOOR, ACC_PRIM_CEILING,
    ACC_PRIM_TRUNCATE, ACC_PRIM_IS_NAN, ACC_PRIM_POPCOUNT, ACC_PRIM_CLZ, ACC_PRIM_BNOT
  };

  for (guint i = 0; i < G_N_ELEMENTS (with_z); i++)
    if (acc_primitive_accepts (with_z[i], kind))
      add (results, binary (with_z[i], r, z));
  for (guint i = 0; i < G_N_ELEMENTS (with_three); i++)
    if (acc_primitive_accepts (with_three[i], kind))
      add (results, binary (with_three[i], r, three));
  for (guint i = 0; i < G_N_ELEMENTS (alone); i++)
    if (acc_primitive_accepts (alone[i], kind))
      add (results, unary (alone[i], r));
  if (acc_primitive_accepts (ACC_PRIM_SHR, kind))
    {
      AccExpr *turned = binary (ACC_PRIM_ROTL, r, conf_i64 (31));

      add (results, binary (ACC_PRIM_SHR, r, conf_i64 (1)));
      add (results, binary (ACC_PRIM_REM, turned, acc_expr_cond (binary (ACC_PRIM_EQ, z, zero), three, z)));
    }
  /* A bit that is no condition, of a quotient that is not 1. */
  if (kind != ACC_KIND_BOOL && acc_primitive_accepts (ACC_PRIM_BAND, kind))
    {
      AccExpr *one = unary (ACC_PRIM_SIGNUM, acc_expr_cast (acc_expr_new_int (1), type));
      AccExpr *is_set = acc_expr_cast (unary (ACC_PRIM_NEG, r), acc_element_type_new (ACC_KIND_BOOL));

      add (results, binary (ACC_PRIM_BAND, acc_expr_cond (is_set, zero, one), binary (ACC_PRIM_DIV, z, z)));
      /* One that the language knows, and compilers find out. */
      add (results,
           binary (ACC_PRIM_MUL, binary (ACC_PRIM_BAND, r, unary (ACC_PRIM_BNOT, acc_expr_cast (acc_expr_new_int (-2), type))), z));
    }
  if (!acc_element_kind_is_float (kind))
    return;
  add (results, binary (ACC_PRIM_ADD, r, zero));
  add (results, binary (ACC_PRIM_SUB, zero, r));
  add (results, binary (ACC_PRIM_MUL, r, zero));
  add (results, binary (ACC_PRIM_FDIV, zero, r));
  add (results, binary (ACC_PRIM_SUB, r, unary (ACC_PRIM_NEG, zero)));

  /* By a zero that takes a thought to know. */
  whole = acc_expr_ref_sink (acc_expr_cast (z, acc_element_type_new (ACC_KIND_I32)));
  known = acc_expr_ref_sink (acc_expr_cast (binary (ACC_PRIM_BXOR, whole, whole), type));
  add (results, binary (ACC_PRIM_MUL, r, known));
  add (results, binary (ACC_PRIM_FDIV, r, known));
  add (results, binary (ACC_PRIM_ADD, r, known));
  holds = acc_expr_ref_sink (binary (ACC_PRIM_LT, z, r));
  add (results, binary (ACC_PRIM_ADD, r, acc_expr_cast (acc_expr_cond (holds, acc_expr_lnot (holds), holds), type)));
  add (results, binary (ACC_PRIM_FDIV, acc_expr_cond (binary (ACC_PRIM_GT, r, r), z, zero), r));
  add (results, binary (ACC_PRIM_MUL, r, acc_expr_cond (binary (ACC_PRIM_LT, holds, acc_expr_new_bool (FALSE)), z, zero)));

  add (results, binary (ACC_PRIM_MUL, r, acc_expr_cond (holds, unary (ACC_PRIM_NEG, zero), acc_expr_cast (acc_expr_new_int (1), type))));

  /* What may be a zero, or NaN, less itself. */
  either = acc_expr_ref_sink (acc_expr_cond (binary (ACC_PRIM_GT, r, r), zero, z));
  add (results, binary (ACC_PRIM_SUB, either, either));

  /* What is not negative, as -0 and NaN are not. */
  add (results, unary (ACC_PRIM_ABS, unary (ACC_PRIM_SIGNUM, unary (ACC_PRIM_SQRT, r))));
  add (results, unary (ACC_PRIM_ABS, unary (ACC_PRIM_NEG, binary (ACC_PRIM_MIN, unary (ACC_PRIM_SQRT, r), unary (ACC_PRIM_ABS, z)))));
  add (results, binary (ACC_PRIM_GE, unary (ACC_PRIM_ABS, unary (ACC_PRIM_SIGNUM, r)), unary (ACC_PRIM_NEG, zero)));
  add (results, acc_expr_cond (binary (ACC_PRIM_GE, unary (ACC_PRIM_ABS, r), unary (ACC_PRIM_NEG, three)), three, r));
  root = acc_expr_ref_sink (unary (ACC_PRIM_SQRT, r));
  add (results, acc_expr_cond (binary (ACC_PRIM_LT, root, zero), root, zero));

  /* Half of a word that is not of the float. */
  for (guint i = 0; i < 2; i++)
    {
      AccElementType *wide = acc_element_type_new (i == 0 ? ACC_KIND_U64 : ACC_KIND_I64);
      AccExpr *chosen = acc_expr_cond (binary (ACC_PRIM_EQ, r, three), acc_expr_cast (acc_expr_new_int (2), wide), acc_expr_cast (r, wide));

      add (results, acc_expr_cast (chosen, acc_element_type_new (i == 0 ? ACC_KIND_I32 : ACC_KIND_U32)));
    }
}

static AccExpr *
step_of (AccExpr *x, AccExpr *y, gpointer data)
{
  const Step *step = data;
  Results results = { .n = 0 };
  AccExpr *r = step->casts ? acc_expr_cast (x, acc_element_type_new (step->first))
               : acc_primitive_get_info (step->first)->arity == 1 ? unary (step->first, x) : binary (step->first, x, y);
  /* Amounts of shifts are no operands of what comes then. */
  AccExpr *z = acc_expr_cast (kind_of (x) == kind_of (y) ? y : x, acc_expr_get_element_type (r));

  if (step->group == ARITHMETIC)
    compute (&results, r, z);
  else
    convert_and_compare (&results, r, z);
  return acc_expr_tuple (results.items, results.n);
}

static AccArray *
step_body (AccArray **arrays, guint n, gpointer step)
{
  return acc_array_zip_with (arrays[0], arrays[1], step_of, step);
}

/* All values of a kind of up to two bytes, else edge values: their bytes. */
static GBytes *
values_of (AccElementKind kind, gboolean all, guint extra, GRand *rand)
{
  gsize size = acc_element_kind_get_size (kind);
  g_autoptr(AccArray) edges = NULL;

  if (all && kind != ACC_KIND_BOOL && size <= 2)
    {
      guint n = 1u << 8 * size;
      guint8 *data = g_malloc (n * size);

      for (guint i = 0; i < n; i++)
        if (size == 1)
          data[i] = (guint8) i;
        else
          ((guint16 *) data)[i] = (guint16) i;
      return g_bytes_new_take (data, n * size);
    }
  edges = conf_edge_values (kind, kind == ACC_KIND_BOOL ? 0 : extra, rand);
  return g_bytes_new (acc_buffer_map (acc_array_get_buffers (edges)[0], NULL), (gsize) acc_shape_get_size (edges->shape) * size);
}

static GBytes *
shift_amounts (void)
{
  static const gint64 amounts[] = {
    0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, -1, -2, -7, -8, -9, -16, -31, -32, -33, -64, -100, G_MAXINT64, G_MININT64
  };

  return g_bytes_new_static (amounts, sizeof amounts);
}

/* Each value @each times, and all that @times times. */
static AccArray *
repeat (AccElementKind kind, GBytes *values, gsize each, gsize times)
{
  gsize size = acc_element_kind_get_size (kind), n = g_bytes_get_size (values) / size;
  const guint8 *from = g_bytes_get_data (values, NULL);
  guint8 *data = g_malloc (n * each * times * size), *to = data;
  g_autoptr(GBytes) bytes = g_bytes_new_take (data, n * each * times * size);
  g_autoptr(AccShape) shape = acc_shape_new_vector ((gint64) (n * each * times));

  for (gsize t = 0; t < times; t++)
    for (gsize i = 0; i < n; i++)
      for (gsize e = 0; e < each; e++, to += size)
        memcpy (to, from + i * size, size);
  return acc_array_use (acc_element_type_new (kind), shape, bytes);
}

static void
check_step (const Step *step, const char *name, GRand *rand)
{
  gboolean shifts = !step->casts && acc_primitive_get_info (step->first)->operands == ACC_OPERANDS_SHIFT;
  AccElementKind second = shifts ? ACC_KIND_I64 : step->kind;
  gboolean is_byte = acc_element_kind_get_size (step->kind) == 1;
  g_autoptr(GBytes) x = values_of (step->kind, TRUE, 20, rand);
  g_autoptr(GBytes) y = shifts ? shift_amounts () : values_of (step->kind, is_byte, 0, rand);
  gsize n = g_bytes_get_size (x) / acc_element_kind_get_size (step->kind), m = g_bytes_get_size (y) / acc_element_kind_get_size (second);
  g_autofree char *first = g_strdup_printf ("%s[:]", acc_element_kind_get_code (step->kind));
  g_autofree char *other = g_strdup_printf ("%s[:]", acc_element_kind_get_code (second));
  AccArray *arguments[] = { repeat (step->kind, x, m, 1), repeat (second, y, 1, n) };

  conf_spare_denormals (arguments, NULL, step_of, (gpointer) step);
  check (name, acc_program_new ((const char *[]) { first, other, NULL }, step_body, (gpointer) step), arguments, 2);
}

static GArray *
list_steps (void)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (Step));

  for (guint kind = 0; kind < ACC_KIND_TUPLE; kind++)
    for (guint group = 0; group < N_GROUPS; group++)
      {
        for (guint p = 0; p < ACC_N_PRIMITIVES; p++)
          if (is_exact (p) && acc_primitive_accepts (p, kind))
            g_array_append_vals (steps, &(Step) { kind, FALSE, p, group }, 1);
        for (guint to = 0; to < ACC_KIND_TUPLE; to++)
          if (to != kind)
            g_array_append_vals (steps, &(Step) { kind, TRUE, to, group }, 1);
      }
  return steps;
}

static char *
name_step (const Step *step)
{
  const char *first = step->casts ? acc_element_kind_get_code (step->first) : acc_primitive_get_info (step->first)->name;

  return g_strdup_printf ("arithmetic/%s/%s/%s", acc_element_kind_get_code (step->kind), first,
                          step->group == ARITHMETIC ? "compute" : "convert");
}

static void
test_steps (gconstpointer data)
{
  AccElementKind kind = (AccElementKind) GPOINTER_TO_UINT (data);
  g_autoptr(GArray) steps = list_steps ();
  guint every = conf_is_exhaustive () ? 1 : MAX (steps->len / (conf_is_thorough () ? N_STEPS_IN_RUN : N_STEPS_IN_RUN / 2), 1);

  for (guint i = 0; i < steps->len; i++)
    {
      const Step *step = &g_array_index (steps, Step, i);
      g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed () + i);
      g_autofree char *name = name_step (step);

      if (step->kind == kind && (i + conf_seed ()) % every == 0 && !conf_is_left_out (name))
        check_step (step, name, rand);
    }
}

/* --- choices */

typedef struct {
  AccElementKind from, to;
} Choice;

static AccExpr *
choices_of (AccExpr *x, gpointer data)
{
  static const double limits[] = { 0, -0.0, 1 };
  const Choice *choice = data;
  AccElementType *from = acc_element_type_new (choice->from), *to = acc_element_type_new (choice->to);
  gboolean is_float = acc_element_kind_is_float (choice->from);
  AccExpr *items[G_N_ELEMENTS (limits) * (ACC_PRIM_NE - ACC_PRIM_LT + 1) * 2];
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    for (guint p = ACC_PRIM_LT; p <= ACC_PRIM_NE; p++)
      for (guint swapped = 0; swapped < 2; swapped++)
        {
          AccExpr *limit = is_float ? acc_expr_new_typed_float (from, limits[i]) : acc_expr_cast (conf_i64 ((gint64) limits[i]), from);
          AccExpr *holds = swapped ? binary (p, limit, x) : binary (p, x, limit);
          gboolean is_late = p % 2 == ACC_PRIM_GT % 2;
          AccExpr *one = is_late ? x : acc_expr_cast (x, to), *other = is_late ? limit : acc_expr_cast (limit, to);
          AccExpr *chosen = i % 2 == swapped ? acc_expr_cond (holds, one, other) : acc_expr_cond (holds, other, one);

          items[n++] = is_late ? acc_expr_cast (chosen, to) : chosen;
        }
  return acc_expr_tuple (items, n);
}

static AccArray *
choices_body (AccArray **arrays, guint n, gpointer choice)
{
  return acc_array_map (arrays[0], choices_of, choice);
}

static void
test_choices (void)
{
  guint every = conf_is_exhaustive () ? 1 : conf_is_thorough () ? 5 : 17;

  for (guint i = 0; i < ACC_KIND_TUPLE * ACC_KIND_TUPLE; i++)
    {
      Choice choice = { i / ACC_KIND_TUPLE, i % ACC_KIND_TUPLE };
      gboolean is_of_floats = acc_element_kind_is_float (choice.from) && acc_element_kind_is_float (choice.to);
      guint n = is_of_floats ? (conf_is_thorough () ? 1 : 3) : every;
      g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed () + i);
      g_autofree char *name = g_strdup_printf ("arithmetic/choices/%s/%s", acc_element_kind_get_code (choice.from),
                                               acc_element_kind_get_code (choice.to));
      g_autofree char *signature = g_strdup_printf ("%s[:]", acc_element_kind_get_code (choice.from));
      AccArray *argument;

      /* Signs of zeros are at stake between floats. */
      if ((choice.from + choice.to + conf_seed ()) % n != 0 || conf_is_left_out (name))
        continue;
      argument = conf_edge_values (choice.from, choice.from == ACC_KIND_BOOL ? 0 : 20, rand);
      conf_spare_denormals (&argument, choices_of, NULL, &choice);
      check (name, acc_program_new ((const char *[]) { signature, NULL }, choices_body, &choice), &argument, 1);
    }
}

/* --- random expressions */

typedef struct {
  GRand    *rand;
  AccExpr **leaves;   /* one of each kind */
} Tree;

static guint
pick (Tree *t, guint n)
{
  return (guint) g_rand_int_range (t->rand, 0, (gint32) n);
}

static AccElementKind
pick_kind (Tree *t)
{
  return pick (t, ACC_KIND_TUPLE);
}

static AccExpr *
pick_literal (Tree *t, AccElementKind kind)
{
  static const double floats[] = { 0, 0, -0.0, 1, -1, 2, 0.5, -0.5, -3, 1e4, 1e-7, INFINITY, -INFINITY };
  static const gint64 integers[] = { 0, 1, -1, 2, -2, 3, 5, -7, 10, 127, 128, 255, 256, -128, 65535 };
  AccElementType *type = acc_element_type_new (kind);

  if (kind == ACC_KIND_BOOL)
    return acc_expr_new_bool (pick (t, 2));
  if (acc_element_kind_is_float (kind))
    return acc_expr_new_typed_float (type, floats[pick (t, G_N_ELEMENTS (floats))]);
  if (pick (t, 8) == 0)
    return pick (t, 2) ? acc_expr_new_minimum (type) : acc_expr_new_maximum (type);
  return acc_expr_cast (conf_i64 (integers[pick (t, G_N_ELEMENTS (integers))]), type);
}

/* A primitive that gives @kind, and the kind that it takes. */
static AccPrimitive
pick_primitive (Tree *t, AccElementKind kind, AccElementKind *operands)
{
  for (;;)
    {
      AccPrimitive primitive = pick (t, ACC_N_PRIMITIVES);
      AccElementKind from = acc_primitive_get_info (primitive)->result == ACC_RESULT_SAME ? kind : pick_kind (t);

      if (is_exact (primitive) && acc_primitive_accepts (primitive, from) && acc_primitive_result (primitive, from) == kind)
        {
          *operands = from;
          return primitive;
        }
    }
}

static AccExpr *grow (Tree *t, AccElementKind kind, guint depth);

/* One of two that are compared, as they are or converted: compilers look for minima there. */
static AccExpr *
grow_choice (Tree *t, AccElementKind kind, guint depth)
{
  AccElementType *type = acc_element_type_new (kind);
  AccElementKind from = pick (t, 2) ? kind : pick_kind (t);
  AccExpr *x = grow (t, from, depth), *y = pick (t, 2) ? grow (t, from, depth) : pick_literal (t, from);
  AccExpr *holds = binary (ACC_PRIM_LT + pick (t, ACC_PRIM_NE - ACC_PRIM_LT + 1), x, y);

  x = acc_expr_cast (x, type);
  y = acc_expr_cast (y, type);
  return pick (t, 2) ? acc_expr_cond (holds, x, y) : acc_expr_cond (holds, y, x);
}

static AccExpr *
grow (Tree *t, AccElementKind kind, guint depth)
{
  AccElementKind from;
  AccPrimitive primitive;
  AccExpr *x, *y, *z;

  if (depth == 0 || pick (t, 8) == 0)
    return pick (t, 4) == 0 ? pick_literal (t, kind) : t->leaves[kind];

  switch (pick (t, 9))
    {
    case 0:
    case 1:
      return acc_expr_cast (grow (t, pick_kind (t), depth - 1), acc_element_type_new (kind));
    case 2:
      z = grow (t, ACC_KIND_BOOL, depth - 1);
      x = grow (t, kind, depth - 1);
      y = grow (t, kind, depth - 1);
      return acc_expr_cond (z, x, y);
    case 3:
      return grow_choice (t, kind, depth - 1);
    default:
      break;
    }

  primitive = pick_primitive (t, kind, &from);
  x = grow (t, from, depth - 1);
  if (acc_primitive_get_info (primitive)->arity == 1)
    return unary (primitive, x);
  if (acc_primitive_get_info (primitive)->operands == ACC_OPERANDS_SHIFT)
    return binary (primitive, x, pick (t, 2) ? conf_i64 ((gint64) pick (t, 70) - 4) : t->leaves[ACC_KIND_I64]);
  y = pick (t, 6) == 0 ? x : grow (t, from, depth - 1);
  return binary (primitive, x, y);
}

typedef struct {
  guint32 seed;
  guint   n;
} Random;

static AccExpr *
random_of (AccExpr *leaves, gpointer data)
{
  const Random *random = data;
  AccExpr *items[MOST_PER_PROGRAM], *kinds[ACC_KIND_TUPLE], *result;

  /* Owned here: a tree may take none of them, or be one itself. */
  for (guint kind = 0; kind < ACC_KIND_TUPLE; kind++)
    kinds[kind] = acc_expr_ref_sink (acc_expr_item (leaves, kind));
  for (guint i = 0; i < random->n; i++)
    {
      g_autoptr(GRand) rand = g_rand_new_with_seed (random->seed + i);
      Tree tree = { rand, kinds };

      items[i] = grow (&tree, pick_kind (&tree), 3 + pick (&tree, 2));
    }
  result = random->n > 1 ? acc_expr_tuple (items, random->n) : items[0];
  /* The library takes a result that nobody owns any more. */
  for (guint kind = 0; kind < ACC_KIND_TUPLE; kind++)
    acc_expr_unref (kinds[kind]);
  return result;
}

static AccArray *
random_body (AccArray **arrays, guint n, gpointer random)
{
  return acc_array_map (arrays[0], random_of, random);
}

/* Edge values of all kinds side by side, each kind in an order of its own. */
static AccArray *
draw_leaves (void)
{
  AccElementType *types[ACC_KIND_TUPLE];
  GBytes *bytes[ACC_KIND_TUPLE];
  g_autoptr(GRand) rand = g_rand_new_with_seed (7);
  const gint64 n = 700;
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  AccArray *array;

  for (guint kind = 0; kind < ACC_KIND_TUPLE; kind++)
    {
      gsize size = acc_element_kind_get_size (kind);
      g_autoptr(GBytes) values = values_of (kind, FALSE, 30, rand);
      guint n_values = (guint) (g_bytes_get_size (values) / size);
      guint8 *data = g_malloc (n * size);

      for (gint64 i = 0; i < n; i++)
        memcpy (data + i * size,
                (const guint8 *) g_bytes_get_data (values, NULL) + (guint) g_rand_int_range (rand, 0, (gint32) n_values) * size, size);
      types[kind] = acc_element_type_new (kind);
      bytes[kind] = g_bytes_new_take (data, n * size);
    }
  array = acc_array_use_buffers (acc_element_type_new_tuple (types, ACC_KIND_TUPLE), shape, bytes, ACC_KIND_TUPLE);
  for (guint kind = 0; kind < ACC_KIND_TUPLE; kind++)
    g_bytes_unref (bytes[kind]);
  return array;
}

static guint
count_random (void)
{
  const char *given = g_getenv ("ACC_TEST_CASES");

  if (given != NULL && *given != '\0')
    return (guint) strtoul (given, NULL, 10);
  return conf_is_exhaustive () ? N_RANDOM : conf_is_thorough () ? N_RANDOM_IN_RUN : N_RANDOM_IN_RUN / 3;
}

static void
test_random (void)
{
  g_autoptr(AccArray) leaves = draw_leaves ();
  g_autofree char *signature = g_strdup_printf ("%s[:]", acc_element_type_get_code (acc_array_get_element_type (leaves)));

  guint per_program = conf_is_exhaustive () ? MOST_PER_PROGRAM : PER_PROGRAM;

  for (guint i = 0; i < count_random (); i += per_program)
    {
      Random random = { conf_seed () + i, MIN (per_program, count_random () - i) };
      g_autofree char *name = g_strdup_printf ("arithmetic/random/%u", random.seed);
      AccArray *argument = leaves;

      if (conf_is_left_out (name))
        continue;
      g_object_ref (argument);
      conf_spare_denormals (&argument, random_of, NULL, &random);
      check (name, acc_program_new ((const char *[]) { signature, NULL }, random_body, &random), &argument, 1);
    }
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  for (guint kind = 0; kind < ACC_KIND_TUPLE; kind++)
    {
      g_autofree char *path = g_strdup_printf ("/arithmetic/steps/%s", acc_element_kind_get_code (kind));

      g_test_add_data_func (path, GUINT_TO_POINTER (kind), test_steps);
    }
  g_test_add_func ("/arithmetic/choices", test_choices);
  g_test_add_func ("/arithmetic/random", test_random);
  return conf_run ();
}
