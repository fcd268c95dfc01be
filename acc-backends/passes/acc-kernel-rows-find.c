/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-rows.h"

/* Finds loops that divide their index, and what of their bodies is the same in rows. */

/* Bodies are written three times. */
#define MOST_INSTRS 300

/* Margins of rows, one element at a time */
#define MOST_MARGIN 32

#define MOST_STEP 1024

gboolean
_acc_kernel_is_unchanging (const AccKernel      *kernel,
                           const AccKernelInstr *load)
{
  AccBufferFlags flags = acc_kernel_buffer (kernel, load->args[0])->flags;

  return (flags & ACC_BUFFER_NO_ALIAS) && !(flags & ACC_BUFFER_WRITE);
}

static const AccKernelInstr *
instr_of (const AccRows *self,
          guint32        id)
{
  return acc_kernel_instr (self->kernel, id);
}

static AccReach
reach_of (const AccRows *self,
          guint32        id)
{
  if (_acc_kernel_op_in_no_block (instr_of (self, id)->op) || !_acc_kernel_is_inside (self->kernel, id, self->foreach))
    return ACC_REACH_ALL;

  return self->reaches[id];
}

static gboolean
is_small (const AccRows *self,
          guint32        id,
          gint64         least,
          gint64         most)
{
  const AccKernelInstr *instr = instr_of (self, id);

  return instr->op == ACC_KOP_CONST && instr->kind == ACC_KIND_I64 && (gint64) instr->bits >= least && (gint64) instr->bits <= most;
}

/* --- the division */

static gboolean
is_division (const AccRows *self,
             guint32        id)
{
  const AccKernelInstr *instr = instr_of (self, id);

  return instr->op == ACC_KOP_PRIM && instr->kind == ACC_KIND_I64 && acc_primitive_is (instr->primitive, ACC_FAMILY_DIVISION);
}

/* By a width that is at least 1, as all can see. */
static gboolean
takes_division (AccRows *self,
                guint32  id)
{
  const AccKernelInstr *instr = instr_of (self, id), *x, *y;

  if (!is_division (self, id) || reach_of (self, instr->args[1]) != ACC_REACH_ALL)
    return FALSE;
  x = instr_of (self, instr->args[0]);
  y = instr_of (self, instr->args[1]);
  if (y->op != ACC_KOP_PRIM || y->primitive != ACC_PRIM_MAX || !(is_small (self, y->args[0], 1, 1) || is_small (self, y->args[1], 1, 1)))
    return FALSE;
  if (instr->args[0] != self->foreach && (x->op != ACC_KOP_PRIM || x->primitive != ACC_PRIM_SUB || x->args[0] != self->foreach
                                          || reach_of (self, x->args[1]) != ACC_REACH_ALL))
    return FALSE;

  self->dividend = instr->args[0];
  self->start = instr->args[0] != self->foreach ? x->args[1] : 0;
  self->width = instr->args[1];
  self->division = instr->primitive == ACC_PRIM_DIV || instr->primitive == ACC_PRIM_MOD ? ACC_PRIM_DIV : ACC_PRIM_QUOT;

  return TRUE;
}

static gboolean
is_of_row (const AccRows *self,
           guint32        id,
           AccPrimitive   truncated,
           AccPrimitive   floored)
{
  const AccKernelInstr *instr = instr_of (self, id);

  return self->dividend != 0 && is_division (self, id) && instr->args[0] == self->dividend && instr->args[1] == self->width
         && instr->primitive == (self->division == ACC_PRIM_QUOT ? truncated : floored);
}

gboolean
acc_rows_is_quotient (const AccRows *self, guint32 id)
{
  return is_of_row (self, id, ACC_PRIM_QUOT, ACC_PRIM_DIV);
}

gboolean
acc_rows_is_column (const AccRows *self, guint32 id)
{
  return is_of_row (self, id, ACC_PRIM_REM, ACC_PRIM_MOD);
}

void
acc_rows_set_quotients (const AccRows *self, guint32 *made, guint32 quotient)
{
  const GArray *items = acc_kernel_block (self->kernel, self->block)->items;

  for (guint i = 0; i < items->len; i++)
    if (acc_rows_is_quotient (self, g_array_index (items, guint32, i)))
      made[g_array_index (items, guint32, i)] = quotient;
}

/* --- limits */

static const AccLimit *
get_limit (const AccRows *self,
           guint32        id)
{
  for (guint i = 0; i < self->limits->len; i++)
    if (g_array_index (self->limits, AccLimit, i).id == id)
      return &g_array_index (self->limits, AccLimit, i);

  return NULL;
}

guint32
acc_rows_get_bounded (const AccRows *self, guint32 id)
{
  const AccLimit *limit = get_limit (self, id);

  return limit != NULL && limit->kind == ACC_LIMIT_BOUND ? limit->of : 0;
}

guint32
acc_rows_get_chosen (const AccRows *self, guint32 id)
{
  const AccLimit *limit = get_limit (self, id);

  return limit != NULL && limit->kind == ACC_LIMIT_CHOICE ? limit->of : 0;
}

gboolean
acc_rows_has_bounds (const AccRows *self)
{
  for (guint i = 0; i < self->limits->len; i++)
    if (g_array_index (self->limits, AccLimit, i).kind == ACC_LIMIT_BOUND)
      return TRUE;

  return FALSE;
}

gboolean
acc_rows_holds (const AccRows *self, guint32 id)
{
  const AccLimit *limit = get_limit (self, id);

  return limit != NULL && limit->kind == ACC_LIMIT_COMPARISON;
}

/* Whether @id is a conjunction of conditions that are the same in a row, and of comparisons of what steps with what does not; these are
 * limits then. */
static gboolean
take_needed (AccRows *self,
             guint32  id)
{
  const AccKernelInstr *instr = instr_of (self, id);
  AccReach reach = reach_of (self, id);
  gboolean is_first, is_less;
  AccReach other;

  if (reach == ACC_REACH_ALL || reach == ACC_REACH_ROW)
    {
      g_array_append_vals (self->limits, &(AccLimit) { ACC_LIMIT_ALIKE, id, 0, id, FALSE, FALSE }, 1);
      return TRUE;
    }
  if (instr->op != ACC_KOP_PRIM || instr->kind != ACC_KIND_BOOL)
    return FALSE;
  if (acc_rows_holds (self, id))
    return TRUE;
  if (instr->primitive == ACC_PRIM_BAND)
    return take_needed (self, instr->args[0]) && take_needed (self, instr->args[1]);

  is_less = instr->primitive == ACC_PRIM_LT || instr->primitive == ACC_PRIM_LE;
  if (!is_less && instr->primitive != ACC_PRIM_GT && instr->primitive != ACC_PRIM_GE)
    return FALSE;
  is_first = reach_of (self, instr->args[0]) == ACC_REACH_COLUMN;
  other = reach_of (self, instr->args[is_first]);
  if ((!is_first && reach_of (self, instr->args[1]) != ACC_REACH_COLUMN) || other == ACC_REACH_NONE || other == ACC_REACH_COLUMN)
    return FALSE;
  g_array_append_vals (self->limits, &(AccLimit) {
                         ACC_LIMIT_COMPARISON, id, instr->args[!is_first], instr->args[is_first], is_first != is_less,
                         instr->primitive == ACC_PRIM_LT || instr->primitive == ACC_PRIM_GT,
                       }, 1);

  return TRUE;
}

/* A place, or -1, which is outside, under a condition that a row says */
static gboolean
take_choice (AccRows *self,
             guint32  id)
{
  const AccKernelInstr *instr = instr_of (self, id);
  guint n = self->limits->len;

  if (reach_of (self, instr->args[1]) != ACC_REACH_COLUMN || !is_small (self, instr->args[2], -1, -1))
    return FALSE;
  if (!take_needed (self, instr->args[0]))
    {
      g_array_set_size (self->limits, n);
      return FALSE;
    }
  g_array_append_vals (self->limits, &(AccLimit) { ACC_LIMIT_CHOICE, id, instr->args[1], 0, FALSE, FALSE }, 1);

  return TRUE;
}

/* --- what is the same in rows, and what steps */

/* The number of the column, and so many more; TRUE with @offset. */
static gboolean
is_near_column (const AccRows *self,
                guint32        id,
                gint64        *offset)
{
  const AccKernelInstr *instr = instr_of (self, id);
  guint32 bounded = acc_rows_get_bounded (self, id);

  *offset = 0;
  if (bounded != 0)
    return is_near_column (self, bounded, offset);
  if (acc_rows_is_column (self, id))
    return TRUE;
  if (instr->op != ACC_KOP_PRIM || instr->primitive != ACC_PRIM_ADD || !acc_rows_is_column (self, instr->args[0])
      || !is_small (self, instr->args[1], -MOST_MARGIN, MOST_MARGIN))
    return FALSE;
  *offset = instr_of (self, instr->args[1])->bits;

  return TRUE;
}

/* Near the last column */
static gboolean
is_near_width (const AccRows *self,
               guint32        id)
{
  const AccKernelInstr *instr = instr_of (self, id), *width = instr_of (self, self->width);

  if (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_ADD && is_small (self, instr->args[1], -MOST_MARGIN, 0))
    id = instr->args[0];

  return id == self->width || id == width->args[0] || id == width->args[1];
}

/* Minima and maxima that matter in few columns, at the ends of rows */
static gboolean
take_bound (AccRows *self,
            guint32  id)
{
  const AccKernelInstr *instr = instr_of (self, id);
  gboolean is_below = instr->primitive == ACC_PRIM_MAX;
  gint64 offset;

  for (guint i = 0; i < 2; i++)
    {
      guint32 of = instr->args[i], limit = instr->args[1 - i];

      if (reach_of (self, of) != ACC_REACH_COLUMN || reach_of (self, limit) != ACC_REACH_ALL || !is_near_column (self, of, &offset))
        continue;
      if (is_below ? !is_small (self, limit, -MOST_MARGIN, MOST_MARGIN) : !is_near_width (self, limit))
        continue;
      g_array_append_vals (self->limits, &(AccLimit) { ACC_LIMIT_BOUND, id, of, limit, is_below, FALSE }, 1);
      return TRUE;
    }

  return FALSE;
}

/* Whether a bound changes no column of a row. */
static gboolean
is_needless (const AccRows  *self,
             const AccLimit *bound)
{
  const AccKernelInstr *limit = instr_of (self, bound->limit), *width = instr_of (self, self->width);
  guint32 of = bound->limit;
  gint64 offset, less = 0;

  is_near_column (self, bound->of, &offset);
  if (bound->is_below)
    return (gint64) limit->bits <= offset;
  if (limit->op == ACC_KOP_PRIM && limit->primitive == ACC_PRIM_ADD && is_small (self, limit->args[1], -MOST_MARGIN, 0))
    {
      less = (gint64) instr_of (self, limit->args[1])->bits;
      of = limit->args[0];
    }

  /* The width is a maximum of 1, and rows that are split are wider. */
  return offset <= less + 1 && instr_of (self, of)->op != ACC_KOP_CONST
         && (of == self->width || of == width->args[0] || of == width->args[1]);
}

gboolean
acc_rows_find_border (const AccRows *self, guint32 place, const AccLimit **border)
{
  gboolean is_between = FALSE;

  *border = NULL;
  if (self->steps[place] != 1)
    return FALSE;
  while (reach_of (self, place) == ACC_REACH_COLUMN)
    {
      const AccKernelInstr *instr = instr_of (self, place);
      const AccLimit *limit = get_limit (self, place);

      if (limit != NULL && limit->kind == ACC_LIMIT_BOUND)
        {
          is_between = TRUE;
          if (!is_needless (self, limit) && *border != NULL)
            return FALSE;
          if (!is_needless (self, limit))
            *border = limit;
        }
      else if (limit == NULL && (instr->op != ACC_KOP_PRIM || instr->primitive != ACC_PRIM_ADD))
        return is_between;
      place = limit != NULL ? limit->of : instr->args[reach_of (self, instr->args[0]) != ACC_REACH_COLUMN];
    }

  return FALSE;
}

/* By how much a sum, difference or product of what steps does, or one of bounds; 0: perhaps not evenly, or not upwards. */
static gint64
find_step (AccRows *self,
           guint32  id)
{
  const AccKernelInstr *instr = instr_of (self, id);
  gint64 x = self->steps[instr->args[0]], y = self->steps[instr->args[1]];

  if (instr->op == ACC_KOP_SELECT)
    return take_choice (self, id) ? y : 0;
  if (instr->op != ACC_KOP_PRIM)
    return 0;
  if (instr->primitive == ACC_PRIM_MIN || instr->primitive == ACC_PRIM_MAX)
    return take_bound (self, id);
  if (instr->primitive == ACC_PRIM_ADD)
    return x + y;
  if (instr->primitive == ACC_PRIM_SUB)
    return MAX (x - y, 0);
  if (instr->primitive == ACC_PRIM_MUL && is_small (self, instr->args[1], 1, MOST_STEP))
    return x * (gint64) instr_of (self, instr->args[1])->bits;
  if (instr->primitive == ACC_PRIM_MUL && is_small (self, instr->args[0], 1, MOST_STEP))
    return y * (gint64) instr_of (self, instr->args[0])->bits;

  return 0;
}

static AccReach
find_reach (AccRows *self,
            guint32  id)
{
  const AccKernelInstr *instr = instr_of (self, id);
  AccReach all = ACC_REACH_ALL;
  gint64 step;

  self->steps[id] = acc_rows_is_column (self, id);
  if (acc_rows_is_quotient (self, id))
    return ACC_REACH_ROW;
  if (acc_rows_is_column (self, id))
    return ACC_REACH_COLUMN;
  if (!_acc_kernel_op_is_pure (instr->op) && !(instr->op == ACC_KOP_LOAD && _acc_kernel_is_unchanging (self->kernel, instr)))
    return ACC_REACH_NONE;

  for (guint i = _acc_kernel_first_id (instr); i < instr->n_args; i++)
    {
      AccReach reach = reach_of (self, instr->args[i]);

      all = all == ACC_REACH_NONE || reach == ACC_REACH_NONE ? ACC_REACH_NONE : MAX (all, reach);
    }
  if (all == ACC_REACH_ALL || all == ACC_REACH_ROW)
    return all;
  if (instr->op != ACC_KOP_SELECT && all == ACC_REACH_NONE)
    return all;

  step = instr->kind == ACC_KIND_I64 ? find_step (self, id) : 0;
  if (step <= 0 || step > MOST_STEP)
    return ACC_REACH_NONE;
  self->steps[id] = step;

  return ACC_REACH_COLUMN;
}

static void
find_reaches (AccRows *self)
{
  const GArray *items = acc_kernel_block (self->kernel, self->block)->items;

  self->reaches[self->foreach] = ACC_REACH_COLUMN;
  self->steps[self->foreach] = 1;
  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);

      self->reaches[id] = find_reach (self, id);
    }
}

gboolean
acc_rows_is_alike (const AccRows *self, guint32 id)
{
  return self->reaches[id] == ACC_REACH_ALL || self->reaches[id] == ACC_REACH_ROW;
}

static void
find_limits (AccRows *self)
{
  const GArray *items = acc_kernel_block (self->kernel, self->block)->items;

  for (guint i = 0; i < items->len; i++)
    {
      const AccKernelInstr *instr = instr_of (self, g_array_index (items, guint32, i));
      guint n = self->limits->len;

      if (instr->op == ACC_KOP_CHECK && reach_of (self, instr->args[0]) == ACC_REACH_NONE && !take_needed (self, instr->args[0]))
        g_array_set_size (self->limits, n);
    }
}

gboolean
acc_rows_has_strides (const AccRows *self)
{
  for (guint32 id = self->foreach + 1; id < self->kernel->instrs->len; id++)
    if (instr_of (self, id)->op == ACC_KOP_LOAD && self->steps[instr_of (self, id)->args[1]] > 1
        && _acc_kernel_is_inside (self->kernel, id, self->foreach))
      return TRUE;

  return FALSE;
}

/* --- the loop */

/* Whether columns may go in any order, and nothing is carried from one to the next. */
static gboolean
may_split (const AccRows *self)
{
  const AccKernel *kernel = self->kernel;
  guint n = 0;

  if (instr_of (self, self->foreach)->bits != 0)
    return FALSE;
  for (guint32 id = self->foreach + 1; id < kernel->instrs->len; id++)
    {
      const AccKernelInstr *instr = instr_of (self, id);

      if (_acc_kernel_op_in_no_block (instr->op) || !_acc_kernel_is_inside (kernel, id, self->foreach))
        continue;
      n++;
      if (instr->op == ACC_KOP_FOREACH || instr->op == ACC_KOP_PACK || instr->op == ACC_KOP_ATOMIC || instr->op == ACC_KOP_CAS
          || _acc_kernel_op_meets (instr->op))
        return FALSE;
      if ((instr->op == ACC_KOP_GET || instr->op == ACC_KOP_SET) && !_acc_kernel_is_inside (kernel, instr->args[0], self->foreach))
        return FALSE;
      if (instr->op == ACC_KOP_STORE && instr->args[1] != self->foreach)
        return FALSE;
    }

  return n <= MOST_INSTRS;
}

AccRows *
acc_rows_new (const AccKernel *kernel, guint32 foreach)
{
  g_autoptr(AccRows) self = g_new0 (AccRows, 1);
  const GArray *items;
  gboolean divides = FALSE;

  self->kernel = kernel;
  self->foreach = foreach;
  self->block = acc_kernel_instr (kernel, foreach)->blocks[0];
  self->reaches = g_new0 (guint8, kernel->instrs->len);
  self->steps = g_new0 (guint32, kernel->instrs->len);
  self->limits = g_array_new (FALSE, FALSE, sizeof (AccLimit));
  items = acc_kernel_block (kernel, self->block)->items;
  for (guint i = 0; i < items->len && !divides; i++)
    divides = is_division (self, g_array_index (items, guint32, i));
  if (!divides || !may_split (self))
    return NULL;

  find_reaches (self);
  divides = FALSE;
  for (guint i = 0; i < items->len && !divides; i++)
    divides = takes_division (self, g_array_index (items, guint32, i));
  if (!divides)
    return NULL;

  g_array_set_size (self->limits, 0);
  find_reaches (self);
  find_limits (self);

  return g_steal_pointer (&self);
}

void
acc_rows_free (AccRows *self)
{
  g_free (self->reaches);
  g_free (self->steps);
  g_array_unref (self->limits);
  g_free (self);
}
