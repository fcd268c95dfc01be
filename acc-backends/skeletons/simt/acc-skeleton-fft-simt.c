/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-simt.h"
#include "acc-backends/skeletons/acc-transposed.h"

/* Fourier transforms, by groups of threads: Stockham's, of mixed radix. A group has some lines of the array, which are its rows, or columns
 * side by side. Its threads hold all elements in registers; between passes they go through shared memory.
 *
 *   values = elements of the lines
 *   for passes:
 *     values = transforms of radix elements, which are n / radix apart
 *     values = values turned, element k of transform p by k p before / n
 *     values = exchanged through shared memory
 *   roots[line, k] = ... values ...
 *
 * Elements are computed as they are read. Roots of 1 come from a table that is exact to the last place; those within a pass are constants. */

#define GROUP         256          /* threads, at most */
#define LEAST_GROUP   32
#define EACH          16           /* elements of a thread, more or less */
#define LEAST         512          /* elements of a group that would be cut further to have more groups */
#define GROUP_BYTES   (32 << 10)   /* of the elements that a group holds */
#define RESIDENT      512          /* threads that a processor should hold */
#define BANKS         32
#define BANKS_BYTES   128          /* that one more element comes after, so that strides of powers of two meet all banks */

typedef struct {
  KValue part[2];
} Number;

/* Where a transform of a few elements is: one iteration of a thread in a pass. */
typedef struct {
  KValue line;       /* in the group */
  KValue x;          /* element 0 of it */
  KValue exists;     /* where there are more threads than such transforms */
} Place;

typedef struct {
  guint    radix, before;   /* product of those of earlier passes */
  gboolean across;          /* neighbouring threads have neighbouring lines */
  guint    n, n_iterations;      /* transforms of the group; those of a thread */
  Place   *places;
} Pass;

typedef struct {
  AccStep       *step;
  AccFusionNode *node, *input, *roots;
  guint          dimension;
  gboolean       reverse;
  AccElementKind kind;
  guint          n;             /* elements of a line */
  gint64         inner, n_lines;
  guint          lines, group;  /* of a group of threads */
  guint          n_passes;
  Pass           passes[ACC_FFT_MAX_PASSES];

  guint          n_parts;       /* of numbers, that are exchanged at a time */
  guint          pad;           /* elements that one more comes after in shared memory; 0: none does */
  guint          stride;        /* from line to line in shared memory */
  guint          n_exchanges;

  AccSimt        simt;
  KBuffer        shared[2];     /* of each */
  KValue         first;         /* line of the group */
  Number        *values;        /* turns, elements */
} Transform;

static void
choose_passes (Transform *self)
{
  gboolean reads_across = acc_transposed_reads_across (self->input), in = self->inner > 1, out = self->inner > 1;
  const gint64 *radices = self->node->array->specification + ACC_FFT_RADICES;
  guint before = 1;

  if (reads_across && self->dimension + 2 >= self->node->rank)
    in = self->dimension + 1 == self->node->rank;
  self->n_passes = self->node->array->n_specification - ACC_FFT_RADICES;
  for (guint i = 0; i < self->n_passes; before *= radices[i++])
    self->passes[i] = (Pass) { .radix = (guint) radices[i], .before = before, .across = i == 0 && self->n_passes > 1 ? in : out };
}

/* Lines of a group: as many as its memory holds, unless there are fewer groups than processors. */
static void
choose_group (Transform *self)
{
  const AccTarget *target = self->step->fusion->target;
  gint64 most = GROUP_BYTES / (2 * (gint64) acc_element_kind_get_size (self->kind));

  self->lines = 1;
  while (2 * (gint64) self->lines * self->n <= most && self->lines < self->n_lines)
    self->lines *= 2;
  while (self->lines > 1 && self->lines * self->n > LEAST &&
         acc_ceil_div (self->n_lines, self->lines) < target->n_groups / ACC_PRODUCT_GROUPS_PER_PROCESSOR)
    self->lines /= 2;
  self->group = LEAST_GROUP;
  while (self->group < MIN (GROUP, target->max_group_size) && self->group * EACH < self->lines * self->n)
    self->group *= 2;
  for (guint i = 0; i < self->n_passes; i++)
    {
      self->passes[i].n = self->lines * self->n / self->passes[i].radix;
      self->passes[i].n_iterations = acc_ceil_div (self->passes[i].n, self->group);
    }
}

/* Whether there is room for so many parts of numbers at a time, with strides for all banks. */
static gboolean
try_parts (Transform *self,
           guint      n_parts)
{
  const Pass *last = &self->passes[self->n_passes - 1];
  gsize size = acc_element_kind_get_size (self->kind);
  guint width = last->across ? MAX (BANKS / self->lines, 1) : MIN (self->n / last->radix, BANKS);

  self->n_parts = n_parts;
  self->pad = (guint) (BANKS_BYTES / size);
  self->stride = self->n + self->n / self->pad;
  if (self->lines > 1)
    self->stride = width * (acc_ceil_div (self->stride, width) | 1);

  return n_parts * size * self->stride * self->lines <= self->step->fusion->target->shared_bytes;
}

static void
choose_memory (Transform *self)
{
  if (!try_parts (self, 2) && !try_parts (self, 1))
    {
      self->pad = 0;
      self->stride = self->n;
    }
}

/* --- numbers */

static KValue
multiply_add (Transform *self,
              KValue     x,
              double     factor,
              KValue     sum)
{
  AccKernelBuilder *b = self->simt.l->b;
  KValue constant = kb_float (b, self->kind, factor);

  return self->step->fusion->target->has_fma ? kb_fma (b, x, constant, sum) : kb_add (b, sum, kb_mul (b, x, constant));
}

static KValue
scale (Transform *self,
       KValue     x,
       double     factor)
{
  return kb_mul (self->simt.l->b, x, kb_float (self->simt.l->b, self->kind, factor));
}

static KValue
negate (Transform *self,
        KValue     x)
{
  return kb_prim (self->simt.l->b, ACC_PRIM_NEG, x);
}

static Number
add (Transform *self,
     Number     x,
     Number     y)
{
  AccKernelBuilder *b = self->simt.l->b;

  return (Number) { { kb_add (b, x.part[0], y.part[0]), kb_add (b, x.part[1], y.part[1]) } };
}

static Number
subtract (Transform *self,
          Number     x,
          Number     y)
{
  AccKernelBuilder *b = self->simt.l->b;

  return (Number) { { kb_sub (b, x.part[0], y.part[0]), kb_sub (b, x.part[1], y.part[1]) } };
}

/* x - i y */
static Number
subtract_turned (Transform *self,
                 Number     x,
                 Number     y)
{
  AccKernelBuilder *b = self->simt.l->b;

  return (Number) { { kb_add (b, x.part[0], y.part[1]), kb_sub (b, x.part[1], y.part[0]) } };
}

/* x + i y */
static Number
add_turned (Transform *self,
            Number     x,
            Number     y)
{
  AccKernelBuilder *b = self->simt.l->b;

  return (Number) { { kb_sub (b, x.part[0], y.part[1]), kb_add (b, x.part[1], y.part[0]) } };
}

/* Cosine (0) or sine of a part of a whole turn. */
static double
get_root (guint turns,
          guint n,
          guint part)
{
  long double angle = 2 * acosl (-1) * (turns % n) / n;

  return (double) (part == 0 ? cosl (angle) : sinl (angle));
}

/* x exp (-2πi turns / n) */
static Number
turn (Transform *self,
      Number     x,
      guint      turns,
      guint      n)
{
  AccKernelBuilder *b = self->simt.l->b;
  KValue re = x.part[0], im = x.part[1];
  double cosine = get_root (turns, n, 0), sine = get_root (turns, n, 1);

  if (turns * 8 % n != 0)
    return (Number) { { multiply_add (self, im, sine, scale (self, re, cosine)), multiply_add (self, re, -sine, scale (self, im, cosine)) } };

  switch (turns * 8 / n % 8)
    {
    case 0: return x;
    case 1: return (Number) { { scale (self, kb_add (b, re, im), G_SQRT2 / 2), scale (self, kb_sub (b, im, re), G_SQRT2 / 2) } };
    case 2: return (Number) { { im, negate (self, re) } };
    case 3: return (Number) { { scale (self, kb_sub (b, im, re), G_SQRT2 / 2), scale (self, kb_add (b, re, im), -G_SQRT2 / 2) } };
    case 4: return (Number) { { negate (self, re), negate (self, im) } };
    case 5: return (Number) { { scale (self, kb_add (b, re, im), -G_SQRT2 / 2), scale (self, kb_sub (b, re, im), G_SQRT2 / 2) } };
    case 6: return (Number) { { negate (self, im), re } };
    default: return (Number) { { scale (self, kb_sub (b, re, im), G_SQRT2 / 2), scale (self, kb_add (b, re, im), G_SQRT2 / 2) } };
    }
}

/* --- transforms of a few elements, in place */

static void
transform_four (Transform *self,
                Number    *x)
{
  Number even = add (self, x[0], x[2]), odd = add (self, x[1], x[3]), rest = subtract (self, x[0], x[2]), turned = subtract (self, x[1], x[3]);

  x[0] = add (self, even, odd);
  x[1] = subtract_turned (self, rest, turned);
  x[2] = subtract (self, even, odd);
  x[3] = add_turned (self, rest, turned);
}

/* Elements k and n - k take the same products, of sums and of differences of elements j and n - j. */
static void
transform_odd (Transform *self,
               Number    *x,
               guint      n)
{
  Number sums[ACC_FFT_MAX_RADIX / 2], differences[ACC_FFT_MAX_RADIX / 2], first = x[0];

  for (guint j = 1; j <= n / 2; j++)
    {
      sums[j - 1] = add (self, x[j], x[n - j]);
      differences[j - 1] = subtract (self, x[j], x[n - j]);
      x[0] = add (self, x[0], sums[j - 1]);
    }
  for (guint k = 1; k <= n / 2; k++)
    {
      Number even = first, odd;

      for (guint part = 0; part < 2; part++)
        for (guint j = 1; j <= n / 2; j++)
          {
            even.part[part] = multiply_add (self, sums[j - 1].part[part], get_root (j * k, n, 0), even.part[part]);
            odd.part[part] = j == 1 ? scale (self, differences[0].part[part], get_root (k, n, 1))
                                    : multiply_add (self, differences[j - 1].part[part], get_root (j * k, n, 1), odd.part[part]);
          }
      x[k] = subtract_turned (self, even, odd);
      x[n - k] = add_turned (self, even, odd);
    }
}

static void
transform_few (Transform *self,
               Number    *x,
               guint      n)
{
  guint rows = n > 4 && n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : 3, columns = n / rows;
  Number made[ACC_FFT_MAX_RADIX], column[ACC_FFT_MAX_RADIX];

  if (n == 2)
    {
      Number sum = add (self, x[0], x[1]);

      x[1] = subtract (self, x[0], x[1]);
      x[0] = sum;
      return;
    }
  if (n == 4)
    {
      transform_four (self, x);
      return;
    }
  if (n % rows != 0 || n == 3)
    {
      transform_odd (self, x, n);
      return;
    }

  for (guint j = 0; j < columns; j++)
    {
      for (guint i = 0; i < rows; i++)
        column[i] = x[i * columns + j];
      transform_few (self, column, rows);
      for (guint i = 0; i < rows; i++)
        made[i * columns + j] = turn (self, column[i], i * j, n);
    }
  for (guint i = 0; i < rows; i++)
    {
      transform_few (self, &made[i * columns], columns);
      for (guint j = 0; j < columns; j++)
        x[i + rows * j] = made[i * columns + j];
    }
}

/* --- elements of the array */

static AccIndex *
get_index (Transform   *self,
           const Place *place,
           KValue       element)
{
  AccLower *l = self->simt.l;
  AccIndex *ix = low_index_new (l, self->node->rank);
  KValue line = low_within (l, low_add (l, self->first, place->line), 0, self->n_lines + self->lines - 2);

  if (self->n_lines % self->lines != 0)
    line = low_within (l, kb_min (l->b, line, low_number (l, self->n_lines - 1)), 0, self->n_lines - 1);
  if (self->dimension > 0)
    ix->at[self->dimension - 1] = low_within (l, low_udiv (l, line, self->inner), 0, self->n_lines / self->inner - 1);
  ix->at[self->dimension] = low_within (l, element, 0, self->n - 1);
  if (self->dimension + 1 < self->node->rank)
    ix->at[self->node->rank - 1] = low_within (l, self->dimension > 0 ? low_urem (l, line, self->inner) : line, 0, self->inner - 1);
  low_index_lose_rows (l, ix, self->node, "needs all of its rows");

  return ix;
}

static KValue
get_sum (AccLower *l,
         KValue    x,
         guint     n)
{
  return n > 0 ? low_add (l, x, low_const (l, n)) : x;
}

static void
find_places (Transform *self,
             Pass      *pass)
{
  AccLower *l = self->simt.l;
  guint n_across = self->n / pass->radix;

  pass->places = low_alloc (l, pass->n_iterations * sizeof (Place));
  for (guint i = 0; i < pass->n_iterations; i++)
    {
      Place *place = &pass->places[i];
      KValue number = get_sum (l, self->simt.local, i * self->group);

      *place = (Place) { .exists = { 0 } };
      if ((i + 1) * self->group > pass->n)
        {
          place->exists = kb_lt (l->b, number, low_const (l, pass->n));
          number = low_within (l, kb_min (l->b, number, low_const (l, pass->n - 1)), 0, pass->n - 1);
        }
      place->line = pass->across ? low_urem (l, number, self->lines) : low_udiv (l, number, n_across);
      place->x = pass->across ? low_udiv (l, number, self->lines) : low_urem (l, number, n_across);
    }
}

static void
read_elements (Transform *self)
{
  AccLower *l = self->simt.l;
  Pass *pass = &self->passes[0];

  self->values = low_alloc (l, pass->n_iterations * pass->radix * sizeof (Number));
  for (guint i = 0; i < pass->n_iterations; i++)
    for (guint j = 0; j < pass->radix; j++)
      {
        AccIndex *ix = get_index (self, &pass->places[i], get_sum (l, pass->places[i].x, j * (self->n / pass->radix)));

        for (guint part = 0; part < 2; part++)
          self->values[i * pass->radix + j].part[part] = low_read (l, self->input, ix, self->reverse ? 1 - part : part);
      }
}

/* The number of the transform of a pass, and the place in it, of those that are as many elements as there were passes for. */
static KValue
get_number (Transform   *self,
            const Pass  *pass,
            const Place *place)
{
  return low_udiv (self->simt.l, place->x, pass->before);
}

/* Where element 0 of what a transform of a pass gives goes: the others are .before further each. */
static KValue
get_target (Transform   *self,
            const Pass  *pass,
            const Place *place)
{
  AccLower *l = self->simt.l;
  KValue number = get_number (self, pass, place);

  return low_add (l, low_mul (l, number, low_const (l, pass->before * pass->radix)), low_urem (l, place->x, pass->before));
}

static void
store_elements (Transform *self,
                Pass      *pass,
                guint      turn)
{
  AccLower *l = self->simt.l;
  Place *place = &pass->places[turn];
  KValue target = get_target (self, pass, place);

  for (guint k = 0; k < pass->radix; k++)
    {
      AccIndex *ix = get_index (self, place, get_sum (l, target, k * pass->before));
      KValue *known = low_alloc (l, 2 * sizeof (KValue));

      for (guint part = 0; part < 2; part++)
        known[self->reverse ? 1 - part : part] = self->values[turn * pass->radix + k].part[part];
      low_know (l, self->node, ix, known);
      low_store_roots (l, ix);
    }
}

static void
store_all (Transform *self,
           Pass      *pass)
{
  AccLower *l = self->simt.l;

  for (guint i = 0; i < pass->n_iterations; i++)
    {
      KValue exists = pass->places[i].exists;

      if (self->n_lines % self->lines != 0)
        {
          KValue inside = kb_lt (l->b, kb_add (l->b, self->first, pass->places[i].line), low_number (l, self->n_lines));

          exists = exists.id != 0 ? kb_and (l->b, exists, inside) : inside;
        }
      if (exists.id == 0)
        store_elements (self, pass, i);
      else
        low_if (l, exists)
          {
            store_elements (self, pass, i);
          }
    }
}

/* --- between passes */

/* Turns what a transform gave. */
static void
turn_values (Transform   *self,
             const Pass  *pass,
             const Place *place,
             Number      *values)
{
  AccLower *l = self->simt.l;
  AccKernelBuilder *b = l->b;
  guint times = self->roots->rank > 1 ? self->passes[0].radix / pass->radix : 1;
  KValue number = get_number (self, pass, place);

  for (guint k = 1; k < pass->radix; k++)
    {
      AccIndex *ix = low_index_new (l, self->roots->rank);
      KValue re = values[k].part[0], im = values[k].part[1], cosine, sine;

      if (self->roots->rank > 1)
        {
          KValue along = low_mul (l, number, low_const (l, pass->before / times));

          ix->at[1] = get_sum (l, along, k * times * (guint) self->roots->extents[1]);
        }
      else
        {
          ix->at[0] = low_within (l, low_mul (l, number, low_const (l, k * pass->before)), 0, self->n - 1);
        }
      low_index_lose_rows (l, ix, self->node, "needs all of its rows");
      cosine = low_read (l, self->roots, ix, 0);
      sine = low_read (l, self->roots, ix, 1);
      if (self->step->fusion->target->has_fma)
        values[k] = (Number) { { kb_fma (b, negate (self, im), sine, kb_mul (b, re, cosine)), kb_fma (b, re, sine, kb_mul (b, im, cosine)) } };
      else
        values[k] = (Number) { { kb_sub (b, kb_mul (b, re, cosine), kb_mul (b, im, sine)), kb_add (b, kb_mul (b, re, sine), kb_mul (b, im, cosine)) } };
    }
}

/* Where element @x + @offset of a line is, in shared memory. @carries: not seen to be what @x comes to and @offset besides. */
static KValue
get_address (Transform   *self,
             const Place *place,
             KValue       x,
             guint        offset,
             gboolean     carries)
{
  AccLower *l = self->simt.l;
  KValue line = low_mul (l, place->line, low_const (l, self->stride));

  if (self->pad > 0)
    {
      if (carries)
        x = get_sum (l, x, offset % self->pad);
      x = low_add (l, x, low_udiv (l, x, self->pad));
      offset = (carries ? offset / self->pad * self->pad : offset) + offset / self->pad;
    }

  return get_sum (l, self->lines > 1 ? low_add (l, line, x) : x, offset);
}

static void
store_parts (Transform *self,
             Pass      *pass,
             guint      turn,
             guint      first)
{
  AccLower *l = self->simt.l;
  Place *place = &pass->places[turn];
  KValue target = get_target (self, pass, place);
  gboolean carries = self->pad > 0 && pass->before % self->pad != 0 && self->pad % (pass->before * pass->radix) != 0;

  for (guint k = 0; k < pass->radix; k++)
    {
      KValue address = get_address (self, place, target, k * pass->before, carries);

      for (guint part = 0; part < self->n_parts; part++)
        kb_store (l->b, self->shared[part], address, self->values[turn * pass->radix + k].part[first + part]);
    }
}

static void
exchange (Transform *self,
          Pass      *pass,
          Pass      *next)
{
  AccLower *l = self->simt.l;
  Number *values = low_alloc (l, next->n_iterations * next->radix * sizeof (Number));
  guint apart = self->n / next->radix;

  for (guint first = 0; first < 2; first += self->n_parts)
    {
      /* What was there has been read. */
      if (self->n_exchanges++ > 0)
        kb_barrier (l->b);
      for (guint i = 0; i < pass->n_iterations; i++)
        if (pass->places[i].exists.id == 0)
          store_parts (self, pass, i, first);
        else
          low_if (l, pass->places[i].exists)
            {
              store_parts (self, pass, i, first);
            }
      kb_barrier (l->b);
      for (guint i = 0; i < next->n_iterations; i++)
        for (guint j = 0; j < next->radix; j++)
          {
            KValue address = get_address (self, &next->places[i], next->places[i].x, j * apart, self->pad > 0 && apart % self->pad != 0);

            for (guint part = 0; part < self->n_parts; part++)
              values[i * next->radix + j].part[first + part] = kb_load (l->b, self->shared[part], address);
          }
    }
  self->values = values;
}

static void
run_passes (Transform *self)
{
  for (guint i = 0; i < self->n_passes; i++)
    {
      Pass *pass = &self->passes[i], *next = &self->passes[i + 1];

      for (guint t = 0; t < pass->n_iterations; t++)
        {
          Number *values = &self->values[t * pass->radix];

          transform_few (self, values, pass->radix);
          if (i + 1 < self->n_passes)
            turn_values (self, pass, &pass->places[t], values);
        }
      if (i + 1 < self->n_passes)
        exchange (self, pass, next);
      else
        store_all (self, pass);
    }
}

void
acc_skeleton_fft_simt (AccStep *step)
{
  AccFusionNode *node = g_ptr_array_index (step->cluster->anchors, 0);
  const gint64 *specification = node->array->specification;
  Transform self = {
    .step = step, .node = node, .input = node->inputs[0],
    .roots = node->inputs[1], .dimension = (guint) specification[0], .reverse = specification[1] != 0,
    .kind = acc_element_type_get_leaf (node->array->type, 0),
  };
  AccLaunch launch = { .outer = 1, .rows = ACC_SPACE_WHOLE, .units_per_row = 1, .tile_outer = 1 };
  AccLower *l;

  step->n_rows = node->extents[0];
  if (node->size == 0)
    return;

  self.n = (guint) node->extents[self.dimension];
  self.inner = acc_extents_multiply (node->extents, self.dimension + 1, node->rank);
  self.n_lines = node->size / self.n;
  choose_passes (&self);
  choose_group (&self);
  choose_memory (&self);
  launch.inner = self.n_lines;
  launch.tile_inner = self.lines;
  launch.cost = (acc_skeleton_get_cost (step) + self.n_passes) * self.n;

  l = acc_simt_begin_sized (&self.simt, step, acc_skeleton_get_name (step), self.group, 1);
  kb_set_resident (l->b, RESIDENT);
  for (guint part = 0; part < self.n_parts && self.n_passes > 1; part++)
    self.shared[part] = kb_shared (l->b, self.kind, self.stride * self.lines, "values");
  /* Seen to be a multiple of the lines of a group. */
  self.first = low_mul (l, low_udiv (l, low_within (l, kb_inner_begin (l->b), 0, self.n_lines - 1), self.lines), low_const (l, self.lines));
  for (guint i = 0; i < self.n_passes; i++)
    find_places (&self, &self.passes[i]);
  read_elements (&self);
  run_passes (&self);
  low_finish (l, launch);
}
