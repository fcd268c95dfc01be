/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backend-private.h"

/* Where temporary files of a backend's runs are, and how large they may be together. */
typedef struct _AccTemporarySpace AccTemporarySpace;

AccTemporarySpace *acc_temporary_space_new  (void);
void               acc_temporary_space_free (AccTemporarySpace *self);
/* That of the backend, which keeps it. */
AccTemporarySpace *acc_backend_get_temporary_space  (AccBackend *self);
/* Counts the bytes of the files. */
AccBudget         *acc_backend_get_temporary_budget (AccBackend *self);
