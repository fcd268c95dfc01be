/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-temporary-private.h"

#include "acc-error.h"
#include "acc-io-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct _AccTemporary
{
  char *name;     /* for messages */
  char *target;   /* links resolved */
  char *path;     /* NULL: the target is written itself */
  int   fd;
};

static gboolean
open_new (AccTemporary *self, mode_t mode, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (self->target);

  for (guint attempt = 0; attempt < 100; attempt++)
    {
      g_autofree char *path = NULL;
      guint64 random;

      if (getentropy (&random, sizeof random) < 0)
        break;

      path = g_strdup_printf ("%s/.acc-%016" G_GINT64_MODIFIER "x.tmp", folder, random);
      self->fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
      if (self->fd >= 0)
        {
          self->path = g_steal_pointer (&path);
          return TRUE;
        }

      if (errno != EEXIST && errno != EINTR)
        break;
    }

  acc_io_set_errno (error, "creating", self->name, errno);

  return FALSE;
}

static gboolean
open_replacement (AccTemporary *self, const struct stat *old, GError **error)
{
  mode_t mode = old->st_mode & 07777;

  /* Its folder may let us replace a file that we must not write. */
  if (access (self->target, W_OK) < 0)
    {
      acc_io_set_errno (error, "writing", self->name, errno);
      return FALSE;
    }

  if (!open_new (self, mode & 0666, error))
    return FALSE;

  /* The owner is kept where we may; without it, not the bits that let others act for the owner. */
  if ((old->st_uid != geteuid () || old->st_gid != getegid ())
      && fchown (self->fd, old->st_uid, old->st_gid) < 0)
    mode &= 0777;

  if (fchmod (self->fd, mode) < 0)
    {
      acc_io_set_errno (error, "setting the permissions", self->name, errno);
      return FALSE;
    }

  return TRUE;
}

AccTemporary *
acc_temporary_new (const char *path, const char *name, GError **error)
{
  g_autoptr(AccTemporary) self = g_new0 (AccTemporary, 1);
  char *resolved = realpath (path, NULL);
  struct stat info;
  gboolean done;

  self->fd = -1;
  self->name = g_strdup (name);
  self->target = g_strdup (resolved != NULL ? resolved : path);
  free (resolved);

  if (stat (self->target, &info) < 0)
    done = open_new (self, 0666, error);
  else if (S_ISREG (info.st_mode))
    done = open_replacement (self, &info, error);
  else
    {
      self->fd = open (self->target, O_WRONLY | O_CLOEXEC);
      done = self->fd >= 0;
      if (!done)
        acc_io_set_errno (error, "opening", name, errno);
    }

  return done ? g_steal_pointer (&self) : NULL;
}

void
acc_temporary_free (AccTemporary *self)
{
  if (self == NULL)
    return;

  if (self->fd >= 0)
    close (self->fd);
  if (self->path != NULL)
    unlink (self->path);

  g_free (self->path);
  g_free (self->target);
  g_free (self->name);
  g_free (self);
}

gssize
acc_temporary_write (AccTemporary *self, gconstpointer data, gsize size, GError **error)
{
  gssize n;

  do
    n = write (self->fd, data, size);
  while (n < 0 && errno == EINTR);

  if (n < 0)
    acc_io_set_errno (error, "writing", self->name, errno);

  return n;
}

/* So that the name outlives a crash, too. Not all file systems can, and the file is in place already. */
static void
sync_folder (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  int fd = open (folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0)
    return;

  fsync (fd);
  close (fd);
}

gboolean
acc_temporary_commit (AccTemporary *self, GError **error)
{
  int fd = self->fd;

  if (self->path != NULL && fsync (fd) < 0)
    {
      acc_io_set_errno (error, "writing", self->name, errno);
      return FALSE;
    }

  self->fd = -1;
  if (close (fd) < 0 && errno != EINTR)
    {
      acc_io_set_errno (error, "closing", self->name, errno);
      return FALSE;
    }

  if (self->path == NULL)
    return TRUE;

  if (rename (self->path, self->target) < 0)
    {
      acc_io_set_errno (error, "replacing", self->name, errno);
      return FALSE;
    }

  g_clear_pointer (&self->path, g_free);
  sync_folder (self->target);

  return TRUE;
}
