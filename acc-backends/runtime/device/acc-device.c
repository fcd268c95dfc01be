/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-device.h"

#include "acc-core/backend/acc-backend-private.h"

#define MAX_ELEMENTS ((gint64) 1 << 31)
#define MAX_NUMBER   ((gint64) 1 << 30)
#define WIDEST       16   /* bytes of an access */

void
acc_device_tell_emitted (AccKernel *kernel,
                         gint64     start)
{
  if (acc_debug_get_flags () & ACC_DEBUG_CACHE)
    g_message ("kernel cache: emitted %s in %.1f ms", acc_kernel_get_name (kernel), (double) (g_get_monotonic_time () - start) / 1000);
}

gboolean
acc_device_is_small_launch (const AccDeviceSlot *slots,
                            const guint8        *kinds,
                            guint                n_slots,
                            const AccGroups     *groups)
{
  for (guint d = 0; d < 2; d++)
    if (groups->begin[d] < 0 || groups->end[d] > MAX_NUMBER || groups->begin[d] > MAX_NUMBER)
      return FALSE;

  for (guint i = 0; i < n_slots; i++)
    {
      const AccDeviceMemory *memory = slots[i].memory;

      if (memory == NULL)
        {
          gint64 number = (gint64) slots[i].bits;

          if (kinds[i] == ACC_KIND_I64 && (number > MAX_NUMBER || number < -MAX_NUMBER))
            return FALSE;
          continue;
        }
      if ((memory->address + (guint64) slots[i].offset) % WIDEST != 0)
        return FALSE;
      if (((gint64) memory->size - slots[i].offset) / (gint64) acc_element_kind_get_size (kinds[i]) >= MAX_ELEMENTS)
        return FALSE;
    }

  return TRUE;
}

void
acc_groups_begin_parts (const AccGroups *self,
                        const gint64     most[2],
                        AccGroupsPart   *part)
{
  *part = (AccGroupsPart) { .groups = self, .most = { most[0], most[1] } };
  acc_groups_count (self, part->first, part->all);
}

gboolean
acc_groups_next_part (AccGroupsPart *part)
{
  const AccGroups *groups = part->groups;

  if (part->at[0] >= part->all[0])
    return FALSE;

  for (guint d = 0; d < 2; d++)
    {
      gint64 begin = (part->first[d] + part->at[d]) * groups->tile[d];
      gint64 count = part->count[d] = MIN (part->all[d] - part->at[d], part->most[d]);

      part->words[4 * d] = MAX (groups->begin[d], begin);
      /* Not first + count: that may be past what an i64 holds. */
      part->words[4 * d + 1] = count > (groups->end[d] - begin) / groups->tile[d] ? groups->end[d] : begin + count * groups->tile[d];
      part->words[4 * d + 2] = groups->tile[d];
      part->words[4 * d + 3] = begin;
    }

  part->at[1] += part->most[1];
  if (part->at[1] >= part->all[1])
    {
      part->at[1] = 0;
      part->at[0] += part->most[0];
    }

  return TRUE;
}

gboolean
acc_device_find_number (const char  *name,
                        const char  *kind,
                        guint        n,
                        guint       *number,
                        GError     **error)
{
  guint64 found = 0;

  if (name != NULL && !g_ascii_string_to_unsigned (name, 10, 0, n - 1, &found, NULL))
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_UNSUPPORTED, "there is no %s device “%s”; there are 0 to %u", kind, name, n - 1);
      return FALSE;
    }
  *number = (guint) found;

  return TRUE;
}

char **
acc_device_list_numbers (guint n)
{
  char **names = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    names[i] = g_strdup_printf ("%u", i);

  return names;
}
