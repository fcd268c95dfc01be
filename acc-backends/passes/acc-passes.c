/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-passes.h"

#include "acc-core/backend/acc-backend-private.h"

#include <string.h>

/* A pass over a kernel: kernel IR to kernel IR. */
typedef struct {
  const char     *name;
  AccDisableFlags flag;       /* ACC_DISABLE has the name, too; 0: nothing goes without it */
  gboolean      (*applies) (const AccKernel *kernel);   /* NULL: to all */
  void          (*run)     (AccKernelBuilder *b);
} Pass;

static gboolean
is_fast (const AccKernel *kernel)
{
  return kernel->fast;
}

static gboolean
has_estimates (const AccKernel *kernel)
{
  return kernel->straight && !kernel->fast;
}

static gboolean
is_for_groups (const AccKernel *kernel)
{
  return kernel->group_size > 0;
}

static gboolean
is_for_lanes (const AccKernel *kernel)
{
  return kernel->group_size == 0;
}

/* In this order. acc-compile.c says what each does, and what comes before and after. */
static const Pass passes[] = {
  { "contract",    ACC_DISABLE_CONTRACT,   is_fast,       _acc_kernel_contract },
  { "rows",        ACC_DISABLE_ROWS,       is_for_lanes,  _acc_kernel_split_rows },
  { "drop-unused", 0,                      NULL,          _acc_kernel_drop_unused },
  { "straighten",  ACC_DISABLE_STRAIGHTEN, has_estimates, _acc_kernel_straighten },
  { "legalise",    0,                      is_for_groups, _acc_kernel_legalise },
  { "drop-unused", 0,                      is_for_groups, _acc_kernel_drop_unused },
};
/* Of a kernel that is not known yet. */
static const Pass last_passes[] = {
  { "access",      0,                      NULL,          _acc_kernel_find_access },
};

/* ACC_DEBUG=passes */
static void
show (AccKernelBuilder *b,
      const char       *pass,
      char            **before)
{
  static gint n_shown = 0;
  g_autofree char *text = _acc_kernel_print (b->kernel, TRUE), *name = NULL;

  if (g_strcmp0 (text, *before) == 0)
    return;

  g_printerr ("--- %s after %s\n%s\n", b->kernel->name, pass, text);
  name = g_strdup_printf ("%04d-%s.%s.kernel", g_atomic_int_add (&n_shown, 1), b->kernel->name, pass);
  _acc_dump_file (name, text, strlen (text));
  g_free (*before);
  *before = g_steal_pointer (&text);
}

static void
run (AccKernelBuilder *b,
     const Pass       *list,
     guint             n,
     char            **before)
{
  gboolean shows = (acc_debug_get_flags () & ACC_DEBUG_PASSES) != 0;

  if (shows && *before == NULL)
    show (b, "building", before);
  for (guint i = 0; i < n && b->error == NULL; i++)
    {
      if ((acc_disable_get_flags () & list[i].flag) || (list[i].applies != NULL && !list[i].applies (b->kernel)))
        continue;
      list[i].run (b);
      if (shows)
        show (b, list[i].name, before);
    }
}

static AccKernel *
finish (AccKernelBuilder *b)
{
  g_autofree char *text = NULL, *before = NULL;
  gboolean deduplicates = !(acc_disable_get_flags () & ACC_DISABLE_DEDUPLICATE);
  AccKernel *kernel;

  run (b, passes, G_N_ELEMENTS (passes), &before);
  if (b->error != NULL)
    return NULL;
  if (deduplicates && (kernel = _acc_kernel_find_known (b->kernel)) != NULL)
    return kernel;
  if (!acc_kernel_verify (b->kernel, &b->error))
    return NULL;

  run (b, last_passes, G_N_ELEMENTS (last_passes), &before);
  text = _acc_kernel_print (b->kernel, FALSE);
  b->kernel->hash = g_compute_checksum_for_string (G_CHECKSUM_SHA256, text, -1);
  kernel = g_steal_pointer (&b->kernel);
  if (deduplicates)
    _acc_kernel_remember (kernel);

  return kernel;
}

AccKernel *
kb_finish (AccKernelBuilder *b,
           GError          **error)
{
  AccKernel *kernel;

  g_return_val_if_fail (b != NULL, NULL);

  kernel = _kb_is_whole (b) ? finish (b) : NULL;
  if (b->error != NULL)
    g_propagate_error (error, g_steal_pointer (&b->error));
  kb_discard (b);

  return kernel;
}
