/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-permute-spread-private.h"

#include "acc-core/base/acc-ceil-div-private.h"

/* What permutes by all workers are made of: elements are counted, moved to buckets of parts of the result, and combined there. */

#define IS_FIRST      (ACC_SPREAD_N_PARTS + 1)
#define CHUNK         4096       /* elements that are computed before they are counted */
#define PART_BYTES    (256 * 1024)  /* of parts in which places are asked for */

/* The columns of a bucket: number 0 is the target, the others are leaves. */
static AccElementKind
get_kind (gpointer data,
          guint    moved)
{
  AccPermuteSpread *self = data;

  return moved == 0 ? self->place : acc_permute_get_kind (self->permute, moved - 1);
}

static gboolean
is_moved (gpointer data,
          guint    pass,
          guint    moved)
{
  AccPermuteSpread *self = data;

  return moved == 0 || !self->is_same[moved - 1];
}

static void
write_moved (gpointer  data,
             AccLower *l,
             guint     pass,
             guint     moved,
             KValue    at,
             KValue    value)
{
  AccPermuteSpread *self = data;

  kb_store (l->b, low_scratch_with (l, self->moved[moved], get_kind (self, moved), ACC_BUFFER_ONCE), at, value);
}

static KValue
load_moved (AccPermuteSpread *self,
            AccLower         *l,
            guint             moved,
            KValue            at)
{
  return kb_load (l->b, low_scratch (l, self->moved[moved], get_kind (self, moved)), at);
}

static KValue
get_nowhere (AccPermuteSpread *self,
             AccLower         *l)
{
  return kb_int (l->b, self->place, -1);
}

/* --- elements of a tile */

static KValue
get_region (gpointer  data,
            AccLower *l,
            KValue    tile)
{
  AccPermuteSpread *self = data;

  return low_urem (l, tile, self->n_regions);
}

/* Where what is kept of element @x of outer unit @u is. */
static KValue
get_kept_place (AccPermuteSpread *self,
                AccLower         *l,
                KValue            u,
                KValue            x)
{
  AccKernelBuilder *b = l->b;
  KValue row = low_mul (l, low_urem (l, u, self->tile_outer), low_number (l, self->tile_inner));
  KValue tile = low_mul (l, get_region (self, l, kb_tile (b)), low_number (l, self->tile_outer * self->tile_inner));
  KValue begin = kb_inner_begin (b), skipped = low_urem (l, begin, self->tile_inner);

  return kb_add (b, kb_add (b, kb_add (b, tile, row), skipped), kb_sub (b, x, begin));
}

static KBuffer
get_kept (AccPermuteSpread *self,
          AccLower         *l,
          guint             moved)
{
  return low_scratch (l, self->kept[moved], get_kind (self, moved));
}

/* Processes an element whose target is @place. */
typedef void (*Visit) (AccPermuteSpread *self, AccLower *l, const AccIndex *ix, KValue place, gpointer data);

typedef struct {
  AccPermuteSpread *spread;
  gboolean checks;
  Visit    visit;
  gpointer data;
} Visited;

static void
visit_target (AccPermute     *permute,
              AccLower       *l,
              const AccIndex *ix,
              KValue          target,
              gpointer        data)
{
  Visited *self = data;

  l->checks = self->checks;
  self->visit (self->spread, l, ix, kb_cast (l->b, self->spread->place, target), self->data);
}

/* Element @x of outer unit @u, if it goes anywhere. Where elements are counted, targets are checked; then they are known to be inside, or
 * the run has failed. */
static void
visit_element (AccPermuteSpread *self,
               AccLower         *l,
               KValue            u,
               KValue            x,
               gboolean          is_checked,
               Visit             visit,
               gpointer          data)
{
  AccIndex *ix = low_index_of_space (l, self->permute->space, u, x);

  if (self->is_kept[0])
    {
      KValue place = kb_load (l->b, get_kept (self, l, 0), get_kept_place (self, l, u, x));

      low_if (l, kb_not (l->b, kb_eq (l->b, place, get_nowhere (self, l))))
        {
          visit (self, l, ix, place, data);
        }
    }
  else
    {
      Visited visited = { self, l->checks, visit, data };

      l->checks = l->checks && is_checked;
      acc_permute_visit (self->permute, l, ix, is_checked, visit_target, &visited);
      l->checks = visited.checks;
    }
}

static KValue
get_part (AccPermuteSpread *self,
          AccLower         *l,
          KValue            place)
{
  AccKernelBuilder *b = l->b;
  KValue block = kb_prim2 (b, ACC_PRIM_SHR, kb_cast (b, ACC_KIND_I64, place), kb_and (b, low_number (l, self->shift), low_const (l, 63)));

  return low_within (l, kb_and (b, block, low_const (l, ACC_SPREAD_N_PARTS - 1)), 0, ACC_SPREAD_N_PARTS - 1);
}

/* --- what is known of elements */

static void
look_at_element (AccPermuteSpread *self,
                 AccLower         *l,
                 const AccIndex   *ix,
                 KValue            place,
                 gpointer          data)
{
  KValue *values = acc_permute_read (self->permute, l, ix);

  self->is_orderly = !kb_is_loaded (l->b, place);
  self->is_kept[0] |= !kb_is_simple (l->b, place, TRUE);
  for (guint i = 0; i < self->permute->n_leaves; i++)
    {
      self->is_same[i] = kb_is_invariant (l->b, values[i]);
      self->is_kept[i + 1] = !kb_is_simple (l->b, values[i], FALSE);
    }
}

void
acc_permute_spread_look (AccPermuteSpread *self)
{
  AccPermute *permute = self->permute;
  /* Written for the sake of that, and forgotten. */
  AccLower *l = low_new (permute->step, "permute_source");

  self->spread = (AccRadixSpread) {
    .step = permute->step, .count = self->room < G_MAXINT32 ? ACC_KIND_I32 : ACC_KIND_I64, .size = self->room,
    .n_leaves = permute->n_leaves + 1, .data = self, .get_kind = get_kind, .wants = is_moved, .write = write_moved,
  };

  low_for_units (l, u, permute->space)
    {
      low_for (l, x, kb_inner_begin (l->b), kb_inner_end (l->b))
        {
          AccIndex *ix = low_index_of_space (l, permute->space, u, x);

          self->is_kept[0] = !kb_is_simple (l->b, acc_permute_get_wanted (permute, l, ix), TRUE);
          acc_permute_visit (permute, l, ix, FALSE, visit_target, &(Visited) { self, l->checks, look_at_element, NULL });
        }
    }
  low_abandon (l);
}

/* --- kernels */

static void
keep_element (AccPermuteSpread *self,
              AccLower         *l,
              const AccIndex   *ix,
              KValue            place,
              gpointer          data)
{
  KVar *kept = data;

  if (self->is_kept[0])
    kb_set (l->b, kept[0], place);
  for (guint i = 0; i < self->permute->n_leaves; i++)
    if (self->is_kept[i + 1])
      kb_set (l->b, kept[i + 1], low_read (l, self->permute->source, ix, i));
}

/* In lanes, what is not just loaded. */
static void
keep (AccPermuteSpread *self,
      AccLower         *l,
      KValue            u,
      KValue            begin,
      KValue            end)
{
  AccKernelBuilder *b = l->b;
  guint n = self->permute->n_leaves + 1;
  KVar *kept = low_alloc (l, n * sizeof (KVar));

  low_foreach (l, x, begin, end)
    {
      AccIndex *ix = low_index_of_space (l, self->permute->space, u, x);
      KValue at = get_kept_place (self, l, u, x);

      for (guint i = 0; i < n; i++)
        if (self->is_kept[i])
          kept[i] = kb_var (b, i == 0 ? get_nowhere (self, l) : low_zero (l, get_kind (self, i)));
      acc_permute_visit (self->permute, l, ix, TRUE, visit_target, &(Visited) { self, l->checks, keep_element, kept });
      for (guint i = 0; i < n; i++)
        if (self->is_kept[i])
          kb_store (b, get_kept (self, l, i), at, kb_get (b, kept[i]));
    }
}

static gboolean
keeps (AccPermuteSpread *self)
{
  for (guint i = 0; i <= self->permute->n_leaves; i++)
    if (self->is_kept[i])
      return TRUE;

  return FALSE;
}

/* Of elements that are counted. */
typedef struct {
  AccPermuteSpread *spread;
  KValue  u, region;
  guint   way;
} Counted;

static void
count_at (AccPermuteSpread *self,
          AccLower         *l,
          const AccIndex   *ix,
          KValue            place,
          gpointer          data)
{
  Counted *counted = data;

  acc_radix_spread_count (&self->spread, l, counted->region, 0, get_part (self, l, place), counted->way);
}

static void
count_one (gpointer  data,
           AccLower *l,
           KValue    x,
           guint     way)
{
  Counted *self = data;

  self->way = way;
  /* What is kept was checked. */
  visit_element (self->spread, l, self->u, x, !keeps (self->spread), count_at, self);
}

static AccLaunch
get_launch (AccPermuteSpread *self,
            double            cost)
{
  AccLaunch launch = acc_skeleton_launch (self->permute->space, cost);

  launch.tile_outer = self->tile_outer;
  launch.tile_inner = self->tile_inner;

  return launch;
}

static void
write_count (AccPermuteSpread *self)
{
  AccPermute *permute = self->permute;
  AccLower *l = low_new (permute->step, "permute_count");
  AccKernelBuilder *b = l->b;
  KValue region = get_region (self, l, kb_tile (b)), chunk = low_const (l, CHUNK);

  acc_radix_spread_begin_count (&self->spread, l, region);
  low_for_units (l, u, permute->space)
    {
      KValue begin = kb_inner_begin (b), end = kb_inner_end (b);
      KValue n_chunks = low_udiv (l, kb_add (b, kb_sub (b, end, begin), low_const (l, CHUNK - 1)), CHUNK);
      Counted counted = { self, u, region };

      if (!keeps (self))
        acc_radix_spread_visit (&self->spread, l, begin, end, count_one, &counted);
      else
        low_for (l, k, low_const (l, 0), n_chunks)
          {
            KValue first = kb_add (b, begin, kb_mul (b, k, chunk)), last = kb_min (b, kb_add (b, first, chunk), end);

            keep (self, l, u, first, last);
            acc_radix_spread_visit (&self->spread, l, first, last, count_one, &counted);
          }
    }
  acc_radix_spread_end_count (&self->spread, l, region, 0);

  low_finish (l, get_launch (self, 1 + permute->step->cluster->cost * ACC_SPREAD_OPERATION_COST));
}

/* The tile that an element is in. */
static KValue
get_tile (AccPermuteSpread *self,
          AccLower         *l,
          KValue            u,
          KValue            x)
{
  return low_add (l, low_mul (l, low_udiv (l, u, self->tile_outer), low_number (l, self->stride)), low_udiv (l, x, self->tile_inner));
}

static void
write_begins (AccPermuteSpread *self)
{
  AccLower *l = low_new (self->permute->step, "permute_begins");
  AccKernelBuilder *b = l->b;
  AccLaunch launch = get_launch (self, 0);
  KValue zero = low_const (l, 0), is_first, one = low_const (l, 1), first = get_tile (self, l, kb_outer_begin (b), kb_inner_begin (b));
  KValue last = get_tile (self, l, kb_sub (b, kb_outer_end (b), one), kb_sub (b, kb_inner_end (b), one));

  acc_radix_spread_find_places_of_all (&self->spread, l, first, kb_add (b, last, one), get_region, self, self->sums, zero);
  is_first = kb_and (b, kb_le (b, kb_outer_begin (b), zero), kb_le (b, kb_inner_begin (b), zero));
  kb_store (b, low_scratch (l, self->sums, self->spread.count), low_const (l, IS_FIRST), kb_cast (b, self->spread.count, is_first));
  launch.serial = TRUE;
  launch.cost = 1e3 / ((double) self->permute->space->outer * (double) self->permute->space->inner);
  low_finish (l, launch);
}

typedef struct {
  KValue u, x, region;
} Moved;

static void
move_to (AccPermuteSpread *self,
         AccLower         *l,
         const AccIndex   *ix,
         KValue            place,
         gpointer          data)
{
  Moved *moved = data;
  KValue part = get_part (self, l, place), at = acc_radix_spread_take_place (&self->spread, l, moved->region, 0, part);

  for (guint i = 0; i < self->spread.n_leaves; i++)
    if (is_moved (self, 0, i))
      {
        KValue value = i == 0 ? place
                       : self->is_kept[i] ? kb_load (l->b, get_kept (self, l, i), get_kept_place (self, l, moved->u, moved->x))
                                          : low_read (l, self->permute->source, ix, i - 1);

        acc_radix_spread_put (&self->spread, l, moved->region, 0, part, i, at, value);
      }
}

static void
write_move (AccPermuteSpread *self)
{
  AccLower *l = low_new (self->permute->step, "permute_move");
  AccKernelBuilder *b = l->b;
  AccLaunch launch = get_launch (self, ACC_SPREAD_COST);
  KValue region = get_region (self, l, kb_tile (b));

  acc_radix_spread_begin_move (&self->spread, l, region, 0);
  low_for_units (l, u, self->permute->space)
    {
      low_for (l, x, kb_inner_begin (b), kb_inner_end (b))
        {
          Moved moved = { u, x, region };

          visit_element (self, l, u, x, FALSE, move_to, &moved);
        }
    }
  acc_radix_spread_end_move (&self->spread, l, region, 0);

  launch.spreads = TRUE;
  low_finish (l, launch);
}

/* The blocks of a part become what the defaults are. */
static void
write_defaults (AccPermuteSpread *self,
                AccLower         *l,
                KValue            part)
{
  AccKernelBuilder *b = l->b;
  AccPermute *permute = self->permute;
  gint64 block = (gint64) 1 << self->shift;

  low_for (l, k, low_const (l, 0), low_number (l, acc_ceil_div (permute->node->size, block * ACC_SPREAD_N_PARTS)))
    {
      KValue first = kb_mul (b, kb_add (b, kb_mul (b, k, low_const (l, ACC_SPREAD_N_PARTS)), part), low_number (l, block));
      KValue last = kb_min (b, kb_add (b, first, low_number (l, block)), low_number (l, permute->node->size));

      low_foreach (l, x, first, last)
        {
          AccIndex *ix = low_index_of_linear (l, permute->results, low_within (l, x, 0, permute->node->size - 1));

          low_index_lose_rows (l, ix, permute->node, "reads its defaults before the first row");
          for (guint i = 0; i < permute->n_leaves; i++)
            low_store_place (l, acc_permute_get_result (permute, l, i, x, 0), low_read (l, permute->defaults, ix, i));
        }
    }
}

static void
write_combine (AccPermuteSpread *self)
{
  AccPermute *permute = self->permute;
  AccLower *l = low_new (permute->step, "permute_combine");
  AccKernelBuilder *b = l->b;
  KBuffer sums = low_scratch (l, self->sums, self->spread.count);
  double n = (double) self->room / ACC_SPREAD_N_PARTS;
  AccLaunch launch = { .outer = 1, .inner = ACC_SPREAD_N_PARTS, .tile_inner = 1, .rows = ACC_SPACE_WHOLE, .units_per_row = 1,
                       .cost = n * ACC_SPREAD_COMBINE_COST };

  low_for (l, part, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue begin = kb_cast (b, ACC_KIND_I64, kb_load (b, sums, part));
      KValue end = kb_cast (b, ACC_KIND_I64, kb_load (b, sums, kb_add (b, part, low_const (l, 1))));

      if (!acc_array_get_permute (permute->node->array)->fills)
        low_if (l, kb_lt (b, kb_int (b, self->spread.count, 0), kb_load (b, sums, low_const (l, IS_FIRST))))
          {
            write_defaults (self, l, part);
          }
      low_for (l, at, begin, end)
        {
          KValue *values = low_alloc (l, (permute->n_leaves + 1) * sizeof (KValue));
          KValue place;

          low_within (l, at, 0, self->room - 1);
          place = low_within (l, kb_cast (b, ACC_KIND_I64, load_moved (self, l, 0, at)), 0, permute->node->size - 1);
          for (guint i = 0; i < permute->n_leaves; i++)
            values[i] = !self->is_same[i] ? load_moved (self, l, i + 1, at)
                        : low_read (l, permute->source, low_index_of_space (l, permute->space, low_const (l, 0), low_const (l, 0)), i);
          if (permute->node->size / ACC_SPREAD_N_PARTS * acc_permute_count_bytes (permute) > PART_BYTES)
            {
              KValue next = kb_cast (b, ACC_KIND_I64, load_moved (self, l, 0, kb_add (b, at, low_const (l, ACC_SPREAD_AHEAD))));

              for (guint i = 0; i < permute->n_leaves; i++)
                {
                  AccPlace to = acc_permute_get_result (permute, l, i, next, 0);

                  kb_prefetch (b, to.buffer, to.at);
                }
            }
          acc_permute_combine (permute, l, values, place, 0);
        }
    }

  low_finish (l, launch);
}

void
acc_permute_spread_write (AccPermuteSpread *self)
{
  write_count (self);
  write_begins (self);
  write_move (self);
  write_combine (self);
}
