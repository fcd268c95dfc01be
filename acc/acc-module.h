/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* For backends that are modules of their own; docs/backends/writing.md tells how they are made. Everything that acc's own modules
 * use is here, and in no other header.
 *
 * Unlike the rest of acc, what these headers declare may change with every minor version: a module is built for one. */

#include "acc.h"

#include "acc-module-abi.h"
#include "acc-module-types.h"
#include "acc-module-expr.h"
#include "acc-module-memory.h"
#include "acc-module-array.h"
#include "acc-module-index.h"
#include "acc-module-turn.h"
#include "acc-module-program.h"
#include "acc-module-machine.h"
#include "acc-module-backend.h"
#include "acc-module-foreign.h"
#include "acc-module-rows.h"
