/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-buffer-private.h"
#include "acc-module-backend.h"
#include "acc-module-rows.h"

G_BEGIN_DECLS

/* A third way in, asked first: for constructor functions of what is built in. Does not touch the type system. @name: static. */
void     acc_backend_register_builtin (const char *name, GType (*get_type) (void));

/* "67108864", "64M", "1.5GiB": bytes, or powers of 1024 by K, M, G, T. */
gboolean acc_machine_parse_size       (const char *text, guint64 *size, GError **error);

G_END_DECLS
