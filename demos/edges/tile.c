/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* tile INPUT.png OUTPUT.png ROWS COLUMNS: a large picture made of copies of a small one, written band by band. */

#include <acc/acc.h>
#include <locale.h>
#include <stdlib.h>

static AccExpr *
within_tile (AccExpr *index, gpointer data)
{
  AccShape *tile = data;
  AccExpr *items[3];

  for (guint d = 0; d < 3; d++)
    items[d] = d == 2 ? acc_expr_item (index, d)
                      : acc_expr_mod (acc_expr_item (index, d), acc_expr_new_int (acc_shape_get_extent (tile, d)));

  return acc_expr_tuple (items, acc_shape_get_rank (tile));
}

static gboolean
tile (const char *from, const char *to, gint64 rows, gint64 columns, GError **error)
{
  g_autoptr(GFile) input = g_file_new_for_commandline_arg (from);
  g_autoptr(GFile) output = g_file_new_for_commandline_arg (to);
  AccBackend *backend = acc_backend_get_default (error);
  if (backend == NULL)
    return FALSE;

  g_autoptr(AccSource) source = acc_source_open (input, NULL, error);
  if (source == NULL)
    return FALSE;

  g_autoptr(AccArray) file = acc_array_new_from_source (source);
  g_autoptr(AccArray) picture = acc_backend_run (backend, file, NULL, error);
  if (picture == NULL)
    return FALSE;

  AccShape *shape = acc_array_get_shape (picture);
  guint rank = acc_shape_get_rank (shape);
  gint64 extents[3] = { rows, columns, rank == 3 ? acc_shape_get_extent (shape, 2) : 1 };
  g_autoptr(AccShape) large = acc_shape_new (extents, rank);
  g_autoptr(AccArray) tiled = acc_array_backpermute (picture, large, within_tile, shape);
  g_autoptr(AccSink) sink = acc_sink_create (output, NULL, error);

  return sink != NULL && acc_backend_write (backend, tiled, sink, NULL, error);
}

int
main (int argc, char **argv)
{
  g_autoptr(GError) error = NULL;

  setlocale (LC_ALL, "");

  if (argc != 5)
    {
      g_printerr ("usage: %s INPUT.png OUTPUT.png ROWS COLUMNS\n", argv[0]);
      return 2;
    }

  if (!tile (argv[1], argv[2], g_ascii_strtoll (argv[3], NULL, 10), g_ascii_strtoll (argv[4], NULL, 10), &error))
    {
      g_printerr ("tile: %s\n", error->message);
      return 1;
    }

  return 0;
}
