/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-lower.h"

#include <math.h>
#include <string.h>

#include "acc-backends/ir/acc-kernel-builder-private.h"
#include "acc-backends/passes/acc-passes.h"
#include "acc-core/base/acc-hash-private.h"

/* Most kernels need little, and what they are given is cleared. */
#define LEAST_BLOCK 4096
#define MOST_BLOCK  65536

/* As most kernels have, so that lists of them need not grow. */
#define FEW_VALUES 128

#define MAX_WORKERS (1 << 16)

/* --- memory of the writer itself */

gpointer
low_alloc (AccLower *l,
           gsize     size)
{
  char *block;

  size = (size + 15) & ~(gsize) 15;
  if (size > MOST_BLOCK / 4)
    {
      block = g_malloc0 (size);
      g_ptr_array_insert (l->arena, 0, block);
      return block;
    }
  if (l->arena_left < size)
    {
      do
        l->arena_block = CLAMP (2 * l->arena_block, LEAST_BLOCK, MOST_BLOCK);
      while (l->arena_block < size);
      g_ptr_array_add (l->arena, g_malloc0 (l->arena_block));
      l->arena_left = l->arena_block;
    }
  block = g_ptr_array_index (l->arena, l->arena->len - 1);
  block += l->arena_block - l->arena_left;
  l->arena_left -= size;

  return block;
}

/* --- what was computed before */

/* So many lists of them at first. */
#define FEW_MEMOS 64

struct _AccMemoEntry {
  AccMemo       memo;
  gconstpointer a, b;
  guint         n, hash;
  KValue       *ids;       /* behind the leaves */
  AccMemoEntry *next;      /* of the list */
};

static guint
hash_key (gconstpointer a,
          gconstpointer b,
          const KValue *ids,
          guint         n)
{
  guint64 hash = acc_hash_mix (GPOINTER_TO_SIZE (a), GPOINTER_TO_SIZE (b));

  for (guint i = 0; i < n; i++)
    hash = acc_hash_mix (hash, ids[i].id);

  return (guint) (hash >> 32);
}

static void
lengthen_memos (AccLower *l)
{
  guint n = 2 * l->n_memo_lists;
  AccMemoEntry **lists = g_new0 (AccMemoEntry *, n);

  for (guint i = 0; i < l->n_memo_lists; i++)
    for (AccMemoEntry *entry = l->memos[i], *next; entry != NULL; entry = next)
      {
        next = entry->next;
        entry->next = lists[entry->hash & (n - 1)];
        lists[entry->hash & (n - 1)] = entry;
      }
  g_free (l->memos);
  l->memos = lists;
  l->n_memo_lists = n;
}

AccMemo *
low_memo (AccLower     *l,
          gconstpointer a,
          gconstpointer b,
          const KValue *ids,
          guint         n_ids,
          guint         n_leaves)
{
  guint hash = hash_key (a, b, ids, n_ids);
  AccMemoEntry *entry = l->memos[hash & (l->n_memo_lists - 1)];

  for (; entry != NULL; entry = entry->next)
    if (entry->hash == hash && entry->a == a && entry->b == b && entry->n == n_ids
        && (n_ids == 0 || memcmp (entry->ids, ids, n_ids * sizeof (KValue)) == 0))
      return &entry->memo;

  if (l->n_memos++ >= l->n_memo_lists)
    lengthen_memos (l);
  entry = low_alloc (l, sizeof (AccMemoEntry) + (MAX (n_leaves, 1) + n_ids) * sizeof (KValue));
  entry->memo.leaves = (KValue *) (entry + 1);
  entry->a = a;
  entry->b = b;
  entry->n = n_ids;
  entry->hash = hash;
  entry->ids = entry->memo.leaves + MAX (n_leaves, 1);
  if (n_ids > 0)
    memcpy (entry->ids, ids, n_ids * sizeof (KValue));
  entry->next = l->memos[hash & (l->n_memo_lists - 1)];
  l->memos[hash & (l->n_memo_lists - 1)] = entry;

  return &entry->memo;
}

void
low_keep (AccLower *l,
          KValue   *slot,
          KValue    value)
{
  if (value.id == 0)
    l->failed = TRUE;
  *slot = value;
  g_array_append_val (l->undo, slot);
}

/* --- blocks */

/* Passes over a kernel recurse into nested blocks. */
#define MOST_NESTED 1000

/* What a kernel of more holds would not fit the stack. */
#define MOST_INSTRS 400000

static void
enter (AccLower *l)
{
  g_array_append_val (l->scopes, l->undo->len);
  if (l->scopes->len > MOST_NESTED)
    low_give_up (l, "conds and loops lie in each other more than " G_STRINGIFY (MOST_NESTED) " deep");
}

void
low_give_up (AccLower   *l,
             const char *why)
{
  l->failed = TRUE;
  if (l->given_up == NULL)
    l->given_up = why;
}

void
low_leave (AccLower *l)
{
  guint start = g_array_index (l->scopes, guint, l->scopes->len - 1);

  for (guint i = start; i < l->undo->len; i++)
    g_array_index (l->undo, KValue *, i)->id = 0;
  g_array_set_size (l->undo, start);
  g_array_set_size (l->scopes, l->scopes->len - 1);
  _kb_leave (l->b);
}

static KValue
enter_loop (AccLower *l,
            gint64    lo,
            gint64    hi,
            KValue    i)
{
  enter (l);

  return low_within (l, i, lo, hi == G_MAXINT64 ? hi : hi - 1);
}

/* Iterations of a loop that are over in no time, also within another such loop, if their bodies are short. */
#define MANY_ITERATIONS 256

/* Which values an index has at least and at most, give or take one. */
static void
get_bounds (AccLower *l,
            KValue    begin,
            KValue    end,
            gint64   *lo,
            gint64   *hi)
{
  gint64 unused;

  low_get_range (l, begin, lo, &unused);
  low_get_range (l, end, &unused, hi);
}

KValue
low_enter_for (AccLower *l,
               KValue    begin,
               KValue    end)
{
  gboolean looks = l->fusion->target->model == ACC_MODEL_CPU && !l->is_brief;
  gint64 lo, hi;

  get_bounds (l, begin, end, &lo, &hi);

  return enter_loop (l, lo, hi, _kb_enter_for (l->b, begin, end, looks && (lo < 0 || hi - lo > MANY_ITERATIONS)));
}

/* With a single iteration, registers need not hold the bounds of a loop. */
KValue
low_enter_units (AccLower       *l,
                 const AccSpace *space)
{
  gboolean is_one = space->first_inner == 0;

  return low_within (l,
                     low_enter_for (l, is_one ? low_const (l, 0) : kb_outer_begin (l->b), is_one ? low_const (l, 1) : kb_outer_end (l->b)),
                     0, MAX (space->outer - 1, 0));
}

KValue
low_enter_foreach (AccLower *l,
                   KValue    begin,
                   KValue    end)
{
  gint64 lo, hi;

  get_bounds (l, begin, end, &lo, &hi);

  return enter_loop (l, lo, hi, _kb_enter_foreach (l->b, begin, end));
}

void
low_enter_if (AccLower *l,
              KValue    condition,
              gboolean  seldom)
{
  enter (l);
  _kb_enter_if (l->b, condition, seldom);
}

void
low_enter_else (AccLower *l)
{
  enter (l);
  _kb_enter_else (l->b);
}

void
low_enter_while (AccLower *l)
{
  enter (l);
  _kb_enter_while (l->b);
}

/* --- parameters */

typedef struct {
  AccElementKind kind;
  guint64        bits;
  gboolean       extent;
} Param;

static guint
param_hash (gconstpointer data)
{
  const Param *param = data;
  guint64 h = (param->bits ^ param->kind << 1 ^ (guint) param->extent) * 0x9e3779b97f4a7c15u;

  return h ^ h >> 32;
}

static gboolean
param_equal (gconstpointer a,
             gconstpointer b)
{
  const Param *x = a, *y = b;

  return x->kind == y->kind && x->bits == y->bits && x->extent == y->extent;
}

static KValue
get_param (AccLower *l,
           Param     param)
{
  gpointer known = g_hash_table_lookup (l->params, &param);
  KValue value;

  if (known != NULL)
    return (KValue) { GPOINTER_TO_UINT (known) };

  value = kb_param_scalar (l->b, param.kind, param.extent ? "n" : "c");
  g_array_append_vals (l->slots, &(AccSlot) { .kind = ACC_SLOT_LITERAL, .bits = param.bits }, 1);
  g_hash_table_insert (l->params, g_memdup2 (&param, sizeof param), GUINT_TO_POINTER (value.id));

  return value;
}

KValue
low_const (AccLower *l,
           gint64    n)
{
  return low_within (l, kb_i64 (l->b, n), n, n);
}

KValue
low_number (AccLower *l,
            gint64    n)
{
  return low_within (l, get_param (l, (Param) { ACC_KIND_I64, (guint64) n, TRUE }), n, n);
}

KValue
low_n_workers (AccLower *l)
{
  KValue value = kb_param_scalar (l->b, ACC_KIND_I64, "workers");

  g_array_append_vals (l->slots, &(AccSlot) { .kind = ACC_SLOT_N_WORKERS }, 1);

  return low_within (l, value, 1, MAX_WORKERS);
}

KValue
low_stride (AccLower *l,
            gint64    n)
{
  gint64 unit = n % 16 == 0 ? 16 : n % 4 == 0 ? 4 : 1;

  if (n >= -16 && n <= 16)
    return low_const (l, n);
  /* Multiples of what a thread takes at a time are seen to be such, so that it can. */
  if (l->fusion->target->model == ACC_MODEL_SIMT && unit > 1)
    return low_within (l, kb_mul (l->b, low_number (l, n / unit), low_const (l, unit)), n, n);

  return low_number (l, n);
}

KValue
low_zero (AccLower      *l,
          AccElementKind kind)
{
  return acc_element_kind_is_float (kind) ? kb_float (l->b, kind, 0) : kb_int (l->b, kind, 0);
}

/* The number of parameters: compilers take time by its square. Further literals are in the code. */
#define MOST_SLOTS 512

KValue
low_literal (AccLower      *l,
             AccElementKind kind,
             AccScalar      value,
             gboolean       bake)
{
  bake |= l->slots->len >= MOST_SLOTS;
  if (acc_element_kind_is_float (kind))
    {
      double size = fabs (acc_scalar_to_double (kind, value));

      if (bake || size == 0 || size == 1 || size == 2 || size == 0.5)
        return _kb_const (l->b, kind, value.u);
      return get_param (l, (Param) { kind, value.u, FALSE });
    }

  if (kind == ACC_KIND_BOOL || bake || (value.i >= -1024 && value.i <= 1024))
    {
      KValue constant = kb_int (l->b, kind, value.i);

      return acc_element_kind_is_signed (kind) || value.i >= 0 ? low_within (l, constant, value.i, value.i) : constant;
    }
  if (acc_element_kind_is_signed (kind) || value.i >= 0)
    return low_within (l, get_param (l, (Param) { kind, value.u, FALSE }), value.i, value.i);

  return get_param (l, (Param) { kind, value.u, FALSE });
}

/* --- buffers */

/* --- a kernel */

AccLower *
low_new (AccStep    *step,
         const char *name)
{
  const AccTarget *target = step->fusion->target;
  AccLower *l = g_new0 (AccLower, 1);

  l->step = step;
  l->fusion = step->fusion;
  l->b = kb_new (name);
  kb_set_precise (l->b, target->has_library || (target->fast_math && target->has_fast_library));
  kb_set_fast (l->b, target->fast_math);
  kb_set_straight (l->b, target->has_estimates);
  kb_set_masks (l->b, target->has_masks);
  kb_set_approximate (l->b, target->fast_math && target->has_fast_exp);
  l->slots = g_array_new (FALSE, TRUE, sizeof (AccSlot));
  l->params = g_hash_table_new_full (param_hash, param_equal, g_free, NULL);
  l->buffers = g_hash_table_new (NULL, NULL);
  l->n_memo_lists = FEW_MEMOS;
  l->memos = g_new0 (AccMemoEntry *, FEW_MEMOS);
  l->undo = g_array_sized_new (FALSE, FALSE, sizeof (KValue *), FEW_VALUES);
  l->scopes = g_array_new (FALSE, FALSE, sizeof (guint));
  l->facts = g_array_sized_new (FALSE, TRUE, sizeof (AccInterval), FEW_VALUES);
  l->work = g_array_sized_new (FALSE, FALSE, sizeof (AccWork), FEW_VALUES);
  l->arena = g_ptr_array_new_with_free_func (g_free);
  l->once = step->once;
  l->checks = !(acc_disable_get_flags () & ACC_DISABLE_CHECKS);

  return l;
}

/* The operation nearest to the results whose elements are of @kind, among those that @l's step computes or reads. */
static AccArray *
find_kind (AccLower      *l,
           AccElementKind kind)
{
  AccCluster *cluster = l->step->cluster;
  g_autoptr(GPtrArray) queue = g_ptr_array_new ();
  g_autoptr(GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < cluster->roots->len; i++)
    g_ptr_array_add (queue, g_array_index (cluster->roots, AccRoot, i).node->array);

  for (guint i = 0; i < queue->len; i++)
    {
      AccArray *array = g_ptr_array_index (queue, i);
      AccFusionNode *node = acc_fusion_graph_get (l->fusion->graph, array);

      if (!g_hash_table_add (seen, array))
        continue;
      for (guint leaf = 0; leaf < acc_element_type_get_n_leaves (array->type); leaf++)
        if (acc_element_type_get_leaf (array->type, leaf) == kind)
          return array;
      if (!acc_cluster_reads (cluster, node))
        for (guint k = 0; k < array->n_inputs; k++)
          g_ptr_array_add (queue, array->inputs[k]);
    }

  return g_ptr_array_index (queue, 0);
}

static gboolean
check_kinds (AccLower  *l,
             AccKernel *kernel,
             GError   **error)
{
  AccElementKind missing;
  g_autofree char *what = NULL;

  if (acc_target_can_run (l->fusion->target, kernel, &missing))
    return TRUE;

  what = acc_array_describe (find_kind (l, missing));
  g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: the device has no elements of type %s", what,
               acc_element_kind_get_code (missing));

  return FALSE;
}

static void
free_lower (AccLower *l)
{
  g_hash_table_unref (l->params);
  g_hash_table_unref (l->buffers);
  g_free (l->memos);
  g_array_unref (l->undo);
  g_array_unref (l->scopes);
  g_array_unref (l->facts);
  g_array_unref (l->work);
  g_ptr_array_unref (l->arena);
  g_free (l);
}

void
low_abandon (AccLower *l)
{
  g_autoptr(AccKernel) kernel = kb_finish (l->b, NULL);

  g_array_unref (l->slots);
  free_lower (l);
}

void
low_finish (AccLower *l,
            AccLaunch launch)
{
  GError *error = NULL;

  if (!(acc_disable_get_flags () & ACC_DISABLE_VARIABLES))
    low_simplify_variables (l);
  if (l->given_up == NULL && l->b->kernel->instrs->len > MOST_INSTRS)
    low_give_up (l, "it has more than " G_STRINGIFY (MOST_INSTRS) " instructions");
  launch.kernel = kb_finish (l->b, &error);
  if (l->given_up != NULL)
    {
      g_autofree char *what = acc_array_describe (g_array_index (l->step->cluster->roots, AccRoot, 0).node->array);

      g_clear_pointer (&launch.kernel, acc_kernel_unref);
      g_clear_error (&error);
      g_set_error (&error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "%s: %s", what, l->given_up);
    }
  if (launch.kernel != NULL && !check_kinds (l, launch.kernel, &error))
    g_clear_pointer (&launch.kernel, acc_kernel_unref);
  launch.first_origin = l->fusion->first_origin;
  launch.n_slots = l->slots->len;
  launch.slots = (AccSlot *) g_array_free (g_steal_pointer (&l->slots), FALSE);

  if (launch.kernel != NULL)
    {
      g_array_append_val (l->step->launches, launch);
    }
  else
    {
      g_free (launch.slots);
      if (l->step->error == NULL)
        l->step->error = g_steal_pointer (&error);
      g_clear_error (&error);
    }

  free_lower (l);
}
