/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-machine-private.h"

#include "acc-error.h"

#include <math.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

typedef struct {
  gboolean unified;      /* version 2 */
  char    *mount_root;   /* the group that is mounted */
  char    *mount_point;
  char    *group;        /* of this process */
} Hierarchy;

static void
hierarchy_clear (Hierarchy *self)
{
  g_clear_pointer (&self->mount_root, g_free);
  g_clear_pointer (&self->mount_point, g_free);
  g_clear_pointer (&self->group, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Hierarchy, hierarchy_clear)

static char **
read_lines (const char *root, const char *path)
{
  g_autofree char *full = g_strconcat (root, path, NULL);
  g_autofree char *contents = NULL;

  if (!g_file_get_contents (full, &contents, NULL, NULL))
    return NULL;

  return g_strsplit (contents, "\n", -1);
}

static gboolean
list_contains (const char *list, const char *word)
{
  g_auto(GStrv) words = g_strsplit (list, ",", -1);

  return g_strv_contains ((const char * const *) words, word);
}

/* Lines "4:memory:/path" (version 1) and "0::/path" (version 2). */
static gboolean
find_group (const char *root, const char *controller, Hierarchy *hierarchy)
{
  g_auto(GStrv) lines = read_lines (root, "/proc/self/cgroup");

  for (guint i = 0; lines != NULL && lines[i] != NULL; i++)
    {
      g_auto(GStrv) fields = g_strsplit (lines[i], ":", 3);

      if (g_strv_length (fields) != 3)
        continue;

      if (hierarchy->unified ? *fields[1] == '\0' : list_contains (fields[1], controller))
        {
          hierarchy->group = g_strdup (fields[2]);
          return TRUE;
        }
    }

  return FALSE;
}

/* Lines "ID PARENT MAJOR:MINOR ROOT POINT OPTIONS [TAGS...] - TYPE SOURCE SUPER-OPTIONS". */
static gboolean
find_mount (const char *root, const char *controller, Hierarchy *hierarchy)
{
  g_auto(GStrv) lines = read_lines (root, "/proc/self/mountinfo");

  for (guint i = 0; lines != NULL && lines[i] != NULL; i++)
    {
      g_auto(GStrv) halves = g_strsplit (lines[i], " - ", 2);
      g_auto(GStrv) fields = NULL;
      g_auto(GStrv) tail = NULL;

      if (g_strv_length (halves) != 2)
        continue;

      fields = g_strsplit (halves[0], " ", -1);
      tail = g_strsplit (halves[1], " ", -1);
      if (g_strv_length (fields) < 5 || g_strv_length (tail) < 3)
        continue;

      if (hierarchy->unified ? g_str_equal (tail[0], "cgroup2")
                             : g_str_equal (tail[0], "cgroup") && list_contains (tail[2], controller))
        {
          hierarchy->mount_root = g_strcompress (fields[3]);
          hierarchy->mount_point = g_strcompress (fields[4]);
          return TRUE;
        }
    }

  return FALSE;
}

static gboolean
find_hierarchy (const char *root, const char *controller, gboolean unified, Hierarchy *hierarchy)
{
  hierarchy->unified = unified;

  return find_group (root, controller, hierarchy) && find_mount (root, controller, hierarchy);
}

/* The group's folders from its own up to the mount point: each may limit. Seen from inside a container, the group may
 * not lie below what is mounted: then only the mount point counts. */
static GPtrArray *
list_folders (const Hierarchy *hierarchy)
{
  GPtrArray *folders = g_ptr_array_new_with_free_func (g_free);
  const char *group = hierarchy->group;
  g_autofree char *path = NULL;

  if (!g_str_equal (hierarchy->mount_root, "/"))
    {
      if (g_str_has_prefix (group, hierarchy->mount_root))
        group += strlen (hierarchy->mount_root);
      else
        group = "";
    }

  path = g_strdup (group);
  while (*path != '\0' && !g_str_equal (path, "/"))
    {
      g_ptr_array_add (folders, g_strconcat (hierarchy->mount_point, path, NULL));
      *strrchr (path, '/') = '\0';
    }
  g_ptr_array_add (folders, g_strdup (hierarchy->mount_point));

  return folders;
}

static gboolean
read_number (const char *root, const char *folder, const char *name, gint64 *number)
{
  g_autofree char *path = g_strconcat (root, folder, "/", name, NULL);
  g_autofree char *contents = NULL;
  char *end;

  if (!g_file_get_contents (path, &contents, NULL, NULL))
    return FALSE;

  *number = g_ascii_strtoll (contents, &end, 10);

  return end != contents;
}

guint64
acc_machine_find_memory_limit (const char *root)
{
  guint64 limit = G_MAXUINT64;

  for (guint unified = 0; unified < 2; unified++)
    {
      static const char *files[2][2] = { { "memory.limit_in_bytes", NULL }, { "memory.max", "memory.high" } };
      g_auto(Hierarchy) hierarchy = { 0 };
      g_autoptr(GPtrArray) folders = NULL;

      if (!find_hierarchy (root, "memory", unified, &hierarchy))
        continue;

      folders = list_folders (&hierarchy);
      for (guint i = 0; i < folders->len; i++)
        for (guint j = 0; j < 2 && files[unified][j] != NULL; j++)
          {
            gint64 number;

            if (read_number (root, g_ptr_array_index (folders, i), files[unified][j], &number) && number > 0)
              limit = MIN (limit, (guint64) number);
          }
    }

  return limit;
}

static double
read_quota (const char *root, const char *folder, gboolean unified)
{
  gint64 quota, period;

  if (unified)
    {
      g_autofree char *path = g_strconcat (root, folder, "/cpu.max", NULL);
      g_autofree char *contents = NULL;
      char *end;

      if (!g_file_get_contents (path, &contents, NULL, NULL))
        return 0;

      quota = g_ascii_strtoll (contents, &end, 10);
      if (end == contents)
        return 0;
      period = g_ascii_strtoll (end, NULL, 10);
    }
  else if (!read_number (root, folder, "cpu.cfs_quota_us", &quota)
           || !read_number (root, folder, "cpu.cfs_period_us", &period))
    return 0;

  return quota > 0 && period > 0 ? (double) quota / (double) period : 0;
}

double
acc_machine_find_cpu_quota (const char *root)
{
  double tightest = 0;

  for (guint unified = 0; unified < 2; unified++)
    {
      g_auto(Hierarchy) hierarchy = { 0 };
      g_autoptr(GPtrArray) folders = NULL;

      if (!find_hierarchy (root, "cpu", unified, &hierarchy))
        continue;

      folders = list_folders (&hierarchy);
      for (guint i = 0; i < folders->len; i++)
        {
          double quota = read_quota (root, g_ptr_array_index (folders, i), unified);

          if (quota > 0 && (tightest == 0 || quota < tightest))
            tightest = quota;
        }
    }

  return tightest;
}

guint64
acc_machine_get_memory (void)
{
  guint64 memory = acc_machine_find_memory_limit ("");
  long pages = sysconf (_SC_PHYS_PAGES);
  long page = sysconf (_SC_PAGESIZE);
  struct rlimit limit;

  if (pages > 0 && page > 0)
    memory = MIN (memory, (guint64) pages * (guint64) page);

  if (getrlimit (RLIMIT_DATA, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    memory = MIN (memory, (guint64) limit.rlim_cur);
  if (getrlimit (RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    memory = MIN (memory, (guint64) limit.rlim_cur);

  return memory;
}

static guint
count_affinity (void)
{
  for (int n = 1024; n <= 1 << 20; n *= 2)
    {
      cpu_set_t *set = CPU_ALLOC (n);
      gsize size = CPU_ALLOC_SIZE (n);
      int count = -1;

      if (sched_getaffinity (0, size, set) == 0)
        count = CPU_COUNT_S (size, set);
      CPU_FREE (set);

      if (count > 0)
        return count;
    }

  return g_get_num_processors ();
}

guint
acc_machine_get_n_processors (void)
{
  guint n = count_affinity ();
  double quota = acc_machine_find_cpu_quota ("");

  if (quota > 0)
    n = MIN (n, MAX (1, (guint) ceil (quota)));

  return MAX (n, 1);
}

guint64
acc_machine_get_cache_bytes (void)
{
  long bytes = -1;

#ifdef _SC_LEVEL2_CACHE_SIZE
  bytes = sysconf (_SC_LEVEL2_CACHE_SIZE);
#endif

  return bytes > 0 ? (guint64) CLAMP (bytes, 256 * 1024, 16 * 1024 * 1024) : 1024 * 1024;
}

gboolean
acc_machine_parse_size (const char *text, guint64 *size, GError **error)
{
  static const char units[] = "KMGT";
  char *end;
  double number = g_ascii_strtod (text, &end);
  const char *unit = *end != '\0' ? strchr (units, g_ascii_toupper (*end)) : NULL;
  gboolean valid = end != text && number >= 0;

  if (unit != NULL)
    {
      number = ldexp (number, 10 * (int) (unit - units + 1));
      end++;
      if (*end == 'i')
        end++;
    }
  if (g_ascii_toupper (*end) == 'B')
    end++;

  if (!valid || *end != '\0' || !(number < ldexp (1, 63)))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_PARSE,
                   "“%s” is not a number of bytes such as 67108864, 64M or 1.5G", text);
      return FALSE;
    }

  *size = (guint64) number;

  return TRUE;
}
