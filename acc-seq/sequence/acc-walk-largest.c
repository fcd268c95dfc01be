/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-array-values-private.h"
#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-memory-source-private.h"
#include "acc-seq/stream/acc-plan-private.h"
#include "acc-seq/stream/acc-stages-private.h"

/* Whether there is room for the largest element of each stage, before the first step: of those that are certain to be computed, and whose
 * extents are known, plans tell what functions of one of them need. */

void
acc_walk_prefix_alone (GError **error,
                       gint64   element,
                       gint64   bytes)
{
  if (bytes > 0)
    g_prefix_error (error, "element %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " bytes, alone: ", element, bytes);
  else
    g_prefix_error (error, "element %" G_GINT64_FORMAT ", alone: ", element);
}

/* --- what stands for elements */

/* An element that stands for one that is not there yet has its extents, but none of its values. */
typedef struct {
  AccWalkPart *part;         /* owned, of one element in memory, the same for all where it is an array; NULL: its extents are not known */
  gboolean     is_expected;  /* it stands for another, and has zeros */
} Expected;

static Expected expect_element (AccWalkExpect *self, AccSequence *sequence, gint64 number);

static AccArray *
hide (AccArray *values)
{
  g_autoptr(AccShape) vector = acc_shape_new_vector (1);
  g_autoptr(AccArray) one = NULL, row = NULL;

  if (values->rank > 0)
    return acc_memory_source_new_rows (values);
  one = acc_array_see_as (values, vector);
  row = acc_memory_source_new_rows (one);

  return acc_array_reshape (row, values->shape);
}

static AccWalkPart *
hide_values (AccWalkPart *element)
{
  g_autoptr(AccArray) values = hide (acc_nested_array_get_values (element->nested));

  return acc_walk_part_with_values (element, values);
}

static const Expected unknown = { NULL, TRUE };

/* Takes over @part, which is nullable, and may be that of what stands for others. */
static Expected
expect (AccWalkPart *part,
        gboolean     is_expected)
{
  return (Expected) { part, is_expected || part == NULL };
}

static AccArray *
new_holes (AccWalkExpect  *self,
           AccElementType *type,
           AccShape       *shape)
{
  return shape != NULL ? acc_stages_new_holes (self->walk->backend, type, shape) : NULL;
}

static Expected
expect_holes (AccWalkExpect  *self,
              AccElementType *type,
              AccShape       *shape)
{
  g_autoptr(AccArray) holes = new_holes (self, type, shape);

  return expect (holes != NULL ? acc_walk_part_new_constant (holes, 1) : NULL, TRUE);
}

/* @some elements as one that is a nested array. */
static AccWalkPart *
wrap (AccWalkExpect *self,
      AccWalkPart   *some)
{
  g_autoptr(AccWalkPart) loose = some != NULL ? acc_walk_part_loosen (some, acc_backend_get_host_budget (self->walk->backend), NULL) : NULL;

  return loose != NULL ? acc_walk_part_wrap (loose) : NULL;
}

/* Element number @number of a batch: of elements in memory, or of equal extents. */
static Expected
expect_batch (AccWalkExpect *self,
              AccSequence   *batch,
              gint64         number)
{
  AccSequence *input = batch->inputs[0];
  AccWalkInlet *inlet = acc_walk_expect_find_inlet (self, input);
  gint64 n = MIN (acc_walk_expect_count (self, input) - number * batch->number, batch->number);
  g_autofree gint64 *extents = g_new (gint64, input->rank + 1);
  g_autoptr(AccShape) shape = NULL;
  g_autoptr(AccArray) holes = NULL;
  g_autoptr(AccWalkPart) some = NULL;

  if (batch->depth > input->depth && inlet != NULL && inlet->whole != NULL && !inlet->whole_is_lazy)
    {
      some = acc_walk_part_slice (inlet->whole, number * batch->number, n, NULL);
      return expect (wrap (self, some), FALSE);
    }
  if (input->shape == NULL)
    return unknown;
  extents[0] = n;
  for (guint d = 0; d < input->rank; d++)
    extents[d + 1] = acc_shape_get_extent (input->shape, d);
  shape = acc_shape_new (extents, input->rank + 1);
  if (batch->depth == input->depth)
    return expect_holes (self, batch->type, shape);

  holes = new_holes (self, batch->type, shape);
  some = holes != NULL ? acc_walk_part_new_regular (holes) : NULL;

  return expect (wrap (self, some), TRUE);
}

/* Of what its function makes of elements of those extents; of values that are not there yet nothing is made that follows from them. */
static Expected
expect_mapped (AccWalkExpect *self,
               AccSequence   *map,
               gint64         number)
{
  g_autoptr(GPtrArray) inputs = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccNestedArray) made = NULL;
  AccArray *values;

  for (guint i = 0; i < map->n_inputs; i++)
    {
      Expected input = expect_element (self, map->inputs[i], number);
      g_autoptr(AccWalkPart) element = input.part, hidden = element != NULL && input.is_expected ? hide_values (element) : NULL;

      if (element == NULL)
        return unknown;
      g_ptr_array_add (inputs, g_object_ref (hidden != NULL ? hidden->nested : element->nested));
    }
  made = acc_walk_apply (self->walk, map, (AccNestedArray **) inputs->pdata, ACC_APPLY_ALONE);
  values = acc_nested_array_get_lifted (made)->values;
  if (acc_nested_array_get_lifted (made)->form != ACC_LIFTED_CONSTANT || values->error != NULL)
    return unknown;
  if (values->shape == NULL)
    acc_array_infer_known (values);

  return expect_holes (self, values->type, values->shape);
}

/* NULL: it is not in memory. */
static AccWalkPart *
dup_in_memory (AccWalkExpect *self,
               AccSequence   *sequence,
               gint64         number)
{
  AccSequenceArrays *list = acc_walk_get_list (sequence);
  AccWalkInlet *inlet = acc_walk_expect_find_inlet (self, sequence);
  g_autoptr(AccWalkPart) one = NULL;
  g_autoptr(AccArray) array = NULL;

  if (sequence->depth > 1)
    return inlet != NULL && inlet->whole != NULL && !inlet->whole_is_lazy ? acc_walk_part_slice (inlet->whole, number, 1, NULL) : NULL;
  if (sequence->kind == ACC_SEQUENCE_KIND_COUNTER)
    array = acc_walk_new_number (number);
  else if (list != NULL)
    array = acc_sequence_arrays_peek (list, number);
  else if (inlet != NULL && inlet->whole != NULL && !inlet->whole_is_lazy)
    array = acc_walk_part_dup_element (inlet->whole, number, NULL);

  return array != NULL ? acc_walk_part_new_constant (array, 1) : NULL;
}

static Expected
expect_element (AccWalkExpect *self,
                AccSequence   *sequence,
                gint64         number)
{
  AccWalkPart *part = dup_in_memory (self, sequence, number);
  gint64 before;

  if (part != NULL)
    return expect (part, FALSE);

  switch (sequence->kind)
    {
    case ACC_SEQUENCE_KIND_TAKE:
      return expect_element (self, sequence->inputs[0], number);
    case ACC_SEQUENCE_KIND_DROP:
      return expect_element (self, sequence->inputs[0], number + sequence->number);
    case ACC_SEQUENCE_KIND_CONCAT:
      before = acc_walk_expect_count (self, sequence->inputs[0]);
      return number < before ? expect_element (self, sequence->inputs[0], number)
                             : expect_element (self, sequence->inputs[1], number - before);
    case ACC_SEQUENCE_KIND_BATCH:
      return expect_batch (self, sequence, number);
    case ACC_SEQUENCE_KIND_MAP:
      if (sequence->shape == NULL)
        return expect_mapped (self, sequence, number);
      break;
    case ACC_SEQUENCE_KIND_PRODUCER:
    case ACC_SEQUENCE_KIND_NESTED:
    case ACC_SEQUENCE_KIND_ARRAY:
    case ACC_SEQUENCE_KIND_COUNTER:
    case ACC_SEQUENCE_KIND_FILTER:
    case ACC_SEQUENCE_KIND_TAKE_WHILE:
    case ACC_SEQUENCE_KIND_SCAN:
    case ACC_SEQUENCE_KIND_EXPAND:
    case ACC_SEQUENCE_KIND_MAP_BATCH:
    case ACC_SEQUENCE_KIND_FOLD_BATCH:
      break;
    }

  return expect_holes (self, sequence->type, sequence->shape);
}

/* --- an element of a stage */

typedef struct {
  AccWalkStage *stage;
  GPtrArray    *elements;     /* AccWalkPart, owned: one for each inlet */
  gint64        bytes;        /* of all elements */
  gboolean      is_expected;  /* some of them stand for others */
} Element;

static void
element_clear (Element *self)
{
  g_clear_pointer (&self->elements, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Element, element_clear)

/* FALSE: of some inlet it is not known. */
static gboolean
element_init (Element       *self,
              AccWalkExpect *expect,
              AccWalkStage  *stage,
              gint64         number)
{
  guint64 bytes = 0;

  *self = (Element) { stage, g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref), 0, FALSE };

  for (guint i = 0; i < stage->inlets->len; i++)
    {
      AccWalkInlet *inlet = g_ptr_array_index (stage->inlets, i);
      Expected expected = expect_element (expect, inlet->sequence, number);
      AccArray *values;

      if (expected.part == NULL)
        return FALSE;
      g_ptr_array_add (self->elements, expected.part);
      values = acc_nested_array_get_lifted (expected.part->nested)->values;
      bytes = acc_bytes_add (bytes, (guint64) acc_walk_count_bytes (values->shape, values->type));
      self->is_expected = self->is_expected || expected.is_expected;
    }
  self->bytes = (gint64) MIN (bytes, (guint64) G_MAXINT64);

  return TRUE;
}

/* What the stage makes of @elements. */
static GPtrArray *
list_results (Element   *self,
              GPtrArray *elements)
{
  AccWalkStage *stage = self->stage;
  g_autoptr(GPtrArray) wanted = NULL;
  g_autofree guint *ends = g_new0 (guint, stage->outlets->len + 1);
  GPtrArray *arrays = g_ptr_array_new_with_free_func (g_object_unref);

  acc_walk_stage_set_begin (stage);
  stage->alone = TRUE;
  wanted = acc_walk_stage_build (stage, (AccWalkPart **) elements->pdata, 1, ends);
  stage->alone = FALSE;
  for (guint i = 0; i < wanted->len; i++)
    {
      g_autoptr(GPtrArray) list = acc_walk_part_list_arrays (g_ptr_array_index (wanted, i));

      for (guint j = 0; j < list->len; j++)
        if (!acc_array_is_manifest (g_ptr_array_index (list, j)) && acc_array_check (g_ptr_array_index (list, j), NULL))
          g_ptr_array_add (arrays, g_object_ref (g_ptr_array_index (list, j)));
    }

  return arrays;
}

/* The same of elements as rows of sources, as a step of one element has them where it does not fit; NULL: none has rows. */
static GPtrArray *
list_by_rows (Element *self)
{
  g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref);
  gboolean has_rows = FALSE;

  for (guint i = 0; i < self->elements->len; i++)
    {
      AccWalkPart *element = g_ptr_array_index (self->elements, i), *by_rows = acc_walk_part_by_rows (element);

      has_rows = has_rows || by_rows != NULL;
      g_ptr_array_add (rows, by_rows != NULL ? by_rows : acc_walk_part_ref (element));
    }

  return has_rows ? list_results (self, rows) : NULL;
}

/* Whether the extents of all that is made of it follow from its own, not from values. */
static gboolean
tells_extents (Element *self)
{
  g_autoptr(GPtrArray) hidden = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref), results = NULL, nodes = NULL;

  for (guint i = 0; i < self->elements->len; i++)
    g_ptr_array_add (hidden, hide_values (g_ptr_array_index (self->elements, i)));
  results = list_results (self, hidden);
  nodes = acc_array_sort_nodes ((AccArray **) results->pdata, results->len);
  for (guint i = 0; i < nodes->len; i++)
    if (((AccArray *) g_ptr_array_index (nodes, i))->shape == NULL)
      return FALSE;

  return TRUE;
}

/* --- plans */

/* Whether @budget has room for all of them together, as far as extents are known. */
static gboolean
may_hold (AccBudget *budget,
          GPtrArray *arrays,
          GError   **error)
{
  g_autofree char *name = NULL;
  guint64 bytes = 0;

  if (arrays->len == 0)
    return TRUE;
  for (guint i = 0; i < arrays->len; i++)
    {
      AccArray *array = g_ptr_array_index (arrays, i);

      if (array->shape != NULL)
        bytes = acc_bytes_add (bytes, (guint64) acc_walk_count_bytes (array->shape, array->type));
    }
  name = acc_array_describe (g_ptr_array_index (arrays, 0));
  if (!acc_budget_reserve (budget, bytes, name, error))
    return FALSE;
  acc_budget_release (budget, bytes, name);

  return TRUE;
}

/* In the ways that a step of one element goes. */
static gboolean
check_element (Element *self,
               GError **error)
{
  AccBackend *backend = self->stage->walk->backend;
  AccBudget *budget = acc_backend_get_budget (backend), *host = acc_backend_get_host_budget (backend);
  g_autoptr(GPtrArray) whole = list_results (self, self->elements), by_rows = list_by_rows (self);
  g_autoptr(GError) local = NULL;

  if (!may_hold (host, whole, &local) && (host == budget || !may_hold (budget, whole, NULL)))
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  g_clear_error (&local);
  if (by_rows == NULL || by_rows->len == 0
      || acc_evaluate_check_stages (backend, (AccArray **) by_rows->pdata, by_rows->len, &local))
    return TRUE;
  /* A device may have room for all of it where rows of it have to be stored. */
  if (host == budget ? acc_evaluate_check_bands (backend, (AccArray **) whole->pdata, whole->len, NULL)
                     : (guint64) self->bytes <= acc_budget_get_limit (budget))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));

  return FALSE;
}

/* Whether a step of one element that has @bytes has more than steps have of many. */
static gboolean
is_large (AccWalkStage *stage,
          gint64        bytes)
{
  gint64 most = acc_walk_step_bytes (stage->walk->backend, TRUE);
  gboolean large = bytes > most;

  for (guint i = 0; i < stage->maps->len && !large; i++)
    {
      AccSequence *map = g_ptr_array_index (stage->maps, i);

      large = map->shape != NULL && acc_walk_count_bytes (map->shape, map->type) > most;
    }

  return large;
}

/* What an element of all inlets has where all of theirs are alike; G_MAXINT64: some are not. */
static gint64
count_alike (AccWalkStage *stage)
{
  guint64 bytes = 0;

  for (guint i = 0; i < stage->inlets->len; i++)
    {
      AccSequence *sequence = ((AccWalkInlet *) g_ptr_array_index (stage->inlets, i))->sequence;

      bytes = acc_bytes_add (bytes,
                             sequence->shape != NULL ? (guint64) acc_walk_count_bytes (sequence->shape, sequence->type) : G_MAXINT64);
    }

  return (gint64) MIN (bytes, (guint64) G_MAXINT64);
}

/* Element @number of @stage, for outlets that are certain to want it. @ranges: of each outlet. */
static gboolean
check_number (AccWalkExpect      *expect,
              AccWalkStage       *stage,
              const AccWalkRange *ranges,
              gint64              number,
              GError            **error)
{
  g_auto(Element) element = { NULL, };
  g_autofree gboolean *done = g_new (gboolean, stage->outlets->len + 1);
  gint64 before = stage->done;
  gboolean fits;

  if (!element_init (&element, expect, stage, number) || !is_large (stage, element.bytes))
    return TRUE;

  for (guint i = 0; i < stage->outlets->len; i++)
    {
      AccWalkOutlet *outlet = g_ptr_array_index (stage->outlets, i);

      done[i] = outlet->done;
      outlet->done = number < ranges[i].first || number >= ranges[i].end;
    }
  stage->done = number;
  fits = (element.is_expected && !tells_extents (&element)) || check_element (&element, error);
  stage->done = before;
  for (guint i = 0; i < stage->outlets->len; i++)
    ((AccWalkOutlet *) g_ptr_array_index (stage->outlets, i))->done = done[i];
  if (!fits)
    acc_walk_prefix_alone (error, number, element.bytes);

  return fits;
}

static gboolean
check_stage (AccWalkExpect *expect,
             AccWalkStage  *stage,
             GError       **error)
{
  g_autofree AccWalkRange *ranges = g_new0 (AccWalkRange, stage->outlets->len + 1);
  g_autoptr(GArray) numbers = g_array_new (FALSE, FALSE, sizeof (gint64));

  if (!is_large (stage, count_alike (stage)))
    return TRUE;

  for (guint i = 0; i < stage->outlets->len; i++)
    {
      ranges[i] = acc_walk_expect_outlet (expect, g_ptr_array_index (stage->outlets, i));
      for (guint j = 0; j < stage->inlets->len && ranges[i].first < ranges[i].end; j++)
        acc_walk_expect_find_largest (expect, ((AccWalkInlet *) g_ptr_array_index (stage->inlets, j))->sequence, ranges[i], numbers);
      /* Of numbers alone, all are alike. */
      if (stage->inlets->len == 0 && ranges[i].first < ranges[i].end)
        g_array_append_val (numbers, ranges[i].first);
    }
  for (guint i = 0; i < numbers->len; i++)
    if (!check_number (expect, stage, ranges, g_array_index (numbers, gint64, i), error))
      return FALSE;

  return TRUE;
}

gboolean
acc_walk_check_largest (AccWalk *self,
                        gint64   wanted,
                        GError **error)
{
  g_auto(AccWalkExpect) expect = { NULL, };

  if (acc_budget_get_limit (acc_backend_get_budget (self->backend)) < ACC_WALK_LEAST_LIMIT)
    return TRUE;

  acc_walk_expect_init (&expect, self, wanted);
  for (guint i = 0; i < self->stages->len; i++)
    if (!check_stage (&expect, g_ptr_array_index (self->stages, i), error))
      return FALSE;

  return TRUE;
}
