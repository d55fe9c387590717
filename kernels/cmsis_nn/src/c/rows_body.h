/* Products of one input vector with rows of a matrix (internal/rows.h): several rows share what is done to the input.
 */
#ifndef TINSMITH_NN_C_ROWS_BODY_H
#define TINSMITH_NN_C_ROWS_BODY_H

#include "src/internal/compiler.h"
#include "src/internal/dots.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"
#include "src/internal/rows.h"
#include "src/internal/sum_s8.h"

#if !TINSMITH_NN_MVE

/** Outputs [first, first + count) from their sums, whose scales differ. Not inlined: it needs every register. */
TINSMITH_NOINLINE static void finish_rows(const tinsmith_rows *rows, const int32_t *acc, int32_t first, int32_t count,
                                          int8_t *output) {
  const tinsmith_rows m = *rows; /* a copy that no store to the output can change */
  const int32_t *multiplier = m.multiplier + first;
  const int32_t *shift = m.shift + first;
  const int8_t *end = output + first + count;
  output += first;
  TINSMITH_NO_UNROLL
  while (output != end) {
    const int32_t value = tinsmith_requantize(*acc++, *multiplier++, *shift++) + m.zero_point;
    *output++ = (int8_t)tinsmith_clamp(value, m.activation.min, m.activation.max);
  }
}

/** The same with one scale. */
TINSMITH_NOINLINE static void finish_rows_alike(const tinsmith_rows *rows, const int32_t *acc, int8_t *output,
                                                const int8_t *end) {
  const tinsmith_scale scale = tinsmith_scale_of(*rows->multiplier, *rows->shift);
  const int32_t zero_point = rows->zero_point;
  const cmsis_nn_activation range = rows->activation;
  TINSMITH_NO_UNROLL
  while (output != end) {
    const int32_t value = tinsmith_scale_sum(*acc++, &scale) + zero_point;
    *output++ = (int8_t)tinsmith_clamp(value, range.min, range.max);
  }
}

/** Sums before any product: the bias of `count` rows, and `extra` for all. */
static void start_rows(int32_t *acc, const int32_t *bias, int32_t extra, int32_t count) {
  int32_t *end = acc + count;
  if (bias == NULL) {
    TINSMITH_NO_UNROLL
    while (acc != end) {
      *acc++ = extra;
    }
    return;
  }
  TINSMITH_NO_UNROLL
  while (acc != end) {
    *acc++ = *bias++ + extra;
  }
}

/** Rows whose sums are collected before they are scaled: what is done once for all then counts little. */
enum { kRowsAtOnce = 32 };

void tinsmith_multiply_rows(const tinsmith_rows *rows, const int8_t *x, int8_t *output) {
  const int32_t depth = rows->depth;
  const int32_t sum = rows->weights_offset == 0 ? 0 : rows->x_offset * depth + tinsmith_sum_s8(x, depth);
  for (int32_t first = 0; first < rows->rows; first += kRowsAtOnce) {
    const int32_t left = rows->rows - first;
    const int32_t count = left < kRowsAtOnce ? left : kRowsAtOnce;
    int32_t acc[kRowsAtOnce];
    start_rows(acc, rows->bias == NULL ? NULL : rows->bias + first, rows->weights_offset * sum, count);
    tinsmith_dots_s8(acc, x, rows->x_offset, rows->weights + first * depth, depth, depth, count);
    if (rows->stage_step == 0) {
      finish_rows_alike(rows, acc, output + first, output + first + count);
    } else {
      finish_rows(rows, acc, first, count, output);
    }
  }
}

#endif /* !TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_C_ROWS_BODY_H */
