/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-array-private.h"

/* "f4[:,3]": @declared gets a gint64 per dimension, -1 for ":". */
gboolean    acc_signature_parse       (const char *signature, AccElementType **type, GArray *declared, GError **error);
AccProgram *acc_program_new_for_nodes (AccArray **parameters, guint n_parameters, AccArray **results, guint n_results);

/* Returns what a user's function gives for @parameters, owned, or NULL. Where this thread traces, the function is asked for, not called,
 * and the elements of @parameters become those that the answer was made with, as does *@number. @number, nullable: the function is one of
 * elements, and that stands for the number of an element: see acc_numbering_begin(). */
AccArray   *acc_call_array_func       (AccArrayFunc function, GPtrArray *parameters, AccArray **number, gpointer user_data);
/* The same of a function of several results, each owned. */
GPtrArray  *acc_call_arrays_func      (AccArraysFunc function, GPtrArray *parameters, AccArray **number, gpointer user_data);
/* Whether @array is made of @other. */
gboolean    acc_array_depends_on      (AccArray *array, AccArray *other);

/* Count, element types, ranks and declared extents: the same message from every backend. */
gboolean   acc_program_check_arguments     (AccProgram *self, AccArray **arguments, guint n_arguments, GError **error);
/* Checks what a whole run needs: no error, and no parameter of another program within reach. acc_program_check() accepts a loop's body that
 * reads the parameters of the program around it; this does not. */
gboolean   acc_program_check_closed        (AccProgram *self, GError **error);

/* What an array knows of itself that those must know that acc_array_apply_all() makes of it. */
typedef struct _AccArrayNote AccArrayNote;
struct _AccArrayNote {
  /* In @copy, @arguments took the place of @parameters. */
  void (*tell) (AccArrayNote *self, AccArray *copy, AccArray **parameters, AccArray **arguments, guint n);
};

/* Takes over @note. */
void          acc_array_set_note  (AccArray *self, AccArrayNote *note, GDestroyNotify free_note);
/* Borrowed; NULL: there is none. */
AccArrayNote *acc_array_get_note  (AccArray *self);
/* @roots with @arguments in the place of @parameters, which they fit; owned. NULL: one carries an error then. */
GPtrArray    *acc_array_apply_all (AccArray **roots, guint n_roots, AccArray **parameters, AccArray **arguments, guint n, GError **error);
