/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-works.h"

#include <acc/acc.h>
#include <string.h>

/* A third argument: "fast" asks for fast mathematics, "plain" for programs of nested arrays and sequences as they are
 * written without these. */
int
main (int argc, char **argv)
{
  static const Work * const groups[] = {
    acc_clusters, acc_indices, acc_lines, acc_matrices, acc_multigrid, acc_nested, acc_numerics, acc_passes, acc_pictures, acc_rays,
    acc_sequences, acc_vectors, NULL,
  };

  if (argc == 4 && strcmp (argv[3], "fast") == 0)
    {
      AccBackend *backend = acc_backend_get_default (NULL);

      if (backend != NULL)
        acc_backend_set_fast_math (backend, TRUE);
      argc--;
    }

  if (argc == 4 && strcmp (argv[3], "plain") == 0)
    return contender_main (argc - 1, argv, (const Work * const[]) { acc_nested_plain, acc_numerics_plain, acc_sequences_plain, NULL });

  return contender_main (argc, argv, groups);
}
