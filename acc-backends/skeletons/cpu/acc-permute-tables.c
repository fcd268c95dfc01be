/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backends/skeletons/acc-permute.h"

#include "acc-backends/fuse/acc-function-facts.h"
#include "acc-core/base/acc-ceil-div-private.h"

/* Tables of permutes to small results.
 *
 * Tables start from neutral elements; for operators without one, flags tell which places have a value. If the operator commutes, a small
 * table has several copies, which elements use in turn, so that an element need not wait for the store of the one before; for short rows
 * a copy is used for a whole row, so that positions in the row are constants and common reads are shared. Tables have half as many elements
 * as the source at most, and those of small sums elements of half the size.
 *
 * Rows that come one after the other, of which a chunk is seldom more than a tile, need the tables of one tile at a time: one thread goes
 * through them, and combines them with the result where the tile ends, which is the order of memory. */

#define MANY_TILES      16
#define MAX_TILES       128        /* where the tables of so many are small beside the source, and no more than: */
#define MAX_BYTES       (32 << 20) /* of workers twice as many, as sums are mostly shortened where they have them */
#define MAX_STREAMED    (256 << 10) /* bytes of those of workers where rows come one after the other, for which there may be little memory */
#define TILE_PER_PLACE  32         /* elements of a tile, beside which its tables are small */
#define ALL_PER_PLACE   64         /* of the source, where as many workers as there may be have tables */
#define MAX_TABLE       (2 << 20)  /* bytes of one */
#define MAX_WAYS        8
#define MAX_WAY_BYTES   32768      /* of all tables of a tile */
#define MAX_WAY_COST    64         /* rough operations of what is written out for each */
#define LEAST_SOURCE    65536

/* ns: for an element of one of the tables, which other workers had; tables that there may be, where workers have them. */
#define MIX_COST      0.5
#define TABLES        16

/* From the tables of one tile to those of the next. Flags are written but once. */
static gint64
get_stride (AccPermute *self)
{
  gint64 least = ACC_SKELETON_FALSE_SHARING;

  for (guint i = 0; i < self->n_leaves; i++)
    least = MIN (least, (gint64) acc_element_kind_get_size (self->table_kinds[i]));

  return self->node->size * self->n_ways + ACC_SKELETON_FALSE_SHARING / least;
}

static KBuffer
get_table (AccPermute *self,
           AccLower   *l,
           guint       leaf)
{
  return low_scratch (l, self->tables[leaf], self->table_kinds[leaf]);
}

/* All leaves of an element */
static KValue *
load_element (AccPermute *self,
              AccLower   *l,
              KValue      place)
{
  KValue *values = low_alloc (l, self->n_leaves * sizeof (KValue));

  for (guint i = 0; i < self->n_leaves; i++)
    values[i] = kb_cast (l->b, acc_permute_get_kind (self, i), kb_load (l->b, get_table (self, l, i), place));

  return values;
}

static void
store_element (AccPermute   *self,
               AccLower     *l,
               KValue        place,
               const KValue *values)
{
  for (guint i = 0; i < self->n_leaves; i++)
    kb_store (l->b, get_table (self, l, i), place, kb_cast (l->b, self->table_kinds[i], values[i]));
}

static KBuffer
get_flags (AccPermute *self,
           AccLower   *l)
{
  return low_scratch (l, self->tables[self->n_leaves], ACC_KIND_U8);
}

static KValue
has_value (AccPermute *self,
           AccLower   *l,
           KValue      place)
{
  return kb_eq (l->b, kb_load (l->b, get_flags (self, l), place), kb_int (l->b, ACC_KIND_U8, 1));
}

/* Combines @new_value into @place of the tables. */
static void
combine_in_table (AccPermute   *self,
                  AccLower     *l,
                  const KValue *new_value,
                  KValue        place)
{
  KValue *both = low_alloc (l, self->n_leaves * sizeof (KValue));

  low_apply2 (l, self->node, self->node->array->functions[0], new_value, load_element (self, l, place), both);
  store_element (self, l, place, both);
}

void
acc_permute_combine_in_tables (AccPermute   *self,
                               AccLower     *l,
                               const KValue *new_value,
                               KValue        place)
{
  if (!self->has_flags)
    {
      combine_in_table (self, l, new_value, place);
      return;
    }

  low_if (l, has_value (self, l, place))
    {
      combine_in_table (self, l, new_value, place);
    }
  low_else (l)
    {
      store_element (self, l, place, new_value);
      kb_store (l->b, get_flags (self, l), place, kb_int (l->b, ACC_KIND_U8, 1));
    }
}

static KValue *
get_neutrals (AccPermute *self,
              AccLower   *l)
{
  KValue *values = low_alloc (l, self->n_leaves * sizeof (KValue));

  for (guint i = 0; i < self->n_leaves; i++)
    values[i] = acc_skeleton_get_neutral (l, acc_permute_get_kind (self, i), self->primitives[i]);

  return values;
}

static void
clear_place (AccPermute *self,
             AccLower   *l,
             KValue      place)
{
  if (self->has_flags)
    kb_store (l->b, get_flags (self, l), place, kb_int (l->b, ACC_KIND_U8, 0));
  else
    store_element (self, l, place, get_neutrals (self, l));
}

KValue
acc_permute_begin_tables (AccPermute *self,
                          AccLower   *l,
                          KValue      begin)
{
  AccKernelBuilder *b = l->b;
  KValue tile, first;

  if (self->by_workers)
    return kb_mul (b, kb_tile (b), low_number (l, get_stride (self)));

  tile = kb_udiv (b, begin, low_number (l, self->tile));
  first = self->in_turn ? low_const (l, 0) : kb_mul (b, tile, low_number (l, get_stride (self)));
  low_if (l, kb_eq (b, kb_mul (b, tile, low_number (l, self->tile)), begin))
    {
      low_foreach (l, x, low_const (l, 0), low_number (l, self->node->size * self->n_ways))
        {
          clear_place (self, l, kb_add (b, first, x));
        }
    }

  return first;
}

void
acc_permute_clear_tables (AccPermute *self)
{
  AccLower *l = low_new (self->step, "permute_clear");
  AccKernelBuilder *b = l->b;

  low_for (l, worker, low_const (l, 0), low_n_workers (l))
    {
      KValue first = kb_mul (b, worker, low_number (l, get_stride (self)));

      low_foreach (l, x, kb_inner_begin (b), kb_inner_end (b))
        {
          clear_place (self, l, kb_add (b, first, x));
        }
    }

  low_finish (l, (AccLaunch) { .outer = 1, .inner = self->node->size * self->n_ways, .units_per_row = 1, .rows = ACC_SPACE_FIRST,
                               .cost = MIX_COST * TABLES });
}

/* Combines what @sums hold with @place of the tables. */
static void
add_part (AccPermute *self,
          AccLower   *l,
          KVar       *sums,
          KValue      place)
{
  AccKernelBuilder *b = l->b;
  KValue *part = load_element (self, l, place), *sum = low_alloc (l, self->n_leaves * sizeof (KValue));
  KValue *both = low_alloc (l, self->n_leaves * sizeof (KValue));

  for (guint i = 0; i < self->n_leaves; i++)
    sum[i] = kb_get (b, sums[i]);
  low_apply2 (l, self->node, self->node->array->functions[0], part, sum, both);
  for (guint i = 0; i < self->n_leaves; i++)
    kb_set (b, sums[i], both[i]);
}

/* Combines @n_tables with element @x of the result. */
static void
join_element (AccPermute *self,
              AccLower   *l,
              KValue      x,
              KValue      n_tables)
{
  AccKernelBuilder *b = l->b;
  KVar *sums = low_alloc (l, self->n_leaves * sizeof (KVar));

  for (guint i = 0; i < self->n_leaves; i++)
    sums[i] = kb_var (b, low_load_place (l, acc_permute_get_result (self, l, i, x, 0)));
  low_for (l, t, low_const (l, 0), n_tables)
    {
      KValue first = kb_add (b, kb_mul (b, t, low_number (l, get_stride (self))), x);

      low_for (l, way, low_const (l, 0), low_const (l, self->n_ways))
        {
          KValue place = kb_add (b, first, kb_mul (b, way, low_number (l, self->node->size)));

          if (self->has_flags)
            low_if (l, has_value (self, l, place))
              {
                add_part (self, l, sums, place);
              }
          else
            add_part (self, l, sums, place);
        }
    }
  for (guint i = 0; i < self->n_leaves; i++)
    low_store_place (l, acc_permute_get_result (self, l, i, x, 0), kb_get (b, sums[i]));
}

void
acc_permute_join_tables (AccPermute *self)
{
  AccLower *l = low_new (self->step, "permute_tables");
  AccKernelBuilder *b = l->b;

  low_foreach (l, x, kb_inner_begin (b), kb_inner_end (b))
    {
      join_element (self, l, x, self->by_workers ? low_n_workers (l) : low_number (l, self->n_tiles));
    }

  low_finish (l, (AccLaunch) { .outer = 1, .inner = self->node->size, .units_per_row = 1, .rows = ACC_SPACE_WHOLE,
                               .cost = MIX_COST * (double) ((self->by_workers ? TABLES : self->n_tiles) * self->n_ways) });
}

void
acc_permute_end_tables (AccPermute *self,
                        AccLower   *l,
                        KValue      end,
                        KValue      last)
{
  AccKernelBuilder *b = l->b;
  KValue is_whole = kb_eq (b, kb_urem (b, end, low_number (l, self->tile)), low_const (l, 0));

  low_if (l, kb_or (b, is_whole, kb_eq (b, end, last)))
    {
      low_foreach (l, x, low_const (l, 0), low_number (l, self->node->size))
        {
          join_element (self, l, x, low_const (l, 1));
        }
    }
}

/* Whether a leaf is a sum of 8 bytes, which half of them may hold. */
static gboolean
is_long_sum (AccPermute *self,
             guint       leaf)
{
  AccElementKind kind = acc_permute_get_kind (self, leaf);

  return !self->has_flags && self->primitives[leaf] == ACC_PRIM_ADD && (kind == ACC_KIND_I64 || kind == ACC_KIND_U64);
}

/* Narrows the sums of leaves whose values fit half of their bytes, given @n elements. The range of the source tells; its code is written
 * for that, and dropped. */
static void
shorten_sums (AccPermute *self,
              gint64      n)
{
  AccLower *l = low_new (self->step, "permute_ranges");
  gint64 lo, hi, most = G_MAXINT32 / MAX (n, 1);

  low_for_units (l, u, self->space)
    {
      low_for (l, x, kb_inner_begin (l->b), kb_inner_end (l->b))
        {
          KValue *values = acc_permute_read (self, l, low_index_of_space (l, self->space, u, x));

          for (guint i = 0; i < self->n_leaves; i++)
            {
              low_get_range (l, values[i], &lo, &hi);
              if (is_long_sum (self, i) && lo >= -most && hi <= most)
                self->table_kinds[i] = ACC_KIND_I32;
            }
        }
    }
  low_abandon (l);
}

static void
choose_table_kinds (AccPermute *self,
                    gint64      n)
{
  gboolean any = FALSE;

  for (guint i = 0; i < self->n_leaves; i++)
    {
      self->table_kinds[i] = acc_permute_get_kind (self, i);
      any |= is_long_sum (self, i);
    }
  if (any)
    shorten_sums (self, n);
}

/* Whether the bits of the result do not depend on the order of elements and how they are grouped. */
static gboolean
is_exact (AccPermute *self)
{
  for (guint i = 0; i < self->n_leaves; i++)
    if (acc_element_kind_is_float (acc_permute_get_kind (self, i)))
      return FALSE;

  return !self->has_flags;
}

void
acc_permute_choose_tables (AccPermute *self)
{
  AccFunction *function = self->node->array->functions[0];
  const AccSpace *space = self->space;
  gboolean inner = space->first_inner == 0;
  gint64 n = inner ? space->inner : space->outer, size = MAX (self->node->size, 1), table, bytes, n_tiles, n_places;
  gint64 most_places = MAX (size, MIN (size * MAX_WAYS, MAX_WAY_BYTES / 8)), n_threads = MAX (self->step->fusion->target->n_threads, 1);
  gboolean by_rows = self->step->fusion->target->by_rows;

  self->has_flags = !acc_skeleton_has_neutral (function, self->primitives);
  table = size * (acc_permute_count_bytes (self) + (self->has_flags ? 1 : 0));
  if (table > MAX_TABLE || self->n_source < LEAST_SOURCE || self->n_source / 4 < size ||
      (self->has_flags && !acc_function_uses_param (function, 1)))
    return;

  self->by_workers = self->n_source / ALL_PER_PLACE >= size && is_exact (self) &&
                     n_threads * (table + ACC_SKELETON_FALSE_SHARING) <= (by_rows ? MAX_STREAMED : 2 * MAX_BYTES);
  self->in_turn = !self->by_workers && by_rows;
  n_tiles = CLAMP (self->n_source / (TILE_PER_PLACE * most_places), MIN (self->n_source / (2 * size), MANY_TILES),
                   MIN (MAX_BYTES / table, MAX_TILES));
  if (space->rank > 1 && space->first_inner + 1 < space->rank && space->extents[space->rank - 1] <= MAX_WAYS)
    self->row = (guint) space->extents[space->rank - 1];
  self->tile = acc_ceil_div (n, n_tiles);
  if (inner)
    self->tile = acc_ceil_div (self->tile, self->row * MAX_WAYS) * self->row * MAX_WAYS;
  self->n_tiles = acc_ceil_div (n, self->tile);
  self->tables = g_new0 (guint, self->n_leaves + 1);
  self->table_kinds = g_new0 (AccElementKind, self->n_leaves);
  choose_table_kinds (self, self->by_workers ? self->n_source : inner ? self->tile : self->tile * space->inner);

  bytes = self->has_flags ? size : 0;
  for (guint i = 0; i < self->n_leaves; i++)
    bytes += size * acc_element_kind_get_size (self->table_kinds[i]);
  if (self->step->cluster->cost <= MAX_WAY_COST && (!self->has_flags || acc_function_is_commutative (function)))
    self->n_ways = MAX_WAYS;
  while (self->n_ways > 1 && (self->n_ways * bytes > MAX_WAY_BYTES ||
                              (self->by_workers && by_rows && n_threads * self->n_ways * bytes > MAX_STREAMED / 2)))
    self->n_ways /= 2;
  if (self->n_ways < self->row)
    self->row = 1;
  self->n_ways -= self->n_ways % self->row;
  if (!self->by_workers && inner && !is_exact (self) && self->n_ways > 1)
    self->step->quantum = self->n_ways;

  n_places = get_stride (self) * (self->in_turn ? 1 : self->n_tiles);
  for (guint i = 0; i < self->n_leaves; i++)
    self->tables[i] = self->by_workers ? acc_step_add_tile_scratch (self->step, self->table_kinds[i], get_stride (self), 1)
                                       : acc_step_add_scratch (self->step, self->table_kinds[i], n_places);
  if (self->has_flags)
    self->tables[self->n_leaves] = acc_step_add_scratch (self->step, ACC_KIND_U8, n_places);
}
