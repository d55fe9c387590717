/* Products of one int16 vector with rows of a matrix (internal/rows_s16.h). */

#include "src/internal/rows_s16.h"

#include <stddef.h>
#include <string.h>

#include "src/internal/compiler.h"
#include "src/internal/dots.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"
#include "src/internal/requantize_s16.h"

#if !TINSMITH_NN_MVE
void tinsmith_finish_rows_s16(const tinsmith_rows_s16 *rows, const int32_t *sums, int32_t first, int32_t count,
                              int16_t *output) {
  const int32_t *multiplier = rows->multiplier + first * rows->stage_step;
  const int32_t *shift = rows->shift + first * rows->stage_step;
  const int32_t step = rows->stage_step;
  const cmsis_nn_activation range = rows->activation;
  TINSMITH_NO_UNROLL
  for (const int32_t *end = sums + count; sums != end; ++sums) {
    *output++ = (int16_t)tinsmith_clamp(tinsmith_requantize(*sums, *multiplier, *shift), range.min, range.max);
    multiplier += step;
    shift += step;
  }
}
#endif

/** Of a bias of 32 bits, which wraps as its sums do. */
static void multiply_by_32_bits(const tinsmith_rows_s16 *rows, const int16_t *x, int16_t *output) {
  const int32_t *bias = rows->bias.data;
  const int32_t depth = rows->depth;
  const int8_t *weights = rows->weights;
  TINSMITH_NO_UNROLL
  for (int32_t first = 0; first < rows->rows; first += kDotRows) {
    const int32_t left = rows->rows - first;
    const int32_t count = left < kDotRows ? left : kDotRows;
    int32_t sums[kDotRows] = {0};
    if (bias != NULL) {
      memcpy(sums, bias + first, (size_t)count * sizeof *bias);
    }
    tinsmith_dots_s16_s8_modulo(sums, x, weights, depth, count);
    tinsmith_finish_rows_s16(rows, sums, first, count, output + first);
    weights += count * depth;
  }
}

/** Outputs of sums of 64 bits of rows [first, first + count). */
static void finish_wide(const tinsmith_rows_s16 *rows, const int64_t *sums, int32_t first, int32_t count,
                        int16_t *output) {
  const int32_t *multiplier = rows->multiplier + first * rows->stage_step;
  const int32_t *shift = rows->shift + first * rows->stage_step;
  const int32_t step = rows->stage_step;
  const cmsis_nn_activation range = rows->activation;
  TINSMITH_NO_UNROLL
  for (const int64_t *end = sums + count; sums != end; ++sums) {
    const int32_t value = tinsmith_requantize_s64(*sums, tinsmith_reduced_multiplier(*multiplier), *shift);
    *output++ = (int16_t)tinsmith_clamp(value, range.min, range.max);
    multiplier += step;
    shift += step;
  }
}

static void start_wide(const tinsmith_rows_s16 *rows, int32_t first, int32_t count, int64_t *sums) {
  const int64_t *bias = rows->bias.data;
  const size_t bytes = (size_t)count * sizeof *sums;
  if (bias == NULL) {
    memset(sums, 0, bytes);
  } else {
    memcpy(sums, bias + first, bytes);
  }
}

/** Of a bias of 64 bits, or none. */
static void multiply_by_64_bits(const tinsmith_rows_s16 *rows, const int16_t *x, int16_t *output) {
  const int32_t depth = rows->depth;
  TINSMITH_NO_UNROLL
  for (int32_t first = 0; first < rows->rows; first += kDotRows) {
    const int32_t left = rows->rows - first;
    const int32_t count = left < kDotRows ? left : kDotRows;
    int64_t sums[kDotRows];
    start_wide(rows, first, count, sums);
    tinsmith_dots_s16_s8(sums, x, rows->weights + first * depth, depth, count);
    finish_wide(rows, sums, first, count, output + first);
  }
}

void tinsmith_multiply_rows_s16(const tinsmith_rows_s16 *rows, const int16_t *x, int16_t *output) {
  if (rows->bias.is_int32_bias) {
    multiply_by_32_bits(rows, x, output);
  } else {
    multiply_by_64_bits(rows, x, output);
  }
}

#if !TINSMITH_NN_MVE
void tinsmith_multiply_windows_s16(const tinsmith_rows_s16 *rows, const int16_t *x, int32_t count, int16_t *output) {
  for (int32_t i = 0; i < count; ++i) {
    tinsmith_multiply_rows_s16(rows, x + i * rows->depth, output + i * rows->rows);
  }
}
#endif
