/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-works.h"

static AccArray *
build_transpose (AccArray **a, guint n, gpointer data)
{
  return acc_array_transpose (a[0]);
}

static AccArray *
build_product (AccArray **a, guint n, gpointer data)
{
  return acc_array_matmul (a[0], a[1]);
}

static gpointer
prepare_transpose (gsize side)
{
  AccWork *self = acc_work_new ();

  acc_work_add_matrix (self, "f4", contender_floats (side * side, 1, 0, 1), side, side);
  return acc_work_compile (self, build_transpose, NULL);
}

static gpointer
prepare_product (gsize side)
{
  AccWork *self = acc_work_new ();

  acc_work_add_matrix (self, "f4", contender_floats (side * side, 1, 0, 1), side, side);
  acc_work_add_matrix (self, "f4", contender_floats (side * side, 2, 0, 1), side, side);
  return acc_work_compile (self, build_product, NULL);
}

const Work acc_matrices[] = {
  { "transpose", prepare_transpose, acc_work_run, acc_work_check, acc_work_free },
  { "matrix-product", prepare_product, acc_work_run, acc_work_check, acc_work_free },
  { NULL }
};
