/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <acc/acc.h>

typedef struct {
  double rate, volatility;
} Market;

/* What options are worth, (call,put)[:] of (f4,f4), by (spot,strike,years)[:]. */
AccArray *options_value (AccArray *options, const Market *market);
