/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-hlo-range.h"

#include <string.h>

static gboolean
is_tracked (AccElementKind kind)
{
  return kind == ACC_KIND_I32 || kind == ACC_KIND_I64;
}

const AccHloRange *
acc_hlo_get_range (AccHlo      *self,
                   AccHloValue  value)
{
  return g_hash_table_lookup (self->ranges, value);
}

void
acc_hlo_set_range (AccHlo         *self,
                   AccHloValue     value,
                   AccElementKind  kind,
                   AccHloRange     range)
{
  gboolean fits = kind == ACC_KIND_I64 || (range.least >= G_MININT32 && range.most <= G_MAXINT32);

  /* In an export it may be another one by the other length. */
  if (is_tracked (kind) && fits && range.least <= range.most && !self->is_export)
    g_hash_table_insert (self->ranges, (gpointer) value, g_memdup2 (&range, sizeof range));
}

void
acc_hlo_keep_range (AccHlo         *self,
                    AccHloValue     from,
                    AccHloValue     to,
                    AccElementKind  kind)
{
  const AccHloRange *range = from != to ? acc_hlo_get_range (self, from) : NULL;

  if (range != NULL)
    acc_hlo_set_range (self, to, kind, *range);
}

void
acc_hlo_combine_ranges (AccHlo         *self,
                        const char     *operation,
                        AccHloValue     x,
                        AccHloValue     y,
                        AccHloValue     result,
                        AccElementKind  kind)
{
  const AccHloRange *a = is_tracked (kind) ? acc_hlo_get_range (self, x) : NULL, *b = a != NULL ? acc_hlo_get_range (self, y) : NULL;
  AccHloRange range;

  if (b == NULL)
    return;

  if (strcmp (operation, "add") == 0)
    {
      if (__builtin_add_overflow (a->least, b->least, &range.least) || __builtin_add_overflow (a->most, b->most, &range.most))
        return;
    }
  else if (strcmp (operation, "subtract") == 0)
    {
      if (__builtin_sub_overflow (a->least, b->most, &range.least) || __builtin_sub_overflow (a->most, b->least, &range.most))
        return;
    }
  else if (strcmp (operation, "minimum") == 0)
    {
      range = (AccHloRange) { MIN (a->least, b->least), MIN (a->most, b->most) };
    }
  else if (strcmp (operation, "maximum") == 0)
    {
      range = (AccHloRange) { MAX (a->least, b->least), MAX (a->most, b->most) };
    }
  else
    {
      return;
    }
  acc_hlo_set_range (self, result, kind, range);
}
