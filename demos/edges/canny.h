/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* Brightness of a picture of u1, as f4 from 0 to 255: grey [H,W], grey with alpha [H,W,2], RGB [H,W,3] or RGBA [H,W,4]. Alpha
 * is left out. */
AccArray *picture_grey (AccArray *picture);

/* 5×5 binomial Gaussian of an f4 array [H,W]. */
AccArray *picture_blur (AccArray *grey);

/* Sobel: square of the gradient's magnitude, and direction (0 to 3: horizontal, rising, vertical, falling), (f4,u1). */
AccArray *picture_gradient (AccArray *grey);

/* Edges as u1, 0 or 255; thresholds as fractions of the largest gradient that an 8-bit picture can have. */
AccArray *picture_canny (AccArray *picture, double low, double high);
