/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <stdio.h>
#ifdef __GLIBC__
#include <malloc.h>
#if __GLIBC_PREREQ (2, 33)
#define FOOTPRINT_HAS_MALLINFO
#endif
#endif

/* What a process holds, for tests of what must not grow. */

/* FALSE where freed memory is kept in quarantine, or nobody tells. */
static inline gboolean
footprint_is_known (void)
{
#if defined (__SANITIZE_ADDRESS__) || defined (__SANITIZE_THREAD__) || !defined (FOOTPRINT_HAS_MALLINFO)
  return FALSE;
#else
  return TRUE;
#endif
}

/* Bytes that were allocated and not freed. */
static inline gsize
footprint_get_allocated (void)
{
#ifdef FOOTPRINT_HAS_MALLINFO
  struct mallinfo2 info = mallinfo2 ();

  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

/* Pages in memory, after what is free was given back. */
static inline gsize
footprint_get_pages (void)
{
  g_autofree char *text = NULL;
  unsigned long total = 0, resident = 0;

#ifdef __GLIBC__
  malloc_trim (0);
#endif
  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL) || sscanf (text, "%lu %lu", &total, &resident) != 2)
    return 0;
  return resident;
}
