/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-core/array/acc-array-build-private.h"
#include "acc-program-lexer-private.h"

/* An operation whose lines are being read. */
typedef struct {
  GPtrArray      *tokens;        /* AccToken; NULL: none open. "a1" "=" "map" … */
  GHashTable     *exprs;         /* name to AccExpr, owned */
  AccFunction    *extents;
  AccFunction    *functions[2];
  guint           n_functions;
  AccBoundary    *boundaries[2];
  guint           n_boundaries;
  GPtrArray      *buffers;        /* GByteArray */
} AccStatement;

typedef struct {
  AccLexer      lexer;
  GHashTable   *arrays;          /* name to AccArray, owned */
  GHashTable   *programs;        /* name to AccProgram, owned */
  GHashTable   *bound;           /* parameters that belong to a program */
  AccStatement  statement;
  AccProgram   *result;
  guint64       spent;           /* bytes of types and steps of analysis, limited so that a small text cannot multiply them */
  GError      **error;
} AccParser;

/* Both fail at the place of @token. */
gboolean   acc_parser_fail        (AccParser *self, const AccToken *token, const char *format, ...) G_GNUC_PRINTF (3, 4);
gboolean   acc_parser_spend       (AccParser *self, const AccToken *token, guint64 amount);
gboolean   acc_parser_get_type    (AccParser *self, const AccToken *token, AccElementType **type);
gboolean   acc_parser_get_number  (AccParser *self, const AccToken *token, gint64 minimum, gint64 maximum, gint64 *number);
AccArray  *acc_parser_get_array   (AccParser *self, const AccToken *token);
AccExpr   *acc_parser_get_expr    (AccParser *self, const AccToken *token);

/* "eN = …" */
gboolean   acc_parser_read_expr     (AccParser *self, GPtrArray *tokens);
/* "… VARIABLES -> EXPR", from token @first on */
AccFunction *acc_parser_read_function (AccParser *self, GPtrArray *tokens, guint first);
/* The operation that the statement says, complete. */
AccArray  *acc_parser_build         (AccParser *self);
