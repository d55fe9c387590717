/* Products of one vector with rows of a matrix of four bits, for plain C and the DSP extension (internal/rows_s4.h). */

#include "src/internal/rows_s4.h"

#include <stddef.h>

#include "src/internal/compiler.h"
#include "src/internal/dots.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"

#if !TINSMITH_NN_MVE

/** Rows whose sums are collected before they are scaled. */
enum { kRowsAtOnce = 32 };

/** Outputs [first, first + count) from their sums. */
static void finish_rows(const tinsmith_rows_s4 *rows, const int32_t *sums, int32_t first, int32_t count,
                        int8_t *output) {
  const int32_t *multiplier = rows->multiplier + first * rows->stage_step;
  const int32_t *shift = rows->shift + first * rows->stage_step;
  const int32_t step = rows->stage_step;
  const int32_t zero_point = rows->zero_point;
  const cmsis_nn_activation range = rows->activation;
  TINSMITH_NO_UNROLL
  for (const int32_t *end = sums + count; sums != end; ++sums) {
    const int32_t value = tinsmith_requantize(*sums, *multiplier, *shift) + zero_point;
    *output++ = (int8_t)tinsmith_clamp(value, range.min, range.max);
    multiplier += step;
    shift += step;
  }
}

void tinsmith_multiply_rows_s4(const tinsmith_rows_s4 *rows, const int8_t *x, int8_t *output) {
  const int32_t depth = rows->depth;
  for (int32_t first = 0; first < rows->rows; first += kRowsAtOnce) {
    const int32_t left = rows->rows - first;
    const int32_t count = left < kRowsAtOnce ? left : kRowsAtOnce;
    int32_t sums[kRowsAtOnce];
    TINSMITH_NO_UNROLL
    for (int32_t r = 0; r < count; ++r) {
      sums[r] = rows->bias == NULL ? 0 : rows->bias[first + r];
    }
    tinsmith_dots_s4(sums, x, rows->x_offset, rows->weights, first * depth, depth, count);
    finish_rows(rows, sums, first, count, output + first);
  }
}

#endif /* !TINSMITH_NN_MVE */
