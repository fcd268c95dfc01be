/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-program-private.h"
#include "acc-core/expr/acc-function-words-private.h"

/* Describes graphs as words: those of graphs that compute the same of other arrays, of the same types and extents, are equal, labels
 * included. Arrays in memory are leaves: what they hold does not count. Zeroed to begin with. */
typedef struct {
  AccFunctionWriter functions;
  GPtrArray        *nodes;      /* AccArray, borrowed, by number */
  GPtrArray        *leaves;     /* AccArray, borrowed: parameters first, then arrays in memory as they are met */
  GArray           *numbers;    /* of gint64: of the payload at hand */
  gboolean          generalises; /* words do not tell the values of literals that could as well be read of an array */
  GPtrArray        *literals;   /* those: AccExpr, borrowed */
  GPtrArray        *owners;     /* and in whose first functions they are: AccArray */
} AccGraphWriter;

/* Writes words of what @results are of @parameters, of which none is given twice, and closes them. FALSE: others have no use for them,
 * since something reads a source or has an error, or they would be more than @most. */
gboolean    acc_graph_writer_write (AccGraphWriter *self, AccArray **parameters, guint n_parameters, AccArray **results, guint n_results,
                                    guint most);
/* Of what was written last. */
static inline const AccWords *
acc_graph_writer_get_words (const AccGraphWriter *self)
{
  return &self->functions.words;
}

void        acc_graph_writer_clear (AccGraphWriter *self);

/* A program of the same graph, with parameters in place of @leaves, that keeps no part of it. NULL: there is none. */
AccProgram *acc_graph_generalise   (GPtrArray *leaves, AccArray **results, guint n_results);
/* The same program with more parameters, of rank 0: in place of those literals, as they are met, for which @is_parameter says so. */
AccProgram *acc_graph_generalise_literals (AccProgram *program, const gboolean *is_parameter);
