/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* What the generated programs name besides what acc has a meaning for: a function that gives back its first input, and a launch that
 * writes what that is. */
#define FUZZ_FOREIGN "fuzz-same"
#define FUZZ_LAUNCH  "fuzz-launch"

/* A program that keeps the grammar, of any operations, on arrays of any types; what it offers and what stands in a foreign operation's
 * place takes and gives often something else than the name means, and now and then nothing else fits either. It ends. */
char *fuzz_generate (guint32 seed);

/* Of array operations that programs can name, ended by NULL. */
extern const char *const fuzz_operations[];
