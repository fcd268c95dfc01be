/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>

#include "acc-core/base/acc-ceil-div-private.h"
#include "acc-fft-simt.h"
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
 * Elements are computed as they are read. Roots of 1 come from a table that is exact to the last place; those within a pass are
 * constants. */

#define GROUP         256          /* threads, at most */
#define LEAST_GROUP   32
#define EACH          16           /* elements of a thread, more or less */
#define LEAST         512          /* elements of a group that would be cut further to have more groups */
#define GROUP_BYTES   (32 << 10)   /* of the elements that a group holds */
#define RESIDENT      512          /* threads that a processor should hold */
#define BANKS         32
#define BANKS_BYTES   128          /* that one more element comes after, so that strides of powers of two meet all banks */

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
  AccFftNumber  *values;              /* turns, elements */
} Transform;

static void
choose_passes (Transform *self)
{
  gboolean reads_across = acc_transposed_reads_across (self->input), in = self->inner > 1, out = self->inner > 1;
  const AccTransformPayload *transform = acc_array_get_transform (self->node->array);
  guint before = 1;

  if (reads_across && self->dimension + 2 >= self->node->rank)
    in = self->dimension + 1 == self->node->rank;
  self->n_passes = transform->n_passes;
  for (guint i = 0; i < self->n_passes; before *= transform->radices[i++])
    self->passes[i] = (Pass) { .radix = (guint) transform->radices[i], .before = before,
                               .across = i == 0 && self->n_passes > 1 ? in : out };
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

  self->values = low_alloc (l, pass->n_iterations * pass->radix * sizeof (AccFftNumber));
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
turn_values (Transform    *self,
             const Pass   *pass,
             const Place  *place,
             AccFftNumber *values)
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
        values[k] = (AccFftNumber) { { kb_fma (b, kb_prim (b, ACC_PRIM_NEG, im), sine, kb_mul (b, re, cosine)),
                                       kb_fma (b, re, sine, kb_mul (b, im, cosine)) } };
      else
        values[k] = (AccFftNumber) { { kb_sub (b, kb_mul (b, re, cosine), kb_mul (b, im, sine)),
                                       kb_add (b, kb_mul (b, re, sine), kb_mul (b, im, cosine)) } };
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
  AccFftNumber *values = low_alloc (l, next->n_iterations * next->radix * sizeof (AccFftNumber));
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
          AccFftNumber *values = &self->values[t * pass->radix];

          acc_fft_transform_few (self->simt.l, self->kind, values, pass->radix);
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
  const AccTransformPayload *transform = acc_array_get_transform (node->array);
  Transform self = {
    .step = step, .node = node, .input = node->inputs[0],
    .roots = node->inputs[1], .dimension = transform->dimension, .reverse = transform->reverse,
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
