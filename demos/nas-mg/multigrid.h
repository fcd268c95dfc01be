/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

typedef struct {
  const char *name;
  int         side;         /* of the cube, a power of two */
  int         n_iterations;
  double      smoother[4];
  double      norm;         /* of the residual at the end */
} MultigridClass;

/* NULL: there is none of that name. */
const MultigridClass *multigrid_find_class (const char *name);

AccShape  *multigrid_cube    (gint64 side);

/* +1 where the ten largest random numbers are, -1 where the ten smallest are. No number comes twice. */
AccArray  *multigrid_charges (gint64 side);

/* One V cycle: from the solution, its residual and the charges to the next solution, its residual and the sum of the
 * residual's squares. @data: a MultigridClass */
GPtrArray *multigrid_cycle   (AccArray **state, guint n_state, gpointer data);
