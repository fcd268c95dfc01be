/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* The corners of the convex hull of @points, (f4,f4)[:], which may be few or one and the same: (f4,f4)[:], clockwise from the leftmost. */
AccArray *convex_hull (AccArray *points);
