/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conformance.h"

#include <string.h>

/* Every operation of the table that is available, on every element type, rank 0 to 4 and many extents: each backend against
 * the interpreter. One program per operation, variant, type and rank runs on all extents. */

#define MAX_RANK 4

typedef struct {
  const char     *type_code;
  AccElementType *type;
  guint           rank;
  guint           variant;
} Case;

typedef struct {
  AccOperation    op;
  guint           n_variants;
  guint           min_rank;
  guint           n_arguments;  /* of the case's type */
  ConfValues      values;
  AccArray     *(*build) (AccArray **arrays, const Case *c);
  /* Extra extents of argument @n, given those of the first: other, to test intersections. NULL: the same */
  void          (*extents) (guint n, const gint64 *first, guint rank, gint64 *extents);
} Row;

/* --- shared pieces */

static AccExpr *
extent_product (AccArray *array)
{
  AccExpr *n = conf_i64 (1);

  for (guint i = 0; i < acc_array_get_rank (array); i++)
    n = acc_expr_mul (n, acc_expr_extent (array, i));
  return n;
}

static AccExpr *
from_index (AccExpr *index, gpointer type)
{
  return conf_from_index (index, type);
}

static void
one_more (guint n, const gint64 *first, guint rank, gint64 *extents)
{
  for (guint i = 0; i < rank; i++)
    extents[i] = MAX (first[i] + (gint64) ((n + i) % 3) - 1, 0);
}

/* --- builders, in the order of the table */

static AccArray *
build_use (AccArray **arrays, const Case *c)
{
  return g_object_ref (arrays[0]);
}

static AccArray *
build_generate (AccArray **arrays, const Case *c)
{
  return acc_array_generate_expr (acc_expr_shape (arrays[0]), from_index, c->type);
}

static AccArray *
build_fill (AccArray **arrays, const Case *c)
{
  return acc_array_fill_expr (acc_expr_shape (arrays[0]), conf_mix (conf_neutral (c->type), NULL));
}

static AccExpr *
is_large (AccExpr *x, gpointer array)
{
  return acc_expr_gt (extent_product (array), conf_i64 (6));
}

/* The sides differ in shape: one is twice the other along the outermost dimension. */
static AccExpr *
half_outer (AccExpr *index, gpointer data)
{
  guint n = acc_expr_get_n_items (index);
  AccExpr *items[MAX_RANK];

  for (guint i = 0; i < n; i++)
    items[i] = i == 0 ? acc_expr_quot (acc_expr_item (index, 0), conf_i64 (2)) : acc_expr_item (index, i);
  return n == 1 ? items[0] : acc_expr_tuple (items, n);
}

static AccExpr *
double_shape (AccArray *array)
{
  guint n = acc_array_get_rank (array);
  AccExpr *items[MAX_RANK];

  for (guint i = 0; i < n; i++)
    items[i] = i == 0 ? acc_expr_mul (acc_expr_extent (array, 0), conf_i64 (2)) : acc_expr_extent (array, i);
  return n == 1 ? items[0] : acc_expr_tuple (items, n);
}

static AccArray *
build_cond (AccArray **arrays, const Case *c)
{
  g_autoptr(AccArray) zero = acc_array_unit (conf_i64 (0));
  g_autoptr(AccArray) condition = acc_array_map (zero, is_large, arrays[0]);
  g_autoptr(AccArray) mixed = acc_array_map (arrays[0], conf_mix, NULL);
  g_autoptr(AccArray) other = c->rank == 0 ? acc_array_map (mixed, conf_mix, NULL)
                                           : acc_array_backpermute_expr (arrays[0], double_shape (arrays[0]), half_outer, NULL);

  return acc_array_cond (condition, mixed, other);
}

static AccExpr *
with_counter (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (x, acc_expr_new_typed_int (conf_type ("i4"), 0));
}

static AccExpr *
mix_and_count (AccExpr *x, gpointer data)
{
  return acc_expr_tuple2 (conf_mix (acc_expr_item (x, 0), NULL), acc_expr_add (acc_expr_item (x, 1), acc_expr_new_int (1)));
}

static AccExpr *
smaller (AccExpr *x, AccExpr *y, gpointer data)
{
  return acc_expr_min (x, y);
}

static AccExpr *
below_three (AccExpr *x, gpointer data)
{
  return acc_expr_lt (x, acc_expr_new_int (3));
}

static AccArray *
counting (AccArray **arrays, guint n, gpointer data)
{
  g_autoptr(AccArray) counters = acc_array_unzip (arrays[0], 1);
  g_autoptr(AccArray) least = acc_array_fold_all (counters, acc_expr_new_typed_int (conf_type ("i4"), 3), smaller, NULL);

  return acc_array_map (least, below_three, NULL);
}

static AccArray *
advance (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], mix_and_count, NULL);
}

static char *
make_signature (const char *code, guint rank)
{
  static const char * const ranks[] = { "[]", "[:]", "[:,:]", "[:,:,:]", "[:,:,:,:]" };

  return g_strconcat (code, ranks[rank], NULL);
}

static AccArray *
build_while (AccArray **arrays, const Case *c)
{
  g_autofree char *code = g_strdup_printf ("(%s,i4)", c->type_code);
  g_autofree char *signature = make_signature (code, c->rank);
  const char *signatures[] = { signature, NULL };
  g_autoptr(AccProgram) condition = acc_program_new (signatures, counting, NULL);
  g_autoptr(AccProgram) step = acc_program_new (signatures, advance, NULL);
  g_autoptr(AccArray) initial = acc_array_map (arrays[0], with_counter, NULL);
  g_autoptr(AccArray) last = acc_array_while_loop (initial, condition, step);

  return acc_array_unzip (last, 0);
}

static AccArray *
is_counting (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_map (arrays[0], below_three, NULL);
}

static AccExpr *
one_further (AccExpr *x, gpointer data)
{
  return acc_expr_add (x, acc_expr_new_int (1));
}

static GPtrArray *
advance_apart (AccArray **arrays, guint n, gpointer data)
{
  GPtrArray *next = g_ptr_array_new ();

  g_ptr_array_add (next, acc_array_map (arrays[0], one_further, NULL));
  g_ptr_array_add (next, acc_array_map (arrays[1], conf_mix, NULL));
  return next;
}

static AccArray *
build_loop_result (AccArray **arrays, const Case *c)
{
  g_autofree char *signature = make_signature (c->type_code, c->rank);
  const char *signatures[] = { "i4", signature, NULL };
  g_autoptr(AccProgram) condition = acc_program_new (signatures, is_counting, NULL);
  g_autoptr(AccProgram) step = acc_program_new_many (signatures, advance_apart, NULL);
  g_autoptr(AccArray) zero = acc_array_unit (acc_expr_new_typed_int (conf_type ("i4"), 0));
  g_autoptr(GPtrArray) last = acc_array_while_loop_many ((AccArray *[]) { zero, arrays[0] }, 2, condition, step);

  return g_object_ref (last->pdata[1]);
}

static AccArray *
build_compute (AccArray **arrays, const Case *c)
{
  g_autoptr(AccArray) mixed = acc_array_map (arrays[0], conf_mix, NULL), computed = acc_array_compute (mixed);

  return acc_array_map (computed, conf_mix, NULL);
}

static AccArray *
mix_all (AccArray **arrays, guint n, gpointer data)
{
  return acc_array_zip_with (arrays[0], arrays[1], conf_mix2, NULL);
}

/* No backend has an implementation: all run the fallback. */
static AccArray *
build_foreign (AccArray **arrays, const Case *c)
{
  g_autofree char *signature = make_signature (c->type_code, c->rank);
  const char *signatures[] = { signature, signature, NULL };
  g_autoptr(AccProgram) fallback = acc_program_new (signatures, mix_all, NULL);

  return acc_array_foreign ("test-matrix", arrays, 2, fallback);
}

static AccArray *
build_map (AccArray **arrays, const Case *c)
{
  return acc_array_map (arrays[0], conf_mix, NULL);
}

static AccExpr *
mix_with_index (AccExpr *index, AccExpr *x, gpointer type)
{
  return conf_mix2 (conf_from_index (index, type), x, NULL);
}

static AccArray *
build_imap (AccArray **arrays, const Case *c)
{
  return acc_array_imap (arrays[0], mix_with_index, c->type);
}

static AccArray *
build_zip_with (AccArray **arrays, const Case *c)
{
  return acc_array_zip_with (arrays[0], arrays[1], conf_mix2, NULL);
}

static AccArray *
build_zip_with3 (AccArray **arrays, const Case *c)
{
  return acc_array_zip_with3 (arrays[0], arrays[1], arrays[2], conf_mix3, NULL);
}

static AccArray *
build_zip (AccArray **arrays, const Case *c)
{
  return c->variant == 0 ? acc_array_zip (arrays[0], arrays[1]) : acc_array_zip_many (arrays, 3);
}

static AccArray *
build_unzip (AccArray **arrays, const Case *c)
{
  g_autoptr(AccArray) pairs = acc_array_zip (arrays[0], arrays[1]);
  g_autoptr(AccArray) mixed = acc_array_map (pairs, conf_mix, NULL);

  return acc_array_unzip (c->variant == 0 ? pairs : mixed, 1);
}

static AccArray *
build_reshape (AccArray **arrays, const Case *c)
{
  AccExpr *items[MAX_RANK];

  if (c->variant == 0)
    return acc_array_flatten (arrays[0]);
  for (guint i = 0; i < c->rank; i++)
    items[i] = acc_expr_extent (arrays[0], c->rank - 1 - i);
  return acc_array_reshape_expr (arrays[0], c->rank == 1 ? items[0] : acc_expr_tuple (items, c->rank));
}

static AccArray *
build_replicate (AccArray **arrays, const Case *c)
{
  gint64 specification[MAX_RANK + 2];
  guint n = 0;

  /* 0: a new outermost dimension, 1: a new innermost one, 2: both, 3: none of extent 0 */
  if (c->variant == 0 || c->variant == 2)
    specification[n++] = 2;
  if (c->variant == 3)
    specification[n++] = 0;
  for (guint i = 0; i < c->rank; i++)
    specification[n++] = ACC_ALL;
  if (c->variant == 1 || c->variant == 2)
    specification[n++] = 3;
  return acc_array_replicate (arrays[0], specification, n);
}

static AccArray *
build_slice (AccArray **arrays, const Case *c)
{
  gint64 specification[MAX_RANK];

  /* 0: the first of the outermost dimension, 1: the second of the innermost, 2: all, 3: one element; may be out of range */
  for (guint i = 0; i < c->rank; i++)
    specification[i] = c->variant == 3 ? 0 : ACC_ALL;
  if (c->variant == 0 && c->rank > 0)
    specification[0] = 0;
  if (c->variant == 1 && c->rank > 0)
    specification[c->rank - 1] = 1;
  return acc_array_slice (arrays[0], specification, c->rank);
}

/* 0: all dimensions turned around; 1: each reversed */
static AccExpr *
turned (AccExpr *index, gpointer array)
{
  guint n = acc_expr_get_n_items (index);
  AccExpr *items[MAX_RANK];

  for (guint i = 0; i < n; i++)
    items[i] = acc_expr_item (index, n - 1 - i);
  return n == 1 ? items[0] : acc_expr_tuple (items, n);
}

static AccExpr *
reversed (AccExpr *index, gpointer array)
{
  guint n = acc_expr_get_n_items (index);
  AccExpr *items[MAX_RANK];

  for (guint i = 0; i < n; i++)
    items[i] = acc_expr_sub (acc_expr_sub (acc_expr_extent (array, i), conf_i64 (1)), acc_expr_item (index, i));
  return n == 1 ? items[0] : acc_expr_tuple (items, n);
}

static AccArray *
build_backpermute (AccArray **arrays, const Case *c)
{
  AccExpr *items[MAX_RANK];

  if (c->variant == 1)
    return acc_array_backpermute_expr (arrays[0], acc_expr_shape (arrays[0]), reversed, arrays[0]);
  if (c->variant == 2)
    return acc_array_backpermute_expr (arrays[0], double_shape (arrays[0]), half_outer, NULL);
  for (guint i = 0; i < c->rank; i++)
    items[i] = acc_expr_extent (arrays[0], c->rank - 1 - i);
  return acc_array_backpermute_expr (arrays[0], c->rank == 1 ? items[0] : acc_expr_tuple (items, c->rank), turned, NULL);
}

/* Where an element goes: distinct places (0), crowded places (1), crowded ones under a mask (2). */
static AccExpr *
target_of (AccExpr *index, AccExpr *x, gpointer array)
{
  guint n = acc_expr_get_n_items (index);
  AccExpr *items[MAX_RANK];

  for (guint i = 0; i < n; i++)
    items[i] = acc_expr_sub (acc_expr_sub (acc_expr_extent (array, i), conf_i64 (1)), acc_expr_item (index, i));
  return n == 1 ? items[0] : acc_expr_tuple (items, n);
}

static AccExpr *
crowded_target_of (AccExpr *index, AccExpr *x, gpointer array)
{
  guint n = acc_expr_get_n_items (index);
  AccExpr *items[MAX_RANK];

  for (guint i = 0; i < n; i++)
    items[i] = acc_expr_quot (acc_expr_item (index, i), conf_i64 (2));
  return n == 1 ? items[0] : acc_expr_tuple (items, n);
}

static AccExpr *
masked_target_of (AccExpr *index, AccExpr *x, gpointer array)
{
  AccExpr *sum = conf_i64 (0);

  for (guint i = 0; i < acc_expr_get_n_items (index); i++)
    sum = acc_expr_add (sum, acc_expr_item (index, i));
  return acc_expr_tuple2 (acc_expr_even (sum), crowded_target_of (index, x, array));
}

static AccArray *
build_permute (AccArray **arrays, const Case *c)
{
  g_autoptr(AccArray) targets = acc_array_imap (arrays[0],
                                                c->variant == 0 ? target_of : c->variant == 1 ? crowded_target_of : masked_target_of,
                                                arrays[0]);

  return acc_array_permute (arrays[0], arrays[1], targets, c->variant == 0 ? conf_mix2 : conf_combine, NULL);
}

static AccArray *
build_fold (AccArray **arrays, const Case *c)
{
  return acc_array_fold (arrays[0], conf_mix (conf_neutral (c->type), NULL), conf_combine, NULL);
}

static AccArray *
build_fold1 (AccArray **arrays, const Case *c)
{
  return acc_array_fold1 (arrays[0], conf_combine, NULL);
}

static AccArray *
build_fold_all (AccArray **arrays, const Case *c)
{
  return acc_array_fold_all (arrays[0], conf_mix (conf_neutral (c->type), NULL), conf_combine, NULL);
}

static AccArray *
build_fold1_all (AccArray **arrays, const Case *c)
{
  return acc_array_fold1_all (arrays[0], conf_combine, NULL);
}

static AccArray *
build_scanl1 (AccArray **arrays, const Case *c)
{
  return acc_array_scanl1 (arrays[0], conf_combine, NULL);
}

/* The first scalar of an element. */
static AccExpr *
first_scalar (AccExpr *x, gpointer data)
{
  while (!acc_element_type_is_scalar (acc_expr_get_element_type (x)))
    x = acc_expr_item (x, 0);
  return x;
}

static AccArray *
build_sort (AccArray **arrays, const Case *c)
{
  return acc_array_sort_by_key (arrays[0], c->variant == 1, first_scalar, NULL);
}

/* --- stencils */

static AccExpr *
neighbour (AccExpr *neighbourhood, guint rank, gint64 offset, guint skip)
{
  gint64 offsets[MAX_RANK] = { 0 };

  for (guint i = 0; i < rank; i++)
    offsets[i] = i == skip ? 0 : offset;
  return acc_expr_neighbour (neighbourhood, offsets, rank);
}

/* A corner, the opposite one, and the centre. */
static AccExpr *
stencil_body (AccExpr *n, gpointer data)
{
  guint rank = GPOINTER_TO_UINT (data);

  return conf_mix3 (neighbour (n, rank, -1, G_MAXUINT), neighbour (n, rank, 0, 0), neighbour (n, rank, 1, rank > 1 ? 0 : G_MAXUINT), NULL);
}

static AccExpr *
stencil2_body (AccExpr *n, AccExpr *m, gpointer data)
{
  guint rank = GPOINTER_TO_UINT (data);

  return conf_mix2 (neighbour (n, rank, 1, G_MAXUINT), neighbour (m, rank, -2, rank > 1 ? 0 : G_MAXUINT), NULL);
}

static AccBoundary *
make_boundary (guint n, const Case *c)
{
  switch (n)
    {
    case 0:
      return acc_boundary_new (ACC_BOUNDARY_CLAMP);
    case 1:
      return acc_boundary_new (ACC_BOUNDARY_MIRROR);
    case 2:
      return acc_boundary_new (ACC_BOUNDARY_WRAP);
    case 3:
      return acc_boundary_new_constant (conf_mix (conf_neutral (c->type), NULL));
    default:
      return acc_boundary_new_function (c->rank, from_index, c->type);
    }
}

static AccArray *
build_stencil (AccArray **arrays, const Case *c)
{
  g_autoptr(AccBoundary) boundary = make_boundary (c->variant % 5, c);
  gint64 sizes[MAX_RANK];

  for (guint i = 0; i < c->rank; i++)
    sizes[i] = c->variant >= 5 && i == c->rank - 1 ? 9 : 3;
  return acc_array_stencil (arrays[0], sizes, c->rank, boundary, stencil_body, GUINT_TO_POINTER (c->rank));
}

static AccArray *
build_stencil2 (AccArray **arrays, const Case *c)
{
  g_autoptr(AccBoundary) first = make_boundary (c->variant, c);
  g_autoptr(AccBoundary) second = make_boundary ((c->variant + 2) % 5, c);
  gint64 small[MAX_RANK], large[MAX_RANK];

  for (guint i = 0; i < c->rank; i++)
    {
      small[i] = 3;
      large[i] = i == 0 && c->rank > 1 ? 1 : 5;
    }
  return acc_array_stencil2 (arrays[0], small, c->rank, first, arrays[1], large, c->rank, second, stencil2_body,
                             GUINT_TO_POINTER (c->rank));
}

static const Row rows[] = {
  { ACC_OP_USE,         1, 0, 1, CONF_FULL,  build_use, NULL },
  { ACC_OP_PARAMETER,   1, 0, 1, CONF_FULL,  build_use, NULL },
  { ACC_OP_GENERATE,    1, 0, 1, CONF_FULL,  build_generate, NULL },
  { ACC_OP_FILL,        1, 0, 1, CONF_FULL,  build_fill, NULL },
  { ACC_OP_COND,        1, 0, 1, CONF_FULL,  build_cond, NULL },
  { ACC_OP_WHILE_LOOP,  1, 0, 1, CONF_FULL,  build_while, NULL },
  { ACC_OP_LOOP_RESULT, 1, 0, 1, CONF_FULL,  build_loop_result, NULL },
  { ACC_OP_COMPUTE,     1, 0, 1, CONF_FULL,  build_compute, NULL },
  { ACC_OP_FOREIGN,     1, 0, 2, CONF_NORMAL, build_foreign, one_more },
  { ACC_OP_MAP,         1, 0, 1, CONF_NORMAL, build_map, NULL },
  { ACC_OP_IMAP,        1, 0, 1, CONF_NORMAL, build_imap, NULL },
  { ACC_OP_ZIP_WITH,    1, 0, 2, CONF_NORMAL, build_zip_with, one_more },
  { ACC_OP_ZIP_WITH3,   1, 0, 3, CONF_NORMAL, build_zip_with3, one_more },
  { ACC_OP_ZIP,         2, 0, 3, CONF_FULL,  build_zip, one_more },
  { ACC_OP_UNZIP,       2, 0, 2, CONF_FULL,  build_unzip, one_more },
  { ACC_OP_RESHAPE,     2, 1, 1, CONF_FULL,  build_reshape, NULL },
  { ACC_OP_REPLICATE,   4, 0, 1, CONF_FULL,  build_replicate, NULL },
  { ACC_OP_SLICE,       4, 0, 1, CONF_FULL,  build_slice, NULL },
  { ACC_OP_BACKPERMUTE, 3, 1, 1, CONF_FULL,  build_backpermute, NULL },
  { ACC_OP_PERMUTE,     3, 0, 2, CONF_SMALL, build_permute, NULL },
  { ACC_OP_FOLD,        1, 1, 1, CONF_SMALL, build_fold, NULL },
  { ACC_OP_FOLD1,       1, 1, 1, CONF_SMALL, build_fold1, NULL },
  { ACC_OP_FOLD_ALL,    1, 0, 1, CONF_SMALL, build_fold_all, NULL },
  { ACC_OP_FOLD1_ALL,   1, 0, 1, CONF_SMALL, build_fold1_all, NULL },
  { ACC_OP_SCANL1,      1, 1, 1, CONF_SMALL, build_scanl1, NULL },
  { ACC_OP_SORT,        2, 1, 1, CONF_SMALL, build_sort, NULL },
  { ACC_OP_STENCIL,     6, 1, 1, CONF_NORMAL, build_stencil, NULL },
  { ACC_OP_STENCIL2,    5, 1, 2, CONF_NORMAL, build_stencil2, one_more },
};

/* --- running */

static const gint64 extents1[][MAX_RANK] = { { 0 }, { 1 }, { 2 }, { 5 }, { 17 }, { 64 }, { 1001 } };
static const gint64 extents2[][MAX_RANK] = { { 0, 3 }, { 3, 0 }, { 1, 1 }, { 2, 7 }, { 5, 28 }, { 17, 9 }, { 1, 130 }, { 33, 1 } };
static const gint64 extents3[][MAX_RANK] = { { 0, 2, 2 }, { 2, 0, 3 }, { 2, 3, 0 }, { 1, 1, 1 }, { 2, 3, 5 }, { 3, 4, 37 } };
static const gint64 extents4[][MAX_RANK] = { { 1, 2, 0, 3 }, { 2, 3, 2, 3 }, { 2, 1, 3, 19 } };

static const gint64 (* const all_extents[])[MAX_RANK] = { extents1, extents1, extents2, extents3, extents4 };
static const guint n_extents[] = { 1, G_N_ELEMENTS (extents1), G_N_ELEMENTS (extents2), G_N_ELEMENTS (extents3), G_N_ELEMENTS (extents4) };

typedef struct {
  const Row  *row;
  const Case *c;
} Job;

static AccArray *
build (AccArray **arrays, guint n, gpointer data)
{
  const Job *job = data;

  return job->row->build (arrays, job->c);
}

static void
check_case (const Row *row, const Case *c, GRand *rand)
{
  Job job = { row, c };
  g_autofree char *name = g_strdup_printf ("matrix/%s-%u/%s/rank%u", acc_operation_get_info (row->op)->name, c->variant, c->type_code,
                                           c->rank);
  g_autofree char *signature = make_signature (c->type_code, c->rank);
  const char *signatures[4] = { NULL };
  g_autoptr(ConfProgram) program = NULL;

  for (guint i = 0; i < row->n_arguments; i++)
    signatures[i] = signature;
  program = conf_program_new (name, acc_program_new (signatures, build, &job));

  for (guint e = 0; e < n_extents[c->rank]; e++)
    {
      const gint64 *first = all_extents[c->rank][e];
      gint64 extents[MAX_RANK];
      AccArray *arguments[3];

      for (guint i = 0; i < row->n_arguments; i++)
        {
          memcpy (extents, first, sizeof extents);
          if (i > 0 && row->extents != NULL)
            row->extents (i, first, c->rank, extents);
          arguments[i] = conf_array (c->type, extents, c->rank, rand, row->values);
        }
      conf_program_check (program, arguments, row->n_arguments, CONF_EXACT);
    }
}

static void
test_row (gconstpointer data)
{
  const Row *row = data;
  g_autoptr(GRand) rand = g_rand_new_with_seed (conf_seed () + row->op);

  for (guint t = 0; conf_types[t] != NULL; t++)
    for (guint rank = row->min_rank; rank <= MAX_RANK; rank++)
      for (guint variant = 0; variant < row->n_variants; variant++)
        {
          Case c = { conf_types[t], conf_type (conf_types[t]), rank, variant };

          /* Variants of the environment, and devices that compile slowly, take every seventh case: the same ones each time. */
          if (!conf_is_thorough () && (t + rank + variant) % 7 != row->op % 7)
            continue;
          /* Ranks above 2 need not repeat every variant for every type. */
          if (rank > 2 && row->n_variants > 1 && (t + variant) % 2 != rank % 2)
            continue;
          check_case (row, &c, rand);
        }
}

/* The table knows what is available: nothing of it may be missing here. Sources stream, and are tested with streams. */
static void
test_complete (void)
{
  for (guint op = 0; op < ACC_N_OPERATIONS; op++)
    {
      const AccOperationInfo *info = acc_operation_get_info (op);
      gboolean known = op == ACC_OP_SOURCE;

      for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
        known = known || rows[i].op == op;
      if (info->since[0] != '\0' && !known)
        conf_fail ("matrix", info->name, "is in the table of operations, but not tested");
    }
}

int
main (int argc, char **argv)
{
  conf_init (&argc, &argv);
  g_test_add_func ("/matrix/complete", test_complete);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strdup_printf ("/matrix/%s", acc_operation_get_info (rows[i].op)->name);

      g_test_add_data_func (path, &rows[i], test_row);
    }
  return conf_run ();
}
