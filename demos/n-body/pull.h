/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* a + b · *data, of vectors (x,y,z) */
AccExpr  *vectors_plus_scaled (AccExpr *a, AccExpr *b, gpointer data);

/* The acceleration of every body, [n] of (x,y,z): all pairs are a matrix that is never stored, folded along its rows. */
AccArray *bodies_get_pull (AccArray *positions, AccArray *masses);

/* That of one body, an array of rank 0. */
AccArray *bodies_get_pull_on (AccArray *body, AccArray *positions, AccArray *masses);
