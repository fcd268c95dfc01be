/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-work.h"

/* "n-body" as sequences take it, too: three coordinates and masses, their positions, and the digest of pulls. */
AccWork *acc_bodies_new (gsize n);
AccArray *acc_bodies_get_positions (AccArray **arguments);
double acc_bodies_check (gpointer self);

extern const Work acc_clusters[];
extern const Work acc_indices[];
extern const Work acc_lines[];
extern const Work acc_matrices[];
extern const Work acc_multigrid[];
extern const Work acc_nested[];
extern const Work acc_nested_plain[];
extern const Work acc_numerics[];
extern const Work acc_numerics_plain[];
extern const Work acc_passes[];
extern const Work acc_pictures[];
extern const Work acc_rays[];
extern const Work acc_sequences[];
extern const Work acc_sequences_plain[];
extern const Work acc_vectors[];
