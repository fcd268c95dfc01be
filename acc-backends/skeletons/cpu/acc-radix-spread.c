/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix-spread.h"

#define N_REGIONS 16   /* of counters and lines, at least where there is enough to do */
#define N_TURNS   4    /* regions per thread, if that makes more: so that no thread waits long for the last one */

/* From so many elements on, a digit has several counters that are used in turn: an increment need not wait for the store of the one
 * before. */
#define MIN_WAYS 4096
#define N_WAYS   4   /* tables of counters, of all passes that are counted at once */

/* The size of a destination that the second cache keeps: no lines are needed. */
#define MAX_DIRECT (512 * 1024)
#define LINE       ACC_RADIX_LINE
#define N_LINES    (ACC_RADIX_N_DIGITS + ACC_SKELETON_FALSE_SHARING / LINE)   /* of a region, and the gap to the next */

/* From the counters of one region to those of the next. */
static gint64
get_stride (AccRadixSpread *self)
{
  return ACC_RADIX_N_DIGITS * self->n_counted * self->n_ways
         + ACC_SKELETON_FALSE_SHARING / (gint64) acc_element_kind_get_size (self->count);
}

gint64
acc_radix_spread_count_regions (AccStep *step)
{
  return MAX (N_REGIONS, (gint64) step->fusion->target->n_threads * N_TURNS);
}

void
acc_radix_spread_init (AccRadixSpread *self,
                       gint64          n_regions,
                       gint64          n_elements,
                       gint64          n_room,
                       guint           n_counted)
{
  gint64 bytes = 0;

  self->n_counted = n_counted;
  self->n_ways = n_elements < MIN_WAYS ? 1 : MAX (N_WAYS / n_counted, 1);
  self->counts = acc_step_add_scratch (self->step, self->count, n_regions * get_stride (self));
  for (guint i = 0; i < self->n_leaves; i++)
    bytes += self->wants (self->data, 0, i) ? acc_element_kind_get_size (self->get_kind (self->data, i)) : 0;
  if (n_room * bytes <= MAX_DIRECT)
    return;

  self->begins = acc_step_add_scratch (self->step, self->count, n_regions * N_LINES);
  self->lines = g_new0 (guint, self->n_leaves);
  for (guint i = 0; i < self->n_leaves; i++)
    if (self->wants (self->data, 0, i))
      self->lines[i] = acc_step_add_scratch (self->step, self->get_kind (self->data, i), n_regions * N_LINES * LINE);
}

void
acc_radix_spread_clear (AccRadixSpread *self)
{
  g_clear_pointer (&self->lines, g_free);
}

/* --- counters */

/* The first table of counters of pass @counted of those that are counted at once. */
static KValue
get_table (AccRadixSpread *self,
           AccLower       *l,
           KValue          region,
           KValue          counted)
{
  return kb_add (l->b, kb_mul (l->b, region, low_const (l, get_stride (self))),
                 kb_mul (l->b, counted, low_const (l, ACC_RADIX_N_DIGITS * self->n_ways)));
}

static KValue
get_counter (AccRadixSpread *self,
             AccLower       *l,
             KValue          region,
             guint           pass,
             KValue          digit)
{
  return kb_add (l->b, get_table (self, l, region, low_const (l, pass % self->n_counted)), digit);
}

static KBuffer
get_counts (AccRadixSpread *self,
            AccLower       *l)
{
  return low_scratch (l, self->counts, self->count);
}

static KValue
load_count (AccRadixSpread *self,
            AccLower       *l,
            KValue          counter)
{
  return kb_load (l->b, get_counts (self, l), counter);
}

/* What the counter was before. */
static KValue
add_one (AccRadixSpread *self,
         AccLower       *l,
         KValue          counter)
{
  KValue n = load_count (self, l, counter);

  kb_store (l->b, get_counts (self, l), counter, kb_add (l->b, n, kb_int (l->b, self->count, 1)));

  return n;
}

void
acc_radix_spread_begin_count (AccRadixSpread *self,
                              AccLower       *l,
                              KValue          region)
{
  KValue tables = get_table (self, l, region, low_const (l, 0));

  low_foreach (l, counter, low_const (l, 0), low_const (l, ACC_RADIX_N_DIGITS * self->n_counted * self->n_ways))
    {
      kb_store (l->b, get_counts (self, l), kb_add (l->b, tables, counter), kb_int (l->b, self->count, 0));
    }
}

void
acc_radix_spread_visit (AccRadixSpread *self,
                        AccLower       *l,
                        KValue          begin,
                        KValue          end,
                        AccRadixVisit   visit,
                        gpointer        data)
{
  AccKernelBuilder *b = l->b;
  KValue n_ways = low_const (l, self->n_ways), n_rounds = kb_udiv (b, kb_sub (b, end, begin), n_ways);

  low_for (l, k, low_const (l, 0), n_rounds)
    {
      for (guint way = 0; way < self->n_ways; way++)
        visit (data, l, kb_add (b, kb_add (b, begin, kb_mul (b, k, n_ways)), low_const (l, way)), way);
    }
  if (self->n_ways == 1)
    return;

  low_for (l, x, kb_add (b, begin, kb_mul (b, n_rounds, n_ways)), end)
    {
      visit (data, l, x, 0);
    }
}

void
acc_radix_spread_count (AccRadixSpread *self,
                        AccLower       *l,
                        KValue          region,
                        guint           pass,
                        KValue          digit,
                        guint           way)
{
  add_one (self, l, get_counter (self, l, region, pass, kb_add (l->b, digit, low_const (l, way * ACC_RADIX_N_DIGITS))));
}

void
acc_radix_spread_end_count (AccRadixSpread *self,
                            AccLower       *l,
                            KValue          region,
                            guint           pass)
{
  for (guint i = 0; i < self->n_counted && self->n_ways > 1; i++)
    low_foreach (l, digit, low_const (l, 0), low_const (l, ACC_RADIX_N_DIGITS))
      {
        KValue at = get_counter (self, l, region, pass + i, digit), n = load_count (self, l, at);

        for (guint way = 1; way < self->n_ways; way++)
          n = kb_add (l->b, n, load_count (self, l, kb_add (l->b, at, low_const (l, way * ACC_RADIX_N_DIGITS))));
        kb_store (l->b, get_counts (self, l), at, n);
      }
}

/* Turns counts of digits into places of first elements: the counters of a table, from number @at on. Returns the place after the last. */
static KValue
add_up (AccRadixSpread *self,
        AccLower       *l,
        KBuffer         counts,
        KValue          at,
        KValue          first)
{
  AccKernelBuilder *b = l->b;
  KVar next = kb_var (b, kb_cast (b, self->count, first));

  low_for (l, digit, low_const (l, 0), low_const (l, ACC_RADIX_N_DIGITS))
    {
      KValue counter = kb_add (b, at, digit), n = kb_load (b, counts, counter);

      kb_store (b, counts, counter, kb_get (b, next));
      kb_set (b, next, kb_add (b, kb_get (b, next), n));
    }

  return kb_get (b, next);
}

void
acc_radix_spread_find_places (AccRadixSpread *self,
                              AccLower       *l,
                              KValue          region,
                              KValue          first)
{
  low_for (l, counted, low_const (l, 0), low_const (l, self->n_counted))
    {
      add_up (self, l, get_counts (self, l), get_table (self, l, region, counted), first);
    }
}

/* The sums over all regions come first: so lanes take a digit each, and tables are read in order. */
void
acc_radix_spread_find_places_of_all (AccRadixSpread *self,
                                     AccLower       *l,
                                     KValue          begin,
                                     KValue          end,
                                     AccRadixRegion  get_region,
                                     gpointer        data,
                                     guint           sums,
                                     KValue          first)
{
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), n_digits = low_const (l, ACC_RADIX_N_DIGITS);
  KBuffer counts = get_counts (self, l), totals = low_scratch (l, sums, self->count);

  low_foreach (l, digit, zero, n_digits)
    {
      KVar sum = kb_var (b, kb_int (b, self->count, 0));

      low_for (l, t, begin, end)
        {
          KValue at = kb_add (b, get_table (self, l, get_region (data, l, t), zero), digit);

          kb_set (b, sum, kb_add (b, kb_get (b, sum), kb_load (b, counts, at)));
        }
      kb_store (b, totals, digit, kb_get (b, sum));
    }
  kb_store (b, totals, n_digits, add_up (self, l, totals, zero, first));
  low_foreach (l, digit, zero, n_digits)
    {
      KVar next = kb_var (b, kb_load (b, totals, digit));

      low_for (l, t, begin, end)
        {
          KValue at = kb_add (b, get_table (self, l, get_region (data, l, t), zero), digit), n = kb_load (b, counts, at);

          kb_store (b, counts, at, kb_get (b, next));
          kb_set (b, next, kb_add (b, kb_get (b, next), n));
        }
    }
}

/* --- lines */

static KValue
load_begin (AccRadixSpread *self,
            AccLower       *l,
            KValue          region,
            KValue          digit)
{
  KValue first = kb_mul (l->b, region, low_const (l, N_LINES));

  return kb_cast (l->b, ACC_KIND_I64, kb_load (l->b, low_scratch (l, self->begins, self->count), kb_add (l->b, first, digit)));
}

static KBuffer
get_lines (AccRadixSpread *self,
           AccLower       *l,
           guint           leaf)
{
  return low_scratch (l, self->lines[leaf], self->get_kind (self->data, leaf));
}

/* Where in a line the element for @at is. */
static KValue
get_rest (AccLower *l,
          KValue    at)
{
  return kb_and (l->b, at, low_const (l, LINE - 1));
}

/* Element number @rest of the line of a digit. */
static KValue
get_slot (AccLower *l,
          KValue    region,
          KValue    digit,
          KValue    rest)
{
  AccKernelBuilder *b = l->b;

  return kb_add (b, kb_mul (b, region, low_const (l, N_LINES * LINE)), kb_add (b, kb_mul (b, digit, low_const (l, LINE)), rest));
}

static void
write_out_one (AccRadixSpread *self,
               AccLower       *l,
               guint           pass,
               KValue          slot,
               KValue          at)
{
  low_within (l, at, 0, self->size - 1);
  for (guint i = 0; i < self->n_leaves; i++)
    if (self->wants (self->data, pass, i))
      self->write (self->data, l, pass, i, at, kb_load (l->b, get_lines (self, l, i), slot));
}

/* What is collected of a digit, from @first on, where a line begins, to @end: a whole line, or less of the first and the last. */
static void
write_out (AccRadixSpread *self,
           AccLower       *l,
           KValue          region,
           guint           pass,
           KValue          digit,
           KValue          first,
           KValue          end)
{
  AccKernelBuilder *b = l->b;
  KValue begin = load_begin (self, l, region, digit);

  low_if_unlikely (l, kb_or (b, kb_lt (b, first, begin), kb_lt (b, kb_sub (b, end, first), low_const (l, LINE))))
    {
      low_for (l, at, kb_max (b, begin, first), end)
        {
          write_out_one (self, l, pass, get_slot (l, region, digit, get_rest (l, at)), at);
        }
    }
  low_else (l)
    {
      kb_set_lanes (b, LINE);
      low_foreach (l, lane, low_const (l, 0), low_const (l, LINE))
        {
          write_out_one (self, l, pass, get_slot (l, region, digit, lane), kb_add (b, first, lane));
        }
      kb_set_lanes (b, 0);
    }
}

/* --- moving */

void
acc_radix_spread_begin_move (AccRadixSpread *self,
                             AccLower       *l,
                             KValue          region,
                             guint           pass)
{
  if (self->lines == NULL)
    return;

  low_foreach (l, digit, low_const (l, 0), low_const (l, ACC_RADIX_N_DIGITS))
    {
      KValue own = kb_add (l->b, kb_mul (l->b, region, low_const (l, N_LINES)), digit);

      kb_store (l->b, low_scratch (l, self->begins, self->count), own, load_count (self, l, get_counter (self, l, region, pass, digit)));
    }
}

/* A line is written out only when the next one begins: its elements, which are stored one by one, are read at once, for which a processor
 * waits until the last of them has left its queue of stores. */
KValue
acc_radix_spread_take_place (AccRadixSpread *self,
                             AccLower       *l,
                             KValue          region,
                             guint           pass,
                             KValue          digit)
{
  KValue place = add_one (self, l, get_counter (self, l, region, pass, digit));
  KValue at = low_within (l, kb_cast (l->b, ACC_KIND_I64, place), 0, self->size - 1);

  if (self->lines == NULL)
    return at;

  low_if_unlikely (l, kb_eq (l->b, get_rest (l, at), low_const (l, 0)))
    {
      write_out (self, l, region, pass, digit, kb_sub (l->b, at, low_const (l, LINE)), at);
    }

  return at;
}

void
acc_radix_spread_put (AccRadixSpread *self,
                      AccLower       *l,
                      KValue          region,
                      guint           pass,
                      KValue          digit,
                      guint           leaf,
                      KValue          at,
                      KValue          value)
{
  if (self->lines != NULL)
    kb_store (l->b, get_lines (self, l, leaf), get_slot (l, region, digit, get_rest (l, at)), value);
  else
    self->write (self->data, l, pass, leaf, at, value);
}

void
acc_radix_spread_end_move (AccRadixSpread *self,
                           AccLower       *l,
                           KValue          region,
                           guint           pass)
{
  if (self->lines == NULL)
    return;

  low_for (l, digit, low_const (l, 0), low_const (l, ACC_RADIX_N_DIGITS))
    {
      KValue behind = kb_cast (l->b, ACC_KIND_I64, load_count (self, l, get_counter (self, l, region, pass, digit)));
      KValue last = kb_sub (l->b, behind, low_const (l, 1));

      write_out (self, l, region, pass, digit, kb_sub (l->b, last, get_rest (l, last)), behind);
    }
}
