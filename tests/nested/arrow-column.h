/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Columns of Arrow's C data interface, made by hand. */

#include <acc/acc.h>

#include <stdint.h>
#include <string.h>

struct ArrowSchema {
  const char          *format, *name, *metadata;
  int64_t              flags, n_children;
  struct ArrowSchema **children, *dictionary;
  void (*release) (struct ArrowSchema *);
  void                *private_data;
};

struct ArrowArray {
  int64_t             length, null_count, offset, n_buffers, n_children;
  const void        **buffers;
  struct ArrowArray **children, *dictionary;
  void (*release) (struct ArrowArray *);
  void               *private_data;
};

/* --- a producer: nodes of one column, the outermost first, which count how often they are released */

#define MOST_NODES 8

typedef struct {
  struct ArrowSchema  schemas[MOST_NODES];
  struct ArrowArray   arrays[MOST_NODES];
  struct ArrowSchema *schema_children[MOST_NODES][3];
  struct ArrowArray  *array_children[MOST_NODES][3];
  const void         *buffers[MOST_NODES][3];
  guint               n, schema_releases, array_releases;
} Column;

static inline void
release_schema (struct ArrowSchema *schema)
{
  ((Column *) schema->private_data)->schema_releases++;
  schema->release = NULL;
}

static inline void
release_array (struct ArrowArray *array)
{
  ((Column *) array->private_data)->array_releases++;
  array->release = NULL;
}

/* Adds a node as the next child of number @parent (-1: it is the column). @data: of texts their offsets. */
static inline guint
add (Column *self, gint parent, const char *format, gint64 length, gint64 offset, const void *validity, const void *data)
{
  guint i = self->n++;
  gboolean has_bytes = format[0] != '\0' && strchr ("uUzZ", format[0]) != NULL;
  gboolean has_data = format[0] != '+' || format[1] == 'l' || format[1] == 'L';

  self->buffers[i][0] = validity;
  self->buffers[i][1] = data;
  self->schemas[i] = (struct ArrowSchema) { .format = format, .name = "", .children = self->schema_children[i],
                                            .release = release_schema, .private_data = self };
  self->arrays[i] = (struct ArrowArray) { .length = length, .offset = offset, .null_count = validity != NULL ? -1 : 0,
                                          .n_buffers = has_bytes ? 3 : has_data ? 2 : 1, .buffers = self->buffers[i],
                                          .children = self->array_children[i], .release = release_array, .private_data = self };
  if (parent >= 0)
    {
      self->schema_children[parent][self->schemas[parent].n_children++] = &self->schemas[i];
      self->array_children[parent][self->arrays[parent].n_children++] = &self->arrays[i];
    }
  return i;
}
