/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "c-works.h"

int
main (int argc, char **argv)
{
  static const Work * const groups[] = {
    c_attention, c_bodies, c_clusters, c_hull, c_indices, c_limits, c_mandelbrot, c_matrices, c_multigrid,
    c_nested, c_options, c_pictures, c_rays, c_sequences, c_sorts, c_vectors, NULL,
  };

  return contender_main (argc, argv, groups);
}
