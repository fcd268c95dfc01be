/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-rows.h"

/* Which limits of rows make others needless: those of neighbours, whose places differ by a number alone. */

#define MOST_TERMS  12
#define MOST_NUMBER 1024

/* A sum of values and a number, part of which is between bounds. Sums of the same terms are as their numbers. */
typedef struct {
  gint64  inner, outer;   /* numbers within bounds, and besides; within, where there are no bounds */
  guint   n_bounds;
  guint   n;              /* more than MOST_TERMS: too many */
  guint64 terms[MOST_TERMS];
} Sum;

static void
add_term (Sum    *sum,
          guint64 term)
{
  guint i = sum->n;

  sum->n++;
  if (i >= MOST_TERMS)
    return;
  for (; i > 0 && sum->terms[i - 1] > term; i--)
    sum->terms[i] = sum->terms[i - 1];
  sum->terms[i] = term;
}

/* @depth: of how many bounds @id is within */
static void
add (const AccRows *rows,
     Sum           *sum,
     guint32        id,
     guint          depth)
{
  const AccKernelInstr *instr = acc_kernel_instr (rows->kernel, id);
  guint32 bounded = acc_rows_get_bounded (rows, id), chosen = acc_rows_get_chosen (rows, id);

  if (sum->n > MOST_TERMS)
    return;
  if (chosen != 0)
    {
      add (rows, sum, chosen, depth);
      return;
    }
  if (bounded != 0)
    {
      guint32 limit = instr->args[instr->args[0] == bounded];

      /* One after the other, not side by side */
      sum->n += sum->n_bounds == depth ? 0 : MOST_TERMS + 1;
      sum->n_bounds++;
      add_term (sum, (guint64) (2 * (depth + 1) + (instr->primitive == ACC_PRIM_MAX)) << 32 | limit);
      add (rows, sum, bounded, depth + 1);
      return;
    }
  if (instr->op == ACC_KOP_CONST && instr->kind == ACC_KIND_I64)
    {
      gint64 number = CLAMP ((gint64) instr->bits, -2 * MOST_NUMBER, 2 * MOST_NUMBER);

      if (ABS (number) > MOST_NUMBER)
        add_term (sum, id);
      else if (depth > 0)
        sum->inner += number;
      else
        sum->outer += number;
      return;
    }
  if (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD && rows->reaches[id] == ACC_REACH_COLUMN)
    {
      add (rows, sum, instr->args[0], depth);
      add (rows, sum, instr->args[1], depth);
      return;
    }
  add_term (sum, (guint64) depth << 40 | id);
}

/* What @limit is of. */
static Sum
get_sum (const AccRows  *rows,
         const AccLimit *limit)
{
  Sum sum = { 0 };

  add (rows, &sum, limit->of, 0);
  if (sum.n > MOST_TERMS)
    sum = (Sum) { .n = 1, .terms = { limit->of } };
  if (sum.n_bounds == 0)
    {
      sum.inner = sum.outer;
      sum.outer = 0;
    }

  return sum;
}

static gboolean
is_of_sum (const AccLimit *limit)
{
  return limit->kind == ACC_LIMIT_BOUND || limit->kind == ACC_LIMIT_COMPARISON;
}

/* Whether both are of the same sum but for a number, and by how much the second's is larger. */
static gboolean
are_alike (const AccRows  *rows,
           const AccLimit *one,
           const AccLimit *other,
           gint64         *more)
{
  Sum x, y;

  if (!is_of_sum (one) || !is_of_sum (other))
    return FALSE;
  x = get_sum (rows, one);
  y = get_sum (rows, other);
  *more = y.inner - x.inner;

  return x.outer == y.outer && x.n == y.n && memcmp (x.terms, y.terms, x.n * sizeof *x.terms) == 0;
}

gboolean
acc_rows_is_nearest (const AccRows *self, guint i)
{
  const AccLimit *limit = &g_array_index (self->limits, AccLimit, i);

  for (guint k = 0; k < self->limits->len; k++)
    {
      const AccLimit *other = &g_array_index (self->limits, AccLimit, k);
      gint64 more;

      if (k == i || other->kind != limit->kind || other->limit != limit->limit || other->is_below != limit->is_below
          || other->is_strict != limit->is_strict || !are_alike (self, limit, other, &more))
        continue;
      if ((limit->is_below ? more < 0 : more > 0) || (more == 0 && k < i))
        return FALSE;
    }

  return TRUE;
}

gboolean
acc_rows_find_ends (const AccRows *self, guint i, guint32 *least, guint32 *most)
{
  const AccLimit *limit = &g_array_index (self->limits, AccLimit, i);
  gint64 low = 0, high = 0, more;

  if (!is_of_sum (limit))
    return FALSE;
  *least = *most = limit->of;
  for (guint k = 0; k < self->limits->len; k++)
    {
      const AccLimit *other = &g_array_index (self->limits, AccLimit, k);

      if (k == i || !are_alike (self, limit, other, &more))
        continue;
      if (k < i)
        return FALSE;
      if (more < low)
        *least = other->of;
      if (more > high)
        *most = other->of;
      low = MIN (low, more);
      high = MAX (high, more);
    }

  return TRUE;
}
