/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-record-private.h"

#include <string.h>

AccRecord *
acc_record_new (void)
{
  AccRecord *self = g_new0 (AccRecord, 1);

  self->fields = g_array_new (FALSE, TRUE, sizeof (AccRecordField));

  return self;
}

AccRecord *
acc_record_new_packed (AccElementType *type)
{
  AccRecord *self = acc_record_new ();

  for (guint i = 0; i < acc_element_type_get_n_buffers (type); i++)
    acc_record_add (self, acc_element_type_get_buffer (type, i), FALSE);

  return self;
}

void
acc_record_add (AccRecord *self, AccElementType *type, gboolean swap)
{
  AccRecordField field = {
    .kind = acc_element_type_get_leaf (type, 0),
    .lanes = acc_element_type_get_n_leaves (type),
    .offset = self->size,
    .swap = swap && acc_element_kind_get_size (acc_element_type_get_leaf (type, 0)) > 1,
  };

  g_array_append_val (self->fields, field);
  self->size += acc_element_type_get_size (type);
}

void
acc_record_free (AccRecord *self)
{
  if (self == NULL)
    return;

  g_array_unref (self->fields);
  g_free (self);
}

AccRecordField *
acc_record_get_field (const AccRecord *self, guint buffer)
{
  return &g_array_index (self->fields, AccRecordField, buffer);
}

static gsize
field_size (const AccRecordField *field)
{
  return field->lanes * acc_element_kind_get_size (field->kind);
}

gboolean
acc_record_is_plain (const AccRecord *self)
{
  return self->fields->len == 1
         && acc_record_get_field (self, 0)->offset == 0
         && field_size (acc_record_get_field (self, 0)) == self->size;
}

gsize
acc_record_get_stage_elements (const AccRecord *self)
{
  return MAX (ACC_RECORD_STAGE / MAX (self->size, 1), 1);
}

gsize
acc_record_get_stage_size (const AccRecord *self)
{
  return acc_record_is_plain (self) ? 0 : acc_record_get_stage_elements (self) * self->size;
}

static void
swap_elements (guint8 *elements, gsize size, gsize n)
{
  switch (size)
    {
    case 2:
      for (gsize i = 0; i < n; i++)
        ((guint16 *) elements)[i] = GUINT16_SWAP_LE_BE (((guint16 *) elements)[i]);
      break;
    case 4:
      for (gsize i = 0; i < n; i++)
        ((guint32 *) elements)[i] = GUINT32_SWAP_LE_BE (((guint32 *) elements)[i]);
      break;
    case 8:
      for (gsize i = 0; i < n; i++)
        ((guint64 *) elements)[i] = GUINT64_SWAP_LE_BE (((guint64 *) elements)[i]);
      break;
    default:
      break;
    }
}

static void
fix_field (const AccRecordField *field, guint8 *elements, gsize n)
{
  n *= field->lanes;
  if (field->kind == ACC_KIND_BOOL)
    for (gsize i = 0; i < n; i++)
      elements[i] = elements[i] != 0;
  else if (field->swap)
    swap_elements (elements, acc_element_kind_get_size (field->kind), n);
}

void
acc_record_fix (const AccRecord *self, guint8 *elements, gsize n)
{
  fix_field (acc_record_get_field (self, 0), elements, n);
}

/* Fixed sizes let the compiler turn memcpy() into single moves. */
static void
copy_strided (guint8 *to, gsize to_stride, const guint8 *from, gsize from_stride, gsize size, gsize n)
{
#define COPY(bytes) \
  case bytes: \
    for (gsize i = 0; i < n; i++) \
      memcpy (to + i * to_stride, from + i * from_stride, bytes); \
    break;

  switch (size)
    {
      COPY (1)
      COPY (2)
      COPY (4)
      COPY (8)
      COPY (16)
      default:
        for (gsize i = 0; i < n; i++)
          memcpy (to + i * to_stride, from + i * from_stride, size);
      break;
    }

#undef COPY
}

void
acc_record_split (const AccRecord *self, const guint8 *records, gsize n, guint8 **buffers, gsize first)
{
  for (guint i = 0; i < self->fields->len; i++)
    {
      const AccRecordField *field = acc_record_get_field (self, i);
      gsize size = field_size (field);
      guint8 *elements = buffers[i] + first * size;

      copy_strided (elements, size, records + field->offset, self->size, size, n);
      fix_field (field, elements, n);
    }
}

void
acc_record_join (const AccRecord *self, guint8 *records, gsize n, guint8 * const *buffers, gsize first)
{
  for (guint i = 0; i < self->fields->len; i++)
    {
      const AccRecordField *field = acc_record_get_field (self, i);
      gsize size = field_size (field);

      copy_strided (records + field->offset, self->size, buffers[i] + first * size, size, size, n);
    }
}
