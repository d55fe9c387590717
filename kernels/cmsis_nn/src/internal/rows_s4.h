/* Products of one vector with rows of a matrix of four bits. */
#ifndef TINSMITH_NN_INTERNAL_ROWS_S4_H
#define TINSMITH_NN_INTERNAL_ROWS_S4_H

#include <stdint.h>

#include "include/arm_nn_types.h"

/** What a window or an input vector is multiplied with. */
typedef struct {
  const int8_t *weights; /* [rows, depth], two to a byte */
  const int32_t *bias;   /* or NULL */
  const int32_t *multiplier;
  const int32_t *shift;
  int32_t stage_step; /* 1: a multiplier and shift per row; 0: one for all */
  int32_t rows;
  int32_t depth;
  int32_t x_offset;
  int32_t zero_point;
  cmsis_nn_activation activation;
} tinsmith_rows_s4;

/** output[r] = clamp(requantize(bias[r] + sum over k of (x[k] + x_offset) * weights[r][k]) + zero_point). */
void tinsmith_multiply_rows_s4(const tinsmith_rows_s4 *rows, const int8_t *x, int8_t *output);

#endif /* TINSMITH_NN_INTERNAL_ROWS_S4_H */
