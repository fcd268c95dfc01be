/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf-random-steps.h"

/* Choices, loops, segments, nested arrays, products, and what is not of the element. */

/* --- choices, loops, foreign operations */

static AccExpr *
chooses (AccExpr *index, gpointer array)
{
  return conf_leaves (array, 1);
}

AccArray *
conf_step_choose (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccShape) scalar = acc_shape_new (NULL, 0);
  g_autoptr(AccArray) condition = conf_pick (c, 4) == 0 ? acc_array_fill (scalar, acc_expr_new_bool (conf_pick (c, 2)))
                                                        : acc_array_generate (scalar, chooses, x);
  g_autoptr(AccArray) then = acc_array_map (x, conf_mix, NULL);
  g_autoptr(AccArray) otherwise = acc_array_get_rank (x) > 0 ? acc_array_drop (x, 1) : acc_array_compute (x);

  return acc_array_cond (condition, then, otherwise);
}

static AccExpr *
is_positive (AccExpr *x, gpointer data)
{
  return acc_expr_gt (x, conf_i64 (0));
}

static AccExpr *
one_less (AccExpr *x, gpointer data)
{
  return acc_expr_sub (x, conf_i64 (1));
}

static AccExpr *
rounds (AccExpr *index, gpointer array)
{
  return acc_expr_mod (conf_extent_of (array), conf_i64 (4));
}

static AccArray *
goes_on (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], is_positive, NULL);
}

typedef struct {
  guint     kind;
  AccArray *captured;
} Loop;

static GPtrArray *
next_states (AccArray **arrays, guint n, gpointer data)
{
  const Loop *conf_step_loop = data;
  GPtrArray *next = g_ptr_array_new_with_free_func (g_object_unref);

  g_ptr_array_add (next, acc_array_map (arrays[0], one_less, NULL));
  if (conf_step_loop->kind == 0 || acc_array_get_rank (arrays[1]) == 0)
    g_ptr_array_add (next, acc_array_zip_with (arrays[1], conf_step_loop->captured, conf_mix2, NULL));
  else if (conf_step_loop->kind == 1)
    g_ptr_array_add (next, acc_array_drop (arrays[1], 1));
  else
    g_ptr_array_add (next, acc_array_scanl1 (arrays[1], conf_random_combine, NULL));
  g_ptr_array_add (next, acc_array_map (arrays[2], conf_mix, NULL));
  return next;
}

static char *
signature_of (AccArray *x)
{
  static const char *const extents[] = { "", ":", ":,:", ":,:,:", ":,:,:,:", ":,:,:,:,:" };

  return g_strdup_printf ("%s[%s]", acc_element_type_get_code (acc_array_get_element_type (x)), extents[acc_array_get_rank (x)]);
}

AccArray *
conf_step_loop (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccShape) scalar = acc_shape_new (NULL, 0);
  g_autoptr(AccArray) count = acc_array_generate (scalar, rounds, x), total = conf_step_fold_all (c, x);
  g_autofree char *signature = signature_of (x), *total_signature = signature_of (total);
  Loop state = { conf_pick (c, 3), x };
  const char *const signatures[] = { "i8[]", signature, total_signature, NULL };
  g_autoptr(AccProgram) condition = acc_program_new (signatures, goes_on, NULL);
  g_autoptr(AccProgram) step = acc_program_new_many (signatures, next_states, &state);
  g_autoptr(GPtrArray) last = acc_array_while_loop_many ((AccArray *[]) { count, x, total }, 3, condition, step);
  g_autoptr(AccArray) sum = NULL;

  if (conf_pick (c, 4) == 0)
    return g_object_ref (g_ptr_array_index (last, 0));
  sum = g_object_ref (g_ptr_array_index (last, 2));
  return acc_array_map (g_ptr_array_index (last, 1), conf_with_total, &(ConfAccess) { c, sum });
}

static AccArray *
fall_back (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) mapped = acc_array_map (arrays[0], conf_mix, NULL);

  return acc_array_get_rank (mapped) > 0 ? acc_array_reverse (mapped) : g_steal_pointer (&mapped);
}

AccArray *
conf_step_foreign (ConfRandom *c, AccArray *x)
{
  g_autofree char *signature = signature_of (x);
  g_autoptr(AccProgram) fallback = acc_program_new ((const char *[]) { signature, NULL }, fall_back, NULL);

  return acc_array_foreign ("conformance-example", &x, 1, fallback);
}

/* --- segments and nested arrays inside */

/* 3 that are as long as @array, together. */
static AccExpr *
length_of_part (AccExpr *k, gpointer array)
{
  guint rank = acc_array_get_rank (array);
  g_autoptr(AccExpr) n = acc_expr_ref_sink (acc_expr_extent (array, rank - 1));
  g_autoptr(AccExpr) first = acc_expr_ref_sink (acc_expr_min (n, conf_i64 (2)));

  return acc_expr_cond (acc_expr_eq (k, conf_i64 (0)), first,
                        acc_expr_cond (acc_expr_eq (k, conf_i64 (1)), conf_i64 (0), acc_expr_sub (n, first)));
}

static AccArray *
lengths_of_parts (AccArray *array)
{
  g_autoptr(AccShape) three = acc_shape_new_vector (3);

  return acc_array_generate (three, length_of_part, array);
}

AccArray *
conf_step_fold_segments (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x), lengths = lengths_of_parts (rows);

  return acc_array_fold_seg (rows, conf_initial_for (c, rows, FALSE), lengths, conf_draw_operator (c, rows), rows);
}

AccArray *
conf_step_fold1_segments (ConfRandom *c, AccArray *x)
{
  /* None that is empty. */
  g_autoptr(AccArray) rows = conf_grow (x, TRUE, 3), filled = conf_step_imap (c, rows), lengths = NULL;
  g_autoptr(AccShape) two = acc_shape_new_vector (2);

  lengths = acc_array_enum_from_n (two, conf_i64 (1));
  return acc_array_fold1_seg (filled, lengths, conf_draw_operator (c, filled), filled);
}

AccArray *
conf_step_scan_segments (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x), lengths = lengths_of_parts (rows);

  switch (conf_pick (c, 3))
    {
    case 0:
      return acc_array_scanl1_seg (rows, lengths, conf_draw_operator (c, rows), rows);
    case 1:
      return acc_array_scanr1_seg (rows, lengths, conf_draw_operator (c, rows), rows);
    default:
      return acc_array_scanl_seg (rows, conf_initial_for (c, rows, FALSE), lengths, conf_draw_operator (c, rows), rows);
    }
}

static AccArray *
in_three (AccArray *vector, AccArrayFunc function, gpointer data)
{
  g_autoptr(AccArray) lengths = lengths_of_parts (vector);
  g_autoptr(AccNestedArray) parts = acc_nested_array_new_from_lengths (vector, lengths);
  g_autoptr(AccNestedArray) mapped = acc_nested_array_map (parts, function, data);

  return acc_nested_array_flatten (mapped);
}

static AccArray *
innermost (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_scanl1 (arrays[0], conf_random_combine, NULL);
}

static AccArray *
middle (AccArray **arrays, guint n, gpointer data)
{
  return in_three (arrays[0], innermost, NULL);
}

static AccArray *
outermost (AccArray **arrays, guint n, gpointer data)
{
  return in_three (arrays[0], middle, NULL);
}

static AccArray *
sorted (AccArray **arrays, guint n, gpointer random)
{
  return conf_step_sort (random, arrays[0]);
}

static AccArray *
of_rows (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_get_rank (arrays[0]) > 0 ? acc_array_fold (arrays[0], conf_neutral (acc_array_get_element_type (arrays[0])),
                                                              conf_random_combine, NULL)
                                            : acc_array_map (arrays[0], conf_mix, NULL);
}

AccArray *
conf_step_nest (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x), flat = acc_array_flatten (rows);
  g_autoptr(AccNestedArray) nested = NULL, mapped = NULL;

  switch (conf_pick (c, 4))
    {
    case 0:
      return in_three (flat, sorted, c);
    case 1:
      return in_three (flat, outermost, NULL);
    default:
      break;
    }
  nested = acc_nested_array_new_from_regular (rows);
  mapped = acc_nested_array_map (nested, of_rows, NULL);
  return acc_nested_array_flatten (mapped);
}

/* --- products, transforms, random numbers, other arrays */

AccArray *
conf_step_multiply (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x), numbers = conf_whole_numbers (rows, conf_pick (c, 2) ? "i4" : "u1"), other = NULL;

  other = acc_array_get_rank (rows) == 1 ? conf_grow (numbers, TRUE, 3) : acc_array_transpose (numbers);
  return acc_array_matmul (numbers, other);
}

static AccExpr *
near_element (AccExpr *index, gpointer array)
{
  return acc_expr_mod (acc_expr_mul (index, conf_i64 (3)), acc_expr_extent (array, 0));
}

static AccExpr *
fourth (AccExpr *x, gpointer data)
{
  return acc_expr_complex (acc_expr_mul (acc_expr_cast (x, conf_type ("f4")), acc_expr_new_float (0.25)), acc_expr_new_float (1));
}

/* Of 4 elements, which small numbers are transformed exactly of. */
AccArray *
conf_step_transform (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) rows = conf_with_rows (x), flat = acc_array_flatten (rows), last = NULL;
  g_autoptr(AccArray) numbers = conf_whole_numbers (flat, "i1"), full = NULL, four = NULL, floats = NULL;
  g_autoptr(AccShape) one = acc_shape_new_vector (1), shape = acc_shape_new_vector (4);
  static const AccFftMode modes[] = { ACC_FFT_FORWARD, ACC_FFT_REVERSE, ACC_FFT_INVERSE };

  last = acc_array_fill (one, acc_expr_cast (conf_i64 (7), conf_type ("i1")));
  full = acc_array_concat (numbers, last);
  four = acc_array_backpermute (full, shape, near_element, full);
  floats = acc_array_map (four, fourth, NULL);
  return acc_array_fft (floats, modes[conf_pick (c, G_N_ELEMENTS (modes))]);
}

static AccExpr *
random_at (AccExpr *index, gpointer data)
{
  ConfAccess *access = data;

  return acc_expr_index (access->array,
                         acc_expr_get_n_items (index) > 0 ? acc_expr_mod (acc_expr_item (index, 0), conf_i64 (9)) : conf_i64 (2));
}

static AccExpr *
with_other (AccExpr *index, AccExpr *x, gpointer data)
{
  ConfAccess *access = data;

  return conf_random_with (access->c, x, random_at (index, data));
}

AccArray *
conf_step_random_numbers (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccShape) nine = acc_shape_new_vector (9);
  g_autoptr(AccArray) numbers = acc_array_random_bits (conf_type ("u4"), nine, 5, 3);

  return acc_array_imap (x, with_other, &(ConfAccess) { c, numbers });
}

AccArray *
conf_step_other_array (ConfRandom *c, AccArray *x)
{
  g_autoptr(AccArray) other = conf_array (conf_any_item (c), (gint64[]) { 9 }, 1, c->rand, CONF_SMALL);

  return acc_array_imap (x, with_other, &(ConfAccess) { c, other });
}
