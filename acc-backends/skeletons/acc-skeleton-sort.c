/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-radix.h"

#include "acc-core/acc-ceil-div-private.h"

/* Stable sorts of rows, by digits of eight bits from the least significant one on. Many or short rows: each by one worker, all
 * passes at once, after the digits of all have been counted. Few long rows: tiles of a row count their digits; one worker finds
 * where the elements of each tile and digit go; tiles move theirs there, by lines of the cache where there are many. */

#define TILE      65536   /* elements, about, where there are few */
#define N_REGIONS 16      /* of counters and lines, at least where there is enough to do */
#define N_TURNS   4       /* of each thread, where that makes more: so none waits long for the last one */
#define MANY_ROWS 8

/* Where there are so many elements, those of a digit are counted in several places in turn: one need not wait until the one before is stored. */
#define MIN_WAYS 4096
#define N_WAYS   4   /* tables of counters, of all passes that are counted at once */

/* Where a row has more bytes, which the second cache does not keep while they go from one place to the other, the elements of a digit are
 * collected until they are so many, which lie side by side where they go. */
#define MAX_DIRECT (512 * 1024)
#define LINE       16
#define N_LINES    (ACC_RADIX_N_DIGITS + ACC_SKELETON_APART / LINE)   /* of a region, and what keeps it apart from the next */

AccLaunch
acc_radix_get_launch (AccRadix *self,
                      gint64    inner,
                      gint64    tile_outer,
                      gint64    tile_inner,
                      double    cost)
{
  AccLaunch launch = acc_skeleton_launch (self->space, cost);

  if (!self->by_rows)
    launch.rows = ACC_SPACE_WHOLE;
  launch.inner = inner;
  launch.tile_outer = tile_outer;
  launch.tile_inner = tile_inner;

  return launch;
}

/* Whether what pass @pass writes is the result. */
static gboolean
writes_result (AccRadix *self,
               guint     pass)
{
  return (self->n_passes - 1 - pass) % 2 == 0;
}

AccElementKind
acc_radix_get_kind (AccRadix *self,
                    guint     leaf)
{
  return acc_element_type_get_leaf (self->node->array->type, leaf);
}

static AccIndex *
get_index (AccRadix *self,
           AccLower *l,
           KValue    u,
           KValue    x)
{
  AccIndex *ix = low_index_of_space (l, self->space, u, x);

  if (!self->by_rows)
    low_index_lose_rows (l, ix, self->node, "reads rows in another order");

  return ix;
}

static KValue
get_linear (AccRadix *self,
            AccLower *l,
            KValue    u,
            KValue    x)
{
  return self->space->outer == 1 ? x : kb_add (l->b, kb_mul (l->b, u, low_number (l, self->space->inner)), x);
}

/* Where pass @pass writes, of what counts all elements of the result. */
static AccPlace
get_place (AccRadix       *self,
           AccLower       *l,
           guint           pass,
           guint           leaf,
           KValue          at,
           AccBufferFlags  more)
{
  const AccRadixLeaf *to = &self->leaves[leaf];

  if (writes_result (self, pass) && to->root != NULL)
    return low_place (l, to->root->value, to->leaf, at, ACC_BUFFER_READ | ACC_BUFFER_WRITE | more);

  return (AccPlace) {
    low_scratch_with (l, writes_result (self, pass) ? to->kept : to->moved, acc_radix_get_kind (self, leaf), more),
    self->shift.id != 0 ? kb_add (l->b, at, self->shift) : at,
  };
}

gboolean
acc_radix_wants (AccRadix *self,
                 guint     pass,
                 guint     leaf)
{
  return self->leaves[leaf].root != NULL || pass + 1 < self->n_passes;
}

void
acc_radix_add_moved (AccRadix *self,
                     gint64    n)
{
  for (guint i = 0; i < self->n_leaves && self->n_passes > 1; i++)
    {
      self->leaves[i].moved = acc_step_add_scratch (self->step, acc_radix_get_kind (self, i), n);
      if (self->leaves[i].root == NULL && self->n_passes > 2)
        self->leaves[i].kept = acc_step_add_scratch (self->step, acc_radix_get_kind (self, i), n);
    }
}

KValue
acc_radix_read (AccRadix *self,
                AccLower *l,
                guint     pass,
                KValue    u,
                KValue    x,
                guint     leaf)
{
  if (pass == 0)
    return low_read (l, self->input, get_index (self, l, u, x), leaf);

  return low_load_place (l, get_place (self, l, pass - 1, leaf, get_linear (self, l, u, x), 0));
}

KValue
acc_radix_get_key (AccRadix *self,
                   AccLower *l,
                   guint     pass,
                   KValue    u,
                   KValue    x)
{
  AccFunction *function = self->node->array->functions[0];
  AccFrame *frame = low_frame_new (l, self->node);

  if (pass == 0)
    {
      low_bind_element (l, frame, function->params[0], self->input, get_index (self, l, u, x));
    }
  else
    {
      KValue *leaves = low_alloc (l, self->n_leaves * sizeof (KValue));

      for (guint i = 0; i < self->n_leaves; i++)
        leaves[i] = acc_radix_read (self, l, pass, u, x, i);
      low_bind_values (l, frame, function->params[0], leaves);
    }

  return low_expr (l, frame, function->body, 0);
}

KValue
acc_radix_get_digit (AccRadix *self,
                     AccLower *l,
                     guint     pass,
                     KValue    key)
{
  AccKernelBuilder *b = l->b;
  /* The mask changes nothing, but says so to who compiles it. */
  KValue mask = low_const (l, 8 * acc_element_kind_get_size (self->key) - 1);
  KValue shifted = pass == 0 ? key : kb_prim2 (b, ACC_PRIM_SHR, key, kb_and (b, low_number (l, pass * ACC_RADIX_BITS), mask));

  return low_within (l, kb_cast (b, ACC_KIND_I64, kb_and (b, shifted, kb_int (b, self->key, ACC_RADIX_N_DIGITS - 1))), 0, ACC_RADIX_N_DIGITS - 1);
}

void
acc_radix_write (AccRadix *self,
                 AccLower *l,
                 guint     pass,
                 guint     leaf,
                 KValue    at,
                 KValue    value)
{
  low_store_place (l, get_place (self, l, pass, leaf, at, self->written), value);
}

/* --- what a worker does */

typedef struct {
  AccRadix *radix;
  guint     counts;      /* scratch: regions of tables of a counter per digit: the ways of a pass, one pass behind the other */
  guint     n_counted;   /* passes that are counted at once */
  guint     n_ways;
  guint     sums;        /* scratch: a counter per digit, of all tiles */
  guint     begins;      /* scratch: what the counters were before */
  guint    *lines;       /* scratch, per leaf: regions of a line per digit */
  gint64    n_regions;   /* in flight at most, give or take a tile per row */
  gint64    tile;
  gint64    n_tiles;     /* per row */
} Sort;

/* From the counters of one region to those of the next. */
static gint64
get_stride (Sort *self)
{
  return ACC_RADIX_N_DIGITS * self->n_counted * self->n_ways + ACC_SKELETON_APART / (gint64) acc_element_kind_get_size (self->radix->count);
}

/* The first table of counters of pass @counted of those that are counted at once. */
static KValue
get_table (Sort     *self,
           AccLower *l,
           KValue    region,
           KValue    counted)
{
  return kb_add (l->b, kb_mul (l->b, region, low_const (l, get_stride (self))),
                 kb_mul (l->b, counted, low_const (l, ACC_RADIX_N_DIGITS * self->n_ways)));
}

static KValue
get_counter (Sort     *self,
             AccLower *l,
             KValue    region,
             guint     pass,
             KValue    digit)
{
  return kb_add (l->b, get_table (self, l, region, low_const (l, pass % self->n_counted)), digit);
}

/* The line of a digit. */
static KValue
get_line (AccLower *l,
          KValue    region,
          KValue    digit)
{
  return kb_add (l->b, kb_mul (l->b, region, low_const (l, N_LINES)), digit);
}

static KBuffer
get_counts (Sort     *self,
            AccLower *l)
{
  return low_scratch (l, self->counts, self->radix->count);
}

static KValue
load_count (Sort     *self,
            AccLower *l,
            KValue    counter)
{
  return kb_load (l->b, get_counts (self, l), counter);
}

/* What the counter was before. */
static KValue
add_one (Sort     *self,
         AccLower *l,
         KValue    counter)
{
  KValue n = load_count (self, l, counter);

  kb_store (l->b, get_counts (self, l), counter, kb_add (l->b, n, kb_int (l->b, self->radix->count, 1)));

  return n;
}

/* The digits of an element, of pass @pass and those that are counted with it. */
static void
count_one (Sort     *self,
           AccLower *l,
           guint     pass,
           KValue    u,
           KValue    x,
           KValue    region,
           guint     way)
{
  KValue key = acc_radix_get_key (self->radix, l, pass, u, low_within (l, x, 0, self->radix->space->inner - 1));

  for (guint i = 0; i < self->n_counted; i++)
    {
      KValue digit = acc_radix_get_digit (self->radix, l, pass + i, key);

      add_one (self, l, get_counter (self, l, region, pass + i, kb_add (l->b, digit, low_const (l, way * ACC_RADIX_N_DIGITS))));
    }
}

static void
count (Sort     *self,
       AccLower *l,
       guint     pass,
       KValue    u,
       KValue    begin,
       KValue    end,
       KValue    region)
{
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), n_ways = low_const (l, self->n_ways), n_rounds = kb_udiv (b, kb_sub (b, end, begin), n_ways);
  KValue tables = get_table (self, l, region, zero);

  low_foreach (l, counter, zero, low_const (l, ACC_RADIX_N_DIGITS * self->n_counted * self->n_ways))
    {
      kb_store (b, get_counts (self, l), kb_add (b, tables, counter), kb_int (b, self->radix->count, 0));
    }
  low_for (l, k, zero, n_rounds)
    {
      for (guint way = 0; way < self->n_ways; way++)
        count_one (self, l, pass, u, kb_add (b, kb_add (b, begin, kb_mul (b, k, n_ways)), low_const (l, way)), region, way);
    }
  if (self->n_ways == 1)
    return;

  low_for (l, x, kb_add (b, begin, kb_mul (b, n_rounds, n_ways)), end)
    {
      count_one (self, l, pass, u, x, region, 0);
    }
  for (guint i = 0; i < self->n_counted; i++)
    low_foreach (l, digit, zero, low_const (l, ACC_RADIX_N_DIGITS))
      {
        KValue at = get_counter (self, l, region, pass + i, digit), n = load_count (self, l, at);

        for (guint way = 1; way < self->n_ways; way++)
          n = kb_add (b, n, load_count (self, l, kb_add (b, at, low_const (l, way * ACC_RADIX_N_DIGITS))));
        kb_store (b, get_counts (self, l), at, n);
      }
}

/* In place of how many there are of each digit, where the first goes: the counters of a table, from @first on. */
static void
add_up (Sort     *self,
        AccLower *l,
        KBuffer   counts,
        KValue    u,
        KValue    first)
{
  AccKernelBuilder *b = l->b;
  KVar next = kb_var (b, kb_cast (b, self->radix->count, get_linear (self->radix, l, u, low_const (l, 0))));

  low_for (l, digit, low_const (l, 0), low_const (l, ACC_RADIX_N_DIGITS))
    {
      KValue at = kb_add (b, first, digit), n = kb_load (b, counts, at);

      kb_store (b, counts, at, kb_get (b, next));
      kb_set (b, next, kb_add (b, kb_get (b, next), n));
    }
}

static void
find_begins (Sort     *self,
             AccLower *l,
             KValue    u,
             KValue    region)
{
  low_for (l, counted, low_const (l, 0), low_const (l, self->n_counted))
    {
      add_up (self, l, get_counts (self, l), u, get_table (self, l, region, counted));
    }
}

/* What the tiles of a row count together comes first: so lanes take a digit each, and tables are read as they lie. */
static void
find_begins_of_tiles (Sort     *self,
                      AccLower *l,
                      KValue    u)
{
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), n_digits = low_const (l, ACC_RADIX_N_DIGITS), n_tiles = low_number (l, self->n_tiles);
  KValue first = kb_mul (b, u, n_tiles);
  KBuffer counts = get_counts (self, l), sums = low_scratch (l, self->sums, self->radix->count);

  low_foreach (l, digit, zero, n_digits)
    {
      KVar sum = kb_var (b, kb_int (b, self->radix->count, 0));

      low_for (l, t, zero, n_tiles)
        {
          KValue at = kb_add (b, get_table (self, l, kb_add (b, first, t), zero), digit);

          kb_set (b, sum, kb_add (b, kb_get (b, sum), kb_load (b, counts, at)));
        }
      kb_store (b, sums, digit, kb_get (b, sum));
    }
  add_up (self, l, sums, u, zero);
  low_foreach (l, digit, zero, n_digits)
    {
      KVar next = kb_var (b, kb_load (b, sums, digit));

      low_for (l, t, zero, n_tiles)
        {
          KValue at = kb_add (b, get_table (self, l, kb_add (b, first, t), zero), digit), n = kb_load (b, counts, at);

          kb_store (b, counts, at, kb_get (b, next));
          kb_set (b, next, kb_add (b, kb_get (b, next), n));
        }
    }
}

static KBuffer
get_lines (Sort     *self,
           AccLower *l,
           guint     leaf)
{
  return low_scratch (l, self->lines[leaf], acc_radix_get_kind (self->radix, leaf));
}

/* Where in a line the element for @at is. */
static KValue
get_rest (AccLower *l,
          KValue    at)
{
  return kb_and (l->b, at, low_const (l, LINE - 1));
}

static KValue
get_slot (AccLower *l,
          KValue    line,
          KValue    rest)
{
  return kb_add (l->b, kb_mul (l->b, line, low_const (l, LINE)), rest);
}

static void
write_out_one (Sort     *self,
               AccLower *l,
               guint     pass,
               KValue    slot,
               KValue    at)
{
  low_within (l, at, 0, self->radix->node->size - 1);
  for (guint i = 0; i < self->radix->n_leaves; i++)
    if (acc_radix_wants (self->radix, pass, i))
      acc_radix_write (self->radix, l, pass, i, at, kb_load (l->b, get_lines (self, l, i), slot));
}

/* What is collected of a digit, from @first on, where a line begins, to @end: a whole line, or less of the first and the last. */
static void
write_out (Sort     *self,
           AccLower *l,
           guint     pass,
           KValue    line,
           KValue    first,
           KValue    end)
{
  AccKernelBuilder *b = l->b;
  KValue begin = kb_cast (b, ACC_KIND_I64, kb_load (b, low_scratch (l, self->begins, self->radix->count), line));

  low_if_seldom (l, kb_or (b, kb_lt (b, first, begin), kb_lt (b, kb_sub (b, end, first), low_const (l, LINE))))
    {
      low_for (l, at, kb_max (b, begin, first), end)
        {
          write_out_one (self, l, pass, get_slot (l, line, get_rest (l, at)), at);
        }
    }
  low_else (l)
    {
      kb_set_lanes (b, LINE);
      low_foreach (l, lane, low_const (l, 0), low_const (l, LINE))
        {
          write_out_one (self, l, pass, get_slot (l, line, lane), kb_add (b, first, lane));
        }
      kb_set_lanes (b, 0);
    }
}

/* Element @x goes to @at: it is collected. A line is written out only when the next one begins: its elements, which are stored one by one,
 * are read at once, for which a processor waits until the last of them has left its queue of stores. */
static void
collect (Sort     *self,
         AccLower *l,
         guint     pass,
         KValue    u,
         KValue    x,
         KValue    line,
         KValue    at)
{
  AccKernelBuilder *b = l->b;

  low_if_seldom (l, kb_eq (b, get_rest (l, at), low_const (l, 0)))
    {
      write_out (self, l, pass, line, kb_sub (b, at, low_const (l, LINE)), at);
    }
  for (guint i = 0; i < self->radix->n_leaves; i++)
    if (acc_radix_wants (self->radix, pass, i))
      kb_store (b, get_lines (self, l, i), get_slot (l, line, get_rest (l, at)), acc_radix_read (self->radix, l, pass, u, x, i));
}

static void
keep_begins (Sort     *self,
             AccLower *l,
             guint     pass,
             KValue    region)
{
  low_foreach (l, digit, low_const (l, 0), low_const (l, ACC_RADIX_N_DIGITS))
    {
      kb_store (l->b, low_scratch (l, self->begins, self->radix->count), get_line (l, region, digit),
                load_count (self, l, get_counter (self, l, region, pass, digit)));
    }
}

static void
write_out_rest (Sort     *self,
                AccLower *l,
                guint     pass,
                KValue    region)
{
  low_for (l, digit, low_const (l, 0), low_const (l, ACC_RADIX_N_DIGITS))
    {
      KValue behind = kb_cast (l->b, ACC_KIND_I64, load_count (self, l, get_counter (self, l, region, pass, digit)));
      KValue last = kb_sub (l->b, behind, low_const (l, 1));

      write_out (self, l, pass, get_line (l, region, digit), kb_sub (l->b, last, get_rest (l, last)), behind);
    }
}

static void
move (Sort     *self,
      AccLower *l,
      guint     pass,
      KValue    u,
      KValue    begin,
      KValue    end,
      KValue    region)
{
  AccKernelBuilder *b = l->b;
  AccRadix *radix = self->radix;
  gboolean collects = self->lines != NULL;

  if (collects)
    keep_begins (self, l, pass, region);
  low_for (l, x, begin, end)
    {
      KValue key = acc_radix_get_key (radix, l, pass, u, low_within (l, x, 0, radix->space->inner - 1));
      KValue digit = acc_radix_get_digit (radix, l, pass, key);
      KValue place = add_one (self, l, get_counter (self, l, region, pass, digit));
      KValue at = low_within (l, kb_cast (b, ACC_KIND_I64, place), 0, radix->node->size - 1);

      if (collects)
        collect (self, l, pass, u, x, get_line (l, region, digit), at);
      for (guint i = 0; i < radix->n_leaves && !collects; i++)
        if (acc_radix_wants (radix, pass, i))
          acc_radix_write (radix, l, pass, i, at, acc_radix_read (radix, l, pass, u, x, i));
    }
  if (collects)
    write_out_rest (self, l, pass, region);
}

/* --- kernels */

static gint64
count_element_bytes (AccRadix *radix)
{
  gint64 bytes = 0;

  for (guint i = 0; i < radix->n_leaves; i++)
    bytes += acc_element_kind_get_size (acc_radix_get_kind (radix, i));

  return bytes;
}

static void
add_regions (Sort  *self,
             gint64 n,
             gint64 n_elements,
             guint  n_counted)
{
  AccRadix *radix = self->radix;

  self->n_counted = n_counted;
  self->n_ways = n_elements < MIN_WAYS ? 1 : MAX (N_WAYS / n_counted, 1);
  self->counts = acc_step_add_scratch (radix->step, radix->count, n * get_stride (self));
  if (radix->space->inner * count_element_bytes (radix) <= MAX_DIRECT)
    return;
  self->begins = acc_step_add_scratch (radix->step, radix->count, n * N_LINES);
  self->lines = g_new0 (guint, radix->n_leaves);
  for (guint i = 0; i < radix->n_leaves; i++)
    self->lines[i] = acc_step_add_scratch (radix->step, acc_radix_get_kind (radix, i), n * N_LINES * LINE);
}

static void
write_rows (Sort *self)
{
  AccRadix *radix = self->radix;
  const AccSpace *space = radix->space;
  gint64 tile = acc_ceil_div (space->outer, self->n_regions);
  AccLower *l = low_new (radix->step, "sort");
  AccKernelBuilder *b = l->b;
  KValue zero = low_const (l, 0), n = low_number (l, space->inner), region = kb_udiv (b, kb_outer_begin (b), low_number (l, tile));

  add_regions (self, MIN (space->outer, self->n_regions), space->inner, radix->n_passes);
  acc_radix_add_moved (radix, MIN (space->outer, self->n_regions) * space->inner);
  low_for (l, u, kb_outer_begin (b), kb_outer_end (b))
    {
      low_within (l, u, 0, space->outer - 1);
      radix->shift = kb_mul (b, kb_sub (b, region, u), n);
      count (self, l, 0, u, zero, n, region);
      find_begins (self, l, u, region);
      for (guint pass = 0; pass < radix->n_passes; pass++)
        move (self, l, pass, u, zero, n, region);
    }

  low_finish (l, acc_radix_get_launch (radix, space->inner, tile, space->inner, 3 * radix->n_passes));
}

static KValue
get_region (Sort     *self,
            AccLower *l,
            KValue    u)
{
  AccKernelBuilder *b = l->b;

  return kb_add (b, kb_mul (b, u, low_number (l, self->n_tiles)), low_udiv (l, kb_inner_begin (b), self->tile));
}

/* What is done with a tile: count or move. */
typedef void (*TileWork) (Sort *self, AccLower *l, guint pass, KValue u, KValue begin, KValue end, KValue region);

static void
write_tile_work (Sort       *self,
                 const char *name,
                 guint       pass,
                 TileWork    work)
{
  AccRadix *radix = self->radix;
  AccLaunch launch = acc_radix_get_launch (radix, radix->space->inner, 1, self->tile, 2);
  AccLower *l = low_new (radix->step, name);

  low_for (l, u, kb_outer_begin (l->b), kb_outer_end (l->b))
    {
      low_within (l, u, 0, radix->space->outer - 1);
      work (self, l, pass, u, kb_inner_begin (l->b), kb_inner_end (l->b), get_region (self, l, u));
    }
  launch.spreads = work == move;
  low_finish (l, launch);
}

static void
write_begins (Sort *self)
{
  AccRadix *radix = self->radix;
  AccLaunch launch = acc_radix_get_launch (radix, 1, 0, 0, 1);
  AccLower *l = low_new (radix->step, "sort_begins");

  low_for (l, u, kb_outer_begin (l->b), kb_outer_end (l->b))
    {
      low_within (l, u, 0, radix->space->outer - 1);
      find_begins_of_tiles (self, l, u);
    }
  launch.serial = TRUE;
  low_finish (l, launch);
}

static void
write_tiles (Sort *self)
{
  AccRadix *radix = self->radix;

  radix->written = ACC_BUFFER_ONCE;
  add_regions (self, radix->space->outer * self->n_tiles, self->tile, 1);
  self->sums = acc_step_add_scratch (radix->step, radix->count, ACC_RADIX_N_DIGITS);
  acc_radix_add_moved (radix, radix->node->size);
  for (guint pass = 0; pass < radix->n_passes; pass++)
    {
      write_tile_work (self, "sort_count", pass, count);
      write_begins (self);
      write_tile_work (self, "sort_move", pass, move);
    }
}

/* The roots are the sort, or parts of its elements. */
static AccRadixLeaf *
find_leaves (AccCluster    *cluster,
             AccFusionNode *node,
             guint          n_leaves)
{
  AccRadixLeaf *leaves = g_new0 (AccRadixLeaf, n_leaves + 1);

  for (guint i = 0; i < cluster->roots->len; i++)
    {
      const AccRoot *root = &g_array_index (cluster->roots, AccRoot, i);
      guint first = root->node == node ? 0 : acc_element_type_get_first_leaf (node->array->type, root->node->array->item);

      for (guint k = 0; k < acc_element_type_get_n_leaves (root->node->array->type); k++)
        {
          leaves[first + k].root = root;
          leaves[first + k].leaf = k;
        }
    }

  return leaves;
}

void
acc_skeleton_sort (AccStep *step)
{
  AccFusionNode *node = g_ptr_array_index (step->cluster->anchors, 0);
  AccArray *array = node->array;
  g_autoptr (AccSpace) space = acc_space_new_for_consumed (step->fusion->graph, step->cluster, TRUE);
  guint n_leaves = acc_element_type_get_n_leaves (array->type);
  g_autofree AccRadixLeaf *leaves = find_leaves (step->cluster, node, n_leaves);
  AccElementKind key = acc_element_type_get_kind (array->functions[0]->body->type);
  AccRadix radix = {
    .step = step, .node = node, .input = node->inputs[0], .space = space, .leaves = leaves,
    .n_leaves = n_leaves, .key = key, .n_passes = acc_element_kind_get_size (key),
    .count = node->size < G_MAXINT32 ? ACC_KIND_I32 : ACC_KIND_I64,
  };
  Sort self = { .radix = &radix, .n_regions = MAX (N_REGIONS, (gint64) step->fusion->target->n_threads * N_TURNS) };
  gboolean streams = array->rank > 1 && radix.input->from_source;

  step->n_rows = space->n_rows;
  if (space->outer == 0 || space->inner == 0 || n_leaves == 0)
    return;

  self.n_tiles = CLAMP (acc_ceil_div (space->inner, TILE), 1, MAX (self.n_regions / space->outer, 1));
  self.tile = acc_ceil_div (acc_ceil_div (space->inner, self.n_tiles), LINE) * LINE;
  self.n_tiles = acc_ceil_div (space->inner, self.tile);

  if (acc_skeleton_is_simt (step))
    {
      acc_skeleton_sort_simt (&radix);
    }
  else if (space->outer < MANY_ROWS && self.n_tiles > 1 && !streams)
    {
      write_tiles (&self);
    }
  else
    {
      radix.by_rows = array->rank > 1;
      write_rows (&self);
    }
  g_free (self.lines);
}
