/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-array-build-private.h"
#include "acc-foreign-known-private.h"

AccArray **
acc_foreign_get_inputs (AccArray *node,
                        guint    *n_inputs)
{
  gboolean is_offer = node->op != ACC_OP_FOREIGN;

  *n_inputs = is_offer ? node->offer->n_inputs : node->n_inputs;
  return is_offer ? node->offer->inputs : node->inputs;
}

const char *
acc_foreign_get_name (AccArray *node)
{
  const AccProgramsPayload *payload;

  if (node->op != ACC_OP_FOREIGN)
    return node->offer->name;

  payload = acc_array_get_payload (node, ACC_PAYLOAD_FOREIGN);
  return payload->name;
}

void
acc_array_offer (AccArray    *self,
                 const char  *name,
                 AccArray   **inputs,
                 guint        n_inputs)
{
  if (self->error != NULL)
    return;

  self->offer = g_new0 (AccOffer, 1);
  self->offer->name = g_strdup (name);
  self->offer->n_inputs = n_inputs;
  self->offer->inputs = g_new (AccArray *, MAX (n_inputs, 1));
  for (guint i = 0; i < n_inputs; i++)
    self->offer->inputs[i] = g_object_ref (inputs[i]);
}

typedef struct _AccExpansion {
  gatomicrefcount  ref_count;
  AccExpansionFunc make;
  gpointer         data;
  GDestroyNotify   free_data;
} AccExpansion;

/* Of what is not worked out. */
static GRecMutex lock;

static void
expansion_unref (AccExpansion *self)
{
  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  self->free_data (self->data);
  g_free (self);
}

/* Takes over @expansion. */
static AccArray *
new_offer (AccOperation    op,
           AccElementType *type,
           AccShape       *shape,
           const char     *name,
           AccArray      **inputs,
           guint           n_inputs,
           AccExpansion   *expansion)
{
  AccArray *node = acc_array_begin (op, NULL, 0);

  node->type = type;
  node->rank = acc_shape_get_rank (shape);
  node->shape = acc_shape_ref (shape);
  acc_array_offer (node, name, inputs, n_inputs);
  node->offer->expansion = expansion;

  return node;
}

AccArray *
acc_array_new_offer (AccOperation       op,
                     AccElementType    *type,
                     AccShape          *shape,
                     const char        *name,
                     AccArray         **inputs,
                     guint              n_inputs,
                     AccExpansionFunc   make,
                     gpointer           data,
                     GDestroyNotify     free_data)
{
  AccExpansion *expansion = g_new (AccExpansion, 1);

  g_atomic_ref_count_init (&expansion->ref_count);
  expansion->make = make;
  expansion->data = data;
  expansion->free_data = free_data;

  return new_offer (op, type, shape, name, inputs, n_inputs, expansion);
}

AccArray *
acc_array_copy_offer (AccArray  *self,
                      AccArray **inputs)
{
  AccOffer *offer = self->offer;
  AccExpansion *expansion = NULL;
  AccArray *copy;

  g_rec_mutex_lock (&lock);
  if (offer != NULL && offer->expansion != NULL)
    {
      expansion = offer->expansion;
      g_atomic_ref_count_inc (&expansion->ref_count);
    }
  g_rec_mutex_unlock (&lock);
  if (expansion == NULL)
    return NULL;

  copy = new_offer (self->op, self->type, self->shape, offer->name, inputs, offer->n_inputs, expansion);
  copy->offer->prepares = offer->prepares;
  g_clear_pointer (&copy->made_by, g_ref_string_release);
  copy->made_by = self->made_by != NULL ? g_ref_string_acquire (self->made_by) : NULL;
  copy->label = g_strdup (self->label);

  return copy;
}

void
acc_offer_free (AccOffer *self)
{
  for (guint i = 0; i < self->n_inputs; i++)
    acc_array_release (self->inputs[i], g_object_unref);
  g_clear_pointer (&self->expansion, expansion_unref);
  g_free (self->inputs);
  g_free (self->name);
  g_free (self);
}

static void
take_expanded (AccArray *self,
               AccArray *made)
{
  GPtrArray *references = self->references;

  g_return_if_fail (made->error == NULL && made->op == self->op && made->type == self->type && made->payload == NULL);

  g_free (self->inputs);
  self->n_inputs = made->n_inputs;
  self->inputs = g_steal_pointer (&made->inputs);
  made->n_inputs = 0;
  self->n_functions = made->n_functions;
  for (guint i = 0; i < 2; i++)
    self->functions[i] = g_steal_pointer (&made->functions[i]);
  self->extents = g_steal_pointer (&made->extents);
  self->references = made->references;
  made->references = references;
  self->direct = g_steal_pointer (&made->direct);
  if (self->direct != NULL)
    acc_array_set_label (self->direct, self->label);
}

void
acc_array_work_out (AccArray *self)
{
  AccOffer *offer = self->offer;

  if (G_LIKELY (offer == NULL || g_atomic_pointer_get (&offer->expansion) == NULL))
    return;

  g_rec_mutex_lock (&lock);
  if (offer->expansion != NULL)
    {
      AccExpansion *expansion = offer->expansion;
      G_GNUC_UNUSED g_auto(AccNaming) none = acc_naming_begin (NULL), name = acc_naming_begin (self->made_by);
      g_autoptr(AccArray) made = expansion->make (offer->inputs, expansion->data);

      take_expanded (self, made);
      g_atomic_pointer_set (&offer->expansion, NULL);
      expansion_unref (expansion);
    }
  g_rec_mutex_unlock (&lock);
}

/**
 * acc_array_foreign:
 * @name: the name of the operation, in UTF-8, for people and acc_backend_set_foreign(); best with a prefix
 * @inputs: (array length=n_inputs) (nullable): the inputs
 * @n_inputs: the number of inputs
 * @fallback: a program from the inputs to one result
 *
 * Applies a named operation that some backends implement themselves, for example by a library's routine. All other backends
 * run @fallback, which defines what the operation computes and may contain foreign operations again. The text form of a
 * program contains the name and the fallback, so that it runs anywhere. Nothing is fused across the operation. All elements
 * of the inputs are needed at once: those of a source are read into memory first, as far as its limit allows. In a function that
 * is mapped over the elements of a nested array or a sequence, the implementation is called for each of them, and gives arrays of the
 * extents that @fallback gives; @fallback, and what works on a device, is applied to all of them at once.
 *
 * Takes as long as the implementation, or as @fallback does.
 *
 * Names that begin with `acc-` are reserved. The result carries %ACC_ERROR_TYPE where acc defines such a name for other
 * inputs or another result: see [method@Array.matmul] and [method@Array.fft]. It carries %ACC_ERROR_TYPE or
 * %ACC_ERROR_SHAPE where @fallback does not take the inputs, %ACC_ERROR_CALLBACK where @name is empty or not UTF-8. A run
 * fails with %ACC_ERROR_TYPE or %ACC_ERROR_SHAPE where the result of an implementation differs from that of @fallback in
 * element type, rank, or an extent that is known before.
 *
 * ```c
 * static AccArray *
 * double_all (AccArray **inputs, guint n, gpointer data)
 * {
 *   return acc_array_add (inputs[0], inputs[0]);
 * }
 *
 * // xs = [1, 2, 3]
 * static const char * const signature[] = { "i8[:]", NULL };
 * g_autoptr(AccProgram) fallback = acc_program_new (signature, double_all, NULL);
 * g_autoptr(AccArray) doubled = acc_array_foreign ("example-double", &xs, 1, fallback); // → [2, 4, 6]
 * ```
 *
 * Returns: (transfer full): the result
 */
AccArray *
acc_array_foreign (const char  *name,
                   AccArray   **inputs,
                   guint        n_inputs,
                   AccProgram  *fallback)
{
  AccArray *node = acc_array_begin (ACC_OP_FOREIGN, inputs, n_inputs);
  AccProgramsPayload *payload = acc_array_get_payload (node, ACC_PAYLOAD_FOREIGN);

  payload->name = g_strdup (name);
  acc_array_set_program (node, 0, fallback);
  return acc_array_complete (node);
}
