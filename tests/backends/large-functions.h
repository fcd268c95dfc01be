/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* Texts of programs from i8[:] to i8[:], maps of a function that has as many parts as are asked for, and what it computes of a number. */

/* Choices, or loops, each of the result of that before it */
GString *large_choices         (guint n);
gint64   large_choices_of      (gint64 x, guint n);
GString *large_loops           (guint n);
gint64   large_loops_of        (gint64 x, guint n);
/* Sums of exclusive ors, without a branch */
GString *large_sums            (guint n);
gint64   large_sums_of         (gint64 x, guint n);
/* Loops in steps of loops; choices in what is not chosen */
GString *large_nested_loops    (guint depth);
gint64   large_nested_loops_of (gint64 x, guint depth);
GString *large_nested_choices  (guint depth);
gint64   large_nested_choices_of (gint64 x, guint depth);
/* As many maps, one of the other */
GString *large_maps            (guint n);

AccProgram *large_read         (GString *text);
