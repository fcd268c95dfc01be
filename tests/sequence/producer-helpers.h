/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* --- walks */

/* An element as text: "[2,3] 00ff|0000803f": its extents and the bytes of each buffer. */
char      *element_to_text (AccElementType *type, const gint64 *extents, guint rank, const guint8 *const *buffers);
/* What is read until the end or an error, one text for each element; checks each chunk. */
GPtrArray *walk_producer   (AccSequenceProducer *producer, gint64 max_elements, gint64 max_values, GError **error);
void       assert_elements (GPtrArray *found, GPtrArray *expected);
/* Walks again and again with different limits, rewinding between. */
void       check_walks     (AccSequenceProducer *producer, GPtrArray *expected);
/* A vector of u1; @n of -1: up to the 0 */
void       add_text        (GPtrArray *elements, const char *text, gssize n);

/* --- streams */

/* @bytes in pieces of at most @piece; an error after @fail_at bytes (-1: none). It cannot seek. @polls: it says that it has nothing after
 * every piece. */
GInputStream *trickle_new  (GBytes *bytes, gsize piece, gssize fail_at, gboolean polls);
