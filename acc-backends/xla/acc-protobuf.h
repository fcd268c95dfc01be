/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Writes messages of protocol buffers: fields one after the other. A message that is the value of a field is a message of its own until it
 * is whole. */
typedef GByteArray AccProtobuf;

AccProtobuf *acc_protobuf_new         (void);
/* An integer, a bool or a value of an enumeration */
void         acc_protobuf_add_integer (AccProtobuf *self, guint field, gint64 value);
void         acc_protobuf_add_bytes   (AccProtobuf *self, guint field, gconstpointer data, gsize size);
void         acc_protobuf_add_text    (AccProtobuf *self, guint field, const char *text);
/* Takes over @message. */
void         acc_protobuf_add_message (AccProtobuf *self, guint field, AccProtobuf *message);
/* An entry of a map from text to messages. Takes over @message. */
void         acc_protobuf_add_entry   (AccProtobuf *self, guint field, const char *key, AccProtobuf *message);
