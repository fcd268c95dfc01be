/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* The distance, against false sharing, of memory that different threads write: two lines, which some processors fetch together. */
#define ACC_CACHE_LINE 128

/* In a loop that waits for another thread of this process, which is at work. */
static inline void
acc_relax (void)
{
#if defined (__x86_64__) || defined (__i386__)
  __builtin_ia32_pause ();
#elif defined (__aarch64__)
  __asm__ volatile ("yield");
#endif
}
