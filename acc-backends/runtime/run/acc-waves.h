/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-run.h"

/* Waves: steps that run side by side. A step whose kernels have enough tiles keeps all workers busy, and the steps after it can wait. One
 * that has few, or runs on one thread, leaves workers idle: then independent steps run side by side, each on one thread, helped by idle
 * ones. Results do not depend on it. */

/* Finds the waves of @self for runs on the workers of @host; none where no two steps gain by it. */
void     acc_waves_find (AccPrepared *self, AccHost *host);
void     acc_waves_free (AccPrepared *self);
/* Runs the steps of one wave and frees the values that no later step reads. The first failure in the order of the program is reported. */
gboolean acc_wave_run   (AccRun *run, const AccWave *wave, GError **error);
