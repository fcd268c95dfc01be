/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-private.h"

#define B (e->builder)

/* Strided stores that together leave no gaps are shuffled and stored as one, with the last of them. Those that leave gaps are transposed in
 * registers: each lane's elements are stored side by side.
 *
 * Strided loads by 2 to 8 elements become contiguous loads of all between the first and the last lane's element, never beyond it, and
 * shuffles of two registers at a time. Loads that interleave share the contiguous ones. */

static gint64
start_of_part (Emitter      *e,
               StridedGroup *group,
               guint         part)
{
  gint64 start = (gint64) part * group->part_lanes;
  gint64 needed = group->stride * (e->lanes - 1) + 1 + group->last - group->first;

  /* The last one is moved back so far that it ends where the elements end; under a mask it is cut off instead. */
  return e->mask.v == NULL ? MIN (start, needed - group->part_lanes) : start;
}

static void
load_parts (Emitter      *e,
            StridedGroup *group,
            LLVMTypeRef   memory,
            LLVMValueRef  index)
{
  LLVMValueRef n_elements = NULL;

  if (e->mask.v != NULL)
    {
      LLVMValueRef n = LLVMBuildSub (B, e->mask.count, LLVMConstInt (e->t_i64, 1, FALSE), "");

      n = LLVMBuildMul (B, n, LLVMConstInt (e->t_i64, group->stride, FALSE), "");
      n_elements = LLVMBuildAdd (B, n, LLVMConstInt (e->t_i64, 1 + group->last - group->first, FALSE), "");
    }

  group->n_parts = group->stride * e->lanes / group->part_lanes;
  group->parts = g_new (LLVMValueRef, group->n_parts);
  for (guint i = 0; i < group->n_parts; i++)
    {
      LLVMValueRef start = LLVMConstInt (e->t_i64, start_of_part (e, group, i), FALSE);
      LLVMValueRef address = emit_element (e, group->buffer, LLVMBuildAdd (B, index, start, ""));
      LLVMValueRef mask = NULL;

      if (n_elements != NULL)
        {
          LLVMValueRef n = LLVMBuildSub (B, n_elements, start, "");

          n = emit_binary (e, "llvm.smax", n, LLVMConstNull (e->t_i64));
          n = emit_binary (e, "llvm.smin", n, LLVMConstInt (e->t_i64, group->part_lanes, FALSE));
          mask = emit_first_lanes (e, n, group->part_lanes);
        }
      group->parts[i] = emit_load_masked (e, memory, address, mask, group->part_lanes);
    }
}

/* Element stride * lane + phase of the parts, for one register's worth of lanes. */
static LLVMValueRef
pick (Emitter      *e,
      StridedGroup *group,
      guint         first_lane,
      gint64        phase,
      gboolean      reversed)
{
  guint n = group->part_lanes;
  g_autofree int *places = g_new (int, n);
  g_autofree gint64 *positions = g_new (gint64, n);
  LLVMValueRef x = NULL;
  gint64 low = G_MAXINT64, high = 0, first = 0;

  for (guint i = 0; i < n; i++)
    {
      guint lane = reversed ? e->lanes - 1 - (first_lane + i) : first_lane + i;

      positions[i] = group->stride * lane + phase;
      low = MIN (low, positions[i] / n);
      high = MAX (high, positions[i] / n);
    }

  /* The first two parts, then one more at a time. */
  first = low;
  for (gint64 part = MIN (low + 1, high); part <= high; part++)
    {
      for (guint i = 0; i < n; i++)
        {
          gint64 in = positions[i] / n;

          places[i] = -1;
          if (x != NULL && in < part)
            places[i] = i;
          else if (in == part || (x == NULL && in == first))
            places[i] = (int) (positions[i] - start_of_part (e, group, in)) + (in == part && part != first ? (int) n : 0);
        }
      x = emit_shuffle (e, x != NULL ? x : group->parts[first], part != first ? group->parts[part] : NULL, places, n);
    }

  return x;
}

static StridedGroup *
find_group (Emitter      *e,
            StridedGroup *wanted)
{
  for (guint i = 0; i < e->groups->len; i++)
    {
      StridedGroup *group = g_ptr_array_index (e->groups, i);

      if (group->buffer == wanted->buffer && memcmp (group->roots, wanted->roots, sizeof group->roots) == 0
          && group->stride == wanted->stride &&
          group->first == wanted->first)
        return group;
    }

  return NULL;
}

/* Whether neighbours may be loaded: under a mask only its first lanes, and where the machine can cut loads off. */
static gboolean
can_load_neighbours (Emitter *e,
                     guint    size)
{
  return e->mask.v == NULL || (e->mask.count != NULL && (size >= 4 ? e->target->has_masked_words : e->target->has_narrow_masks));
}

static gboolean
suits (Emitter     *e,
       guint        size,
       const Value *index)
{
  return ABS (index->stride) <= 8 && (e->mask.v == NULL || index->stride > 0) && can_load_neighbours (e, size);
}

LLVMValueRef
emit_load_strided (Emitter     *e,
                   guint32      id,
                   const Value *index)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  LLVMTypeRef memory = emit_memory_type (e, instr->kind);
  guint size = acc_element_kind_get_size (instr->kind);
  StridedGroup wanted = { .stride = ABS (index->stride) };
  gboolean reversed = index->stride < 0;
  g_autofree LLVMValueRef *results = NULL;
  StridedGroup *group;
  guint n_results;
  gint64 offset;

  if (!suits (e, size, index))
    return NULL;

  wanted.part_lanes = MIN (e->lanes, MAX (e->target->register_bytes / size, 2));
  if (e->lanes % wanted.part_lanes != 0 || (e->lanes / wanted.part_lanes & (e->lanes / wanted.part_lanes - 1)) != 0)
    wanted.part_lanes = e->lanes;
  group = emit_group_of (e, id, &wanted, &offset) ? find_group (e, &wanted) : NULL;
  if (group == NULL)
    {
      LLVMValueRef first = LLVMBuildSub (B, index->v, LLVMConstInt (e->t_i64, offset - wanted.first, TRUE), "");

      if (reversed)
        first = LLVMBuildSub (B, first, LLVMConstInt (e->t_i64, wanted.stride * (e->lanes - 1), FALSE), "");
      group = g_memdup2 (&wanted, sizeof wanted);
      load_parts (e, group, memory, first);
      g_ptr_array_add (e->groups, group);
    }

  n_results = e->lanes / group->part_lanes;
  results = g_new (LLVMValueRef, n_results);
  for (guint i = 0; i < n_results; i++)
    results[i] = pick (e, group, i * group->part_lanes, offset - group->first, reversed);

  return emit_concatenate (e, results, n_results);
}

/* Lane i of parts[k] becomes element n i + k. */
static LLVMValueRef
interleave (Emitter      *e,
            LLVMValueRef *parts,
            guint         n)
{
  guint lanes = emit_lanes_of (parts[0]);
  g_autofree int *places = g_new (int, lanes * n);
  LLVMValueRef all = parts[0];

  if (n % 2 == 0)
    {
      g_autofree LLVMValueRef *halves = g_new (LLVMValueRef, n);
      LLVMValueRef even, odd;

      if (n == 2)
        {
          even = parts[0];
          odd = parts[1];
        }
      else
        {
          for (guint k = 0; k < n; k++)
            halves[k % 2 * (n / 2) + k / 2] = parts[k];
          even = interleave (e, halves, n / 2);
          odd = interleave (e, halves + n / 2, n / 2);
        }
      for (guint i = 0; i < lanes * n; i++)
        places[i] = (int) (i / 2 + i % 2 * (lanes * n / 2));
      return emit_shuffle (e, even, odd, places, lanes * n);
    }

  for (guint k = 1; k < n; k++)
    {
      LLVMValueRef part;

      for (guint i = 0; i < lanes * (k + 1); i++)
        places[i] = i < lanes ? (int) i : -1;
      part = emit_shuffle (e, parts[k], NULL, places, lanes * k);
      for (guint i = 0; i < lanes * (k + 1); i++)
        places[i] = (int) i;
      all = emit_shuffle (e, all, part, places, lanes * (k + 1));
    }
  for (guint i = 0; i < lanes * n; i++)
    places[i] = (int) (i % n * lanes + i / n);
  return emit_shuffle (e, all, NULL, places, lanes * n);
}

/* Element q 2^r + k of the lanes is first + q + ((phase + k) >> r): a load for each k, then shuffled. */
LLVMValueRef
emit_load_repeated (Emitter     *e,
                    guint32      id,
                    const Value *index)
{
  const AccKernelInstr *instr = acc_kernel_instr (e->kernel, id);
  LLVMTypeRef memory = emit_memory_type (e, instr->kind);
  guint n = 1u << index->repeats;
  LLVMValueRef parts[8];

  if (e->lanes % n != 0 || e->lanes / n < 2 || n > G_N_ELEMENTS (parts)
      || !can_load_neighbours (e, acc_element_kind_get_size (instr->kind)))
    return NULL;

  for (guint k = 0; k < n; k++)
    {
      LLVMValueRef shift = LLVMConstInt (e->t_i64, index->repeats, FALSE), mask = NULL;
      LLVMValueRef after = LLVMBuildLShr (B, LLVMBuildAdd (B, index->phase, LLVMConstInt (e->t_i64, k, FALSE), ""), shift, "");
      LLVMValueRef address = emit_element (e, instr->args[0], LLVMBuildAdd (B, index->first, after, ""));

      if (e->mask.v != NULL)
        mask = emit_first_lanes (e, LLVMBuildLShr (B, LLVMBuildAdd (B, e->mask.count, LLVMConstInt (e->t_i64, n - 1 - k, FALSE), ""),
                                                   shift, ""), e->lanes / n);
      parts[k] = emit_load_masked (e, memory, address, mask, e->lanes / n);
    }

  return interleave (e, parts, n);
}

/* Elements from @first on of the vectors, which lie one behind the other. */
static LLVMValueRef
take (Emitter      *e,
      LLVMValueRef *vectors,
      guint         first,
      guint         n)
{
  guint lanes = emit_lanes_of (vectors[0]);

  if (n >= lanes)
    {
      g_autofree LLVMValueRef *parts = g_memdup2 (vectors + first / lanes, n / lanes * sizeof *parts);

      return emit_concatenate (e, parts, n / lanes);
    }

  return emit_part (e, vectors[first / lanes], first % lanes, n);
}

/* Lane i of rows[k] becomes element n i + k of all vectors together. After so many rounds as the logarithm of their number, in each of
 * which the first half is zipped with the second. */
static void
turn (Emitter      *e,
      LLVMValueRef *rows,
      guint         n)
{
  guint lanes = emit_lanes_of (rows[0]);
  g_autofree LLVMValueRef *zipped = g_new (LLVMValueRef, n);
  g_autofree int *places = g_new (int, 2 * lanes);

  for (guint i = 0; i < 2 * lanes; i++)
    places[i] = (int) (i / 2 + i % 2 * lanes);
  for (guint round = 1; round < n; round *= 2)
    {
      for (guint k = 0; k < n / 2; k++)
        {
          zipped[2 * k] = emit_shuffle (e, rows[k], rows[k + n / 2], places, lanes);
          zipped[2 * k + 1] = emit_shuffle (e, rows[k], rows[k + n / 2], places + lanes, lanes);
        }
      memcpy (rows, zipped, n * sizeof *rows);
    }
}

static void
store_runs (Emitter      *e,
            LLVMValueRef *parts,
            guint         n,
            guint32       buffer,
            guint         size,
            const Value  *index)
{
  guint lanes = MIN (e->lanes, e->target->register_bytes / size);
  g_autofree LLVMValueRef *rows = g_new (LLVMValueRef, n);

  for (guint first = 0; first < e->lanes; first += lanes)
    {
      for (guint k = 0; k < n; k++)
        rows[k] = emit_part (e, parts[k], first, lanes);
      turn (e, rows, n);
      for (guint i = 0; i < lanes; i++)
        {
          LLVMValueRef step = LLVMConstInt (e->t_i64, (guint64) index->stride * (first + i), FALSE);

          emit_store_masked (e, take (e, rows, i * n, n), emit_element (e, buffer, LLVMBuildAdd (B, index->v, step, "")), NULL);
        }
    }
}

gboolean
emit_store_strided (Emitter     *e,
                    guint32      id,
                    const Value *index)
{
  guint32 stores[ACC_MAX_LANES], last, buffer = acc_kernel_instr (e->kernel, id)->args[0];
  LLVMValueRef parts[ACC_MAX_LANES];
  AccElementKind kind = acc_kernel_buffer (e->kernel, buffer)->kind;
  guint n = e->mask.v == NULL ? emit_stores_of (e, id, stores, &last) : 0;
  gboolean fills = n == (guint64) index->stride;
  Value first;

  if (n == 0 || (!fills && ((n & (n - 1)) != 0 || (e->lanes & (e->lanes - 1)) != 0)))
    return FALSE;
  if (id != last)
    return TRUE;

  for (guint k = 0; k < n; k++)
    parts[k] = emit_to_memory (e, kind, emit_vector (e, acc_kernel_instr (e->kernel, stores[k])->args[2]));
  first = emit_value (e, acc_kernel_instr (e->kernel, stores[0])->args[1]);
  if (fills)
    {
      LLVMValueRef all = interleave (e, parts, n);

      for (guint k = 0; k < n; k++)
        emit_store_neighbours (e, buffer, LLVMBuildAdd (B, first.v, LLVMConstInt (e->t_i64, k * e->lanes, FALSE), ""),
                               emit_part (e, all, k * e->lanes, e->lanes));
    }
  else
    {
      store_runs (e, parts, n, buffer, acc_element_kind_get_size (kind), &first);
    }

  return TRUE;
}
