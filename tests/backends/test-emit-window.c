/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "emit-harness.h"

/* Lanes that go through memory element by element, each from a place of its own on: they read windows of eight bytes. What is read lies
 * between pages that must not be touched, and on several pages. */

#define READ  (ACC_BUFFER_READ | ACC_BUFFER_NO_ALIAS)
#define WRITE (ACC_BUFFER_WRITE | ACC_BUFFER_NO_ALIAS)

#define N       9001 /* elements: two pages and some bytes, or more */
#define LONGEST 40
#define APART   50   /* rows of a buffer that is written */

typedef enum {
  PLAIN,
  SOMETIMES,        /* each lane when it likes */
  LATE,             /* behind the step of the count */
  DISPLACED,        /* two elements in each step */
  THREE_STEPS,      /* every third element */
  INSIDE,           /* in a loop within the loop */
  WRITTEN,          /* what has been written in a step before */
  N_FORMS
} Form;

static void
add_element (AccKernelBuilder *b,
             KVar              sum,
             KBuffer           x,
             KValue            place)
{
  KValue element = kb_cast (b, ACC_KIND_I64, kb_load (b, x, place));

  kb_set (b, sum, kb_add (b, kb_mul (b, kb_get (b, sum), kb_i64 (b, 31)), element));
}

/* One step of a lane, in which the count is @at. */
static void
add_step (AccKernelBuilder *b,
          Form              form,
          KBuffer           x,
          KVar              sum,
          KValue            first,
          KValue            at,
          KValue            lane)
{
  KValue place = kb_add (b, first, at), mixed;

  switch (form)
    {
    case SOMETIMES:
      mixed = kb_urem (b, kb_add (b, kb_mul (b, at, kb_i64 (b, 5)), kb_mul (b, lane, lane)), kb_i64 (b, 7));
      kb_if (b, kb_lt (b, mixed, kb_i64 (b, 3)))
        add_element (b, sum, x, place);
      return;
    case DISPLACED:
      add_element (b, sum, x, kb_sub (b, kb_add (b, at, first), kb_i64 (b, 1)));
      add_element (b, sum, x, kb_add (b, kb_i64 (b, 3), place));
      return;
    case INSIDE:
      kb_for (b, k, kb_i64 (b, 0), kb_i64 (b, 2))
        add_element (b, sum, x, kb_add (b, place, k));
      return;
    case WRITTEN:
      add_element (b, sum, x, place);
      kb_store (b, x, kb_add (b, place, kb_i64 (b, 1)), kb_load (b, x, kb_add (b, place, kb_i64 (b, 3))));
      return;
    case PLAIN:
    case LATE:
    case THREE_STEPS:
    case N_FORMS:
    default:
      add_element (b, sum, x, place);
      return;
    }
}

static AccKernelBuilder *
write_kernel (AccElementKind kind,
              Form           form)
{
  AccKernelBuilder *b = kb_new ("window");
  KBuffer x = kb_param_buffer (b, kind, form == WRITTEN ? READ | WRITE : READ, "x");
  KBuffer first = kb_param_buffer (b, ACC_KIND_I64, READ, "first"), length = kb_param_buffer (b, ACC_KIND_I64, READ, "length");
  KBuffer out = kb_param_buffer (b, ACC_KIND_I64, WRITE, "out");

  kb_foreach (b, i, kb_inner_begin (b), kb_inner_end (b))
    {
      KValue begin = kb_load (b, first, i), end = kb_load (b, length, i);
      KVar count = kb_var (b, kb_i64 (b, 0)), sum = kb_var (b, i);

      kb_while (b)
        {
          KValue at = kb_get (b, count), next = kb_add (b, at, kb_i64 (b, form == THREE_STEPS ? 3 : 1));

          kb_until (b, kb_le (b, end, at));
          if (form == LATE)
            kb_set (b, count, next);
          add_step (b, form, x, sum, begin, at, i);
          if (form != LATE)
            kb_set (b, count, next);
        }
      kb_store (b, out, i, kb_get (b, sum));
    }

  return b;
}

static void
test_window (gconstpointer data)
{
  static const guint lanes[] = { 0, 24 };
  static const gint64 lengths[] = { 0, 1, 15, 16, 17, 64, 180 };
  AccElementKind kind = GPOINTER_TO_INT (data);
  g_autoptr(GRand) rand = g_rand_new_with_seed (31 + kind);

  for (Form form = PLAIN; form < N_FORMS; form++)
    for (guint w = 0; w < G_N_ELEMENTS (lanes); w++)
      {
        AccKernelBuilder *b = write_kernel (kind, form);
        g_autofree char *what = g_strdup_printf ("form %u, %u lanes", form, lanes[w]);
        Compiled *compiled;

        kb_set_lanes (b, lanes[w]);
        compiled = harness_compile (b);
        for (guint l = 0; l < G_N_ELEMENTS (lengths); l++)
          {
            gint64 n = lengths[l], range[5] = { 0, 1, 0, n, 0 };
            Argument arguments[] = { harness_random (kind, N, rand), harness_fill (n, 0), harness_fill (n, 0), harness_fill (n, 0) };

            for (gint64 i = 0; i < n; i++)
              {
                gint64 most = form == WRITTEN ? LONGEST : g_rand_int_range (rand, 0, 4) * LONGEST / 3;
                gint64 row = g_rand_int_range (rand, 0, most + 1), at = g_rand_int_range (rand, 1, N - 3 - row);

                /* Some begin and end where the buffer does. */
                at = i % 9 == 0 ? 1 : i % 9 == 1 ? N - 3 - row : at;
                arguments[1].elements[i] = form == WRITTEN ? i * APART : at;
                arguments[2].elements[i] = row;
              }
            harness_check (compiled, arguments, range, what);
          }
        harness_free (compiled);
      }
}

int
main (int argc, char **argv)
{
  static const AccElementKind kinds[] = { ACC_KIND_BOOL, ACC_KIND_U8, ACC_KIND_I16, ACC_KIND_F16, ACC_KIND_I32 };
  int status;

  g_test_init (&argc, &argv, NULL);
  harness_init ();

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      g_autofree char *path = g_strconcat ("/emit/window/", acc_element_kind_get_code (kinds[k]), NULL);

      g_test_add_data_func (path, GINT_TO_POINTER (kinds[k]), test_window);
    }

  status = g_test_run ();
  harness_clear ();

  return status;
}
