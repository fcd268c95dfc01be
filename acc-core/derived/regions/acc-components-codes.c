/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-components-private.h"

#include <string.h>

static gboolean
is_offset (const gint64 *offset,
           guint         rank,
           guint         connectivity)
{
  guint n = 0, first = rank;

  for (guint d = rank; d-- > 0; )
    if (offset[d] != 0)
      {
        n++;
        first = d;
      }

  return n <= connectivity && first + 1 < rank && offset[first] < 0;
}

guint
acc_components_list_offsets (guint   rank,
                             guint   connectivity,
                             gint64 (*offsets)[ACC_COMPONENTS_MAX_RANK])
{
  gint64 offset[ACC_COMPONENTS_MAX_RANK] = { -1, -1, -1, -1 };
  guint n = 0, d;

  do
    {
      if (is_offset (offset, rank, connectivity))
        memcpy (offsets[n++], offset, rank * sizeof (gint64));

      for (d = rank; d > 0 && offset[d - 1] == 1; d--)
        offset[d - 1] = -1;
      if (d > 0)
        offset[d - 1]++;
    }
  while (d > 0);

  return n;
}

AccElementType *
acc_components_get_code_type (guint rank,
                              guint connectivity)
{
  gint64 offsets[ACC_COMPONENTS_MAX_OFFSETS][ACC_COMPONENTS_MAX_RANK];
  guint bits = acc_components_list_offsets (rank, connectivity, offsets) + ACC_COMPONENTS_CONTACTS;

  return acc_element_type_new (bits <= 8 ? ACC_KIND_U8 : bits <= 16 ? ACC_KIND_U16 : bits <= 32 ? ACC_KIND_U32 : ACC_KIND_U64);
}

gboolean
acc_components_parse_name (const char *name,
                           const char *prefix,
                           guint      *connectivity)
{
  guint64 number;

  if (!g_str_has_prefix (name, prefix)
      || !g_ascii_string_to_unsigned (name + strlen (prefix), 10, 1, ACC_COMPONENTS_MAX_RANK, &number, NULL))
    return FALSE;
  *connectivity = (guint) number;

  return TRUE;
}
