/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-cache.h"

#include "acc-core/backend/acc-backend-private.h"
#include "acc-core/base/acc-temporary-private.h"
#include "acc-core/base/acc-trust-private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A file: the header, the key, the code. The key is stored whole, since two keys may have one name. */

#define DEFAULT_BYTES ((guint64) 256 << 20)
#define MAX_CODE      ((guint64) 64 << 20)
#define SUFFIX        ".kernel"
#define TOUCH_SECONDS 3600

typedef struct {
  char    magic[8];
  guint64 key_size;
  guint64 code_size;
  guint64 checksum;      /* of key and code */
} Header;

static const char magic[8] = { 'a', 'c', 'c', 'k', 'r', 'n', '1', '\n' };

struct _AccKernelCache {
  char           *directory;  /* NULL: none */
  guint64         max_bytes;
  pthread_mutex_t mutex;
  int             folder;     /* the directory when it is open; the number stays */
  gboolean        refused;    /* the directory is not ours, or cannot be made */
  gboolean        warned;     /* of a file */
  gboolean        measured;
  gboolean        writable;
  guint64         bytes;      /* an estimate: other processes write too */
};

static void
say_once (const char *format,
          const char *path,
          const char *reason)
{
  static gint said;

  if (g_atomic_int_compare_and_exchange (&said, 0, 1))
    g_message (format, path, reason);
  else
    g_info (format, path, reason);
}

static void
trace (const char *event,
       const char *path)
{
  if (acc_debug_get_flags () & ACC_DEBUG_CACHE)
    g_message ("kernel cache: %s %s", event, path);
}

/* Eight bytes at a time; finds damage, not malice. */
static guint64
checksum (guint64       seed,
          const guint8 *data,
          gsize         size)
{
  guint64 sum = seed ^ (size * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15));

  while (size > 0)
    {
      guint64 word = 0;
      gsize n = MIN (size, 8);

      memcpy (&word, data, n);
      sum = (sum ^ word) * G_GUINT64_CONSTANT (0xff51afd7ed558ccd);
      sum ^= sum >> 32;
      data += n;
      size -= n;
    }

  return sum;
}

static guint64
checksum_of (const char   *key,
             gsize         key_size,
             gconstpointer code,
             gsize         code_size)
{
  return checksum (checksum (0, (const guint8 *) key, key_size), code, code_size);
}

static char *
make_key (const char *hash,
          const char *target)
{
  return g_strconcat (hash, "\n", target, NULL);
}

static char *
make_name (const char *key)
{
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, key, -1);

  return g_strconcat (digest, SUFFIX, NULL);
}

/* A process with other rights than its user does not trust the environment, not even its home. */
static char *
find_directory (void)
{
  const char *given = secure_getenv ("ACC_CACHE_DIR");

  if (getauxval (AT_SECURE) != 0)
    return NULL;
  if (given != NULL && *given != '\0')
    return g_strdup (given);

  return g_build_filename (g_get_user_cache_dir (), "acc", NULL);
}

AccKernelCache *
acc_kernel_cache_new (const char *directory,
                      guint64     max_bytes)
{
  AccKernelCache *self = g_new0 (AccKernelCache, 1);

  self->directory = directory != NULL ? g_strdup (directory) : find_directory ();
  self->folder = -1;
  self->max_bytes = max_bytes > 0 ? max_bytes : DEFAULT_BYTES;
  self->writable = TRUE;
  pthread_mutex_init (&self->mutex, NULL);

  return self;
}

void
acc_kernel_cache_free (AccKernelCache *self)
{
  pthread_mutex_destroy (&self->mutex);
  if (self->folder >= 0)
    close (self->folder);
  g_free (self->directory);
  g_free (self);
}

/* --- the folder */

static gboolean
is_removed (int folder)
{
  struct stat status;

  return fstat (folder, &status) == 0 && status.st_nlink == 0;
}

/* With the lock. A folder that was removed is opened, or made, again under the same number: other threads may be reading there. */
static void
open_folder (AccKernelCache *self,
             gboolean        create,
             GError        **error)
{
  int folder = acc_trust_open_folder (self->directory, create, error);

  if (folder < 0)
    return;
  if (self->folder < 0)
    {
      self->folder = folder;
      return;
    }
  dup3 (folder, self->folder, O_CLOEXEC);
  close (folder);
}

/* -1: there is none to use. */
static int
get_folder (AccKernelCache *self,
            gboolean        create)
{
  g_autoptr(GError) error = NULL;
  int folder = -1;

  if (self->directory == NULL)
    return -1;

  pthread_mutex_lock (&self->mutex);
  if (!self->refused)
    {
      if (self->folder < 0 || is_removed (self->folder))
        open_folder (self, create, &error);
      else
        acc_trust_check_folder (self->folder, self->directory, &error);

      if (error == NULL)
        folder = self->folder;
      else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED))
        {
          self->refused = TRUE;
          g_warning ("Compiled kernels are not kept in %s, nor run from there: %s", self->directory, error->message);
        }
      else if (create)
        say_once ("Compiled kernels are not kept in %s: %s", self->directory, error->message);
    }
  pthread_mutex_unlock (&self->mutex);

  return folder;
}

char *
acc_kernel_cache_dup_path (AccKernelCache *self,
                           const char     *hash,
                           const char     *target)
{
  g_autofree char *key = make_key (hash, target);
  g_autofree char *name = make_name (key);

  return self->directory != NULL ? g_build_filename (self->directory, name, NULL) : NULL;
}

static gboolean
read_all (int      fd,
          guint8  *data,
          gsize    size)
{
  while (size > 0)
    {
      gssize n = read (fd, data, size);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      data += n;
      size -= (gsize) n;
    }

  return TRUE;
}

/* The bytes of an open file; NULL: damaged. */
static GBytes *
read_code (int          fd,
           gsize        file_size,
           const char  *key,
           gboolean    *other)
{
  g_autofree guint8 *contents = NULL;
  Header header;
  gsize key_size = strlen (key);

  if (file_size < sizeof header || file_size > MAX_CODE + G_MAXUINT16)
    return NULL;

  contents = g_try_malloc (file_size);
  if (contents == NULL || !read_all (fd, contents, file_size))
    return NULL;

  memcpy (&header, contents, sizeof header);
  if (memcmp (header.magic, magic, sizeof magic) != 0
      || header.key_size > file_size - sizeof header
      || header.code_size != file_size - sizeof header - header.key_size
      || header.checksum != checksum_of ((const char *) contents + sizeof header, header.key_size,
                                         contents + sizeof header + header.key_size, header.code_size))
    return NULL;

  *other = header.key_size != key_size || memcmp (contents + sizeof header, key, key_size) != 0;

  return g_bytes_new (contents + sizeof header + header.key_size, header.code_size);
}

static int
open_code (AccKernelCache *self,
           const char     *name)
{
  int folder = get_folder (self, FALSE);
  g_autoptr(GError) error = NULL;
  int fd = folder >= 0 ? acc_trust_open_file (folder, name, &error) : -1;
  gboolean warned;

  if (error == NULL || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    return fd;

  pthread_mutex_lock (&self->mutex);
  warned = self->warned;
  self->warned = TRUE;
  pthread_mutex_unlock (&self->mutex);
  if (!warned)
    g_warning ("Ignoring a cached kernel in %s: %s", self->directory, error->message);

  return fd;
}

GBytes *
acc_kernel_cache_lookup (AccKernelCache *self,
                         const char     *hash,
                         const char     *target)
{
  g_autofree char *key = make_key (hash, target);
  g_autofree char *name = make_name (key);
  g_autoptr(GBytes) code = NULL;
  gboolean other = FALSE;
  struct stat status;
  int fd = open_code (self, name);

  if (fd < 0)
    {
      trace ("miss", name);
      return NULL;
    }

  if (fstat (fd, &status) == 0)
    {
      code = read_code (fd, (gsize) status.st_size, key, &other);
      if (code == NULL)
        say_once ("Ignoring the cached kernel %s: %s", name, "damaged");
      else if (!other && time (NULL) - status.st_mtime > TOUCH_SECONDS)
        futimens (fd, NULL);
    }
  close (fd);

  trace (code == NULL ? "damaged" : other ? "another key" : "hit", name);

  return code != NULL && !other ? g_steal_pointer (&code) : NULL;
}

typedef struct {
  char   *name;
  guint64 size;
  gint64  mtime;
} Entry;

static void
entry_clear (gpointer data)
{
  g_free (((Entry *) data)->name);
}

static gint
compare_age (gconstpointer a,
             gconstpointer b)
{
  const Entry *x = a, *y = b;

  return (x->mtime > y->mtime) - (x->mtime < y->mtime);
}

static DIR *
read_folder (int folder)
{
  int fd = openat (folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *dir = fd >= 0 ? fdopendir (fd) : NULL;

  if (dir == NULL && fd >= 0)
    close (fd);

  return dir;
}

/* With the lock: counts the files, and removes the oldest until they take at most seven eighths of the limit. Other files in the directory
 * are not touched. */
static void
measure (AccKernelCache *self,
         int             folder)
{
  g_autoptr(GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  DIR *dir = read_folder (folder);
  const struct dirent *found;
  guint64 total = 0;

  g_array_set_clear_func (entries, entry_clear);
  while (dir != NULL && (found = readdir (dir)) != NULL)
    {
      struct stat status;

      if (!g_str_has_suffix (found->d_name, SUFFIX) || fstatat (folder, found->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0
          || !S_ISREG (status.st_mode))
        continue;

      total += (guint64) status.st_size;
      g_array_append_val (entries, ((Entry) { g_strdup (found->d_name), (guint64) status.st_size, status.st_mtime }));
    }
  if (dir != NULL)
    closedir (dir);

  if (total > self->max_bytes)
    {
      g_array_sort (entries, compare_age);
      for (guint i = 0; i < entries->len && total > self->max_bytes / 8 * 7; i++)
        {
          Entry *entry = &g_array_index (entries, Entry, i);

          trace ("evict", entry->name);
          unlinkat (folder, entry->name, 0);
          total -= entry->size;
        }
    }

  self->bytes = total;
  self->measured = TRUE;
}

static gboolean
write_file (int         folder,
            const char *name,
            const char *key,
            GBytes     *code,
            GError    **error)
{
  g_autoptr(AccTemporary) file = acc_temporary_new_in (folder, name, name, error);
  gsize key_size = strlen (key), code_size;
  const guint8 *data = g_bytes_get_data (code, &code_size);
  Header header = { .key_size = key_size, .code_size = code_size,
                    .checksum = checksum_of (key, key_size, data, code_size) };

  memcpy (header.magic, magic, sizeof magic);

  return file != NULL
         && acc_temporary_write (file, &header, sizeof header, error)
         && acc_temporary_write (file, key, key_size, error)
         && acc_temporary_write (file, data, code_size, error)
         && acc_temporary_commit (file, FALSE, error);
}

void
acc_kernel_cache_store (AccKernelCache *self,
                        const char     *hash,
                        const char     *target,
                        GBytes         *code)
{
  g_autofree char *key = make_key (hash, target);
  g_autofree char *name = make_name (key);
  g_autoptr(GError) error = NULL;
  guint64 size = sizeof (Header) + strlen (key) + g_bytes_get_size (code);
  gboolean writable;
  int folder;

  pthread_mutex_lock (&self->mutex);
  writable = self->writable;
  pthread_mutex_unlock (&self->mutex);
  if (!writable || g_bytes_get_size (code) > MAX_CODE || size > self->max_bytes)
    return;

  folder = get_folder (self, TRUE);
  if (folder < 0)
    return;

  if (write_file (folder, name, key, code, &error))
    {
      trace ("store", name);
      pthread_mutex_lock (&self->mutex);
      self->bytes += size;
      if (!self->measured || self->bytes > self->max_bytes)
        measure (self, folder);
      pthread_mutex_unlock (&self->mutex);
    }
  else
    {
      /* A full disk may empty; a directory that may not be written stays so. */
      if (faccessat (folder, ".", W_OK, AT_EACCESS) != 0)
        {
          pthread_mutex_lock (&self->mutex);
          self->writable = FALSE;
          pthread_mutex_unlock (&self->mutex);
        }
      say_once ("Compiled kernels are not kept in %s: %s", self->directory, error->message);
    }
}
