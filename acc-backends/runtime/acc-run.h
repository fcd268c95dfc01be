/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-prepared.h"

G_BEGIN_DECLS

/* Runs a schedule whole. @arguments: manifest arrays, one per bound node, with the extents that it was made for. The results
 * are new references to manifest arrays; what they share with arguments and other results is not copied. Any thread. */
gboolean acc_run (AccHost *host, AccPrepared *prepared, AccArray **arguments, AccArray **results, GCancellable *cancellable,
                  GError **error);

/* One buffer per leaf of a value that is written; FALSE: none. */
gboolean acc_run_allocate (AccHost *host, AccPrepared *prepared, guint value, AccBuffer **leaves, GError **error);
/* The leaves of a value whose data is given: borrowed. NULL with @error for a source. */
AccBuffer **acc_run_find_given (AccPrepared *prepared, guint value, AccArray **arguments, GError **error);
/* A manifest array of result number @result, in its shape; takes new references to @leaves. */
AccArray *acc_run_make_result (AccPrepared *prepared, guint result, AccBuffer **leaves);

G_END_DECLS
