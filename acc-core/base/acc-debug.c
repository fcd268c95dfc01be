/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-module-machine.h"

#include <stdlib.h>

typedef struct {
  const char *name;
  guint       flag;
  const char *help;
} Key;

static const Key debug_keys[] = {
  { "graph",     ACC_DEBUG_GRAPH,     "array graphs as they are compiled" },
  { "fusion",    ACC_DEBUG_FUSION,    "which operations became one kernel" },
  { "plan",      ACC_DEBUG_PLAN,      "what the chunk planner decided" },
  { "kernels",   ACC_DEBUG_KERNELS,   "kernels as text" },
  { "cache",     ACC_DEBUG_CACHE,     "hits and misses of the kernel cache, and how long kernels took to compile" },
  { "transfers", ACC_DEBUG_TRANSFERS, "data moved between host and device" },
  { "memory",    ACC_DEBUG_MEMORY,    "buffers allocated, recycled and freed" },
  { "times",     ACC_DEBUG_TIMES,     "how long steps and kernels took" },
  { "passes",    ACC_DEBUG_PASSES,    "kernels as text after each pass that changes them" },
};

static const Key disable_keys[] = {
  { "fusion",    ACC_DISABLE_FUSION,    "one kernel per operation" },
  { "vectorise", ACC_DISABLE_VECTORISE, "one lane at a time" },
  { "chunking",  ACC_DISABLE_CHUNKING,  "one chunk per stream" },
  { "cache",     ACC_DISABLE_CACHE,     "compile every kernel anew" },
  { "checks",    ACC_DISABLE_CHECKS,    "no checks of indices and divisors in kernels" },
  { "libraries", ACC_DISABLE_LIBRARIES, "no products and transforms by libraries" },
  { "baseline",  ACC_DISABLE_BASELINE,  "optimise every kernel at once" },
  { "merge",        ACC_DISABLE_MERGE,        "clusters that read the same stay several kernels" },
  { "deduplicate",  ACC_DISABLE_DEDUPLICATE,  "kernels of equal clusters are written anew" },
  { "variables",    ACC_DISABLE_VARIABLES,    "what is known of variables of loops is not used" },
  { "contract",     ACC_DISABLE_CONTRACT,     "no fused products of fast mathematics" },
  { "straighten",   ACC_DISABLE_STRAIGHTEN,   "quotients and roots of devices keep their branches" },
  { "uniform",      ACC_DISABLE_UNIFORM,      "one version of loop bodies for uniform and divergent blocks" },
  { "outline",      ACC_DISABLE_OUTLINE,      "long, rarely executed code stays in line" },
  { "table-lookup", ACC_DISABLE_TABLE_LOOKUP, "small arrays are gathered from memory, not from registers" },
  { "wide-masks",   ACC_DISABLE_WIDE_MASKS,   "masks stay bits where the processor has no predicates" },
  { "windows",      ACC_DISABLE_WINDOWS,      "lanes that go through bytes one by one gather a word for each" },
  { "waves",        ACC_DISABLE_WAVES,        "steps run one after the other" },
  { "segments",     ACC_DISABLE_SEGMENTS,     "elements of nested arrays are numbered in memory, not by loops along them or searches" },
  { "reuse",        ACC_DISABLE_REUSE,        "graphs that are equal to others are planned anew" },
  { "ahead",        ACC_DISABLE_AHEAD,        "elements of sequences are computed when they are asked for, and written one by one" },
  { "rows",         ACC_DISABLE_ROWS,         "loops that divide their index are not split into rows" },
  { "donation",     ACC_DISABLE_DONATION,     "results take no memory of arrays that nobody needs any more" },
};

static void
print_help (const char *variable, const Key *keys, guint n_keys)
{
  g_printerr ("%s takes these keys, separated by commas:\n", variable);
  for (guint i = 0; i < n_keys; i++)
    g_printerr ("  %-12s %s\n", keys[i].name, keys[i].help);
  g_printerr ("  %-12s %s\n", "all", "all of them");
  g_printerr ("  %-12s %s\n", "help", "this list");
}

static guint
parse_keys (const char *variable, const Key *keys, guint n_keys)
{
  const char *value = secure_getenv (variable);
  g_auto(GStrv) words = NULL;
  guint flags = 0;

  if (value == NULL)
    return 0;

  words = g_strsplit_set (value, ",:; \t", -1);
  for (guint i = 0; words[i] != NULL; i++)
    {
      gboolean known = *words[i] == '\0';

      if (g_ascii_strcasecmp (words[i], "help") == 0)
        {
          print_help (variable, keys, n_keys);
          continue;
        }

      for (guint j = 0; j < n_keys; j++)
        if (g_ascii_strcasecmp (words[i], keys[j].name) == 0 || g_ascii_strcasecmp (words[i], "all") == 0)
          {
            flags |= keys[j].flag;
            known = TRUE;
          }

      if (!known)
        g_printerr ("%s: “%s” is not a key; %s=help lists them\n", variable, words[i], variable);
    }

  return flags;
}

AccDebugFlags
acc_debug_get_flags (void)
{
  static gsize flags = 0;

  /* The top bit tells "none" from "not read yet". */
  if (g_once_init_enter (&flags))
    g_once_init_leave (&flags, parse_keys ("ACC_DEBUG", debug_keys, G_N_ELEMENTS (debug_keys)) | 1u << 31);

  return flags & ~(1u << 31);
}

AccDisableFlags
acc_disable_get_flags (void)
{
  static gsize flags = 0;

  if (g_once_init_enter (&flags))
    g_once_init_leave (&flags, parse_keys ("ACC_DISABLE", disable_keys, G_N_ELEMENTS (disable_keys)) | 1u << 31);

  return flags & ~(1u << 31);
}
