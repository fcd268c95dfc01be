/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-tensorflow-tensor.h"

#include "acc-error.h"
#include "acc-backends/xla/acc-saved-model.h"

#include <string.h>

/* A buffer's memory as a module takes or gives it; all of the process have the same. */
typedef struct {
  AccBufferCopy        base;
  const AccTensorflow *api;
  TfTensor            *tensor;
  AccXlaForm           form;
  AccBudget           *budget;
  guint64              reserved;
  char                *what;
} Copy;

static void
copy_free (AccBufferCopy *base)
{
  Copy *self = (Copy *) base;

  self->api->DeleteTensor (self->tensor);
  acc_budget_release (self->budget, self->reserved, self->what);
  acc_budget_unref (self->budget);
  acc_xla_form_clear (&self->form);
  g_free (self->what);
  g_free (self);
}

/* Nothing to fetch: buffers are on the host. */
static const AccBufferCopyClass copy_class = { .free = copy_free };

/* Takes over @tensor, and what was reserved for it. */
static Copy *
copy_new (const AccTensorflow *api,
          TfTensor            *tensor,
          const AccHloVector  *form,
          AccBudget           *budget,
          const char          *what)
{
  Copy *self = g_new0 (Copy, 1);

  self->base.klass = &copy_class;
  self->base.owner = (gpointer) api;
  self->api = api;
  self->tensor = tensor;
  acc_xla_form_init (&self->form, form);
  self->budget = acc_budget_ref (budget);
  self->reserved = acc_xla_count_bytes (form);
  self->what = g_strdup (what);

  return self;
}

/* With zeros behind what is used. */
static TfTensor *
copy_data (const AccTensorflow  *api,
           gconstpointer         data,
           const AccHloVector   *form,
           const char           *what,
           GError              **error)
{
  gsize bytes = acc_xla_count_bytes (form), used = acc_xla_count_used_bytes (form);
  TfTensor *tensor = api->AllocateTensor (acc_saved_model_get_type (form->kind), form->extents, (gint) form->rank, bytes);

  if (tensor == NULL || (bytes > 0 && api->TensorData (tensor) == NULL))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_OUT_OF_MEMORY, "%s: TensorFlow has no %" G_GSIZE_FORMAT " bytes", what, bytes);
      g_clear_pointer (&tensor, api->DeleteTensor);
      return NULL;
    }
  if (bytes > 0)
    {
      memcpy (api->TensorData (tensor), data, used);
      memset ((guint8 *) api->TensorData (tensor) + used, 0, bytes - used);
    }

  return tensor;
}

static void
drop_buffer (gpointer data,
             gsize    length,
             gpointer buffer)
{
  acc_buffer_unref (buffer);
}

TfTensor *
acc_tensorflow_tensor_get (const AccTensorflow  *api,
                           AccBuffer            *buffer,
                           const AccHloVector   *form,
                           AccBudget            *budget,
                           const char           *what,
                           AccTensorflowLoan    *loan,
                           GError              **error)
{
  gsize bytes = acc_xla_count_bytes (form), used = acc_xla_count_used_bytes (form);
  Copy *copy = (Copy *) acc_buffer_get_copy (buffer, (gpointer) api);
  gpointer data;
  TfTensor *tensor;

  if (copy != NULL && acc_xla_form_is (&copy->form, form))
    return copy->tensor;

  data = acc_buffer_map (buffer, error);
  if (data == NULL)
    return NULL;
  if ((guintptr) data % ACC_XLA_ALIGNMENT == 0 && bytes > 0 && used == bytes)
    return loan->tensor = api->NewTensor (acc_saved_model_get_type (form->kind), form->extents, (gint) form->rank, data, bytes, drop_buffer,
                                          acc_buffer_ref (buffer));

  if (!acc_budget_reserve (budget, bytes, what, error))
    return NULL;
  tensor = copy_data (api, data, form, what, error);
  if (tensor == NULL)
    {
      acc_budget_release (budget, bytes, what);
      return NULL;
    }
  if (copy == NULL)
    {
      copy = (Copy *) acc_buffer_add_copy (buffer, &copy_new (api, tensor, form, budget, what)->base);
      /* Another thread may have been faster, with another form of it. */
      return acc_xla_form_is (&copy->form, form) ? copy->tensor : acc_tensorflow_tensor_get (api, buffer, form, budget, what, loan, error);
    }
  loan->reserved = bytes;

  return loan->tensor = tensor;
}

void
acc_tensorflow_loan_clear (AccTensorflowLoan   *self,
                           const AccTensorflow *api,
                           AccBudget           *budget,
                           const char          *what)
{
  g_clear_pointer (&self->tensor, api->DeleteTensor);
  if (self->reserved > 0)
    acc_budget_release (budget, self->reserved, what);
}

AccBuffer *
acc_tensorflow_tensor_adopt (const AccTensorflow *api,
                             TfTensor            *tensor,
                             const AccHloVector  *form,
                             AccBudget           *budget,
                             const char          *what)
{
  Copy *copy = copy_new (api, tensor, form, budget, what);
  gpointer data = api->TensorData (tensor);
  /* What has no bytes may have no address. */
  AccBuffer *buffer = acc_buffer_new (data != NULL ? data : copy, acc_xla_count_used_bytes (form), NULL, NULL);

  acc_buffer_add_copy (buffer, &copy->base);

  return buffer;
}
