/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-permute-simt.h"

#include "acc-backends/fuse/acc-function-facts.h"

/* Permutes by groups of threads. All but the first form begin with a copy of the defaults:
 *
 *   - each target gets exactly one element: plain stores, without a copy of the defaults;
 *   - the new value replaces the old one: the last source element of each target wins. One kernel finds it by the highest
 *     number; one stores all of them. No element is torn;
 *   - a commutative primitive per leaf: atomics, or compare-and-swap. Results that fit shared memory, and get many elements,
 *     have a table in each group that is added at the end. Floats are combined in no order;
 *   - any other function, whose operands commute by contract: acc-permute-combine-simt.c;
 *   - elsewhere: one thread, in the order of the source, as on the CPU. */

#define TABLE_BYTES 16384    /* at most, of a table */
#define TABLE_PACKS 4        /* that a thread reads at once for them */
#define PER_THREAD 16
typedef enum {
  FORM_LAST,
  FORM_ATOMIC,
  FORM_ANY,
  FORM_SERIAL,
} Form;

/* 1 + KAtomic; 0: none */
static const guint8 atomics[ACC_N_PRIMITIVES] = {
  [ACC_PRIM_ADD] = 1 + KB_ATOMIC_ADD, [ACC_PRIM_MIN] = 1 + KB_ATOMIC_MIN, [ACC_PRIM_MAX] = 1 + KB_ATOMIC_MAX,
  [ACC_PRIM_BAND] = 1 + KB_ATOMIC_AND, [ACC_PRIM_BOR] = 1 + KB_ATOMIC_OR, [ACC_PRIM_BXOR] = 1 + KB_ATOMIC_XOR,
};

static gboolean
has_atomic (const AccTarget *target,
            AccElementKind   kind,
            AccPrimitive     primitive,
            KAtomic         *how)
{
  if (atomics[primitive] == 0 || acc_element_kind_get_size (kind) < 4)
    return FALSE;
  *how = atomics[primitive] - 1;
  if (kind == ACC_KIND_F32)
    return *how == KB_ATOMIC_ADD && target->has_atomic_add_f32;
  if (kind == ACC_KIND_F64)
    return *how == KB_ATOMIC_ADD && target->has_atomic_add_f64;

  return acc_element_kind_get_size (kind) == 4 || target->has_atomic_64;
}

static Form
choose_form (AccPermute *self)
{
  const AccTarget *target = self->step->fusion->target;
  AccFunction *function = self->node->array->functions[0];
  gboolean swaps = TRUE;

  if (!acc_function_uses_param (function, 1) && self->source->size < G_MAXINT32)
    return FORM_LAST;

  for (guint i = 0; i < self->n_leaves; i++)
    swaps &= acc_element_kind_get_size (acc_permute_get_kind (self, i)) < 8 || target->has_atomic_64;
  if (swaps && acc_function_get_reductions (function, self->primitives))
    return FORM_ATOMIC;
  return acc_permute_can_combine (self) ? FORM_ANY : FORM_SERIAL;
}

/* --- defaults */

static void
write_defaults (AccPermute *self)
{
  AccLaunch launch = acc_skeleton_launch (self->results, 1);
  AccSimt simt;
  AccLower *l = acc_simt_begin (&simt, self->step, "permute_defaults", acc_simt_get_group (self->step));
  AccKernelBuilder *b = l->b;
  KValue count = kb_sub (b, kb_inner_end (b), kb_inner_begin (b));
  KValue n = kb_udiv (b, kb_add (b, count, low_const (l, simt.group - 1)), low_const (l, simt.group));

  low_for (l, u, kb_outer_begin (b), kb_outer_end (b))
    {
      low_within (l, u, 0, self->results->outer - 1);
      low_for (l, k, low_const (l, 0), n)
        {
          KValue x = kb_add (b, kb_add (b, kb_inner_begin (b), kb_mul (b, k, low_const (l, simt.group))), simt.local);

          low_if (l, kb_lt (b, x, kb_inner_end (b)))
            {
              acc_permute_write_default (self, l, u, x);
            }
        }
    }

  if (self->n_source > 0)
    launch.rows = ACC_SPACE_FIRST;
  launch.tile_inner = MIN (MAX (self->results->inner, 1), (gint64) simt.group * PER_THREAD);
  launch.tile_outer = MAX ((gint64) simt.group * PER_THREAD / launch.tile_inner, 1);
  low_finish (l, launch);
}

/* --- no two to the same place */

static void
store_value (AccPermute     *self,
             AccSimt        *simt,
             const AccIndex *ix,
             KValue          linear,
             KValue          target,
             gpointer        data)
{
  AccLower *l = simt->l;
  KValue *value = acc_permute_read (self, l, ix);

  low_apply2 (l, self->node, self->node->array->functions[0], value, value, value);
  for (guint i = 0; i < self->n_leaves; i++)
    low_store_place (l, acc_permute_get_result (self, l, i, target, 0), value[i]);
}

/* --- the last one wins */

static void
note_number (AccPermute     *self,
             AccSimt        *simt,
             const AccIndex *ix,
             KValue          linear,
             KValue          target,
             gpointer        data)
{
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;
  KBuffer winners = low_scratch_with (l, GPOINTER_TO_UINT (data), ACC_KIND_U32, ACC_BUFFER_COHERENT);

  kb_atomic (b, KB_ATOMIC_MAX, winners, target, kb_cast (b, ACC_KIND_U32, kb_add (b, linear, low_const (l, 1))));
}

static void
store_winner (AccPermute     *self,
              AccSimt        *simt,
              const AccIndex *ix,
              KValue          linear,
              KValue          target,
              gpointer        data)
{
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;
  KValue winner = kb_load (b, low_scratch (l, GPOINTER_TO_UINT (data), ACC_KIND_U32), target);

  low_if (l, kb_eq (b, winner, kb_cast (b, ACC_KIND_U32, kb_add (b, linear, low_const (l, 1)))))
    {
      store_value (self, simt, ix, linear, target, NULL);
    }
}

static void
write_last (AccPermute *self)
{
  guint winners = acc_step_add_scratch (self->step, ACC_KIND_U32, self->node->size);
  guint vector = acc_permute_choose_vector (self, 1, 1);

  acc_simt_write_zeros (self->step, "permute_zeros", winners, ACC_KIND_U32, self->node->size);
  acc_permute_write_visits (self, "permute_last", vector, note_number, GUINT_TO_POINTER (winners));
  acc_permute_write_visits (self, "permute", vector, store_winner, GUINT_TO_POINTER (winners));
}

/* --- atomics */

typedef struct {
  guint  leaf;
  KValue value;
} Leaf;

static KValue
combine_leaf (AccPermute *self,
              AccLower   *l,
              KValue      old,
              gpointer    data)
{
  const Leaf *leaf = data;

  return kb_prim2 (l->b, self->primitives[leaf->leaf], leaf->value, old);
}

static void
combine (AccPermute  *self,
         AccSimt     *simt,
         guint        leaf,
         AccPlace     place,
         KValue       value)
{
  AccElementKind kind = acc_permute_get_kind (self, leaf);
  Leaf change = { leaf, value };
  KAtomic how;

  if (has_atomic (self->step->fusion->target, kind, self->primitives[leaf], &how))
    kb_atomic (simt->l->b, how, place.buffer, place.at, value);
  else
    acc_permute_swap (self, simt->l, place, kind, combine_leaf, &change);
}

/* A group's own, in shared memory. */
typedef struct {
  KBuffer *leaves;
  guint    n_copies;
} Tables;

static KValue
get_copy_place (AccSimt *simt,
                KValue   at,
                KValue   copy,
                guint    copies)
{
  AccKernelBuilder *b = simt->l->b;

  return kb_add (b, kb_mul (b, at, low_const (simt->l, copies)), low_urem (simt->l, copy, copies));
}

static void
combine_leaves (AccPermute     *self,
                AccSimt        *simt,
                const AccIndex *ix,
                KValue          linear,
                KValue          target,
                gpointer        data)
{
  const Tables *tables = data;

  for (guint i = 0; i < self->n_leaves; i++)
    {
      KValue value = low_read (simt->l, self->source, ix, i);

      if (tables != NULL)
        combine (self, simt, i, (AccPlace) { tables->leaves[i], get_copy_place (simt, target, simt->local, tables->n_copies) }, value);
      else
        combine (self, simt, i, acc_permute_get_result (self, simt->l, i, target, ACC_BUFFER_COHERENT), value);
    }
}

static gboolean
fits_shared (AccPermute *self)
{
  gsize bytes = 0;
  KAtomic how;

  for (guint i = 0; i < self->n_leaves; i++)
    {
      AccElementKind kind = acc_permute_get_kind (self, i);

      if (acc_element_kind_is_float (kind) || acc_element_kind_get_size (kind) != 4
          || !has_atomic (self->step->fusion->target, kind, self->primitives[i], &how))
        return FALSE;
      bytes += 4;
    }

  return self->node->size <= TABLE_BYTES / (gint64) bytes && self->source->size / 16 >= self->node->size;
}

/* Tables side by side, element by element: lanes of a subgroup have their own, so that they neither meet nor ask the same bank of
 * memory. */
static guint
choose_copies (AccPermute *self)
{
  const AccTarget *target = self->step->fusion->target;
  gsize bytes = (gsize) MAX (self->node->size, 1) * self->n_leaves * 4;
  guint copies = 1;

  while (copies < target->subgroup_size && bytes * copies * 2 <= MIN (target->table_bytes, target->shared_bytes / 4 * 3))
    copies *= 2;

  return copies;
}

/* Clears the tables, element by element, or adds them to the result. */
static void
over_tables (AccPermute   *self,
             AccSimt      *simt,
             const Tables *tables,
             gboolean      flush)
{
  AccLower *l = simt->l;
  AccKernelBuilder *b = l->b;
  guint copies = tables->n_copies;

  low_for (l, k, low_const (l, 0), low_const (l, (self->node->size + simt->group - 1) / simt->group))
    {
      KValue at = kb_add (b, kb_mul (b, k, low_const (l, simt->group)), simt->local);

      low_if (l, kb_lt (b, at, low_const (l, self->node->size)))
        {
          for (guint i = 0; i < self->n_leaves; i++)
            {
              KValue neutral = acc_skeleton_get_neutral (l, acc_permute_get_kind (self, i), self->primitives[i]);
              KVar sum = kb_var (b, neutral);

              low_for (l, c, low_const (l, 0), low_const (l, copies))
                {
                  /* Neighbours begin with different ones: the same would be in one bank. */
                  KValue place = get_copy_place (simt, at, kb_add (b, c, simt->local), copies);

                  if (flush)
                    kb_set (b, sum, kb_prim2 (b, self->primitives[i], kb_get (b, sum), kb_load (b, tables->leaves[i], place)));
                  else
                    kb_store (b, tables->leaves[i], place, neutral);
                }
              if (flush)
                {
                  KValue value = kb_get (b, sum);

                  low_if (l, kb_prim2 (b, ACC_PRIM_NE, value, neutral))
                    {
                      combine (self, simt, i, acc_permute_get_result (self, l, i, at, ACC_BUFFER_COHERENT), value);
                    }
                }
            }
        }
    }
}

static void
write_atomics (AccPermute *self)
{
  gboolean shared = fits_shared (self);
  Tables tables = { NULL, choose_copies (self) };
  AccLaunch launch;
  AccSimt simt;
  AccLower *l = acc_simt_begin (&simt, self->step, "permute", acc_simt_get_group (self->step));
  guint vector = shared ? acc_permute_choose_vector (self, TABLE_PACKS, 8) : acc_permute_choose_vector (self, 1, 1);
  gint64 n_groups = MAX (self->step->fusion->target->n_groups, 1);

  if (shared)
    {
      tables.leaves = low_alloc (l, (self->n_leaves + 1) * sizeof (KBuffer));
      for (guint i = 0; i < self->n_leaves; i++)
        tables.leaves[i] = kb_shared (l->b, acc_permute_get_kind (self, i), (guint) self->node->size * tables.n_copies, "table");
      over_tables (self, &simt, &tables, FALSE);
      kb_barrier (l->b);
    }
  acc_permute_visit_all (self, &simt, vector, combine_leaves, shared ? &tables : NULL);
  if (shared)
    {
      kb_barrier (l->b);
      over_tables (self, &simt, &tables, TRUE);
    }

  launch = acc_permute_get_launch (self, &simt, vector, shared ? CLAMP (self->source->size / (n_groups * simt.group), 16, 4096) : 4);
  /* A group with a table of its own takes more, so that clearing and adding it counts less. */
  if (shared)
    launch.unit = (gint64) simt.group * vector;
  low_finish (l, launch);
}

/* --- one after the other */

/* Elements of part @part of @most, from the first of the launch on. */
static void
write_serial_part (AccPermute *self,
                   gint64      part,
                   gint64      most)
{
  const AccSpace *space = self->space;
  AccLaunch launch = acc_skeleton_launch (space, 2 + self->step->cluster->cost);
  AccSimt simt;
  AccLower *l = acc_simt_begin (&simt, self->step, "permute", acc_simt_get_group (self->step));
  AccKernelBuilder *b = l->b;
  KValue inner = low_number (l, MAX (space->inner, 1));
  KValue begin = acc_permute_get_linear (self, l, kb_outer_begin (b), kb_inner_begin (b));
  KValue end = acc_permute_get_linear (self, l, kb_sub (b, kb_outer_end (b), low_const (l, 1)), kb_inner_end (b));
  KValue first = kb_add (b, begin, low_number (l, part * most));

  low_if (l, kb_eq (b, simt.local, low_const (l, 0)))
    {
      low_for (l, i, first, kb_min (b, end, kb_add (b, first, low_const (l, most))))
        {
          KValue u = low_within (l, kb_udiv (b, i, inner), 0, space->outer - 1);
          KValue x = low_within (l, kb_urem (b, i, inner), 0, space->inner - 1);
          AccIndex *ix = low_index_of_space (l, space, u, x);
          KValue target;

          low_if (l, acc_permute_get_wanted (self, l, ix))
            {
              low_if (l, acc_permute_get_target (self, l, ix, TRUE, &target))
                {
                  acc_permute_combine (self, l, acc_permute_read (self, l, ix), target, 0);
                }
            }
        }
    }

  launch.serial = TRUE;
  launch.tile_outer = space->outer;
  launch.tile_inner = space->inner;
  low_finish (l, launch);
}

/* In as many launches, of one kernel, as it takes where the device leaves loops; functions may have loops of their own. */
static void
write_serial (AccPermute *self)
{
  guint iterations = self->step->fusion->target->max_iterations;
  gint64 most = iterations > 0 ? iterations / 4 : G_MAXINT64 / 4;

  for (gint64 part = 0; part == 0 || part * most < self->n_source; part++)
    write_serial_part (self, part, most);
}

void
acc_skeleton_permute_simt (AccPermute *self)
{
  if (self->n_leaves == 0)
    {
      /* Nothing to store, but targets may be outside. */
      if (self->n_source > 0)
        write_serial (self);
      return;
    }

  if (self->node->size > 0 && !(acc_array_get_permute (self->node->array)->fills && self->n_source > 0))
    write_defaults (self);
  if (self->n_source == 0)
    return;
  if (acc_array_get_permute (self->node->array)->fills)
    {
      acc_permute_write_visits (self, "permute", acc_permute_choose_vector (self, 1, 1), store_value, NULL);
      return;
    }

  switch (choose_form (self))
    {
    case FORM_LAST:
      write_last (self);
      break;
    case FORM_ATOMIC:
      write_atomics (self);
      break;
    case FORM_ANY:
      acc_permute_combine_simt (self);
      break;
    case FORM_SERIAL:
    default:
      write_serial (self);
      break;
    }
}
