/* Products of one vector with rows of a matrix of four bits, for plain C and the DSP extension (internal/rows_s4.h). */

#include "src/internal/rows_s4.h"

#include <stddef.h>

#include "src/internal/compiler.h"
#include "src/internal/dots.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"

#if !TINSMITH_NN_MVE

void tinsmith_multiply_rows_s4(const tinsmith_rows_s4 *rows, const int8_t *x, int8_t *output) {
  const int32_t depth = rows->depth;
  for (int32_t first = 0; first < rows->rows; first += kDotRows) {
    const int32_t left = rows->rows - first;
    const int32_t count = left < kDotRows ? left : kDotRows;
    int32_t sums[kDotRows];
    for (int32_t r = 0; r < count; ++r) {
      sums[r] = rows->bias == NULL ? 0 : rows->bias[first + r];
    }
    tinsmith_dots_s4(sums, x, rows->x_offset, rows->weights, first * depth, depth, count);
    TINSMITH_NO_UNROLL
    for (int32_t r = 0; r < count; ++r) {
      const int32_t stage = (first + r) * rows->stage_step;
      const int32_t value = tinsmith_requantize(sums[r], rows->multiplier[stage], rows->shift[stage]);
      output[first + r] = (int8_t)tinsmith_clamp(value + rows->zero_point, rows->activation.min, rows->activation.max);
    }
  }
}

#endif /* !TINSMITH_NN_MVE */
