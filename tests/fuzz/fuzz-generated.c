/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzz-generate.h"
#include "fuzz-run.h"

#include <stdio.h>
#include <string.h>

/* fuzz-generated [--runs=N] [--seed=N]: programs of which each operation is part. What parses runs or fails, and
 * nothing is written or read that is not there. Every kind of program must have been there in the end, or else this
 * tests nothing. */

typedef struct
{
  guint refused, failed, run;
  GHashTable *operations; /* of those that ran */
  guint offers, foreign;
} Tally;

static void
count_operations (Tally *self, const char *text)
{
  for (guint i = 0; fuzz_operations[i] != NULL; i++)
    {
      g_autofree char *written = g_strdup_printf (" = %s ", fuzz_operations[i]),
                      *bare = g_strdup_printf (" = %s\n", fuzz_operations[i]);

      if (strstr (text, written) != NULL || strstr (text, bare) != NULL)
        g_hash_table_add (self->operations, (gpointer) fuzz_operations[i]);
    }
  self->foreign += strstr (text, " = foreign ") != NULL;
  self->offers += strstr (text, " foreign \"acc-") != NULL && strstr (text, " = foreign ") == NULL;
}

static void
run_one (Tally *self, guint32 seed)
{
  g_autofree char *text = fuzz_generate (seed);
  g_autoptr(GError) error = NULL;
  g_autoptr(AccProgram) program = acc_program_parse (text, &error);

  if (g_getenv ("FUZZ_VERBOSE") != NULL)
    fprintf (stderr, "# %u\n%s%s\n", seed, text, error != NULL ? error->message : "");
  if (program == NULL)
    {
      g_assert_error (error, ACC_ERROR, ACC_ERROR_PARSE);
      self->refused++;
      return;
    }
  if (!fuzz_run_program (program, &error))
    {
      if (g_getenv ("FUZZ_VERBOSE") != NULL)
        fprintf (stderr, "# failed: %s\n", error->message);
      self->failed++;
      return;
    }
  self->run++;
  count_operations (self, text);
}

int
main (int argc, char **argv)
{
  Tally tally = { .operations = g_hash_table_new (g_str_hash, g_str_equal) };
  guint64 runs = 300, seed = 1;
  gboolean is_covered = TRUE;

  for (int i = 1; i < argc; i++)
    if (sscanf (argv[i], "--runs=%" G_GUINT64_FORMAT, &runs) != 1)
      sscanf (argv[i], "--seed=%" G_GUINT64_FORMAT, &seed);

  for (guint64 i = 0; i < runs; i++)
    run_one (&tally, (guint32) (seed + i));

  printf ("%u refused, %u failed, %u ran: %u with foreign operations, %u with offers\n", tally.refused, tally.failed,
          tally.run, tally.foreign, tally.offers);
  for (guint i = 0; fuzz_operations[i] != NULL && runs >= 300; i++)
    if (fuzz_operations[i][0] != '\0' && strcmp (fuzz_operations[i], "source") != 0
        && !g_hash_table_contains (tally.operations, fuzz_operations[i]))
      {
        printf ("no program with %s ran\n", fuzz_operations[i]);
        is_covered = FALSE;
      }
  g_hash_table_unref (tally.operations);

  return is_covered && tally.refused > 0 && (runs < 300 || (tally.foreign > 0 && tally.offers > 0)) ? 0 : 1;
}
