/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-trust-private.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MAX_LINKS 40

/* Whom a file may belong to. */
typedef enum {
  OWNERS_USER,     /* the effective user */
  OWNERS_SYSTEM,   /* that, and root */
  OWNERS_LIBRARY,  /* those, and who owns this library: their code runs already */
} Owners;

G_GNUC_PRINTF (3, 4)
static gboolean
refuse (GError **error, int code, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  message = g_strdup_vprintf (format, arguments);
  va_end (arguments);

  if (code != 0)
    g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "%s: %s", message, g_strerror (code));
  else
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED, message);

  return FALSE;
}

/* Where a user namespace has no root of its own, as in many sandboxes, files of the system belong to an overflow user. */
static uid_t
get_system_user (void)
{
  static gsize user;

  if (g_once_init_enter (&user))
    {
      g_autofree char *map = NULL, *overflow = NULL;
      gboolean has_root = TRUE;

      if (g_file_get_contents ("/proc/self/uid_map", &map, NULL, NULL))
        {
          g_auto(GStrv) lines = g_strsplit (g_strstrip (map), "\n", -1);

          has_root = FALSE;
          for (guint i = 0; lines[i] != NULL; i++)
            has_root |= g_ascii_strtoull (lines[i], NULL, 10) == 0;
        }
      if (!has_root && g_file_get_contents ("/proc/sys/kernel/overflowuid", &overflow, NULL, NULL))
        g_once_init_leave (&user, (gsize) g_ascii_strtoull (overflow, NULL, 10) + 1);
      else
        g_once_init_leave (&user, 1);
    }

  return (uid_t) (user - 1);
}

/* The file that this code was loaded from. */
static const char *
get_library (void)
{
  static char *library;

  if (g_once_init_enter (&library))
    {
      Dl_info info;
      char *path = dladdr ((gpointer) get_library, &info) != 0 && info.dli_fname != NULL ? realpath (info.dli_fname, NULL) : NULL;

      g_once_init_leave (&library, path != NULL ? path : g_strdup (""));
    }

  return library;
}

static gboolean
owns_library (uid_t user)
{
  struct stat info;

  return stat (get_library (), &info) == 0 && info.st_uid == user;
}

/* Who can replace that could replace the library. */
static gboolean
leads_to_library (const char *folder)
{
  gsize length = strlen (folder);
  const char *library = get_library ();

  return g_str_has_prefix (library, folder) && (library[length] == '/' || g_str_equal (folder, "/"));
}

static gboolean
is_owner (uid_t user, Owners owners)
{
  return user == geteuid () || (owners >= OWNERS_SYSTEM && user == get_system_user ())
         || (owners >= OWNERS_LIBRARY && owns_library (user));
}

/* Many systems give each user a group of the same name, and let it write. */
static gboolean
is_private_group (gid_t group, uid_t owner)
{
  g_autofree char *buffer = g_malloc (65536);
  struct passwd user, *found_user = NULL;
  struct group members, *found = NULL;

  if (getpwuid_r (owner, &user, buffer, 32768, &found_user) != 0 || found_user == NULL || user.pw_gid != group
      || getgrgid_r (group, &members, buffer + 32768, 32768, &found) != 0 || found == NULL
      || strcmp (user.pw_name, members.gr_name) != 0)
    return FALSE;

  for (char **member = members.gr_mem; *member != NULL; member++)
    if (strcmp (*member, user.pw_name) != 0)
      return FALSE;

  return TRUE;
}

/* An access list hides behind the group's permissions. */
static gboolean
has_list (int fd)
{
  char link[32];

  g_snprintf (link, sizeof link, "/proc/self/fd/%d", fd);

  return getxattr (link, "system.posix_acl_access", NULL, 0) > 0;
}

/* @shared: others may make files of their own there, but not touch ours. */
static gboolean
check (int fd, const struct stat *info, const char *path, Owners owners, gboolean shared, GError **error)
{
  if (!is_owner (info->st_uid, owners))
    return refuse (error, 0, "%s belongs to user %u", path, (guint) info->st_uid);

  if (shared && S_ISDIR (info->st_mode) && (info->st_mode & S_ISVTX) != 0)
    return TRUE;

  if ((info->st_mode & S_IWOTH) != 0
      || ((info->st_mode & S_IWGRP) != 0 && (has_list (fd) || !is_private_group (info->st_gid, info->st_uid))))
    return refuse (error, 0, "%s may be written by others (mode %04o)", path, info->st_mode & 07777);

  return TRUE;
}

static gboolean
check_open (int fd, const char *path, Owners owners, gboolean shared, GError **error)
{
  struct stat info;

  if (fstat (fd, &info) < 0)
    return refuse (error, errno, "%s", path);
  if (!S_ISDIR (info.st_mode))
    return refuse (error, ENOTDIR, "%s", path);

  return check (fd, &info, path, owners, shared, error);
}

/* --- the way to a folder */

typedef struct {
  int      at;        /* the folder reached */
  GString *path;      /* its name */
  char    *rest;      /* the rest of the path */
  guint    n_links;
  gboolean create;
  Owners   owners;
} Way;

static void
go_to (Way *way, int fd)
{
  if (way->at >= 0)
    close (way->at);
  way->at = fd;
}

static gboolean
enter (Way *way, int fd, const char *path, GError **error)
{
  go_to (way, fd);
  g_string_assign (way->path, path);

  return leads_to_library (path) || check_open (fd, path, way->owners, TRUE, error);
}

static gboolean
start_at_root (Way *way, GError **error)
{
  int fd = open ("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

  return fd >= 0 ? enter (way, fd, "/", error) : refuse (error, errno, "/");
}

static gboolean
follow (Way *way, int link, const struct stat *info, const char *path, GError **error)
{
  char target[PATH_MAX];
  gssize n = readlinkat (link, "", target, sizeof target - 1);
  char *rest;

  if (n <= 0 || way->n_links++ == MAX_LINKS)
    return refuse (error, n < 0 ? errno : ELOOP, "%s", path);
  if (!is_owner (info->st_uid, way->owners))
    return refuse (error, 0, "%s belongs to user %u", path, (guint) info->st_uid);

  target[n] = '\0';
  rest = g_strconcat (target, "/", way->rest, NULL);
  g_free (way->rest);
  way->rest = rest;

  return *target != '/' || start_at_root (way, error);
}

static char *
take_component (Way *way)
{
  const char *begin = way->rest + strspn (way->rest, "/");
  gsize length = strcspn (begin, "/");
  char *component = g_strndup (begin, length);
  char *rest = g_strdup (begin + length);

  g_free (way->rest);
  way->rest = rest;

  return component;
}

static gboolean
take_step (Way *way, const char *component, GError **error)
{
  g_autofree char *path = g_build_filename (way->path->str, component, NULL);
  int fd = openat (way->at, component, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  struct stat info;

  if (fd < 0 && errno == ENOENT && way->create && (mkdirat (way->at, component, 0700) == 0 || errno == EEXIST))
    fd = openat (way->at, component, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return refuse (error, errno, "%s", path);

  if (fstat (fd, &info) == 0 && S_ISLNK (info.st_mode))
    {
      gboolean followed = follow (way, fd, &info, path, error);

      close (fd);
      return followed;
    }

  return enter (way, fd, path, error);
}

/* A descriptor without rights but to find; -1 on error. */
static int
walk (const char *path, gboolean create, Owners owners, GError **error)
{
  g_autofree char *here = g_path_is_absolute (path) ? NULL : g_get_current_dir ();
  Way way = { .at = -1, .path = g_string_new (NULL), .create = create, .owners = owners };
  gboolean good = start_at_root (&way, error);

  way.rest = here != NULL ? g_build_filename (here, path, NULL) : g_strdup (path);
  while (good)
    {
      g_autofree char *component = take_component (&way);

      if (*component == '\0')
        break;
      good = take_step (&way, component, error);
    }

  if (!good)
    go_to (&way, -1);
  g_string_free (way.path, TRUE);
  g_free (way.rest);

  return way.at;
}

int
acc_trust_open_folder (const char *path, gboolean create, GError **error)
{
  int way = walk (path, create, OWNERS_SYSTEM, error);
  int fd;

  if (way < 0)
    return -1;

  fd = openat (way, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0)
    refuse (error, errno, "%s", path);
  close (way);

  if (fd >= 0 && !acc_trust_check_folder (fd, path, error))
    {
      close (fd);
      return -1;
    }

  return fd;
}

gboolean
acc_trust_check_folder (int folder, const char *path, GError **error)
{
  return check_open (folder, path, OWNERS_USER, FALSE, error);
}

int
acc_trust_open_file (int folder, const char *file, GError **error)
{
  int fd = openat (folder, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat info;
  gboolean good;

  if (fd < 0)
    {
      refuse (error, errno, errno == ELOOP ? "%s is a link" : "%s", file);
      return -1;
    }

  if (fstat (fd, &info) < 0)
    good = refuse (error, errno, "%s", file);
  else if (!S_ISREG (info.st_mode))
    good = refuse (error, 0, "%s is not a regular file", file);
  else
    good = check (fd, &info, file, OWNERS_USER, FALSE, error);

  if (!good)
    close (fd);

  return good ? fd : -1;
}

gboolean
acc_trust_check_module (const char *folder, const char *file, gboolean way, GError **error)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  struct stat info;
  gboolean good = FALSE;
  int at, fd;

  if (access (path, F_OK) < 0)
    return refuse (error, errno, "%s", path);

  at = way ? walk (folder, FALSE, OWNERS_LIBRARY, error) : open (folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (at < 0)
    return way ? FALSE : refuse (error, errno, "%s", folder);

  /* The one that a link leads to */
  fd = openat (at, file, O_PATH | O_CLOEXEC);
  if (fd < 0 || fstat (fd, &info) < 0)
    refuse (error, errno, "%s", path);
  else if (!S_ISREG (info.st_mode))
    refuse (error, 0, "%s is not a regular file", path);
  else
    good = check_open (at, folder, OWNERS_LIBRARY, FALSE, error)
           && check (fd, &info, path, OWNERS_LIBRARY, FALSE, error);

  if (fd >= 0)
    close (fd);
  close (at);

  return good;
}
