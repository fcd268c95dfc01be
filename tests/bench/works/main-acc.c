/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "acc-works.h"

int
main (int argc, char **argv)
{
  static const Work * const groups[] = {
    acc_clusters, acc_indices, acc_matrices, acc_multigrid, acc_numerics, acc_pictures, acc_rays, acc_vectors,
    NULL,
  };

  return contender_main (argc, argv, groups);
}
