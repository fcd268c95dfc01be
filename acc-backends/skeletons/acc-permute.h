/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-skeletons.h"

/* A permute as both execution models see it. */
typedef struct {
  AccStep        *step;
  AccFusionNode  *node, *source, *defaults, *targets;
  AccSpace       *space;       /* of the source */
  AccSpace       *results;     /* of the result */
  AccRoot        *root;
  guint           n_leaves;
  gint64          n_source;    /* elements of it; 0: the result is a copy of the defaults */
  AccPrimitive   *primitives;  /* per leaf, where they are combined leaf by leaf */
  guint          *tables;      /* scratch per leaf, and of flags; NULL: none */
  AccElementKind *table_kinds; /* per leaf: what holds all that a table can add up to */
  gboolean        has_flags;   /* of places that have a value */
  gboolean        by_workers;  /* a table is a worker's, which it has for all of its tiles, not a tile's */
  gboolean        in_turn;     /* one tile has tables at a time, which are combined with the result where it ends */
  gint64          tile;        /* of the source, along its inner run or the outer dimensions; not by_workers */
  gint64          n_tiles;     /* likewise */
  guint           n_ways;      /* tables of a tile, in turn */
  guint           row;         /* elements of the last dimension, where ways are for whole rows; 1: for elements as they come */
} AccPermute;

AccElementKind acc_permute_get_kind    (AccPermute *self, guint leaf);
/* Of an element of the result. */
gint64         acc_permute_count_bytes (AccPermute *self);
AccPlace       acc_permute_get_result  (AccPermute *self, AccLower *l, guint leaf, KValue element, AccBufferFlags more);
/* Whether source element @ix goes anywhere. */
KValue         acc_permute_get_wanted  (AccPermute *self, AccLower *l, const AccIndex *ix);
/* The target of an element, and, if checks are on, whether it is within the result. @is_checked: the run fails if it is not. */
KValue         acc_permute_get_target  (AccPermute *self, AccLower *l, const AccIndex *ix, gboolean is_checked, KValue *target);
/* Element @x of outer unit @u of the result becomes what the default is. */
void           acc_permute_write_default (AccPermute *self, AccLower *l, KValue u, KValue x);
/* The leaves of source element @ix. */
KValue        *acc_permute_read        (AccPermute *self, AccLower *l, const AccIndex *ix);
/* Combines @new_value into the result's element at @target, which no other thread may access. @more: as above. */
void           acc_permute_combine     (AccPermute *self, AccLower *l, const KValue *new_value, KValue target, AccBufferFlags more);
/* Processes source element @ix, whose @target is within the result. */
typedef void (*AccPermuteTarget) (AccPermute *self, AccLower *l, const AccIndex *ix, KValue target, gpointer data);

void           acc_permute_visit       (AccPermute *self, AccLower *l, const AccIndex *ix, gboolean is_checked, AccPermuteTarget visit,
                                        gpointer data);
/* Equal as bits: NaN is itself, and 0 is not -0. */
KValue         acc_permute_same_bits   (AccKernelBuilder *b, AccElementKind kind, KValue x, KValue y);

/* Sends source element @ix where it goes to, in the table that starts at place @table, where there are any. CPU. */
void           acc_permute_write_element (AccPermute *self, AccLower *l, const AccIndex *ix, KValue table);

/* --- acc-permute-tables.c; CPU */

/* Gives the tiles tables where that pays. */
void           acc_permute_choose_tables (AccPermute *self);
/* The tables of all workers, of whom some will have nothing to do. */
void           acc_permute_clear_tables  (AccPermute *self);
/* By rows a tile may come in pieces: its tables are cleared where it begins. Returns the place of the first. */
KValue         acc_permute_begin_tables  (AccPermute *self, AccLower *l, KValue begin);
/* Where they are tables of one tile at a time: combines those that end at @end, @last being the end of the source. */
void           acc_permute_end_tables    (AccPermute *self, AccLower *l, KValue end, KValue last);
void           acc_permute_combine_in_tables (AccPermute *self, AccLower *l, const KValue *new_value, KValue place);
/* Combines all tables into the result. */
void           acc_permute_join_tables   (AccPermute *self);

/* --- */

/* Whether elements keep their order, and lie side by side, so that lanes may pack them. */
gboolean       acc_permute_packs       (AccPermute *self, AccFold *fold);
/* The same for the elements @ix of all lanes, of which those that stay go to @first and on; places before @end are written later. Gives
 * what comes behind the last one. CPU. */
KValue         acc_permute_pack        (AccPermute *self, AccLower *l, const AccIndex *ix, KValue first, KValue end);

/* Permutes by all workers, if the result is large. Returns FALSE if that does not pay, and does nothing. CPU. */
gboolean       acc_permute_spread      (AccPermute *self);

void           acc_skeleton_permute_simt (AccPermute *self);
/* For targets that come from a scan: element by element, as their part of it becomes known. CPU. */
void           acc_skeleton_scan_permute (AccPermute *self);
