/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

/* A Python literal, as far as headers of .npy files use them. */
typedef enum {
  ACC_LITERAL_NONE,
  ACC_LITERAL_BOOL,
  ACC_LITERAL_INTEGER,
  ACC_LITERAL_STRING,
  ACC_LITERAL_LIST,
  ACC_LITERAL_TUPLE,
  ACC_LITERAL_DICT,      /* items: key, value, key, value … */
} AccLiteralKind;

typedef struct _AccLiteral AccLiteral;

struct _AccLiteral {
  AccLiteralKind kind;
  gint64         integer;  /* of a bool, too */
  char          *string;
  GPtrArray     *items;    /* AccLiteral; of lists, tuples and dicts */
};

/* Any bytes; %ACC_ERROR_IO says where it is wrong. */
AccLiteral *acc_literal_parse  (const char *text, gsize length, GError **error);
void        acc_literal_free   (AccLiteral *self);
AccLiteral *acc_literal_get    (AccLiteral *self, guint item);
/* By key; NULL where it is missing */
AccLiteral *acc_literal_lookup (AccLiteral *self, const char *key);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (AccLiteral, acc_literal_free)
