/* Products of one int16 vector with rows of an int8 matrix: the core of the public convolution and fully connected
 * functions of int16, for all implementations.
 */
#ifndef TINSMITH_NN_INTERNAL_ROWS_S16_H
#define TINSMITH_NN_INTERNAL_ROWS_S16_H

#include <stdint.h>

#include "include/arm_nn_types.h"
#include "src/internal/implementation.h"

/** output[r] = clamp(requantize(bias[r] + sum over k of x[k] * weights[r][k])), r in [0, rows). */
typedef struct {
  const int8_t *weights;   /* [rows, depth] */
  cmsis_nn_bias_data bias; /* says how sums are scaled, too */
  const int32_t *multiplier;
  const int32_t *shift;
  int32_t stage_step; /* 1: a multiplier and shift per row; 0: one for all */
  int32_t rows;
  int32_t depth;
  cmsis_nn_activation activation;
} tinsmith_rows_s16;

/** Of sums of 32 bits of rows [first, first + count), bias included; count is at most kDotRows. */
void tinsmith_finish_rows_s16(const tinsmith_rows_s16 *rows, const int32_t *sums, int32_t first, int32_t count,
                              int16_t *output);

void tinsmith_multiply_rows_s16(const tinsmith_rows_s16 *rows, const int16_t *x, int16_t *output);

/** Windows that a convolution copies before it multiplies them. */
enum { kWindowsMve = 4, kWindows = TINSMITH_NN_MVE ? kWindowsMve : 1 };

/** The same for `count` vectors that follow each other in room for kWindows, and their outputs. */
void tinsmith_multiply_windows_s16(const tinsmith_rows_s16 *rows, const int16_t *x, int32_t count, int16_t *output);

#endif /* TINSMITH_NN_INTERNAL_ROWS_S16_H */
