/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gio/gio.h>

/* "x86-64 AVX-512, LLVM 19.1", of what kernels are compiled for */
char    *acc_native_machine_describe            (guint register_bytes);
/* ACC_THREADS, or as many as there are processors for this process. */
gboolean acc_native_machine_get_n_threads       (guint *n_threads, GError **error);
/* Tells one build of this module from another: a change of the emitter must not run code of the one before. */
char    *acc_native_machine_dup_build           (void);
/* Writing this much at once, past the caches is better. */
guint64  acc_native_machine_get_streaming_bytes (guint n_threads);
