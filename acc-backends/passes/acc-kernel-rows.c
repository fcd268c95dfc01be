/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "acc-kernel-rows.h"
#include "acc-passes.h"

/* Splits loops of lanes whose body divides by what all lanes have alike into rows, in which the quotient does not change. So
 *
 *   foreach i in begin..end:
 *     ... (i - c) / width ... (i - c) % width ... max (column - 1, 0) ... check 0 <= place < n
 *
 * is
 *
 *   for rows of width columns, or the parts of them between begin and end:
 *     if all checks of places hold at both ends:
 *       foreach i in the columns where no bound of a column matters:
 *         ...                            neighbouring lanes read neighbouring places
 *       for i in the others, before and behind these:
 *         ...
 *     else
 *       foreach i in the row:
 *         ...                            as it was
 *
 * Places rise with the columns, so that the ends tell of all. What the columns have alike is computed once for a row, or for all. Very
 * narrow rows are not split. Where loads under a mask cost nothing, narrow rows are one loop of lanes with their borders: lanes that a
 * bound changes all read the same place, which is loaded before. */

/* Rows of fewer columns take longer by themselves. */
#define LEAST_COLUMNS 4

/* Rows are rarely longer; more at a time would be idle lanes. */
#define LANES 16

/* Rows of no more columns are of one or two blocks, each of which has a border. */
#define MOST_NARROW (2 * LANES)

/* Loads of a row whose places are between bounds: in lanes, of which some are at a border, where all load the same. */
typedef struct {
  const struct _Row *row;
  guint8            *is_between;  /* by instruction */
  guint32           *ends;        /* likewise: what is at the border; 0: no bound matters */
} Borders;

typedef struct {
  const AccKernel  *from;
  AccKernelBuilder *b;
  guint32          *made;   /* by instruction of .from: the value or variable in .b */
  const Borders    *borders; /* of the row that is written; NULL: they are no lanes */
} Pass;

/* A row that is written. */
typedef struct _Row {
  const AccRows *rows;
  KValue         base;      /* index of its first column */
  gboolean       is_plain;  /* bounds do not matter */
} Row;

static KValue
value_of (Pass    *self,
          guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (self->from, id);

  return _acc_kernel_op_in_no_block (instr->op) ? _kb_pure (self->b, *instr) : (KValue) { self->made[id] };
}

static gboolean
always_holds (Pass   *self,
              KValue  condition)
{
  return kb_is_const (self->b, condition) && acc_kernel_instr (self->b->kernel, condition.id)->bits != 0;
}

/* --- copies */

static void walk (Pass *self, guint32 block, const Row *row);
static void write_foreach (Pass *self, guint32 id);

static guint32
copy (Pass    *self,
      guint32  id)
{
  AccKernelInstr copied = *acc_kernel_instr (self->from, id);

  for (guint i = _acc_kernel_first_id (&copied); i < copied.n_args; i++)
    copied.args[i] = value_of (self, copied.args[i]).id;
  copied.blocks[0] = copied.blocks[1] = 0;
  if (copied.op == ACC_KOP_CHECK && always_holds (self, (KValue) { copied.args[0] }))
    return 0;
  if (_acc_kernel_op_is_pure (copied.op)
      || (copied.op == ACC_KOP_LOAD && _acc_kernel_is_unchanging (self->from, acc_kernel_instr (self->from, id))))
    return _kb_pure (self->b, copied).id;

  return _kb_append (self->b, copied).id;
}

static void
copy_blocks (Pass    *self,
             guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (self->from, id);
  KValue first = instr->n_args > 0 ? value_of (self, instr->args[0]) : (KValue) { 0 };

  if (instr->op == ACC_KOP_FOREACH)
    {
      write_foreach (self, id);
      return;
    }
  if (instr->op == ACC_KOP_IF && always_holds (self, first))
    {
      walk (self, instr->blocks[0], NULL);
      return;
    }

  if (instr->op == ACC_KOP_FOR)
    self->made[id] = _kb_enter_for (self->b, first, value_of (self, instr->args[1]), instr->bits != 0).id;
  else if (instr->op == ACC_KOP_IF)
    _kb_enter_if (self->b, first, instr->bits != 0);
  else
    _kb_enter_while (self->b);
  walk (self, instr->blocks[0], NULL);
  _kb_leave (self->b);
  if (instr->blocks[1] == 0)
    return;
  _kb_enter_else (self->b);
  walk (self, instr->blocks[1], NULL);
  _kb_leave (self->b);
}

static KValue load_between (Pass *self, guint32 id);

/* What instruction @id is in the row: what is chosen, and what is bounded where that does not matter; 0: none of these. */
static guint32
find_same (const Row *row,
           guint32    id)
{
  guint32 chosen = acc_rows_get_chosen (row->rows, id);

  return row->is_plain && chosen == 0 ? acc_rows_get_bounded (row->rows, id) : chosen;
}

/* @row: of whose columns this is the body; NULL: it is another block. */
static void
walk (Pass      *self,
      guint32    block,
      const Row *row)
{
  const GArray *items = acc_kernel_block (self->from, block)->items;

  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);
      guint32 same = row != NULL ? find_same (row, id) : 0;

      if (row != NULL && acc_rows_is_alike (row->rows, id))
        continue;
      if (row != NULL && acc_rows_is_column (row->rows, id))
        self->made[id] = kb_sub (self->b, (KValue) { self->made[row->rows->foreach] }, row->base).id;
      else if (same != 0)
        self->made[id] = value_of (self, same).id;
      else if (row != NULL && acc_rows_holds (row->rows, id))
        self->made[id] = kb_int (self->b, ACC_KIND_BOOL, 1).id;
      else if (self->borders != NULL && self->borders->is_between[id])
        self->made[id] = load_between (self, id).id;
      else if (acc_kernel_instr (self->from, id)->blocks[0] != 0)
        copy_blocks (self, id);
      else
        self->made[id] = copy (self, id);
    }
}

static void
copy_foreach (Pass    *self,
              guint32  id,
              KValue   begin,
              KValue   end)
{
  const AccKernelInstr *instr = acc_kernel_instr (self->from, id);

  kb_set_lanes (self->b, instr->bits);
  self->made[id] = _kb_enter_foreach (self->b, begin, end).id;
  kb_set_lanes (self->b, 0);
  walk (self, instr->blocks[0], NULL);
  _kb_leave (self->b);
}

/* --- rows */

/* What is the same in all columns, of all rows (%ACC_REACH_ALL) or of this one. */
static void
write_alike (Pass          *self,
             const AccRows *rows,
             AccReach       reach)
{
  const GArray *items = acc_kernel_block (self->from, rows->block)->items;

  for (guint i = 0; i < items->len; i++)
    {
      guint32 id = g_array_index (items, guint32, i);

      if (rows->reaches[id] == reach && !acc_rows_is_quotient (rows, id))
        self->made[id] = copy (self, id);
    }
}

/* What @id, which rises with the columns, is at index @at. */
static KValue
find_at (Pass      *self,
         const Row *row,
         guint32    id,
         KValue     at)
{
  const AccKernelInstr *instr = acc_kernel_instr (self->from, id);
  guint32 same = find_same (row, id);

  if (id == row->rows->foreach)
    return at;
  if (row->rows->reaches[id] != ACC_REACH_COLUMN)
    return value_of (self, id);
  if (acc_rows_is_column (row->rows, id))
    return kb_sub (self->b, at, row->base);
  if (same != 0)
    return find_at (self, row, same, at);

  return kb_prim2 (self->b, instr->primitive, find_at (self, row, instr->args[0], at), find_at (self, row, instr->args[1], at));
}

/* Whether limits of @kind hold from index @first to @last. */
static KValue
holds_between (Pass        *self,
               const Row   *row,
               AccLimitKind kind,
               KValue       first,
               KValue       last)
{
  AccKernelBuilder *b = self->b;
  KValue all = kb_int (b, ACC_KIND_BOOL, 1);

  for (guint i = 0; i < row->rows->limits->len; i++)
    {
      const AccLimit *limit = &g_array_index (row->rows->limits, AccLimit, i);
      AccPrimitive compare = limit->is_strict ? ACC_PRIM_LT : ACC_PRIM_LE;
      KValue bound, end;

      if (limit->kind != kind || !acc_rows_is_nearest (row->rows, i))
        continue;
      bound = value_of (self, limit->limit);
      end = find_at (self, row, limit->of, limit->is_below ? first : last);
      all = kb_and (b, all, limit->is_below ? kb_prim2 (b, compare, bound, end) : kb_prim2 (b, compare, end, bound));
    }

  return all;
}

/* Whether all checks hold in the row from @first to @last, and nothing that rises wraps. */
static KValue
is_inside (Pass      *self,
           const Row *row,
           KValue     first,
           KValue     last)
{
  AccKernelBuilder *b = self->b;
  KValue all = holds_between (self, row, ACC_LIMIT_COMPARISON, first, last);

  for (guint i = 0; i < row->rows->limits->len; i++)
    {
      const AccLimit *limit = &g_array_index (row->rows->limits, AccLimit, i);
      guint32 least, most;

      if (limit->kind == ACC_LIMIT_ALIKE)
        all = kb_and (b, all, value_of (self, limit->limit));
      else if (acc_rows_find_ends (row->rows, i, &least, &most))
        all = kb_and (b, all, kb_le (b, find_at (self, row, least, first), find_at (self, row, most, last)));
    }

  return all;
}

/* The columns from @*first to @*behind that no bound changes. */
static void
find_plain (Pass   *self,
            Row    *row,
            KValue *first,
            KValue *behind)
{
  AccKernelBuilder *b = self->b;
  KValue low = kb_i64 (b, 0), high = value_of (self, row->rows->width), holds;

  row->is_plain = TRUE;
  for (guint i = 0; i < row->rows->limits->len; i++)
    {
      const AccLimit *limit = &g_array_index (row->rows->limits, AccLimit, i);
      KValue rest;

      if (limit->kind != ACC_LIMIT_BOUND || !acc_rows_is_nearest (row->rows, i))
        continue;
      rest = kb_sub (b, value_of (self, limit->limit), find_at (self, row, limit->of, row->base));
      if (limit->is_below)
        low = kb_max (b, low, rest);
      else
        high = kb_min (b, high, kb_add (b, rest, kb_i64 (b, 1)));
    }
  *behind = kb_max (b, *first, kb_min (b, *behind, kb_add (b, row->base, high)));
  *first = kb_min (b, kb_max (b, *first, kb_add (b, row->base, low)), *behind);
  holds = holds_between (self, row, ACC_LIMIT_BOUND, *first, kb_sub (b, *behind, kb_i64 (b, 1)));
  *behind = kb_select (b, holds, *behind, *first);
}

static void
write_lanes (Pass      *self,
             const Row *row,
             KValue     begin,
             KValue     end)
{
  kb_set_lanes (self->b, LANES);
  self->made[row->rows->foreach] = _kb_enter_foreach (self->b, begin, end).id;
  kb_set_lanes (self->b, 0);
  walk (self, row->rows->block, row);
  _kb_leave (self->b);
}

/* --- rows with their borders in lanes */

/* Load @id from @place. */
static KValue
load_from (Pass    *self,
           guint32  id,
           KValue   place)
{
  AccKernelInstr load = *acc_kernel_instr (self->from, id);

  load.args[1] = place.id;

  return _kb_pure (self->b, load);
}

/* Lanes at the border have what is there, which the row loads once; others load theirs. */
static KValue
load_between (Pass    *self,
              guint32  id)
{
  AccKernelBuilder *b = self->b;
  Row plain = { self->borders->row->rows, self->borders->row->base, TRUE };
  KValue at = { self->made[plain.rows->foreach] }, place, limit, of;
  guint32 to = acc_kernel_instr (self->from, id)->args[1];
  const AccLimit *border;
  KVar x;

  place = find_at (self, &plain, to, at);
  if (!acc_rows_find_border (plain.rows, to, &border) || border == NULL)
    return load_from (self, id, place);

  limit = value_of (self, border->limit);
  of = find_at (self, &plain, border->of, at);
  x = kb_var (b, (KValue) { self->borders->ends[id] });
  _kb_enter_if (b, border->is_below ? kb_le (b, limit, of) : kb_le (b, of, limit), FALSE);
  kb_set (b, x, load_from (self, id, place));
  _kb_leave (b);

  return kb_get (b, x);
}

static gboolean
all_hold (Pass          *self,
          const AccRows *rows,
          guint32        id)
{
  const AccKernelInstr *instr = acc_kernel_instr (self->from, id);

  if (instr->op == ACC_KOP_PRIM && instr->primitive == ACC_PRIM_BAND)
    return all_hold (self, rows, instr->args[0]) && all_hold (self, rows, instr->args[1]);

  return acc_rows_holds (rows, id);
}

/* Whether all columns load, whatever is loaded whenever. */
static gboolean
always_loads (Pass          *self,
              const AccRows *rows,
              guint32        id)
{
  const AccKernelInstr *load = acc_kernel_instr (self->from, id), *parent;

  if (load->op != ACC_KOP_LOAD || !_acc_kernel_is_unchanging (self->from, load) || !_acc_kernel_is_inside (self->from, id, rows->foreach))
    return FALSE;
  parent = acc_kernel_instr (self->from, _acc_kernel_get_parent (self->from, id));

  return load->block == rows->block || (parent->op == ACC_KOP_IF && parent->block == rows->block && load->block == parent->blocks[0]
                                        && all_hold (self, rows, parent->args[0]));
}

/* A bound matters in the first column, or in the last, if it does anywhere. */
static void
write_with_borders (Pass      *self,
                    const Row *row,
                    KValue     begin,
                    KValue     end)
{
  const AccRows *rows = row->rows;
  guint n = self->from->instrs->len;
  g_autofree guint8 *is_between = g_new0 (guint8, n);
  g_autofree guint32 *ends = g_new0 (guint32, n);
  Borders borders = { row, is_between, ends };

  for (guint32 id = rows->foreach + 1; id < n; id++)
    {
      const AccLimit *border;
      guint32 place;

      if (!always_loads (self, rows, id))
        continue;
      place = acc_kernel_instr (self->from, id)->args[1];
      is_between[id] = acc_rows_find_border (rows, place, &border);
      if (is_between[id] && border != NULL)
        ends[id] = load_from (self, id,
                              find_at (self, row, place, border->is_below ? begin : kb_sub (self->b, end, kb_i64 (self->b, 1)))).id;
    }
  self->borders = &borders;
  write_lanes (self, row, begin, end);
  self->borders = NULL;
}

static void
write_columns (Pass   *self,
               Row    *row,
               KValue  begin,
               KValue  end)
{
  AccKernelBuilder *b = self->b;
  gboolean has_bounds = acc_rows_has_bounds (row->rows), has_rest = acc_rows_has_strides (row->rows);
  KValue first = begin, behind = end, n_left, n_right, i;

  if (has_bounds)
    find_plain (self, row, &first, &behind);
  /* Less than a block goes one by one where lanes would not read neighbours. */
  if (has_rest)
    behind = kb_add (b, first, kb_prim2 (b, ACC_PRIM_BAND, kb_sub (b, behind, first), kb_i64 (b, -LANES)));

  row->is_plain = TRUE;
  write_lanes (self, row, first, behind);
  if (!has_bounds && !has_rest)
    return;

  row->is_plain = FALSE;
  n_left = kb_sub (b, first, begin);
  n_right = kb_sub (b, end, behind);
  i = _kb_enter_for (b, kb_i64 (b, 0), kb_add (b, n_left, n_right), FALSE);
  self->made[row->rows->foreach] = kb_select (b, kb_lt (b, i, n_left), kb_add (b, begin, i), kb_add (b, behind, kb_sub (b, i, n_left))).id;
  walk (self, row->rows->block, row);
  _kb_leave (b);
}

static void
write_row (Pass   *self,
           Row    *row,
           KValue  begin,
           KValue  end)
{
  AccKernelBuilder *b = self->b;
  gboolean has_borders = b->kernel->masks && acc_rows_has_bounds (row->rows) && !acc_rows_has_strides (row->rows);
  KValue is_narrow = kb_le (b, value_of (self, row->rows->width), kb_i64 (b, MOST_NARROW));

  if (has_borders)
    {
      /* Columns from 0 on */
      _kb_enter_if (b, kb_and (b, is_narrow, kb_le (b, row->base, begin)), FALSE);
      write_with_borders (self, row, begin, end);
      _kb_leave (b);
      _kb_enter_else (b);
    }
  write_columns (self, row, begin, end);
  if (has_borders)
    _kb_leave (b);
}

/* Below the first index that is divided quotients turn at other places: each index is a row of its own there. */
static void
write_rows (Pass          *self,
            const AccRows *rows,
            KValue         begin,
            KValue         end)
{
  AccKernelBuilder *b = self->b;
  KValue width = value_of (self, rows->width), start = rows->start != 0 ? value_of (self, rows->start) : kb_i64 (b, 0);
  KValue is_wide = kb_le (b, kb_i64 (b, LEAST_COLUMNS), width), at, x, quotient, column, left, behind;
  KVar next = kb_var (b, begin);
  Row row = { rows };

  _kb_enter_while (b);
  at = kb_get (b, next);
  kb_until (b, kb_le (b, end, at));
  x = kb_sub (b, at, start);
  quotient = kb_prim2 (b, rows->division, x, width);
  column = kb_sub (b, x, kb_mul (b, quotient, width));
  left = kb_select (b, kb_lt (b, x, kb_i64 (b, 0)), kb_i64 (b, 1), kb_sub (b, width, column));
  behind = kb_add (b, at, kb_min (b, left, kb_sub (b, end, at)));
  behind = kb_select (b, is_wide, behind, end);
  row.base = kb_sub (b, at, column);
  acc_rows_set_quotients (rows, self->made, quotient.id);
  write_alike (self, rows, ACC_REACH_ROW);

  _kb_enter_if (b, kb_and (b, is_wide, is_inside (self, &row, at, kb_sub (b, behind, kb_i64 (b, 1)))), FALSE);
  write_row (self, &row, at, behind);
  _kb_leave (b);
  _kb_enter_else (b);
  copy_foreach (self, rows->foreach, at, behind);
  _kb_leave (b);
  kb_set (b, next, behind);
  _kb_leave (b);
}

static void
write_foreach (Pass    *self,
               guint32  id)
{
  const AccKernelInstr *instr = acc_kernel_instr (self->from, id);
  AccKernelBuilder *b = self->b;
  KValue begin = value_of (self, instr->args[0]), end = value_of (self, instr->args[1]);
  g_autoptr(AccRows) rows = acc_rows_new (self->from, id);

  if (rows == NULL)
    {
      copy_foreach (self, id, begin, end);
      return;
    }

  _kb_enter_if (b, kb_lt (b, begin, end), FALSE);
  write_alike (self, rows, ACC_REACH_ALL);
  write_rows (self, rows, begin, end);
  _kb_leave (b);
}

static gboolean
has_rows (const AccKernel *kernel)
{
  for (guint32 id = 1; id < kernel->instrs->len; id++)
    {
      g_autoptr(AccRows) rows = acc_kernel_instr (kernel, id)->op == ACC_KOP_FOREACH ? acc_rows_new (kernel, id) : NULL;

      if (rows != NULL)
        return TRUE;
    }

  return FALSE;
}

void
_acc_kernel_split_rows (AccKernelBuilder *b)
{
  AccKernel *before = b->kernel;
  AccKernelBuilder *made;
  Pass self;

  if (!has_rows (before))
    return;

  made = _kb_new_like (before);
  self = (Pass) { before, made, g_new0 (guint32, before->instrs->len) };
  walk (&self, ACC_KERNEL_BODY, NULL);
  g_free (self.made);
  _kb_take_over (b, made);
}
