/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-shape.h"

/* Of @n_rows rows of @row_shape. */
AccShape *acc_shape_new_rows (gint64 n_rows, AccShape *row_shape);
