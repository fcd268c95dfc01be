/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-cache.h"

#include "acc-core/acc-backend-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A file: the header, the key, the code. The key is stored whole, so that two keys of one name are told apart. */

#define DEFAULT_BYTES ((guint64) 256 << 20)
#define MAX_CODE      ((guint64) 64 << 20)
#define SUFFIX        ".kernel"
#define TOUCH_SECONDS 3600
#define STALE_SECONDS 3600

typedef struct {
  char    magic[8];
  guint64 key_size;
  guint64 code_size;
  guint64 checksum;      /* of key and code */
} Header;

static const char magic[8] = { 'a', 'c', 'c', 'k', 'r', 'n', '1', '\n' };

struct _AccKernelCache {
  char           *directory;
  guint64         max_bytes;
  pthread_mutex_t mutex;
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
checksum_of (const char *key,
             gsize       key_size,
             gconstpointer code,
             gsize       code_size)
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
make_path (AccKernelCache *self,
           const char     *key)
{
  g_autofree char *digest = g_compute_checksum_for_string (G_CHECKSUM_SHA256, key, -1);
  g_autofree char *name = g_strconcat (digest, SUFFIX, NULL);

  return g_build_filename (self->directory, name, NULL);
}

AccKernelCache *
acc_kernel_cache_new (const char *directory,
                      guint64     max_bytes)
{
  AccKernelCache *self = g_new0 (AccKernelCache, 1);
  const char *given = g_getenv ("ACC_CACHE_DIR");

  if (directory != NULL)
    self->directory = g_strdup (directory);
  else if (given != NULL && *given != '\0')
    self->directory = g_strdup (given);
  else
    self->directory = g_build_filename (g_get_user_cache_dir (), "acc", NULL);
  self->max_bytes = max_bytes > 0 ? max_bytes : DEFAULT_BYTES;
  self->writable = TRUE;
  pthread_mutex_init (&self->mutex, NULL);

  return self;
}

void
acc_kernel_cache_free (AccKernelCache *self)
{
  pthread_mutex_destroy (&self->mutex);
  g_free (self->directory);
  g_free (self);
}

char *
acc_kernel_cache_dup_path (AccKernelCache *self,
                           const char     *hash,
                           const char     *target)
{
  g_autofree char *key = make_key (hash, target);

  return make_path (self, key);
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

static gboolean
write_all (int           fd,
           const guint8 *data,
           gsize         size)
{
  while (size > 0)
    {
      gssize n = write (fd, data, size);

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

GBytes *
acc_kernel_cache_lookup (AccKernelCache *self,
                         const char     *hash,
                         const char     *target)
{
  g_autofree char *key = make_key (hash, target);
  g_autofree char *path = make_path (self, key);
  g_autoptr (GBytes) code = NULL;
  gboolean other = FALSE;
  struct stat status;
  int fd = open (path, O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    {
      trace ("miss", path);
      return NULL;
    }

  if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode))
    {
      code = read_code (fd, (gsize) status.st_size, key, &other);
      if (code == NULL)
        say_once ("Ignoring the cached kernel %s: %s", path, "damaged");
      else if (!other && time (NULL) - status.st_mtime > TOUCH_SECONDS)
        futimens (fd, NULL);
    }
  close (fd);

  trace (code == NULL ? "damaged" : other ? "another key" : "hit", path);

  return code != NULL && !other ? g_steal_pointer (&code) : NULL;
}

typedef struct {
  char   *path;
  guint64 size;
  gint64  mtime;
} Entry;

static void
entry_clear (gpointer data)
{
  g_free (((Entry *) data)->path);
}

static gint
compare_age (gconstpointer a,
             gconstpointer b)
{
  const Entry *x = a, *y = b;

  return (x->mtime > y->mtime) - (x->mtime < y->mtime);
}

/* With the lock: counts what is there, and removes the oldest until it is at most seven eighths of what may be. What else
 * lies in the directory is not touched, but for temporary files that a killed process left. */
static void
measure (AccKernelCache *self)
{
  g_autoptr (GArray) entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  g_autoptr (GDir) dir = g_dir_open (self->directory, 0, NULL);
  gint64 now = time (NULL);
  const char *name;
  guint64 total = 0;

  g_array_set_clear_func (entries, entry_clear);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (self->directory, name, NULL);
      gboolean temporary = g_str_has_prefix (name, ".tmp-") && strstr (name, SUFFIX) != NULL;
      struct stat status;

      if ((!temporary && !g_str_has_suffix (name, SUFFIX)) || lstat (path, &status) != 0 || !S_ISREG (status.st_mode))
        continue;

      if (temporary)
        {
          if (now - status.st_mtime > STALE_SECONDS)
            g_unlink (path);
          continue;
        }

      total += (guint64) status.st_size;
      g_array_append_val (entries, ((Entry) { g_steal_pointer (&path), (guint64) status.st_size, status.st_mtime }));
    }

  if (total > self->max_bytes)
    {
      g_array_sort (entries, compare_age);
      for (guint i = 0; i < entries->len && total > self->max_bytes / 8 * 7; i++)
        {
          Entry *entry = &g_array_index (entries, Entry, i);

          trace ("evict", entry->path);
          g_unlink (entry->path);
          total -= entry->size;
        }
    }

  self->bytes = total;
  self->measured = TRUE;
}

static gboolean
write_file (AccKernelCache *self,
            const char     *path,
            const char     *key,
            GBytes         *code)
{
  g_autofree char *temporary = g_build_filename (self->directory, ".tmp-XXXXXX" SUFFIX, NULL);
  gsize key_size = strlen (key), code_size;
  const guint8 *data = g_bytes_get_data (code, &code_size);
  Header header = { .key_size = key_size, .code_size = code_size,
                    .checksum = checksum_of (key, key_size, data, code_size) };
  gboolean written;
  int saved;
  int fd = g_mkstemp_full (temporary, O_WRONLY | O_CLOEXEC, 0600);

  if (fd < 0 && errno == ENOENT && g_mkdir_with_parents (self->directory, 0700) == 0)
    {
      g_autofree char *again = g_build_filename (self->directory, ".tmp-XXXXXX" SUFFIX, NULL);

      strcpy (temporary, again);
      fd = g_mkstemp_full (temporary, O_WRONLY | O_CLOEXEC, 0600);
    }
  if (fd < 0)
    return FALSE;

  memcpy (header.magic, magic, sizeof magic);
  errno = 0;
  written = write_all (fd, (const guint8 *) &header, sizeof header)
            && write_all (fd, (const guint8 *) key, key_size)
            && write_all (fd, data, code_size);
  saved = errno;
  written = close (fd) == 0 && written && g_rename (temporary, path) == 0;
  if (!written)
    {
      saved = saved != 0 ? saved : errno;
      g_unlink (temporary);
      errno = saved;
    }

  return written;
}

void
acc_kernel_cache_store (AccKernelCache *self,
                        const char     *hash,
                        const char     *target,
                        GBytes         *code)
{
  g_autofree char *key = make_key (hash, target);
  g_autofree char *path = make_path (self, key);
  guint64 size = sizeof (Header) + strlen (key) + g_bytes_get_size (code);
  gboolean writable;

  pthread_mutex_lock (&self->mutex);
  writable = self->writable;
  pthread_mutex_unlock (&self->mutex);
  if (!writable || g_bytes_get_size (code) > MAX_CODE || size > self->max_bytes)
    return;

  if (write_file (self, path, key, code))
    {
      trace ("store", path);
      pthread_mutex_lock (&self->mutex);
      self->bytes += size;
      if (!self->measured || self->bytes > self->max_bytes)
        measure (self);
      pthread_mutex_unlock (&self->mutex);
    }
  else
    {
      int code_of_error = errno;

      /* A full disk may empty; a directory that may not be written stays so. */
      if (code_of_error == EACCES || code_of_error == EROFS || code_of_error == EPERM || code_of_error == ENOTDIR)
        {
          pthread_mutex_lock (&self->mutex);
          self->writable = FALSE;
          pthread_mutex_unlock (&self->mutex);
        }
      say_once ("Compiled kernels are not kept in %s: %s", self->directory, g_strerror (code_of_error));
    }
}
