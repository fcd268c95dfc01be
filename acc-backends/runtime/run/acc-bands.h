/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-run.h"

/* Runs steps that go by rows, and whose intermediates together are larger than the caches, band by band: a worker takes some rows of the
 * results and runs all the steps over them, a few rows at a time. Intermediates exist only as the last few rows, in memory of the worker
 * that stays in its cache; rows around those of a band are computed by the bands on both sides. Results do not depend on it. */

/* Finds the bands of @prepared on the workers of @host, AccBand, in order: owned. Kernels need not be compiled. */
GPtrArray *acc_bands_find     (AccPrepared *prepared, AccHost *host);
void       acc_band_free      (AccBand *self);
/* Steps. */
guint      acc_band_get_begin (const AccBand *self);
guint      acc_band_get_end   (const AccBand *self);
/* Per value of the schedule, whether it only exists as the last few rows. */
gboolean  *acc_band_list_cached (const AccBand *self, AccPrepared *prepared);
gboolean   acc_band_run       (AccRun *run, const AccBand *band, GError **error);
