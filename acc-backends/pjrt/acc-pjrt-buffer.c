/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-pjrt-client.h"

#include <string.h>

/* Copies of buffers on the device, as vectors of scalars. */

typedef struct {
  AccBufferCopy   base;
  AccPjrtClient  *client;
  PjrtBuffer     *vector;
  AccXlaForm      form;
  guint64         bytes;       /* of the vector */
  guint64         reserved;    /* bytes of the budget */
  AccBuffer      *memory;      /* which the vector shows; NULL: others keep it */
  char           *what;
} Copy;

static PjrtType
get_type (AccElementKind kind)
{
  return (PjrtType) (PJRT_TYPE_PRED + (guint) kind);
}

G_STATIC_ASSERT (PJRT_TYPE_PRED + ACC_KIND_I64 == PJRT_TYPE_S64 && PJRT_TYPE_PRED + ACC_KIND_U8 == PJRT_TYPE_U8);
G_STATIC_ASSERT (PJRT_TYPE_PRED + ACC_KIND_F16 == PJRT_TYPE_F16 && PJRT_TYPE_PRED + ACC_KIND_F64 == PJRT_TYPE_F64);

void
acc_pjrt_buffer_free (AccPjrtClient *self,
                      PjrtBuffer    *buffer)
{
  PjrtBufferArgs args = ACC_PJRT_ARGS (PjrtBufferArgs, .buffer = buffer);

  acc_pjrt_call_freely (self->api, PJRT_BUFFER_DESTROY, &args);
}

gboolean
acc_pjrt_client_download (AccPjrtClient  *self,
                          PjrtBuffer     *vector,
                          gpointer        data,
                          gsize           bytes,
                          const char     *what,
                          GError        **error)
{
  PjrtBufferToHostArgs args = ACC_PJRT_ARGS (PjrtBufferToHostArgs, .buffer = vector, .data = data, .bytes = bytes);

  return acc_pjrt_call (self->api, PJRT_BUFFER_TO_HOST, &args, what, error) && acc_pjrt_await (self->api, args.event, what, error);
}

static gboolean
copy_fetch (AccBufferCopy  *base,
            AccBuffer      *buffer,
            GError        **error)
{
  Copy *self = (Copy *) base;
  AccPjrtClient *client = self->client;
  g_autoptr(GMutexLocker) locker = g_mutex_locker_new (&client->lock);
  g_autoptr(AccBuffer) memory = NULL;

  if (buffer->data != NULL)
    return TRUE;

  if (client->base.is_host)
    {
      PjrtBufferPointerArgs args = ACC_PJRT_ARGS (PjrtBufferPointerArgs, .buffer = self->vector);

      if (!acc_pjrt_call (client->api, PJRT_BUFFER_POINTER, &args, self->what, error))
        return FALSE;
      /* It stays until the copy goes, which is with the buffer. */
      acc_buffer_set_host (buffer, args.pointer, NULL, NULL);
      return TRUE;
    }

  /* All of the vector, of which the buffer may be the beginning. */
  memory = acc_buffer_allocate (self->bytes, client->base.host_budget, self->what, error);
  if (memory == NULL || !acc_pjrt_client_download (client, self->vector, memory->data, self->bytes, self->what, error))
    return FALSE;
  acc_buffer_set_host (buffer, memory->data, (GDestroyNotify) acc_buffer_unref, memory);
  memory = NULL;

  return TRUE;
}

static void
copy_free (AccBufferCopy *base)
{
  Copy *self = (Copy *) base;

  acc_pjrt_buffer_free (self->client, self->vector);
  if (self->reserved > 0)
    acc_budget_release (self->client->base.budget, self->reserved, self->what);
  g_clear_pointer (&self->memory, acc_buffer_unref);
  acc_pjrt_client_unref (self->client);
  acc_xla_form_clear (&self->form);
  g_free (self->what);
  g_free (self);
}

static const AccBufferCopyClass copy_class = { copy_fetch, copy_free };

static Copy *
copy_new (AccPjrtClient      *client,
          PjrtBuffer         *vector,
          const AccHloVector *form,
          guint64             reserved,
          const char         *what)
{
  Copy *self = g_new0 (Copy, 1);

  self->base.klass = &copy_class;
  self->base.owner = client;
  self->client = acc_pjrt_client_ref (client);
  self->vector = vector;
  acc_xla_form_init (&self->form, form);
  self->bytes = acc_xla_count_bytes (form);
  self->reserved = reserved;
  self->what = g_strdup (what);

  return self;
}

PjrtBuffer *
acc_pjrt_client_make_buffer (AccPjrtClient      *self,
                             gconstpointer       data,
                             AccElementKind      kind,
                             const gint64       *extents,
                             guint               rank,
                             PjrtHostSemantics   semantics,
                             const char         *what,
                             GError            **error)
{
  PjrtBufferFromHostArgs args = ACC_PJRT_ARGS (PjrtBufferFromHostArgs, .client = self->client, .data = data, .type = (gint) get_type (kind),
                                               .extents = extents, .rank = rank, .semantics = (gint) semantics, .device = self->device);

  if (!acc_pjrt_call (self->api, PJRT_CLIENT_BUFFER_FROM_HOST, &args, what, error))
    return NULL;
  /* Of memory that is shared it comes when the vector goes. */
  if (semantics == PJRT_HOST_ZERO_COPY)
    {
      PjrtEventArgs event = ACC_PJRT_ARGS (PjrtEventArgs, .event = args.done);

      if (args.done != NULL)
        acc_pjrt_call_freely (self->api, PJRT_EVENT_DESTROY, &event);
      return args.buffer;
    }
  if (!acc_pjrt_await (self->api, args.done, what, error))
    {
      acc_pjrt_buffer_free (self, args.buffer);
      return NULL;
    }

  return args.buffer;
}

/* A copy of what @buffer has, with zeros behind as far as the vector goes. */
static AccBuffer *
fill_up (AccBuffer           *buffer,
         const AccHloVector  *form,
         AccBudget           *budget,
         const char          *what,
         GError             **error)
{
  gsize used = acc_xla_count_used_bytes (form), bytes = acc_xla_count_bytes (form);
  const guint8 *data = acc_buffer_map (buffer, error);
  AccBuffer *memory = data != NULL ? acc_buffer_allocate (bytes, budget, what, error) : NULL;

  if (memory == NULL)
    return NULL;
  memcpy (memory->data, data, used);
  memset ((guint8 *) memory->data + used, 0, bytes - used);

  return memory;
}

PjrtBuffer *
acc_pjrt_client_upload (AccPjrtClient       *self,
                        AccBuffer           *buffer,
                        const AccHloVector  *form,
                        const char          *what,
                        PjrtBuffer         **transient,
                        GError             **error)
{
  Copy *copy = (Copy *) acc_buffer_get_copy (buffer, self);
  gboolean is_shared;
  guint64 bytes = acc_xla_count_bytes (form);
  g_autoptr(AccBuffer) memory = NULL;
  gconstpointer data;
  PjrtBuffer *vector;

  if (copy != NULL && acc_xla_form_is (&copy->form, form))
    return copy->vector;

  if (form->n_used < form->n)
    memory = fill_up (buffer, form, self->base.is_host ? self->base.budget : self->base.host_budget, what, error);
  data = form->n_used == form->n ? acc_buffer_map (buffer, error) : memory != NULL ? memory->data : NULL;
  if (data == NULL)
    return NULL;
  /* Who keeps a vector keeps its memory. */
  is_shared = self->base.is_host && (guintptr) data % ACC_XLA_ALIGNMENT == 0 && bytes > 0 && (memory == NULL || copy == NULL);
  if (!is_shared && !acc_budget_reserve (self->base.budget, bytes, what, error))
    return NULL;
  vector = acc_pjrt_client_make_buffer (self, data, form->kind, form->extents, form->rank,
                                        is_shared ? PJRT_HOST_ZERO_COPY : PJRT_HOST_UNTIL_DONE, what, error);
  if (vector == NULL || copy != NULL)
    {
      if (!is_shared)
        acc_budget_release (self->base.budget, bytes, what);
      *transient = vector;
      return vector;
    }

  copy = copy_new (self, vector, form, is_shared ? 0 : bytes, what);
  if (is_shared)
    copy->memory = g_steal_pointer (&memory);
  copy = (Copy *) acc_buffer_add_copy (buffer, &copy->base);
  if (acc_xla_form_is (&copy->form, form))
    return copy->vector;

  /* Another thread was faster, with another form of it. */
  return acc_pjrt_client_upload (self, buffer, form, what, transient, error);
}

gboolean
acc_pjrt_client_owns (AccPjrtClient      *self,
                      AccBuffer          *buffer,
                      const AccHloVector *form)
{
  const Copy *copy = (const Copy *) acc_buffer_get_copy (buffer, self);

  return copy != NULL && copy->reserved > 0 && acc_xla_form_is (&copy->form, form);
}

AccBuffer *
acc_pjrt_client_adopt (AccPjrtClient      *self,
                       PjrtBuffer         *vector,
                       const AccHloVector *form,
                       AccBuffer          *from,
                       const char         *what)
{
  Copy *before = from != NULL ? (Copy *) acc_buffer_get_copy (from, self) : NULL;

  if (before != NULL)
    {
      what = before->what;
      before->reserved = 0;
    }

  return acc_buffer_new_remote (acc_xla_count_used_bytes (form),
                                &copy_new (self, vector, form, acc_xla_count_bytes (form), what)->base);
}
