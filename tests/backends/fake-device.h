/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "acc-backends/runtime/device/acc-device.h"

/* A device in plain C that finds mistakes in how its users order work: queues are threads that dawdle, memory is watched while
 * it is read and written, and filled with rubbish when it comes and goes. Kernels are those for processors, run one instruction
 * at a time. Any mistake ends the test. Device 1 shares the host's memory;
 * devices "simt" and "plain" run groups of threads, with and without what not every device can, and "card" as many as a large one. */

typedef struct {
  gboolean unified;
  gboolean imports;
  guint64  memory;          /* bytes there are; 0: plenty */
  guint    fail_allocation; /* the nth from now; 0: none */
  guint    lose_at;         /* the nth operation from now loses the device; 0: never */
  gboolean hang;            /* the next kernel never ends */
  guint    lacks;           /* kinds that devices opened from now on have not, where they run groups */
  gboolean wants_general;   /* all launches take code for any */
  guint    max_delay;       /* microseconds before an operation */

  /* What happened; atomic. */
  gint     n_uploads, n_downloads, n_launches, n_allocations, n_waits, n_blocks, n_compiled;
  guint64  held, most_held;
  gint     n_devices;       /* alive */
} FakeSettings;

extern FakeSettings fake;

AccDevice *fake_device_open (const char *device, GError **error);
char     **fake_device_list (void);
