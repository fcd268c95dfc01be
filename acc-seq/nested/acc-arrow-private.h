/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdint.h>

/* Arrow's C data interface: https://arrow.apache.org/docs/format/CDataInterface.html. Others may have defined it, too. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
  const char          *format;
  const char          *name;
  const char          *metadata;
  int64_t              flags;
  int64_t              n_children;
  struct ArrowSchema **children;
  struct ArrowSchema  *dictionary;
  void               (*release) (struct ArrowSchema *schema);
  void                *private_data;
};

struct ArrowArray {
  int64_t             length;
  int64_t             null_count;
  int64_t             offset;
  int64_t             n_buffers;
  int64_t             n_children;
  const void        **buffers;
  struct ArrowArray **children;
  struct ArrowArray  *dictionary;
  void              (*release) (struct ArrowArray *array);
  void               *private_data;
};

#endif
