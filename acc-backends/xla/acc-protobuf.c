/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-protobuf.h"

#include <string.h>

enum {
  WIRE_VARINT = 0,
  WIRE_BYTES = 2,
};

AccProtobuf *
acc_protobuf_new (void)
{
  return g_byte_array_new ();
}

static void
add_varint (AccProtobuf *self,
            guint64      value)
{
  do
    {
      guint8 byte = (guint8) (value & 127);

      value >>= 7;
      if (value != 0)
        byte |= 128;
      g_byte_array_append (self, &byte, 1);
    }
  while (value != 0);
}

void
acc_protobuf_add_integer (AccProtobuf *self,
                          guint        field,
                          gint64       value)
{
  add_varint (self, field << 3 | WIRE_VARINT);
  add_varint (self, (guint64) value);
}

void
acc_protobuf_add_bytes (AccProtobuf   *self,
                        guint          field,
                        gconstpointer  data,
                        gsize          size)
{
  add_varint (self, field << 3 | WIRE_BYTES);
  add_varint (self, size);
  if (size > 0)
    g_byte_array_append (self, data, (guint) size);
}

void
acc_protobuf_add_text (AccProtobuf *self,
                       guint        field,
                       const char  *text)
{
  acc_protobuf_add_bytes (self, field, text, strlen (text));
}

void
acc_protobuf_add_message (AccProtobuf *self,
                          guint        field,
                          AccProtobuf *message)
{
  acc_protobuf_add_bytes (self, field, message->data, message->len);
  g_byte_array_unref (message);
}

void
acc_protobuf_add_entry (AccProtobuf *self,
                        guint        field,
                        const char  *key,
                        AccProtobuf *message)
{
  AccProtobuf *entry = acc_protobuf_new ();

  acc_protobuf_add_text (entry, 1, key);
  acc_protobuf_add_message (entry, 2, message);
  acc_protobuf_add_message (self, field, entry);
}
