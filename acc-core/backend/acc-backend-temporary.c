/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-backend-temporary-private.h"

#include <stdlib.h>

struct _AccTemporarySpace
{
  GMutex     lock;
  char      *folder;   /* NULL: the default one */
  AccBudget *budget;
};

/* What runs with other rights than its user trusts no variables. */
static guint64
get_default_quota (void)
{
  const char *text = secure_getenv ("ACC_TMPDIR_QUOTA");
  guint64 quota;

  return text != NULL && *text != '\0' && acc_machine_parse_size (text, &quota, NULL) ? quota : 0;
}

/* /tmp may be memory. */
static char *
dup_default_folder (void)
{
  const char *folder = secure_getenv ("ACC_TMPDIR");

  if (folder != NULL && *folder != '\0')
    return g_strdup (folder);

  return g_strdup (g_file_test ("/var/tmp", G_FILE_TEST_IS_DIR) ? "/var/tmp" : "/tmp");
}

AccTemporarySpace *
acc_temporary_space_new (void)
{
  AccTemporarySpace *self = g_new0 (AccTemporarySpace, 1);

  g_mutex_init (&self->lock);
  self->budget = acc_budget_new (get_default_quota ());
  acc_budget_set_place (self->budget, " of temporary files");

  return self;
}

void
acc_temporary_space_free (AccTemporarySpace *self)
{
  g_mutex_clear (&self->lock);
  g_free (self->folder);
  acc_budget_unref (self->budget);
  g_free (self);
}

AccBudget *
acc_backend_get_temporary_budget (AccBackend *self)
{
  return acc_backend_get_temporary_space (self)->budget;
}

/**
 * acc_backend_set_temporary_folder:
 * @self: a backend
 * @folder: (nullable) (type filename): a folder; %NULL selects that of the environment
 *
 * Sets the folder for temporary files, in which runs store what has no room in memory: see
 * [method@Acc.Backend.set_temporary_quota]. The files have no names, and are gone with the run. Runs that have begun stay where
 * they are. A folder whose files lie in memory, as those of `/tmp` may, saves none.
 *
 * Without one, the folder is that of the environment variable `ACC_TMPDIR`, else `/var/tmp`.
 */
void
acc_backend_set_temporary_folder (AccBackend *self, const char *folder)
{
  AccTemporarySpace *space;

  g_return_if_fail (ACC_IS_BACKEND (self));

  space = acc_backend_get_temporary_space (self);
  g_mutex_lock (&space->lock);
  g_free (space->folder);
  space->folder = g_strdup (folder);
  g_mutex_unlock (&space->lock);
}

/**
 * acc_backend_dup_temporary_folder:
 * @self: a backend
 *
 * Returns the folder for temporary files: see [method@Acc.Backend.set_temporary_folder].
 *
 * Returns: (transfer full) (type filename): a folder, which need not exist
 */
char *
acc_backend_dup_temporary_folder (AccBackend *self)
{
  AccTemporarySpace *space;
  char *folder;

  g_return_val_if_fail (ACC_IS_BACKEND (self), NULL);

  space = acc_backend_get_temporary_space (self);
  g_mutex_lock (&space->lock);
  folder = g_strdup (space->folder);
  g_mutex_unlock (&space->lock);

  return folder != NULL ? folder : dup_default_folder ();
}

/**
 * acc_backend_set_temporary_quota:
 * @self: a backend
 * @quota: bytes; 0 stands for as much as the folder has
 *
 * Sets how large the temporary files of runs may be together. What an operation reads in another way than row by row is stored
 * first: in memory where it takes up to half of what the memory limit leaves, else in a temporary file. A run that needs more
 * than the quota fails with %ACC_ERROR_OUT_OF_MEMORY, one for which the disk is too small with %ACC_ERROR_IO, both before the
 * store is written; the messages tell how much was wanted.
 *
 * Starts as the value of the environment variable `ACC_TMPDIR_QUOTA`, or else as 0.
 */
void
acc_backend_set_temporary_quota (AccBackend *self, guint64 quota)
{
  g_return_if_fail (ACC_IS_BACKEND (self));

  acc_budget_set_limit (acc_backend_get_temporary_budget (self), quota);
}

/**
 * acc_backend_get_temporary_quota:
 * @self: a backend
 *
 * Returns how large temporary files may be together: see [method@Acc.Backend.set_temporary_quota].
 *
 * Returns: bytes; 0 stands for as much as the folder has
 */
guint64
acc_backend_get_temporary_quota (AccBackend *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), 0);

  return acc_budget_get_limit (acc_backend_get_temporary_budget (self));
}

/**
 * acc_backend_get_temporary_used:
 * @self: a backend
 *
 * Returns how large the temporary files of runs are now, together.
 *
 * Returns: bytes
 */
guint64
acc_backend_get_temporary_used (AccBackend *self)
{
  g_return_val_if_fail (ACC_IS_BACKEND (self), 0);

  return acc_budget_get_used (acc_backend_get_temporary_budget (self));
}
