/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* 3 x + 1; x + y; 5 x - y. */
AccExpr *flow_affine (AccExpr *x, gpointer data);
AccExpr *flow_plus   (AccExpr *x, AccExpr *y, gpointer data);
AccExpr *flow_mix    (AccExpr *x, AccExpr *y, gpointer data);

/* Programs with loops, choices and foreign operations, over a matrix of i4. They write at most four results. */
guint flow_build_loop    (AccArray **sources, AccArray **results);
guint flow_build_choice  (AccArray **sources, AccArray **results);
guint flow_build_nested  (AccArray **sources, AccArray **results);
guint flow_build_foreign (AccArray **sources, AccArray **results);
/* Of rank 3. */
guint flow_build_cubes   (AccArray **sources, AccArray **results);

/* What is too large for the memory, and what is read how often. */
void  flow_check_memory  (AccBackend *backend);
