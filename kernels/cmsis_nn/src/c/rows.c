/* Products of one input vector with rows of a matrix (internal/rows.h): several rows share what is done to the input.
 */

#include "src/internal/rows.h"

#include "src/internal/compiler.h"
#include "src/internal/dots.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"

#if !TINSMITH_NN_MVE

static int32_t sum_of(const int8_t *x, int32_t offset, int32_t depth) {
  int32_t sum = offset * depth;
  TINSMITH_NO_UNROLL
  for (int32_t k = 0; k < depth; ++k) {
    sum += x[k];
  }
  return sum;
}

/** Outputs [first, first + count) from their sums. Not inlined: it needs every register. */
TINSMITH_NOINLINE static void finish_rows(const tinsmith_rows *rows, const int32_t *acc, int32_t first, int32_t count,
                                          int8_t *output) {
  const tinsmith_rows m = *rows; /* a copy that no store to the output can change */
  const int32_t *multiplier = m.multiplier + first * m.stage_step;
  const int32_t *shift = m.shift + first * m.stage_step;
  const int8_t *end = output + first + count;
  output += first;
  TINSMITH_NO_UNROLL
  while (output != end) {
    const int32_t value = tinsmith_requantize(*acc++, *multiplier, *shift) + m.zero_point;
    *output++ = (int8_t)tinsmith_clamp(value, m.activation.min, m.activation.max);
    multiplier += m.stage_step;
    shift += m.stage_step;
  }
}

void tinsmith_multiply_rows(const tinsmith_rows *rows, const int8_t *x, int8_t *output) {
  const int32_t depth = rows->depth;
  const int32_t extra = rows->weights_offset == 0 ? 0 : rows->weights_offset * sum_of(x, rows->x_offset, depth);
  const int8_t *weights = rows->weights;
  for (int32_t first = 0; first < rows->rows; first += kDotRows) {
    const int32_t left = rows->rows - first;
    const int32_t count = left < kDotRows ? left : kDotRows;
    int32_t acc[kDotRows];
    for (int32_t r = 0; r < count; ++r) {
      acc[r] = rows->bias == NULL ? extra : rows->bias[first + r] + extra;
    }
    tinsmith_dots_s8(acc, x, rows->x_offset, weights, depth, depth, count);
    finish_rows(rows, acc, first, count, output);
    weights += kDotRows * depth;
  }
}

#endif /* !TINSMITH_NN_MVE */
