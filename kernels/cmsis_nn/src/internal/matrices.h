/* Batches of matrices [N, H, rows, columns], repeated along extents of 1. */
#ifndef TINSMITH_NN_INTERNAL_MATRICES_H
#define TINSMITH_NN_INTERNAL_MATRICES_H

#include <stdint.h>

#include "include/arm_nn_types.h"

/** Values before the matrix that batch (n, h) of the output reads. */
static inline int32_t tinsmith_matrix_offset(const cmsis_nn_dims *dims, int32_t n, int32_t h) {
  const int32_t index = (dims->n > 1 ? n : 0) * dims->h + (dims->h > 1 ? h : 0);
  return index * dims->w * dims->c;
}

#endif /* TINSMITH_NN_INTERNAL_MATRICES_H */
