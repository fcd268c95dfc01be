/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "contender.h"

extern const Work c_attention[];
extern const Work c_bodies[];
extern const Work c_clusters[];
extern const Work c_indices[];
extern const Work c_hull[];
extern const Work c_limits[];
extern const Work c_matrices[];
extern const Work c_sorts[];
extern const Work c_mandelbrot[];
extern const Work c_multigrid[];
extern const Work c_nested[];
extern const Work c_options[];
extern const Work c_pictures[];
extern const Work c_rays[];
extern const Work c_sequences[];
extern const Work c_vectors[];
