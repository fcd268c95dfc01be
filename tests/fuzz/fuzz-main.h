/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/* The target: must not crash, whatever the bytes. A fuzzer calls it with inputs of its own; without one, fuzz-main.c gives
 * it a corpus and seeded mutations of that. */
int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

/* The target's own seeds, for when no files are given: adds GBytes. */
void fuzz_add_seeds (GPtrArray *seeds);
