/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* pagerank [OPTION…] [EDGES]: how important the pages of a web are, after Brin and Page (1998). A loop on the device runs
 * until the ranks change but little. */

#include <acc/acc.h>
#include <locale.h>
#include <math.h>

#define DAMPING 0.85

/* Links, one element each: from and to are pages, counted from 0; degrees[i]: how many links page i has */
typedef struct {
  gint64  n_pages;
  GArray *from, *to;
  gint64 *degrees;
} Web;

typedef struct {
  AccArray *from, *to, *degrees;
  gint64    n_pages;
  double    tolerance;
} Graph;

static AccExpr *
plus (AccExpr *a, AccExpr *b, gpointer data)
{
  return acc_expr_add (a, b);
}

/* What a page gives along each of its links: nothing where it has none, which goes to all pages instead */
static AccExpr *
share (AccExpr *rank, AccExpr *degree, gpointer data)
{
  AccExpr *links = acc_expr_cast (degree, acc_element_type_new (ACC_KIND_F64));

  return acc_expr_cond (acc_expr_gt (degree, acc_expr_new_int (0)), acc_expr_fdiv (rank, links), acc_expr_new_float (0));
}

static AccExpr *
unlinked (AccExpr *rank, AccExpr *degree, gpointer data)
{
  return acc_expr_cond (acc_expr_gt (degree, acc_expr_new_int (0)), acc_expr_new_float (0), rank);
}

typedef struct {
  AccArray *spare;
  double    n;
} Everywhere;

static AccExpr *
damp (AccExpr *received, gpointer data)
{
  const Everywhere *everywhere = data;
  AccExpr *spare = acc_expr_fdiv (acc_expr_the (everywhere->spare), acc_expr_new_float (everywhere->n));
  AccExpr *sum = acc_expr_mul (acc_expr_add (received, spare), acc_expr_new_float (DAMPING));

  return acc_expr_add (sum, acc_expr_new_float ((1 - DAMPING) / everywhere->n));
}

static AccExpr *
difference (AccExpr *a, AccExpr *b, gpointer data)
{
  return acc_expr_abs (acc_expr_sub (a, b));
}

static AccExpr *
zero (AccExpr *x, gpointer data)
{
  return acc_expr_new_float (0);
}

/* (ranks, change) to the next ones: shares along all links, summed where they arrive */
static GPtrArray *
step (AccArray **state, guint n_state, gpointer data)
{
  const Graph *graph = data;
  AccArray *ranks = state[0];
  GPtrArray *results = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr(AccArray) shares = acc_array_zip_with (ranks, graph->degrees, share, NULL);
  g_autoptr(AccArray) given = acc_array_gather (shares, graph->from);
  g_autoptr(AccArray) nothing = acc_array_map (ranks, zero, NULL);
  g_autoptr(AccArray) received = acc_array_permute (given, nothing, graph->to, plus, NULL);
  g_autoptr(AccArray) kept = acc_array_zip_with (ranks, graph->degrees, unlinked, NULL);
  g_autoptr(AccArray) spare = acc_array_sum (kept);
  Everywhere everywhere = { spare, graph->n_pages };
  AccArray *next = acc_array_map (received, damp, &everywhere);
  g_autoptr(AccArray) differences = acc_array_zip_with (next, ranks, difference, NULL);

  g_ptr_array_add (results, next);
  g_ptr_array_add (results, acc_array_sum (differences));
  return results;
}

static AccExpr *
is_large (AccExpr *change, gpointer data)
{
  return acc_expr_gt (change, acc_expr_new_float (*(const double *) data));
}

static AccArray *
goes_on (AccArray **state, guint n_state, gpointer data)
{
  Graph *graph = data;

  return acc_array_map (state[1], is_large, &graph->tolerance);
}

/* The ranks of all pages, which sum to 1 */
static AccArray *
pagerank (Graph *graph)
{
  const char *const state[] = { "f8[:]", "f8", NULL };
  g_autoptr(AccProgram) condition = acc_program_new (state, goes_on, graph);
  g_autoptr(AccProgram) next = acc_program_new_many (state, step, graph);
  g_autoptr(AccShape) shape = acc_shape_new_vector (graph->n_pages);
  g_autoptr(AccArray) even = acc_array_fill (shape, acc_expr_new_float (1. / graph->n_pages));
  g_autoptr(AccArray) change = acc_array_unit (acc_expr_new_float (1));
  AccArray *initial[] = { even, change };
  g_autoptr(GPtrArray) results = acc_array_while_loop_many (initial, 2, condition, next);

  return g_object_ref (results->pdata[0]);
}

static double *
pagerank_plain (const Web *web, double tolerance)
{
  double *ranks = g_new (double, web->n_pages), *next = g_new (double, web->n_pages), change = 1;

  for (gint64 i = 0; i < web->n_pages; i++)
    ranks[i] = 1. / web->n_pages;

  while (change > tolerance)
    {
      double spare = 0, *swapped = ranks;

      change = 0;
      for (gint64 i = 0; i < web->n_pages; i++)
        {
          next[i] = 0;
          spare += web->degrees[i] ? 0 : ranks[i];
        }
      for (guint i = 0; i < web->from->len; i++)
        {
          gint64 from = g_array_index (web->from, gint64, i);

          next[g_array_index (web->to, gint64, i)] += ranks[from] / web->degrees[from];
        }
      for (gint64 i = 0; i < web->n_pages; i++)
        {
          next[i] = DAMPING * (next[i] + spare / web->n_pages) + (1 - DAMPING) / web->n_pages;
          change += fabs (next[i] - ranks[i]);
        }
      ranks = next;
      next = swapped;
    }

  g_free (next);
  return ranks;
}

static void
add_link (Web *web, gint64 from, gint64 to)
{
  g_array_append_val (web->from, from);
  g_array_append_val (web->to, to);
  web->n_pages = MAX (web->n_pages, MAX (from, to) + 1);
}

/* Some pages get more links than others, and every tenth has none. */
static void
draw_web (Web *web, gint64 n_pages)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed (1);

  for (gint64 i = 0; i < 8 * n_pages; i++)
    {
      gint64 from = g_rand_int_range (rand, 0, n_pages);
      double near = g_rand_double (rand);

      if (from % 10 != 3)
        add_link (web, from, (gint64) (near * near * near * n_pages));
    }
  web->n_pages = n_pages;
}

/* A link on each line, two numbers; lines that begin with # are comments. */
static gboolean
read_web (Web *web, const char *path, GError **error)
{
  g_autofree char *text = NULL;

  if (!g_file_get_contents (path, &text, NULL, error))
    return FALSE;

  g_auto(GStrv) lines = g_strsplit (text, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *line = g_strstrip (lines[i]);
      char *end, *last;
      gint64 from = g_ascii_strtoll (line, &end, 10), to = g_ascii_strtoll (end, &last, 10);

      if (*line == '#' || *line == '\0')
        continue;
      if (end == line || last == end || *last != '\0' || from < 0 || to < 0 || MAX (from, to) >= G_MAXINT32)
        {
          g_set_error (error, ACC_ERROR, ACC_ERROR_PARSE, "%s:%u: no two pages: “%s”", path, i + 1, line);
          return FALSE;
        }
      add_link (web, from, to);
    }

  if (web->n_pages == 0)
    g_set_error (error, ACC_ERROR, ACC_ERROR_PARSE, "%s: no links", path);
  return web->n_pages > 0;
}

static AccArray *
use_pages (gconstpointer pages, gint64 n)
{
  g_autoptr(AccShape) shape = acc_shape_new_vector (n);
  g_autoptr(GBytes) bytes = g_bytes_new (pages, n * sizeof (gint64));

  return acc_array_use (acc_element_type_new (ACC_KIND_I64), shape, bytes);
}

static gboolean
check (const Web *web, AccArray *ranks, double tolerance, GError **error)
{
  g_autofree double *plain = pagerank_plain (web, tolerance);
  double worst = 0, sum = 0;

  for (gint64 i = 0; i < web->n_pages; i++)
    {
      double rank = acc_array_get_double (ranks, 0, i);

      sum += rank;
      worst = isnan (rank) ? INFINITY : MAX (worst, fabs (rank - plain[i]));
    }

  g_print ("largest difference to plain loops: %.1e; sum of all ranks: %.12f\n", worst, sum);
  /* A sum that lies at the tolerance may end the loop one step sooner or later. */
  if (worst <= 2 * tolerance && fabs (sum - 1) <= 1e-9)
    return TRUE;

  g_set_error (error, ACC_ERROR, ACC_ERROR_ARITHMETIC, "the ranks are wrong");
  return FALSE;
}

static gboolean
run (Web *web, double tolerance, gboolean checked, GError **error)
{
  AccBackend *backend = acc_backend_get_default (error);
  if (backend == NULL)
    return FALSE;

  web->degrees = g_new0 (gint64, web->n_pages);
  for (guint i = 0; i < web->from->len; i++)
    web->degrees[g_array_index (web->from, gint64, i)]++;

  g_autoptr(AccArray) from = use_pages (web->from->data, web->from->len), to = use_pages (web->to->data, web->to->len);
  g_autoptr(AccArray) degrees = use_pages (web->degrees, web->n_pages);
  Graph graph = { from, to, degrees, web->n_pages, tolerance };
  g_autoptr(AccArray) delayed = pagerank (&graph);
  gint64 started = g_get_monotonic_time ();
  g_autoptr(AccArray) ranks = acc_backend_run (backend, delayed, NULL, error);
  if (ranks == NULL)
    return FALSE;

  for (gint64 i = 0; i < MIN (web->n_pages, 10); i++)
    g_print ("%8" G_GINT64_FORMAT " %.9f\n", i, acc_array_get_double (ranks, 0, i));
  g_print ("%" G_GINT64_FORMAT " pages, %u links: %.1f ms on %s\n", web->n_pages, web->from->len,
           (g_get_monotonic_time () - started) / 1e3, acc_backend_get_name (backend));
  return !checked || check (web, ranks, tolerance, error);
}

int
main (int argc, char **argv)
{
  int n_pages = 100000;
  double tolerance = 1e-10;
  gboolean checked = FALSE;
  const GOptionEntry entries[] = {
    { "pages", 'p', 0, G_OPTION_ARG_INT, &n_pages, "Pages of a drawn web, where no file is given (100000)", "N" },
    { "tolerance", 't', 0, G_OPTION_ARG_DOUBLE, &tolerance, "Change of all ranks that ends it (1e-10)", "NUMBER" },
    { "check", 'c', 0, G_OPTION_ARG_NONE, &checked, "Compare with plain loops", NULL },
    { NULL }
  };
  g_autoptr(GError) error = NULL;
  g_autoptr(GOptionContext) context = g_option_context_new ("[EDGES] - rank the pages of a list of links");

  setlocale (LC_ALL, "");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error) || argc > 2 || n_pages < 1 || !(tolerance > 1e-15))
    {
      g_printerr ("%s\n", error ? error->message : "at most one file, a page, and more tolerance; see --help");
      return 2;
    }

  Web web = { .from = g_array_new (FALSE, FALSE, sizeof (gint64)), .to = g_array_new (FALSE, FALSE, sizeof (gint64)) };
  gboolean good = TRUE;

  if (argc > 1)
    good = read_web (&web, argv[1], &error);
  else
    draw_web (&web, n_pages);

  good = good && run (&web, tolerance, checked, &error);
  if (!good)
    g_printerr ("pagerank: %s\n", error->message);

  g_array_unref (web.from);
  g_array_unref (web.to);
  g_free (web.degrees);
  return good ? 0 : 1;
}
