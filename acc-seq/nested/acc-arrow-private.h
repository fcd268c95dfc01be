/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-error.h"

#include <stdint.h>

/* Arrow's C data interface: https://arrow.apache.org/docs/format/CDataInterface.html. Others may have defined it, too. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
  const char          *format;
  const char          *name;
  const char          *metadata;
  int64_t              flags;
  int64_t              n_children;
  struct ArrowSchema **children;
  struct ArrowSchema  *dictionary;
  void               (*release) (struct ArrowSchema *schema);
  void                *private_data;
};

struct ArrowArray {
  int64_t             length;
  int64_t             null_count;
  int64_t             offset;
  int64_t             n_buffers;
  int64_t             n_children;
  const void        **buffers;
  struct ArrowArray **children;
  struct ArrowArray  *dictionary;
  void              (*release) (struct ArrowArray *array);
  void               *private_data;
};

#endif

/* --- columns that are imported */

#define ACC_ARROW_MAX_DEPTH 64

/* A list that the values are in. */
typedef struct {
  const gint64 *offsets;      /* NULL: each has as many */
  gint64        n, each;
} AccArrowLevel;

typedef struct {
  gpointer   holder;
  GArray    *levels;          /* AccArrowLevel */
  GPtrArray *kept;            /* what the levels point to */
  GPtrArray *masks;           /* AccArray: which entries are there; NULL: nulls are errors */
  GError   **error;
} AccArrowImport;

/* Entries of a column, counted from its own offset. */
typedef struct {
  struct ArrowSchema *schema;
  struct ArrowArray  *array;
  gint64              begin, length;
  guint               depth;
  const gint64       *places;   /* where each is behind .begin; NULL: one after the other */
  const guint8       *valid;    /* which of them a dictionary has; NULL: all */
} AccArrowColumn;

static inline gint64
acc_arrow_place (AccArrowColumn *column, gint64 entry)
{
  return column->begin + (column->places != NULL ? column->places[entry] : entry);
}

/* Sets the error, the operation's name in front; FALSE. */
gboolean       acc_arrow_fail           (AccArrowImport *self, AccError code, const char *format, ...) G_GNUC_PRINTF (3, 4);
/* As elements are found from outside: "[2][0]". Free it. */
char          *acc_arrow_name_entry     (AccArrowImport *self, gint64 entry);
/* Whether @column is what its format says, with @n_buffers and @n_children (-1: any), and has the entries that are wanted, none of them
 * null. */
gboolean       acc_arrow_check_column   (AccArrowImport *self, AccArrowColumn *column, gint64 n_buffers, gint64 n_children);

gboolean       acc_arrow_is_null        (AccArrowColumn *column, gint64 entry);
/* The first entry that is null, or -1. */
gint64         acc_arrow_find_null      (AccArrowColumn *column);
/* Which entries of @column are there, and there by @outer, unless that is NULL: a byte each, to be freed; NULL: all. */
gboolean       acc_arrow_find_nulls     (AccArrowImport *self, AccArrowColumn *column, const guint8 *outer, guint8 **valid);
/* Each of @n entries @each times; takes over what is in *@valid. */
gboolean       acc_arrow_repeat_nulls   (AccArrowImport *self, guint8 **valid, gint64 n, gint64 each);
/* A copy of @n values of @size bytes in place of *@bytes, with 0 for what is not there. */
gboolean       acc_arrow_clear_nulls    (AccArrowImport *self, GBytes **bytes, const guint8 *valid, gint64 n, gsize size);
/* Takes over @valid, which may be NULL: all are there. */
void           acc_arrow_add_mask       (AccArrowImport *self, guint8 *valid, AccShape *shape);

/* Entries @begin and on of child @i of @column; of texts and other bytes, these. */
AccArrowColumn acc_arrow_child_of       (AccArrowImport *self, AccArrowColumn *column, gint64 i, gint64 begin, gint64 length);
/* @size bytes of the column, which is kept for them. */
GBytes        *acc_arrow_share          (AccArrowImport *self, gconstpointer data, gsize size);
/* From 0, one more than there are entries of lists; the values of all are @child. */
AccArray      *acc_arrow_import_offsets (AccArrowImport *self, AccArrowColumn *column, AccArrowColumn *child);
/* For .places, kept as long as the import goes on; NULL: the error is set. */
gint64        *acc_arrow_new_places     (AccArrowImport *self, gint64 n);
/* Takes what its dictionary has, if any, in the place of the numbers that @column holds. */
gboolean       acc_arrow_decode         (AccArrowImport *self, AccArrowColumn *column);
/* Texts are lists of bytes, too, and views are lists. */
gboolean       acc_arrow_is_list        (const char *format);
gboolean       acc_arrow_is_bytes       (const char *format);
gboolean       acc_arrow_is_view        (const char *format);
/* Number @place of the offsets of the list that @column is, 4 or 8 bytes each, which need not be aligned. */
gint64         acc_arrow_get_offset     (AccArrowColumn *column, gint64 place);
/* How many values there are for the entries of the list that @column is, which was checked. */
gint64         acc_arrow_count_values   (AccArrowColumn *column);
/* The number behind "+w:" or "w:", or -1. */
gint64         acc_arrow_get_fixed_size (const char *format);
/* Whether there are lists of different lengths within; what is not as it should be is found later. */
gboolean       acc_arrow_contains_list  (struct ArrowSchema *schema);
/* The entries of those of a fixed-size list, checked. */
gboolean       acc_arrow_enter_fixed    (AccArrowImport *self, AccArrowColumn *column, AccArrowColumn *child);
