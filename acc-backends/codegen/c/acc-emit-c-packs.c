/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-emit-c-private.h"

/* Packs loads and stores of neighbouring elements by one thread: 4, 8 or 16 bytes at a time (shared memory: 16), if the memory begins at a
 * multiple of 16. An index is a sum of values times constants, and a constant: indices that differ only in the constant are neighbours, and
 * if the rest is a multiple of the pack's length the constants tell where packs begin. */

#define MAX_TERMS 8
#define MAX_FACTOR 16   /* elements of one byte in 16 bytes */

typedef struct {
  guint32 id;
  guint64 factor;
} Term;

typedef struct {
  Term    terms[MAX_TERMS];   /* by id; factors are not 0 */
  guint   n_terms;
  guint64 constant;
  guint   multiple;           /* a power of two, at most MAX_FACTOR, that divides the sum of the terms; without any that */
} Sum;

/* A load or store that is not yet in a pack. */
typedef struct {
  guint32 id;
  guint32 place;       /* in the block */
  guint32 region;      /* what is in two regions stays in its order */
} Access;

typedef struct {
  const AccKernel *kernel;
  Sum             *sums;       /* by instruction, of i64 */
  CPacks          *packs;
} Search;

static guint
multiple_of_constant (guint64 x)
{
  guint multiple = 1;

  while (multiple < MAX_FACTOR && x % (2 * multiple) == 0)
    multiple *= 2;
  return multiple;
}

static guint
multiple_of_sum (const Sum *sum)
{
  return MIN (sum->multiple, multiple_of_constant (sum->constant));
}

static Sum
alone (guint64 constant)
{
  return (Sum) { .constant = constant, .multiple = MAX_FACTOR };
}

static Sum
single (guint32 id,
        guint   multiple)
{
  return (Sum) { .terms = { { id, 1 } }, .n_terms = 1, .multiple = multiple };
}

/* x + @factor y; FALSE: too many terms. */
static gboolean
add (Sum       *x,
     const Sum *y,
     guint64    factor)
{
  Sum sum = { .constant = x->constant + factor * y->constant };
  guint i = 0, k = 0;

  while (i < x->n_terms || k < y->n_terms)
    {
      Term term;

      if (k == y->n_terms || (i < x->n_terms && x->terms[i].id < y->terms[k].id))
        term = x->terms[i++];
      else if (i == x->n_terms || y->terms[k].id < x->terms[i].id)
        term = (Term) { y->terms[k].id, factor * y->terms[k].factor }, k++;
      else
        term = (Term) { y->terms[k].id, x->terms[i].factor + factor * y->terms[k].factor }, i++, k++;
      if (term.factor == 0)
        continue;
      if (sum.n_terms == MAX_TERMS)
        return FALSE;
      sum.terms[sum.n_terms++] = term;
    }
  sum.multiple = MIN (x->multiple, MIN (y->multiple * multiple_of_constant (factor), MAX_FACTOR));
  *x = sum;
  return TRUE;
}

static const Sum *
sum_of (Search  *search,
        guint32  id)
{
  return &search->sums[id];
}

/* Facts about the value of instruction @id, from those of earlier instructions. */
static Sum
find_sum (Search  *search,
          guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (search->kernel, id);
  Sum opaque = single (id, 1), result;
  const Sum *x, *y;

  if (instr->op == ACC_KOP_CONST)
    return alone (instr->bits);
  if (instr->op != ACC_KOP_SELECT && (instr->op != ACC_KOP_PRIM || instr->n_args != 2))
    return opaque;
  if (instr->args[instr->n_args - 1] >= id || instr->args[instr->n_args - 2] >= id)
    return opaque;

  x = sum_of (search, instr->args[instr->n_args - 2]);
  y = sum_of (search, instr->args[instr->n_args - 1]);
  if (instr->op == ACC_KOP_SELECT || instr->primitive == ACC_PRIM_MIN || instr->primitive == ACC_PRIM_MAX)
    return single (id, MIN (multiple_of_sum (x), multiple_of_sum (y)));
  if (instr->primitive == ACC_PRIM_ADD || instr->primitive == ACC_PRIM_SUB)
    {
      result = *x;
      return add (&result, y, instr->primitive == ACC_PRIM_ADD ? 1 : -G_GUINT64_CONSTANT (1)) ? result : opaque;
    }
  if (instr->primitive != ACC_PRIM_MUL)
    return opaque;
  result = alone (0);
  if (y->n_terms == 0 && add (&result, x, y->constant))
    return result;
  if (x->n_terms == 0 && add (&result, y, x->constant))
    return result;

  return single (id, MIN (multiple_of_sum (x) * multiple_of_sum (y), MAX_FACTOR));
}

static gboolean
same_terms (const Sum *x,
            const Sum *y)
{
  if (x->n_terms != y->n_terms)
    return FALSE;
  for (guint i = 0; i < x->n_terms; i++)
    if (x->terms[i].id != y->terms[i].id || x->terms[i].factor != y->terms[i].factor)
      return FALSE;
  return TRUE;
}

static gboolean
may_pack (const AccKernel      *kernel,
          const AccKernelInstr *instr)
{
  if (instr->op != ACC_KOP_LOAD && instr->op != ACC_KOP_STORE)
    return FALSE;

  AccBufferFlags flags = acc_kernel_buffer (kernel, instr->args[0])->flags;
  if ((instr->args[0] & ACC_KERNEL_SHARED) != 0)
    return (flags & ACC_BUFFER_WIDE) != 0;

  AccBufferFlags wanted = instr->op == ACC_KOP_LOAD ? ACC_BUFFER_READ : ACC_BUFFER_WRITE;
  return (flags & ACC_BUFFER_NO_ALIAS) != 0 && (flags & (ACC_BUFFER_READ | ACC_BUFFER_WRITE | ACC_BUFFER_COHERENT)) == wanted;
}

static guint
hash_access (Search       *search,
             const Access *access)
{
  const AccKernelInstr *instr = acc_kernel_instr (search->kernel, access->id);
  const Sum *sum = sum_of (search, instr->args[1]);
  guint64 hash = ((guint64) instr->args[0] * 31 + access->region) * 2 + (instr->op == ACC_KOP_STORE);

  hash = hash * 31 + sum->constant / MAX_FACTOR;
  for (guint i = 0; i < sum->n_terms; i++)
    hash = (hash * 31 + sum->terms[i].id) * 31 + sum->terms[i].factor;
  return (guint) (hash ^ hash >> 32);
}

/* Takes those of @near that make up the pack of @n elements that @with is in. */
static void
take (Search       *search,
      GArray       *near,
      const Access *with,
      guint         n)
{
  const AccKernelInstr *instr = acc_kernel_instr (search->kernel, with->id);
  const Sum *sum = sum_of (search, instr->args[1]);
  CPack pack = { .n = n };
  guint32 first = G_MAXUINT32, last = 0;
  guint found = 0;

  for (guint i = 0; i < near->len; i++)
    {
      const Access *other = &g_array_index (near, Access, i);
      const AccKernelInstr *its = acc_kernel_instr (search->kernel, other->id);
      const Sum *place = sum_of (search, its->args[1]);
      guint lane = place->constant % n;

      if (its->op != instr->op || its->args[0] != instr->args[0] || other->region != with->region
          || search->packs->of[other->id] != 0 || !same_terms (place, sum)
          || place->constant - lane != sum->constant - sum->constant % n)
        continue;
      /* Two stores to one element stay as they are. */
      if (pack.ids[lane] != 0 && instr->op == ACC_KOP_STORE)
        return;
      if (pack.ids[lane] != 0)
        continue;
      pack.ids[lane] = other->id;
      found++;
      if (other->place < first)
        {
          first = other->place;
          pack.first_lane = lane;
        }
      if (other->place >= last)
        {
          last = other->place;
          pack.last_lane = lane;
        }
    }
  if (found < n)
    return;
  g_array_append_val (search->packs->packs, pack);
  for (guint lane = 0; lane < n; lane++)
    search->packs->of[pack.ids[lane]] = search->packs->packs->len;
}

static void
take_all (Search *search,
          GArray *near)
{
  for (guint i = 0; i < near->len; i++)
    {
      const Access *access = &g_array_index (near, Access, i);
      const AccKernelInstr *instr = acc_kernel_instr (search->kernel, access->id);
      guint size = acc_element_kind_get_size (acc_kernel_buffer (search->kernel, instr->args[0])->kind);
      guint multiple = sum_of (search, instr->args[1])->multiple;
      guint least = (instr->args[0] & ACC_KERNEL_SHARED) != 0 ? 16 : 4;

      for (guint bytes = 16; bytes >= least && bytes > size && search->packs->of[access->id] == 0; bytes /= 2)
        if (bytes / size <= multiple)
          take (search, near, access, bytes / size);
    }
}

/* Returns whether stores that stand before @block may not pass it. */
static gboolean
search_block (Search *search,
              guint32 block)
{
  GArray *items = acc_kernel_block (search->kernel, block)->items;
  g_autoptr(GHashTable) near = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  guint32 region = 0, loads_region = 0, shared_region = 0;
  AccKernelOp last_shared = ACC_KOP_LOAD;
  gboolean stores = FALSE;
  GHashTableIter iter;
  gpointer accesses;

  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      const AccKernelInstr *instr = acc_kernel_instr (search->kernel, id);

      stores |= instr->op == ACC_KOP_STORE;
      if (may_pack (search->kernel, instr))
        {
          gboolean is_shared = (instr->args[0] & ACC_KERNEL_SHARED) != 0;

          /* Values loaded from shared memory may have been stored there before. */
          if (is_shared && instr->op != last_shared)
            {
              last_shared = instr->op;
              shared_region++;
            }

          Access access = { id, i, is_shared ? shared_region : instr->op == ACC_KOP_LOAD ? loads_region : region };
          gpointer key = GUINT_TO_POINTER (hash_access (search, &access));
          GArray *like = g_hash_table_lookup (near, key);

          if (like == NULL)
            {
              like = g_array_new (FALSE, FALSE, sizeof (Access));
              g_hash_table_insert (near, key, like);
            }
          g_array_append_val (like, access);
          continue;
        }
      /* Instructions after it may not run; stores may not pass what orders them. */
      if (instr->op == ACC_KOP_UNTIL)
        loads_region++;
      if (_acc_kernel_op_orders_stores (instr->op))
        {
          region++;
          shared_region++;
        }
      for (guint k = 0; k < 2; k++)
        if (instr->blocks[k] != 0)
          {
            region += search_block (search, instr->blocks[k]);
            shared_region++;
          }
    }

  g_hash_table_iter_init (&iter, near);
  while (g_hash_table_iter_next (&iter, NULL, &accesses))
    take_all (search, accesses);

  return stores || region > 0;
}

CPacks *
c_find_packs (const AccKernel *kernel)
{
  Search search = {
    .kernel = kernel,
    .sums = g_new (Sum, kernel->instrs->len),
    .packs = g_new0 (CPacks, 1),
  };

  search.packs->packs = g_array_new (FALSE, FALSE, sizeof (CPack));
  search.packs->of = g_new0 (guint32, kernel->instrs->len);
  for (guint32 id = 1; id < kernel->instrs->len; id++)
    if (acc_kernel_instr (kernel, id)->kind == ACC_KIND_I64)
      search.sums[id] = find_sum (&search, id);
  search_block (&search, ACC_KERNEL_BODY);
  g_free (search.sums);
  if (search.packs->packs->len > 0)
    return search.packs;
  c_packs_free (search.packs);
  return NULL;
}

void
c_packs_free (CPacks *packs)
{
  g_array_unref (packs->packs);
  g_free (packs->of);
  g_free (packs);
}
