/* Products of one input vector with rows of a matrix as TFLite stores it: the core of the public convolution and fully
 * connected functions, for plain C and the DSP extension.
 */
#ifndef TINSMITH_NN_INTERNAL_ROWS_H
#define TINSMITH_NN_INTERNAL_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "include/arm_nn_types.h"
#include "src/internal/rounding.h"

/** output[r] = clamp(requantize(bias[r] + sum over k of (x[k] + x_offset) * (weights[r][k] + weights_offset)) + zero
 * point), r in [0, rows). */
typedef struct {
  const int8_t *weights; /* [rows, depth] */
  const int32_t *bias;   /* [rows] or NULL */
  const int32_t *multiplier;
  const int32_t *shift;
  int32_t stage_step; /* 1: a multiplier and shift per row; 0: one for all */
  int32_t rows;
  int32_t depth;
  int32_t x_offset;
  int32_t weights_offset;
  int32_t zero_point;
  cmsis_nn_activation activation;
} tinsmith_rows;

void tinsmith_multiply_rows(const tinsmith_rows *rows, const int8_t *x, int8_t *output);

#endif /* TINSMITH_NN_INTERNAL_ROWS_H */
