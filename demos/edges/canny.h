/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

/* Brightness of a picture of u1, as u1: grey [H,W], grey with alpha [H,W,2], RGB [H,W,3] or RGBA [H,W,4]. Alpha is left out. */
AccArray *picture_grey (AccArray *picture);

/* 5×5 binomial Gaussian of a u1 array [H,W], rounded. */
AccArray *picture_blur (AccArray *grey);

/* Sobel: square of the gradient's magnitude, and direction (0 to 3: horizontal, rising, vertical, falling), (i4,u1). */
AccArray *picture_gradient (AccArray *blurred);

/* All of these, and thinned to ridges: 0 is no edge, 1 a weak and 2 a strong one, u1; thresholds as fractions of the largest gradient that
 * an 8-bit picture can have. */
AccArray *picture_thin (AccArray *picture, double low, double high);

/* Edges as u1, 0 or 255: strong ones, and weak ones that lead to a strong one however far away (hysteresis), which has to be in memory; or
 * no farther than the next pixel, which goes through in bands. */
AccArray *picture_follow      (AccArray *grades);
AccArray *picture_follow_near (AccArray *grades);

/* Edges after Canny, of a picture in memory. */
AccArray *picture_canny (AccArray *picture, double low, double high);
