/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-types.h"

/* Lines of the text form, cut at white space. */

typedef struct {
  char     *text;      /* without quotes and escapes */
  gboolean  quoted;
  guint     line;
  guint     column;    /* in bytes, from 1 */
} AccToken;

typedef struct {
  const char *next;
  guint       line;
  GPtrArray  *tokens;  /* of the current line, never none */
} AccLexer;

void     acc_lexer_init  (AccLexer *self, const char *text);
void     acc_lexer_clear (AccLexer *self);
/* The next line that is not empty. */
gboolean acc_lexer_next  (AccLexer *self, gboolean *at_end, GError **error);
/* The tokens of the current line, owned. */
GPtrArray *acc_lexer_take_tokens (AccLexer *self);
/* ACC_ERROR_PARSE with the place. FALSE. */
gboolean acc_lexer_fail  (guint line, guint column, GError **error, const char *format, ...) G_GNUC_PRINTF (4, 5);
