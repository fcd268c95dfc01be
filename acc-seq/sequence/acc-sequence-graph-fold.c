/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-sequence-graph-private.h"

#include "acc-walk-private.h"

#include "acc-core/array/acc-array-build-private.h"
#include "acc-core/array/acc-program-private.h"
#include "acc-core/derived/acc-array-rearrange.h"

/* The tree of a fold as a loop: pairs of neighbours become one element, until one is left; an odd last one waits. So what is combined
 * depends on the numbers of elements, as in a walk. */

/* Elements go from one iteration to the next as the arrays of a nested array, of one form in all of them. */
typedef struct {
  AccSequenceFunction *function;
  gboolean             is_regular;
} Fold;

/* In the form of the loop. */
static AccNestedArray *
convert (const Fold     *self,
         AccNestedArray *nested)
{
  AccArray *count = acc_nested_array_get_count (nested);
  g_autoptr(AccLift) lift = acc_lift_new (count);
  AccLifted *lifted = acc_nested_array_get_lifted (nested);
  AccLifted *other = self->is_regular ? acc_lift_to_regular (lift, lifted) : acc_lift_to_irregular (lift, lifted);

  return acc_nested_array_new_for_lifted (other, g_object_ref (count));
}

/* What goes from one iteration to the next, as arrays; owned. */
static GPtrArray *
list_parts (AccNestedArray *nested)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (g_object_unref);

  acc_lifted_list_parts (acc_nested_array_get_lifted (nested), parts);

  return parts;
}

/* One of the form of @elements. */
static AccNestedArray *
from_parts (AccNestedArray *elements,
            GPtrArray      *parts)
{
  guint next = 0;
  AccLifted *lifted = acc_lifted_join_parts (acc_nested_array_get_lifted (elements), parts, &next);
  AccArray *count = lifted->nesting != NULL ? acc_nesting_dup_lengths (lifted->nesting) : g_object_ref (lifted->values);

  return acc_nested_array_new_for_lifted (lifted, count);
}

typedef struct {
  gint64    stride, offset;
  AccExpr  *begin;            /* NULL: 0 */
} Places;

static AccExpr *
place_at (AccExpr *k,
          gpointer data)
{
  const Places *places = data;
  AccExpr *place = acc_expr_add (acc_expr_mul (k, acc_array_number (places->stride)), acc_array_number (places->offset));

  return places->begin != NULL ? acc_expr_add (place, places->begin) : place;
}

static AccNestedArray *
take (AccNestedArray *elements,
      AccExpr        *count,
      Places          places)
{
  g_autoptr(AccArray) numbers = acc_array_generate_expr (count, place_at, &places);

  return acc_nested_array_choose (elements, numbers);
}

static AccNestedArray *
combine (const Fold     *self,
         AccNestedArray *first,
         AccNestedArray *second)
{
  return acc_sequence_function_apply (self->function, (AccNestedArray *[]) { first, second }, 0);
}

/* Half as many, and one more where there is one without a neighbour. */
static AccNestedArray *
halve (const Fold     *self,
       AccNestedArray *elements)
{
  g_autoptr(AccExpr) n = acc_expr_ref_sink (acc_nested_array_count_elements (elements));
  g_autoptr(AccExpr) half = acc_expr_ref_sink (acc_expr_quot (n, acc_array_number (2)));
  g_autoptr(AccExpr) paired = acc_expr_ref_sink (acc_expr_mul (half, acc_array_number (2)));
  g_autoptr(AccNestedArray) first = take (elements, half, (Places) { 2, 0, NULL }), second = take (elements, half, (Places) { 2, 1, NULL });
  g_autoptr(AccNestedArray) rest = take (elements, acc_expr_sub (n, paired), (Places) { 1, 0, paired });
  g_autoptr(AccNestedArray) pairs = combine (self, first, second), converted = convert (self, pairs), all = NULL;

  if (self->is_regular)
    {
      g_autoptr(AccArray) rows = acc_array_concat_on (acc_nested_array_get_values (converted), acc_nested_array_get_values (rest), 0);

      return acc_nested_array_new_from_regular (rows);
    }
  all = acc_nested_array_concat (converted, rest);

  return convert (self, all);
}

/* The total of @elements, which are in the form of the loop: one, or none. */
static AccNestedArray *
loop (const Fold     *self,
      AccNestedArray *elements)
{
  g_autoptr(GPtrArray) parts = list_parts (elements), last = NULL;
  g_autoptr(GPtrArray) parameters = acc_lifted_stand_for (parts), others = acc_lifted_stand_for (parts);
  g_autoptr(AccNestedArray) asked = from_parts (elements, others), state = from_parts (elements, parameters), next = halve (self, state);
  g_autoptr(GPtrArray) results = list_parts (next);
  g_autoptr(AccArray) more = acc_array_unit (acc_expr_gt (acc_nested_array_count_elements (asked), acc_array_number (1)));
  g_autoptr(AccProgram) condition = acc_program_new_for_nodes ((AccArray **) others->pdata, others->len, &more, 1);
  g_autoptr(AccProgram) step = acc_program_new_for_nodes ((AccArray **) parameters->pdata, parameters->len, (AccArray **) results->pdata,
                                                          results->len);

  last = acc_array_while_loop_many ((AccArray **) parts->pdata, parts->len, condition, step);

  return from_parts (elements, last);
}

AccArray *
acc_sequence_graph_fold (AccSequence         *sequence,
                         AccSequenceFunction *function,
                         AccArray            *seed)
{
  Fold self = { function, FALSE };
  g_autoptr(AccNestedArray) elements = acc_sequence_graph_elements (sequence), state = NULL, total = NULL, seeded = NULL, first = NULL;
  g_autoptr(AccArray) element = NULL;
  AccLifted *lifted = acc_nested_array_get_lifted (elements);

  if (lifted->values->error != NULL)
    return g_object_ref (lifted->values);

  /* An elementwise function keeps the extents; others may change them. */
  self.is_regular = sequence->rank == 0 || (lifted->form != ACC_LIFTED_IRREGULAR && acc_walk_is_elementwise (function));
  state = convert (&self, elements);
  total = loop (&self, state);
  if (seed != NULL)
    {
      first = acc_nested_array_new_for_lifted (acc_lifted_new_constant (g_object_ref (seed)),
                                               g_object_ref (acc_nested_array_get_count (total)));
      seeded = combine (&self, first, total);
    }
  element = acc_sequence_graph_take_first (seeded != NULL ? seeded : total);

  return acc_sequence_graph_choose (elements, element, seed);
}
