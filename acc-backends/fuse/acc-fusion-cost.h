/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-fusion-graph.h"

/* Decides whether an array is computed again wherever it is read, or stored and read back: estimates the cost of each per element, in
 * operations on an f4.
 * The figures are constants, so that a graph is cut in the same way everywhere. They lie where both ways took as long:
 * docs/design/fusion.md has the table. */

/* One byte, written and read back: arrays that stay in caches, and others. */
#define ACC_COST_CACHED_BYTE    2
#define ACC_COST_MEMORY_BYTE    6
/* Bytes that stay in caches. Only some rows of sources are in memory at a time, and those do. */
#define ACC_COST_CACHED_BYTES   (8 << 20)
/* Rows that go from step to step in bands stay in caches, too: so many are worth it, and so many bytes of those that a stencil reads, and
 * some more. */
#define ACC_COST_BAND_ROWS      256
#define ACC_COST_BAND_STRIP     4
#define ACC_COST_BAND_BYTES     (512 << 10)
/* One more step: workers are woken, and awaited. Few elements are done by the caller. */
#define ACC_COST_STEP           (1 << 20)
#define ACC_COST_STEP_MOST      16
/* Loops over elements in order, of scans and permutes, have no lanes. */
#define ACC_COST_SERIAL         4

/* Of computing an element @visits times, not once. */
double acc_fusion_cost_again (AccFusionNode *node, double visits, double cost);
/* Of storing it. */
double acc_fusion_cost_store (AccFusionNode *node);
