/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "large-functions.h"

static GString *
begin_map (void)
{
  return g_string_new ("acc program 1\na0 = parameter 0 i8[:]\na1 = map a0\n  e0 = variable i8\n  e1 = literal i8 1000\n");
}

static GString *
end_map (GString *text,
         guint    result)
{
  g_string_append_printf (text, "  function e0 -> e%u\nprogram a0 -> a1\n", result);

  return text;
}

GString *
large_choices (guint n)
{
  GString *text = begin_map ();
  guint x = 0;

  g_string_append (text, "  e2 = literal i8 3\n  e3 = literal i8 1\n");
  for (guint k = 0, id = 3; k < n; k++, id += 7, x = id)
    g_string_append_printf (text, "  e%u = literal i8 %u\n  e%u = lt e%u e%u\n  e%u = mul e%u e2\n  e%u = add e%u e%u\n"
                            "  e%u = and e%u e1\n  e%u = sub e%u e3\n  e%u = cond e%u e%u e%u\n", id + 1, k % 100, id + 2, x, id + 1,
                            id + 3, x, id + 4, id + 3, id + 1, id + 5, id + 4, id + 6, x, id + 7, id + 2, id + 5, id + 6);

  return end_map (text, x);
}

gint64
large_choices_of (gint64 x,
                  guint  n)
{
  for (guint i = 0; i < n; i++)
    x = x < (gint64) i % 100 ? (3 * x + (gint64) i % 100) & 1000 : x - 1;

  return x;
}

GString *
large_loops (guint n)
{
  GString *text = begin_map ();
  guint x = 0;

  for (guint k = 0, id = 1; k < n; k++, id += 5, x = id)
    g_string_append_printf (text, "  e%u = literal i8 %u\n  e%u = variable i8\n  e%u = lt e%u e%u\n  e%u = add e%u e1\n"
                            "  e%u = while e%u predicate e%u e%u step e%u e%u\n", id + 1, k % 100, id + 2, id + 3, id + 2, id + 1, id + 4,
                            id + 2, id + 5, x, id + 2, id + 3, id + 2, id + 4);

  return end_map (text, x);
}

gint64
large_loops_of (gint64 x,
                guint  n)
{
  for (guint i = 0; i < n; i++)
    while (x < (gint64) i % 100)
      x += 1000;

  return x;
}

GString *
large_sums (guint n)
{
  GString *text = begin_map ();
  guint x = 0;

  for (guint k = 0, id = 1; k < n; k++, id += 3, x = id)
    g_string_append_printf (text, "  e%u = literal i8 %u\n  e%u = xor e%u e%u\n  e%u = add e%u e1\n", id + 1, k + 1, id + 2, x, id + 1,
                            id + 3, id + 2);

  return end_map (text, x);
}

gint64
large_sums_of (gint64 x,
               guint  n)
{
  for (guint i = 0; i < n; i++)
    x = (x ^ (gint64) (i + 1)) + 1000;

  return x;
}

GString *
large_nested_loops (guint depth)
{
  GString *text = begin_map ();
  guint id = 2 + depth;

  for (guint k = 0; k < depth; k++)
    g_string_append_printf (text, "  e%u = variable i8\n", 2 + k);
  g_string_append_printf (text, "  e%u = add e%u e1\n", id, 1 + depth);
  for (guint k = depth; k-- > 0; id += 2)
    g_string_append_printf (text, "  e%u = lt e%u e1\n  e%u = while e%u predicate e%u e%u step e%u e%u\n", id + 1, 2 + k, id + 2,
                            k > 0 ? 1 + k : 0, 2 + k, id + 1, 2 + k, id);

  return end_map (text, id);
}

gint64
large_nested_loops_of (gint64 x,
                       guint  depth)
{
  return x + 1000;
}

GString *
large_nested_choices (guint depth)
{
  GString *text = begin_map ();
  guint id = 4, inner = 2;

  g_string_append (text, "  e2 = literal i8 0\n  e3 = literal i8 1\n  e4 = add e0 e3\n");
  for (guint k = depth; k-- > 0; id += 4, inner = id)
    g_string_append_printf (text, "  e%u = literal i8 %u\n  e%u = eq e0 e%u\n  e%u = mul e%u e3\n  e%u = cond e%u e4 e%u\n", id + 1, k,
                            id + 2, id + 1, id + 3, inner, id + 4, id + 2, id + 3);

  return end_map (text, inner);
}

gint64
large_nested_choices_of (gint64 x,
                         guint  depth)
{
  return x >= 0 && x < depth ? x + 1 : 0;
}

GString *
large_maps (guint n)
{
  GString *text = g_string_new ("acc program 1\na0 = parameter 0 i8[:]\n");

  for (guint k = 0; k < n; k++)
    g_string_append_printf (text, "a%u = map a%u\n  e%u = variable i8\n  e%u = literal i8 1\n  e%u = add e%u e%u\n  function e%u -> e%u\n",
                            k + 1, k, 3 * k, 3 * k + 1, 3 * k + 2, 3 * k, 3 * k + 1, 3 * k, 3 * k + 2);
  g_string_append_printf (text, "program a0 -> a%u\n", n);

  return text;
}

AccProgram *
large_read (GString *text)
{
  g_autoptr(GBytes) bytes = g_bytes_new_static (text->str, text->len);
  g_autoptr(GError) error = NULL;
  AccProgram *program = acc_program_new_from_bytes (bytes, &error);

  g_assert_no_error (error);

  return program;
}
