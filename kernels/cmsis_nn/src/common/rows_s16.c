/* Products of one int16 vector with rows of a matrix (internal/rows_s16.h). */

#include "src/internal/rows_s16.h"

#include <stddef.h>

#include "src/internal/compiler.h"
#include "src/internal/dots.h"
#include "src/internal/requantize.h"
#include "src/internal/requantize_s16.h"

static int64_t bias_of(const cmsis_nn_bias_data *bias, int32_t row) {
  if (bias->data == NULL) {
    return 0;
  }
  return bias->is_int32_bias ? ((const int32_t *)bias->data)[row] : ((const int64_t *)bias->data)[row];
}

static int16_t finish(const tinsmith_rows_s16 *rows, int64_t sum, int32_t row) {
  const int32_t multiplier = rows->multiplier[row * rows->stage_step];
  const int32_t shift = rows->shift[row * rows->stage_step];
  const int32_t value = rows->bias.is_int32_bias
                            ? tinsmith_requantize((int32_t)sum, multiplier, shift)
                            : tinsmith_requantize_s64(sum, tinsmith_reduced_multiplier(multiplier), shift);
  return (int16_t)tinsmith_clamp(value, rows->activation.min, rows->activation.max);
}

void tinsmith_multiply_rows_s16(const tinsmith_rows_s16 *rows, const int16_t *x, int16_t *output) {
  const int32_t depth = rows->depth;
  for (int32_t first = 0; first < rows->rows; first += kDotRows) {
    const int32_t left = rows->rows - first;
    const int32_t count = left < kDotRows ? left : kDotRows;
    int64_t sums[kDotRows];
    TINSMITH_NO_UNROLL
    for (int32_t r = 0; r < count; ++r) {
      sums[r] = bias_of(&rows->bias, first + r);
    }
    tinsmith_dots_s16_s8(sums, x, rows->weights + first * depth, depth, count);
    TINSMITH_NO_UNROLL
    for (int32_t r = 0; r < count; ++r) {
      output[first + r] = finish(rows, sums[r], first + r);
    }
  }
}
