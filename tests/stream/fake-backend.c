/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fake-backend.h"

#include <string.h>

/* --- scripts */

void
script_init (Script *self)
{
  memset (self, 0, sizeof *self);
  self->fail_step = -1;
  self->on_device = g_getenv ("ACC_TEST_FAKE_DEVICE") != NULL;
}

void
script_clear (Script *self)
{
  for (guint i = 0; i < self->n_values; i++)
    g_clear_object (&self->values[i].source);
}

guint
script_add_value (Script *self, AccRowValueKind kind, gint64 n_rows, gint64 row_elements)
{
  g_assert_cmpuint (self->n_values, <, SCRIPT_MAX);
  self->values[self->n_values] = (ScriptValue) { kind, NULL, n_rows, row_elements, -1 };

  return self->n_values++;
}

guint
script_add_source (Script *self, gint64 n_rows, gint64 row_elements, guint32 seed)
{
  guint value = script_add_value (self, ACC_ROW_VALUE_SOURCE, n_rows, row_elements);

  self->values[value].source = test_source_new ("i4", (gint64[]) { n_rows, row_elements }, 2, seed);

  return value;
}

ScriptStep *
script_add_step (Script *self, gboolean reduces, gint64 n_rows)
{
  g_assert_cmpuint (self->n_steps, <, SCRIPT_MAX);
  self->steps[self->n_steps].reduces = reduces;
  self->steps[self->n_steps].n_rows = n_rows;

  return &self->steps[self->n_steps++];
}

void
script_read (ScriptStep *step, guint value, gint64 above, gint64 below)
{
  g_assert_cmpuint (step->n_reads, <, G_N_ELEMENTS (step->reads));
  step->reads[step->n_reads++] = (AccRowRead) { value, above, below };
}

void
script_make_result (Script *self, guint value)
{
  self->values[value].result = (int) self->n_results++;
}

guint
script_add_stage (Script *self, guint from, gint64 above, gint64 below)
{
  ScriptStep *step = script_add_step (self, FALSE, self->values[from].n_rows);
  guint value = script_add_value (self, ACC_ROW_VALUE_ROWS, self->values[from].n_rows, self->values[from].row_elements);

  script_read (step, from, above, below);
  step->writes[step->n_writes++] = value;

  return value;
}

static AccExpr *
same_index (AccExpr *index, gpointer data)
{
  return index;
}

static AccExpr *
origin (AccExpr *index, gpointer data)
{
  return acc_expr_tuple2 (acc_expr_new_int (0), acc_expr_new_int (0));
}

static AccExpr *
zero (AccExpr *index, gpointer data)
{
  return acc_expr_new_typed_int (acc_element_type_new (ACC_KIND_I32), 0);
}

AccArray *
script_dup_result (Script *self, guint result)
{
  for (guint i = 0; i < self->n_values; i++)
    {
      gboolean reduced = self->values[i].kind == ACC_ROW_VALUE_REDUCED;
      g_autoptr(AccShape) shape = NULL;

      if (self->values[i].result != (int) result)
        continue;

      shape = reduced ? acc_shape_new_vector (1) : acc_shape_new_matrix (self->values[i].n_rows, self->values[i].row_elements);

      for (guint j = 0; j < self->n_values; j++)
        if (self->values[j].source != NULL)
          {
            g_autoptr(AccArray) array = acc_array_new_from_source (ACC_SOURCE (self->values[j].source));

            return acc_array_backpermute (array, shape, reduced ? origin : same_index, NULL);
          }

      return acc_array_generate (shape, zero, NULL);
    }

  g_assert_not_reached ();
}

/* --- the rule */

typedef const gint32 *(*GetRow) (gpointer data, guint value, gint64 row);

/* What one row of a step's first result is; order, rows and boundaries all matter. */
static void
compute_row (Script *script, const ScriptStep *step, guint write, gint64 row, gint32 *out, GetRow get_row, gpointer data)
{
  gint64 columns = script->values[step->writes[write]].row_elements;

  for (gint64 c = 0; c < columns; c++)
    out[c] = (gint32) (row * 7 + c + write);

  for (guint i = 0; i < step->n_reads; i++)
    {
      const AccRowRead *read = &step->reads[i];
      const ScriptValue *value = &script->values[read->value];
      gboolean reduced = value->kind == ACC_ROW_VALUE_REDUCED;

      for (gint64 d = reduced ? 0 : -read->above; d <= (reduced ? 0 : read->below); d++)
        {
          const gint32 *in;

          if (!reduced && (row + d < 0 || row + d >= value->n_rows))
            continue;

          in = get_row (data, read->value, reduced ? 0 : row + d);
          for (gint64 c = 0; c < columns && value->row_elements > 0; c++)
            out[c] = (gint32) ((guint32) out[c] * 31u + (guint32) in[c % value->row_elements] * (guint32) (d + 101));
        }
    }
}

static void
reduce_row (Script *script, const ScriptStep *step, gint64 row, gint32 *state, GetRow get_row, gpointer data)
{
  for (guint i = 0; i < step->n_reads; i++)
    {
      const ScriptValue *value = &script->values[step->reads[i].value];
      const gint32 *in;

      if (value->kind == ACC_ROW_VALUE_REDUCED)
        in = get_row (data, step->reads[i].value, 0);
      else if (row < value->n_rows)
        in = get_row (data, step->reads[i].value, row);
      else
        continue;

      for (gint64 c = 0; c < MAX (value->row_elements, value->kind == ACC_ROW_VALUE_REDUCED); c++)
        *state = (gint32) ((guint32) *state * 131u + (guint32) in[c]);
    }
}

static const gint32 *
get_whole_row (gpointer data, guint value, gint64 row)
{
  gpointer *context = data;
  Script *script = context[0];
  gint32 **arrays = context[1];

  return arrays[value] + row * script->values[value].row_elements;
}

gint32 *
script_compute (Script *self, guint value)
{
  gint32 *arrays[SCRIPT_MAX] = { NULL, };
  gpointer context[2] = { self, arrays };
  gint32 *result;

  for (guint i = 0; i < self->n_values; i++)
    {
      const ScriptValue *v = &self->values[i];

      arrays[i] = g_new0 (gint32, v->n_rows * v->row_elements + 1);
      if (v->kind == ACC_ROW_VALUE_SOURCE)
        for (gint64 r = 0; r < v->n_rows; r++)
          for (gint64 c = 0; c < v->row_elements; c++)
            arrays[i][r * v->row_elements + c] = test_source_element (v->source->seed, r, c);
    }

  for (guint i = 0; i < self->n_steps; i++)
    for (guint w = 0; w < self->steps[i].n_writes; w++)
      {
        guint to = self->steps[i].writes[w];

        for (gint64 r = 0; r < self->steps[i].n_rows; r++)
          if (self->steps[i].reduces)
            reduce_row (self, &self->steps[i], r, arrays[to], get_whole_row, context);
          else
            compute_row (self, &self->steps[i], w, r, arrays[to] + r * self->values[to].row_elements, get_whole_row, context);
      }

  result = arrays[value];
  for (guint i = 0; i < self->n_values; i++)
    if (i != value)
      g_free (arrays[i]);

  return result;
}

/* --- runs by rows */

/* Rows in the memory of a device that is not there. */
struct _AccRowMemory
{
  gint32 *data;
  gint64  headroom, capacity, row_elements;
  guint64 bytes;
};

typedef enum { WORK_STEP, WORK_COPY, WORK_UPLOAD, WORK_DOWNLOAD } WorkKind;

typedef struct {
  WorkKind kind;
  guint    step;
  gint64   begin, end;
  gint32  *windows[SCRIPT_MAX];
  gint64   first[SCRIPT_MAX], n[SCRIPT_MAX];
  gint32  *to, *from;
  gsize    size;
} Work;

typedef struct {
  AccRowRun    parent;
  FakeBackend *backend;
  Script      *script;
  AccArray    *arrays[SCRIPT_MAX];   /* of sources */
  AccArray    *result_arrays[SCRIPT_MAX];
  gint32      *windows[SCRIPT_MAX];
  gint64       first[SCRIPT_MAX], n[SCRIPT_MAX];
  gint64       done[SCRIPT_MAX];
  gboolean     seen[SCRIPT_MAX];
  gint32       state[SCRIPT_MAX];

  /* A device: what was handed over and not done yet, in order. */
  GMutex       lock;
  GQueue       work;
  Work         set;           /* windows as they are now */
  guint64      n_queued, n_worked;
  gint32       n_memories;
  GError      *failure;
} FakeRun;

struct _FakeBackend
{
  AccBackend parent_instance;

  Script    *script;
  guint64    n_rows;
  guint64    device_bytes;
  guint      n_whole;
};

#define FAKE_TYPE_EXECUTABLE (fake_executable_get_type ())
G_DECLARE_FINAL_TYPE (FakeExecutable, fake_executable, FAKE, EXECUTABLE, AccExecutable)

struct _FakeExecutable
{
  AccExecutable parent_instance;
};

G_DEFINE_FINAL_TYPE (FakeExecutable, fake_executable, ACC_TYPE_EXECUTABLE)
G_DEFINE_FINAL_TYPE (FakeBackend, fake_backend, ACC_TYPE_BACKEND)

static void
fake_set_window (AccRowRun *run, guint value, gpointer *leaves, gint64 first_row, gint64 n_rows)
{
  FakeRun *self = (FakeRun *) run;
  const ScriptValue *v = &self->script->values[value];

  g_assert_cmpuint (value, <, run->n_values);
  g_assert_cmpint (first_row, >=, 0);
  g_assert_cmpint (first_row + n_rows, <=, v->n_rows);
  self->windows[value] = leaves[0];
  self->first[value] = first_row;
  self->n[value] = n_rows;
}

static gint32 *
find_row (FakeRun *self, guint value, gint64 row)
{
  if (row < self->first[value] || row >= self->first[value] + self->n[value])
    g_error ("row %d of value %u is not in its window of %d to %d", (int) row, value,
             (int) self->first[value], (int) (self->first[value] + self->n[value]));

  return self->windows[value] + (row - self->first[value]) * self->script->values[value].row_elements;
}

static gint64
rows_there (FakeRun *self, guint value)
{
  for (guint i = 0; i < self->script->n_steps; i++)
    for (guint k = 0; k < self->script->steps[i].n_writes; k++)
      if (self->script->steps[i].writes[k] == value)
        return self->done[i];

  return G_MAXINT64;
}

static const gint32 *
get_window_row (gpointer data, guint value, gint64 row)
{
  FakeRun *self = data;

  if (self->script->values[value].kind == ACC_ROW_VALUE_REDUCED)
    {
      for (guint i = 0; i < self->script->n_steps; i++)
        if (self->script->steps[i].writes[0] == value)
          g_assert_cmpint (self->done[i], ==, self->script->steps[i].n_rows);
      return &self->state[value];
    }

  g_assert_cmpint (row, <, rows_there (self, value));

  return find_row (self, value, row);
}

static gboolean
compute_rows (FakeRun *self, guint position, gint64 begin, gint64 end, GError **error)
{
  const ScriptStep *step = &self->script->steps[position];

  if (self->script->delay_us > 0)
    g_usleep (self->script->delay_us);

  if (self->script->fail_step == (int) position && self->script->fail_row >= begin && self->script->fail_row < end)
    {
      g_set_error (error, ACC_ERROR, ACC_ERROR_BOUNDS, "step %u: index 9 of 8", position);
      return FALSE;
    }

  for (gint64 r = begin; r < end; r++)
    for (guint w = 0; w < step->n_writes; w++)
      if (step->reduces)
        reduce_row (self->script, step, r, &self->state[step->writes[w]], get_window_row, self);
      else
        compute_row (self->script, step, w, r, find_row (self, step->writes[w], r), get_window_row, self);

  self->backend->n_rows += (guint64) (end - begin);

  return TRUE;
}

/* --- a device that does nothing before somebody waits for it */

static void
do_work (FakeRun *self, Work *work)
{
  switch (work->kind)
    {
    case WORK_STEP:
      memcpy (self->windows, work->windows, sizeof self->windows);
      memcpy (self->first, work->first, sizeof self->first);
      memcpy (self->n, work->n, sizeof self->n);
      compute_rows (self, work->step, work->begin, work->end, self->failure == NULL ? &self->failure : NULL);
      break;

    case WORK_COPY:
      memmove (work->to, work->from, work->size);
      break;

    case WORK_UPLOAD:
    case WORK_DOWNLOAD:
      memcpy (work->to, work->from, work->size);
      break;

    default:
      g_assert_not_reached ();
    }
}

static void
work_until (FakeRun *self, guint64 point)
{
  g_mutex_lock (&self->lock);
  while (self->n_worked < point)
    {
      Work *work = g_queue_pop_head (&self->work);

      g_assert_nonnull (work);
      do_work (self, work);
      g_free (work);
      self->n_worked++;
    }
  g_mutex_unlock (&self->lock);
}

/* Takes over @work. */
static guint64
hand_over (FakeRun *self, Work *work)
{
  guint64 point;

  g_mutex_lock (&self->lock);
  g_queue_push_tail (&self->work, work);
  point = ++self->n_queued;
  g_mutex_unlock (&self->lock);

  return point;
}

static guint64
fake_device_measure (AccRowRun *run, guint value, gint64 headroom, gint64 capacity)
{
  return ((guint64) (headroom + capacity) * (guint64) run->values[value].row_elements * 4 + 255) / 256 * 256;
}

static AccRowMemory *
fake_device_allocate (AccRowRun *run, guint value, gint64 headroom, gint64 capacity, GError **error)
{
  FakeRun *self = (FakeRun *) run;
  guint64 bytes = fake_device_measure (run, value, headroom, capacity);
  AccRowMemory *memory;

  if (!acc_budget_reserve (acc_backend_get_budget (ACC_BACKEND (self->backend)), bytes, "device", error))
    return NULL;

  memory = g_new0 (AccRowMemory, 1);
  memory->headroom = headroom;
  memory->capacity = capacity;
  memory->row_elements = run->values[value].row_elements;
  memory->bytes = bytes;
  memory->data = g_malloc (bytes);
  memset (memory->data, 0xA5, bytes);
  self->n_memories++;
  self->backend->device_bytes += bytes;

  return memory;
}

static void
fake_device_release (AccRowRun *run, AccRowMemory *memory)
{
  FakeRun *self = (FakeRun *) run;

  g_assert_true (g_queue_is_empty (&self->work));
  acc_budget_release (acc_backend_get_budget (ACC_BACKEND (self->backend)), memory->bytes, "device");
  self->backend->device_bytes -= memory->bytes;
  self->n_memories--;
  g_free (memory->data);
  g_free (memory);
}

static AccBuffer *
fake_device_allocate_staging (AccRowRun *run, gsize size, const char *what, GError **error)
{
  return acc_backend_allocate (ACC_BACKEND (((FakeRun *) run)->backend), size, what, error);
}

static gint32 *
find_memory_row (AccRowMemory *memory, gint64 row, gint64 n_rows)
{
  g_assert_cmpint (row, >=, -memory->headroom);
  g_assert_cmpint (row + n_rows, <=, memory->capacity);

  return memory->data + (memory->headroom + row) * memory->row_elements;
}

static void
fake_device_set_window (AccRowRun *run, guint value, AccRowMemory *memory, gint64 origin_row, gint64 first_row, gint64 n_rows)
{
  FakeRun *self = (FakeRun *) run;

  g_assert_cmpint (first_row, >=, 0);
  g_assert_cmpint (first_row + n_rows, <=, self->script->values[value].n_rows);
  g_mutex_lock (&self->lock);
  self->set.windows[value] = find_memory_row (memory, first_row - origin_row, n_rows);
  self->set.first[value] = first_row;
  self->set.n[value] = n_rows;
  g_mutex_unlock (&self->lock);
}

static gboolean
fake_device_copy (AccRowRun *run, guint value, AccRowMemory *to, gint64 row, AccRowMemory *from, gint64 from_row, gint64 n_rows,
                  GError **error)
{
  Work work = { .kind = WORK_COPY, .to = find_memory_row (to, row, n_rows), .from = find_memory_row (from, from_row, n_rows),
                .size = (gsize) (n_rows * to->row_elements) * 4 };

  hand_over ((FakeRun *) run, g_memdup2 (&work, sizeof work));

  return TRUE;
}

static gboolean
fake_device_upload (AccRowRun *run, guint value, AccRowMemory *to, gint64 row, gpointer *leaves, gint64 n_rows, AccRowPoint *point,
                    GError **error)
{
  Work work = { .kind = WORK_UPLOAD, .to = find_memory_row (to, row, n_rows), .from = leaves[0],
                .size = (gsize) (n_rows * to->row_elements) * 4 };

  *point = (AccRowPoint) { 1, hand_over ((FakeRun *) run, g_memdup2 (&work, sizeof work)) };

  return TRUE;
}

static gboolean
fake_device_download (AccRowRun *run, guint value, gpointer *leaves, AccRowMemory *from, gint64 row, gint64 n_rows, AccRowPoint *point,
                      GError **error)
{
  Work work = { .kind = WORK_DOWNLOAD, .to = leaves[0], .from = find_memory_row (from, row, n_rows),
                .size = (gsize) (n_rows * from->row_elements) * 4 };

  *point = (AccRowPoint) { 2, hand_over ((FakeRun *) run, g_memdup2 (&work, sizeof work)) };

  return TRUE;
}

static gboolean
fake_device_flush (AccRowRun *run, GError **error)
{
  return TRUE;
}

static gboolean
check_failure (FakeRun *self, GError **error)
{
  gboolean ok;

  g_mutex_lock (&self->lock);
  ok = self->failure == NULL;
  if (!ok && error != NULL)
    *error = g_error_copy (self->failure);
  g_mutex_unlock (&self->lock);

  return ok;
}

static gboolean
fake_device_wait (AccRowRun *run, const AccRowPoint *point, GError **error)
{
  work_until ((FakeRun *) run, point->point);

  return point->queue == 1 || check_failure ((FakeRun *) run, error);
}

static gboolean
fake_device_finish (AccRowRun *run, GError **error)
{
  FakeRun *self = (FakeRun *) run;

  work_until (self, self->n_queued);

  return check_failure (self, error);
}

static gboolean
fake_device_get_busy (AccRowRun *run, guint64 *busy, guint64 *passed)
{
  *busy = 750000000;
  *passed = 1000000000;

  return TRUE;
}

static const AccRowDeviceClass fake_device_class = {
  fake_device_measure, fake_device_allocate, fake_device_release, fake_device_allocate_staging, fake_device_set_window,
  fake_device_copy, fake_device_upload, fake_device_download, fake_device_flush, fake_device_wait, fake_device_finish,
  fake_device_get_busy,
};

/* --- steps */

static gboolean
fake_run_step (AccRowRun *run, guint position, gint64 begin, gint64 end, GCancellable *cancellable, GError **error)
{
  FakeRun *self = (FakeRun *) run;
  const ScriptStep *step = &self->script->steps[position];
  Work *work;

  g_assert_cmpint (begin, ==, self->done[position]);
  g_assert_cmpint (end, <=, step->n_rows);
  g_assert_true (begin < end || (step->n_rows == 0 && step->reduces && !self->seen[position]));
  self->seen[position] = TRUE;

  if (!self->script->on_device)
    {
      if (!compute_rows (self, position, begin, end, error))
        return FALSE;
      self->done[position] = end;
      return TRUE;
    }

  work = g_memdup2 (&self->set, sizeof self->set);
  work->kind = WORK_STEP;
  work->step = position;
  work->begin = begin;
  work->end = end;
  self->done[position] = end;
  hand_over (self, work);

  return TRUE;
}

static AccArray *
fake_dup_reduced (AccRowRun *run, guint value, GError **error)
{
  FakeRun *self = (FakeRun *) run;
  g_autoptr(AccShape) shape = acc_shape_new_vector (1);
  g_autoptr(GBytes) bytes = g_bytes_new (&self->state[value], 4);

  for (guint i = 0; i < self->script->n_steps; i++)
    if (self->script->steps[i].writes[0] == value)
      g_assert_true (self->seen[i] && self->done[i] == self->script->steps[i].n_rows);

  return acc_array_use (acc_element_type_new (ACC_KIND_I32), shape, bytes);
}

static void
fake_free (AccRowRun *run)
{
  FakeRun *self = (FakeRun *) run;

  g_assert_cmpint (self->n_memories, ==, 0);
  g_queue_clear_full (&self->work, g_free);
  g_clear_error (&self->failure);
  g_mutex_clear (&self->lock);

  for (guint i = 0; i < run->n_values; i++)
    {
      g_clear_object (&self->arrays[i]);
      g_clear_object (&self->result_arrays[i]);
    }
  g_free (run->values);
  for (guint i = 0; i < run->n_steps; i++)
    {
      g_free (run->steps[i].reads);
      g_free (run->steps[i].writes);
      g_free ((char *) run->steps[i].name);
    }
  g_free (run->steps);
  g_object_unref (self->backend);
  g_free (self);
}

static const AccRowRunClass fake_run_class = { fake_set_window, fake_run_step, fake_dup_reduced, fake_free, NULL };
static const AccRowRunClass fake_device_run_class = { NULL, fake_run_step, fake_dup_reduced, fake_free, &fake_device_class };

static AccRowRun *
fake_executable_begin_rows (AccExecutable *executable, AccArray **arguments, guint n_arguments, GCancellable *cancellable, GError **error)
{
  FakeBackend *backend = FAKE_BACKEND (acc_executable_get_backend (executable));
  Script *script = backend->script;
  FakeRun *self;

  if (script->refuses_rows)
    {
      g_set_error_literal (error, ACC_ERROR, ACC_ERROR_STREAM, "backpermute “turn” reads rows in another order");
      return NULL;
    }

  self = g_new0 (FakeRun, 1);
  self->parent.klass = script->on_device ? &fake_device_run_class : &fake_run_class;
  g_mutex_init (&self->lock);
  g_queue_init (&self->work);
  self->backend = g_object_ref (backend);
  self->script = script;
  self->parent.n_values = script->n_values;
  self->parent.values = g_new0 (AccRowValue, script->n_values);
  self->parent.n_steps = script->n_steps;
  self->parent.steps = g_new0 (AccRowStep, script->n_steps);

  for (guint i = 0; i < script->n_values; i++)
    {
      const ScriptValue *v = &script->values[i];

      if (v->source != NULL)
        self->arrays[i] = acc_array_new_from_source (ACC_SOURCE (v->source));
      else
        {
          g_autoptr(AccShape) shape = acc_shape_new_matrix (v->n_rows, v->row_elements);

          self->result_arrays[i] = acc_array_generate (shape, zero, NULL);
        }

      self->parent.values[i] = (AccRowValue) {
        v->kind, v->source != NULL ? self->arrays[i] : self->result_arrays[i], acc_element_type_new (ACC_KIND_I32),
        v->n_rows, v->row_elements, v->result
      };
    }

  for (guint i = 0; i < script->n_steps; i++)
    {
      const ScriptStep *s = &script->steps[i];

      self->parent.steps[i] = (AccRowStep) {
        g_strdup_printf ("step %u", i), s->reduces, s->n_rows,
        s->n_reads, g_memdup2 (s->reads, sizeof s->reads), s->n_writes, g_memdup2 (s->writes, sizeof s->writes)
      };
    }

  return &self->parent;
}

static GPtrArray *
fake_executable_run (AccExecutable *executable, AccArray **arguments, guint n_arguments, GCancellable *cancellable, GError **error)
{
  FakeBackend *backend = FAKE_BACKEND (acc_executable_get_backend (executable));
  Script *script = backend->script;
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);

  backend->n_whole++;
  for (guint i = 0; i < script->n_results; i++)
    for (guint j = 0; j < script->n_values; j++)
      if (script->values[j].result == (int) i)
        {
          g_autofree gint32 *data = script_compute (script, j);
          gboolean reduced = script->values[j].kind == ACC_ROW_VALUE_REDUCED;
          g_autoptr(AccShape) shape = reduced
                                      ? acc_shape_new_vector (1)
                                      : acc_shape_new_matrix (script->values[j].n_rows, script->values[j].row_elements);
          g_autoptr(GBytes) bytes = g_bytes_new (data, (gsize) acc_shape_get_size (shape) * 4);

          g_ptr_array_add (results, acc_array_use (acc_element_type_new (ACC_KIND_I32), shape, bytes));
        }

  return results;
}

static void
fake_executable_class_init (FakeExecutableClass *klass)
{
  ACC_EXECUTABLE_CLASS (klass)->run = fake_executable_run;
  ACC_EXECUTABLE_CLASS (klass)->begin_rows = fake_executable_begin_rows;
}

static void
fake_executable_init (FakeExecutable *self)
{
}

static AccExecutable *
fake_backend_compile (AccBackend *backend, AccProgram *program, GCancellable *cancellable, GError **error)
{
  AccExecutable *executable = g_object_new (FAKE_TYPE_EXECUTABLE, NULL);

  acc_executable_set_origin (executable, backend, program);

  return executable;
}

static void
fake_backend_class_init (FakeBackendClass *klass)
{
  ACC_BACKEND_CLASS (klass)->compile = fake_backend_compile;
}

static void
fake_backend_init (FakeBackend *self)
{
  acc_backend_set_identity (ACC_BACKEND (self), "fake", "scripted steps", 2);
}

FakeBackend *
fake_backend_new (Script *script)
{
  FakeBackend *self = g_object_new (FAKE_TYPE_BACKEND, NULL);

  self->script = script;
  acc_backend_set_memory_limit (ACC_BACKEND (self), 0);

  return self;
}

guint64
fake_backend_get_n_rows (FakeBackend *self)
{
  return self->n_rows;
}

guint64
fake_backend_get_device_bytes (FakeBackend *self)
{
  return self->device_bytes;
}

guint
fake_backend_get_n_whole (FakeBackend *self)
{
  return self->n_whole;
}
