/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-temporary-private.h"

#include "acc-error-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A temporary name: PREFIX, its host, a random number, SUFFIX. Its process holds a lock on the file. Another process that gets the lock may
 * remove the file: its process has ended. Locks on a network's file system may not reach other hosts. */
#define PREFIX       ".acc-"
#define SUFFIX       ".tmp"
#define HOST_DIGITS  8
#define NAME_DIGITS  (HOST_DIGITS + 16)

#define MAX_LINKS    40
#define SWEEP_EVERY  (60 * G_USEC_PER_SEC)

struct _AccTemporary
{
  char *name;     /* for messages */
  int   folder;
  char *file;     /* its place in the folder; NULL: what is open is written itself */
  char *hidden;   /* its name there until then; NULL: none */
  int   fd;
  gboolean synced;  /* all that was written is on the disk */
};

/* --- names */

static guint32
get_host (void)
{
  static gsize host;

  if (g_once_init_enter (&host))
    {
      g_autofree char *id = NULL;

      if (!g_file_get_contents ("/etc/machine-id", &id, NULL, NULL) || strlen (id) < 32)
        {
          g_free (id);
          id = g_strdup (g_get_host_name ());
        }
      g_once_init_leave (&host, (gsize) g_str_hash (id) | (gsize) 1 << 32);
    }

  return (guint32) host;
}

static char *
make_hidden_name (void)
{
  guint64 random;

  if (getentropy (&random, sizeof random) < 0)
    random = (guint64) g_random_int () << 32 | g_random_int ();

  return g_strdup_printf (PREFIX "%08" G_GINT32_MODIFIER "x%016" G_GINT64_MODIFIER "x" SUFFIX, get_host (), random);
}

static gboolean
is_hidden_name (const char *name)
{
  char host[HOST_DIGITS + 1];

  if (strlen (name) != strlen (PREFIX) + NAME_DIGITS + strlen (SUFFIX) || !g_str_has_prefix (name, PREFIX)
      || !g_str_has_suffix (name, SUFFIX) || strspn (name + strlen (PREFIX), "0123456789abcdef") != NAME_DIGITS)
    return FALSE;

  g_snprintf (host, sizeof host, "%08" G_GINT32_MODIFIER "x", get_host ());

  return strncmp (name + strlen (PREFIX), host, HOST_DIGITS) == 0;
}

/* --- what others left */

static void
remove_if_abandoned (int folder, const char *name)
{
  struct stat info;
  int fd;

  if (fstatat (folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG (info.st_mode))
    return;

  /* For writing, since NFS lends no exclusive lock otherwise. */
  fd = openat (folder, name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return;

  if (flock (fd, LOCK_EX | LOCK_NB) == 0)
    unlinkat (folder, name, 0);
  close (fd);
}

/* Removes files that ended processes left in the folder. Both functions that make a file do so, at most once a minute. */
static void
sweep (int folder)
{
  int fd = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;
  const struct dirent *entry;

  if (dir == NULL)
    {
      if (fd >= 0)
        close (fd);
      return;
    }

  while ((entry = readdir (dir)) != NULL)
    if (is_hidden_name (entry->d_name))
      remove_if_abandoned (folder, entry->d_name);
  closedir (dir);
}

/* Thousands of files may go to one folder one by one. */
static void
sweep_now_and_then (int folder)
{
  static GMutex lock;
  static struct { dev_t device; ino_t inode; gint64 when; } swept[8];
  static guint next;
  gint64 now = g_get_monotonic_time ();
  struct stat info;
  guint i = 0;

  if (fstat (folder, &info) < 0)
    return;

  g_mutex_lock (&lock);
  while (i < G_N_ELEMENTS (swept)
         && (swept[i].when == 0 || swept[i].device != info.st_dev || swept[i].inode != info.st_ino))
    i++;
  if (i < G_N_ELEMENTS (swept) && now - swept[i].when < SWEEP_EVERY)
    {
      g_mutex_unlock (&lock);
      return;
    }
  if (i == G_N_ELEMENTS (swept))
    i = next++ % G_N_ELEMENTS (swept);
  swept[i].device = info.st_dev;
  swept[i].inode = info.st_ino;
  swept[i].when = now;
  g_mutex_unlock (&lock);

  sweep (folder);
}

/* --- making one */

static void
format_link (int fd, char link[32])
{
  g_snprintf (link, 32, "/proc/self/fd/%d", fd);
}

static gboolean
open_nameless (AccTemporary *self, mode_t mode)
{
  char link[32];

  self->fd = openat (self->folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  if (self->fd < 0)
    return FALSE;

  /* Its only way to a name */
  format_link (self->fd, link);
  if (access (link, F_OK) == 0)
    return TRUE;

  close (self->fd);
  self->fd = -1;

  return FALSE;
}

/* Another process may have taken the file for an abandoned one before it was locked. */
static gboolean
lock_hidden (AccTemporary *self)
{
  struct stat info;

  while (flock (self->fd, LOCK_EX) < 0)
    if (errno != EINTR)
      return TRUE;

  return fstat (self->fd, &info) == 0 && info.st_nlink > 0;
}

static gboolean
open_hidden (AccTemporary *self, mode_t mode)
{
  for (guint attempt = 0; attempt < 100; attempt++)
    {
      g_autofree char *hidden = make_hidden_name ();

      self->fd = openat (self->folder, hidden, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
      if (self->fd >= 0 && lock_hidden (self))
        {
          self->hidden = g_steal_pointer (&hidden);
          return TRUE;
        }

      if (self->fd >= 0)
        {
          close (self->fd);
          self->fd = -1;
        }
      else if (errno != EEXIST && errno != EINTR)
        break;
    }

  return FALSE;
}

static gboolean
open_new (AccTemporary *self, mode_t mode, GError **error)
{
  sweep_now_and_then (self->folder);

  if (open_nameless (self, mode) || open_hidden (self, mode))
    return TRUE;

  acc_error_set_errno (error, "creating", self->name, errno);

  return FALSE;
}

static gboolean
open_replacement (AccTemporary *self, const struct stat *old, GError **error)
{
  mode_t mode = old->st_mode & 07777;

  /* Its folder may let us replace a file that we must not write. */
  if (faccessat (self->folder, self->file, W_OK, AT_EACCESS) < 0)
    {
      acc_error_set_errno (error, "writing", self->name, errno);
      return FALSE;
    }

  if (!open_new (self, mode & 0666, error))
    return FALSE;

  /* The owner is kept if that is permitted; else the set-id bits are not. */
  if ((old->st_uid != geteuid () || old->st_gid != getegid ())
      && fchown (self->fd, old->st_uid, old->st_gid) < 0)
    mode &= 0777;

  if (fchmod (self->fd, mode) < 0)
    {
      acc_error_set_errno (error, "setting the permissions", self->name, errno);
      return FALSE;
    }

  return TRUE;
}

/* Where a file would be made that is opened by @path, which does not exist but may be a link. */
static char *
follow_dangling (const char *path)
{
  char *target = g_strdup (path);

  for (guint i = 0; i < MAX_LINKS; i++)
    {
      g_autofree char *link = g_file_read_link (target, NULL);
      g_autofree char *folder = NULL;

      if (link == NULL)
        return target;

      folder = g_path_get_dirname (target);
      g_free (target);
      target = g_path_is_absolute (link) ? g_steal_pointer (&link) : g_build_filename (folder, link, NULL);
    }

  g_free (target);
  errno = ELOOP;

  return NULL;
}

static AccTemporary *
new_empty (const char *name)
{
  AccTemporary *self = g_new0 (AccTemporary, 1);

  self->fd = -1;
  self->folder = -1;
  self->name = g_strdup (name);

  return self;
}

static gboolean
open_place (AccTemporary *self, const char *target, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (target);

  self->file = g_path_get_basename (target);
  self->folder = open (folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (self->folder >= 0)
    return TRUE;

  acc_error_set_errno (error, "creating", self->name, errno);

  return FALSE;
}

AccTemporary *
acc_temporary_new (const char *path, const char *name, GError **error)
{
  g_autoptr(AccTemporary) self = new_empty (name);
  g_autofree char *target = NULL;
  struct stat info;
  gboolean done;

  /* Asked first, because the kernel does not let every link be followed. */
  if (stat (path, &info) == 0)
    {
      if (S_ISREG (info.st_mode))
        {
          char *resolved = realpath (path, NULL);

          target = g_strdup (resolved);
          free (resolved);
          done = target != NULL && open_place (self, target, error) && open_replacement (self, &info, error);
        }
      else
        {
          self->fd = open (path, O_WRONLY | O_CLOEXEC);
          done = self->fd >= 0;
        }
    }
  else
    {
      target = errno == ENOENT ? follow_dangling (path) : NULL;
      done = target != NULL && open_place (self, target, error) && open_new (self, 0666, error);
    }

  if (!done && (error == NULL || *error == NULL))
    acc_error_set_errno (error, "opening", name, errno);

  return done ? g_steal_pointer (&self) : NULL;
}

char *
acc_temporary_find_place (const char *path)
{
  g_autofree char *target = NULL, *folder = NULL, *file = NULL, *there = NULL;
  char *resolved;
  struct stat info;

  if (stat (path, &info) == 0)
    target = S_ISCHR (info.st_mode) ? NULL : g_strdup (path);
  else
    target = follow_dangling (path);

  if (target == NULL)
    return NULL;

  resolved = realpath (target, NULL);
  if (resolved == NULL)
    {
      folder = g_path_get_dirname (target);
      resolved = realpath (folder, NULL);
      file = g_path_get_basename (target);
    }
  there = resolved == NULL || file == NULL ? g_strdup (resolved) : g_build_filename (resolved, file, NULL);
  free (resolved);

  return g_steal_pointer (&there);
}

AccTemporary *
acc_temporary_new_in (int folder, const char *file, const char *name, GError **error)
{
  g_autoptr(AccTemporary) self = new_empty (name);

  self->file = g_strdup (file);
  self->folder = fcntl (folder, F_DUPFD_CLOEXEC, 0);
  if (self->folder < 0)
    acc_error_set_errno (error, "creating", name, errno);

  return self->folder >= 0 && open_new (self, 0600, error) ? g_steal_pointer (&self) : NULL;
}

void
acc_temporary_free (AccTemporary *self)
{
  if (self == NULL)
    return;

  if (self->hidden != NULL)
    unlinkat (self->folder, self->hidden, 0);
  if (self->fd >= 0)
    close (self->fd);
  if (self->folder >= 0)
    close (self->folder);

  g_free (self->hidden);
  g_free (self->file);
  g_free (self->name);
  g_free (self);
}

/* @offset -1: after what was written. */
static gboolean
write_at (AccTemporary *self, gconstpointer data, gsize size, off_t offset, GError **error)
{
  const guint8 *at = data;

  self->synced = FALSE;
  while (size > 0)
    {
      gssize n = offset < 0 ? write (self->fd, at, size) : pwrite (self->fd, at, size, offset + (at - (const guint8 *) data));

      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        {
          acc_error_set_errno (error, "writing", self->name, errno);
          return FALSE;
        }

      at += n;
      size -= n;
    }

  return TRUE;
}

gboolean
acc_temporary_write (AccTemporary *self, gconstpointer data, gsize size, GError **error)
{
  return write_at (self, data, size, -1, error);
}

gboolean
acc_temporary_rewrite (AccTemporary *self, gconstpointer data, gsize size, GError **error)
{
  return write_at (self, data, size, 0, error);
}

/* Names an unnamed file: its final name if nothing is there, else one from which it can be renamed. */
static gboolean
give_name (AccTemporary *self)
{
  g_autofree char *hidden = NULL;
  char link[32];

  format_link (self->fd, link);
  if (linkat (AT_FDCWD, link, self->folder, self->file, AT_SYMLINK_FOLLOW) == 0)
    return TRUE;
  if (errno != EEXIST)
    return FALSE;

  hidden = make_hidden_name ();
  flock (self->fd, LOCK_EX | LOCK_NB);
  if (linkat (AT_FDCWD, link, self->folder, hidden, AT_SYMLINK_FOLLOW) < 0)
    return FALSE;
  self->hidden = g_steal_pointer (&hidden);

  return TRUE;
}

/* So that the name outlives a crash, too. Not all file systems can, and the file is in place already. */
static void
sync_folder (AccTemporary *self)
{
  int fd = openat (self->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

  if (fd < 0)
    return;

  fsync (fd);
  close (fd);
}

static gboolean
take_place (AccTemporary *self, GError **error)
{
  if ((self->hidden == NULL && !give_name (self))
      || (self->hidden != NULL && renameat (self->folder, self->hidden, self->folder, self->file) < 0))
    {
      acc_error_set_errno (error, "replacing", self->name, errno);
      return FALSE;
    }

  g_clear_pointer (&self->hidden, g_free);

  return TRUE;
}

gboolean
acc_temporary_sync (AccTemporary *self, GError **error)
{
  if (self->file == NULL || self->synced)
    return TRUE;
  self->synced = fsync (self->fd) == 0;
  if (self->synced)
    return TRUE;

  acc_error_set_errno (error, "writing", self->name, errno);

  return FALSE;
}

/* What the file has that is open. */
static gboolean
copy_permissions (AccTemporary *self, int fd)
{
  struct stat mine, other;

  return fstat (self->fd, &mine) == 0 && fstat (fd, &other) == 0
         && ((mine.st_uid == other.st_uid && mine.st_gid == other.st_gid) || fchown (fd, mine.st_uid, mine.st_gid) == 0)
         && fchmod (fd, mine.st_mode & 07777) == 0;
}

gboolean
acc_temporary_take (AccTemporary *self, const char *path, GError **error)
{
  int fd = self->file != NULL ? open (path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
  struct stat info, place;
  gboolean done;

  if (fd < 0)
    return FALSE;
  if (fstat (fd, &info) < 0 || fstat (self->folder, &place) < 0 || info.st_dev != place.st_dev)
    {
      close (fd);
      return FALSE;
    }

  done = copy_permissions (self, fd) && fsync (fd) == 0 && renameat (AT_FDCWD, path, self->folder, self->file) == 0;
  if (!done && errno != EXDEV)
    acc_error_set_errno (error, "replacing", self->name, errno);
  if (done)
    sync_folder (self);
  close (fd);

  return done;
}

gboolean
acc_temporary_commit (AccTemporary *self, gboolean durable, GError **error)
{
  int fd = self->fd;

  if (durable && !acc_temporary_sync (self, error))
    return FALSE;

  /* With its lock, which goes when it is closed. */
  if (self->file != NULL && !take_place (self, error))
    return FALSE;

  self->fd = -1;
  if (close (fd) < 0 && errno != EINTR)
    {
      acc_error_set_errno (error, "closing", self->name, errno);
      return FALSE;
    }

  if (self->file != NULL && durable)
    sync_folder (self);

  return TRUE;
}
