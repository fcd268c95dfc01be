/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-walk-private.h"

#include "acc-seq/stream/acc-evaluate-private.h"
#include "acc-seq/stream/acc-memory-source-private.h"
#include "acc-seq/stream/acc-plan-private.h"

/* Whether there is room for the largest element of each stage, before the first step: of those that are certain to be computed, and whose
 * extents are known, plans tell what functions of one of them need. */

/* Plans leave some of the memory for what they do not count: too much of so little. */
#define LEAST_LIMIT (64 * 1024)

void
acc_walk_prefix_alone (GError **error,
                       gint64   element,
                       gint64   bytes)
{
  g_prefix_error (error, "element %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " bytes, alone: ", element, bytes);
}

/* --- an element of a stage */

typedef struct {
  AccWalkStage *stage;
  GPtrArray    *elements;     /* AccArray, owned: one for each inlet */
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

  *self = (Element) { stage, g_ptr_array_new_with_free_func (g_object_unref), 0, FALSE };

  for (guint i = 0; i < stage->inlets->len; i++)
    {
      AccWalkInlet *inlet = g_ptr_array_index (stage->inlets, i);
      AccWalkExpected expected = acc_walk_expect_element (expect, inlet->sequence, number);

      if (expected.array == NULL)
        return FALSE;
      g_ptr_array_add (self->elements, expected.array);
      bytes = acc_bytes_add (bytes, (guint64) acc_walk_count_bytes (expected.array->shape, expected.array->type));
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
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) acc_walk_part_unref), wanted = NULL;
  g_autofree guint *ends = g_new0 (guint, stage->outlets->len + 1);
  GPtrArray *arrays = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < elements->len; i++)
    g_ptr_array_add (parts, acc_walk_part_new_constant (g_ptr_array_index (elements, i), 1));
  acc_walk_stage_set_begin (stage);
  wanted = acc_walk_stage_build (stage, (AccWalkPart **) parts->pdata, 1, ends);
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
  g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);
  gboolean has_rows = FALSE;

  for (guint i = 0; i < self->elements->len; i++)
    {
      AccArray *element = g_ptr_array_index (self->elements, i);

      has_rows = has_rows || element->rank > 0;
      g_ptr_array_add (rows, element->rank > 0 ? acc_memory_source_new_rows (element) : g_object_ref (element));
    }

  return has_rows ? list_results (self, rows) : NULL;
}

/* Whether the extents of all that is made of it follow from its own, not from values. */
static gboolean
tells_extents (Element *self)
{
  g_autoptr(GPtrArray) hidden = g_ptr_array_new_with_free_func (g_object_unref), results = NULL, nodes = NULL;

  for (guint i = 0; i < self->elements->len; i++)
    g_ptr_array_add (hidden, acc_walk_expect_hide (g_ptr_array_index (self->elements, i)));
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

  if (acc_budget_get_limit (acc_backend_get_budget (self->backend)) < LEAST_LIMIT)
    return TRUE;

  acc_walk_expect_init (&expect, self, wanted);
  for (guint i = 0; i < self->stages->len; i++)
    if (!check_stage (&expect, g_ptr_array_index (self->stages, i), error))
      return FALSE;

  return TRUE;
}
