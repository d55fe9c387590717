/* Products of a single row, and of rows whose bias differs because the weights have a zero point: of these, four
 * channels of a row are summed, scaled and stored before the next row.
 */
#ifndef TINSMITH_NN_MVE_ROWS_BODY_H
#define TINSMITH_NN_MVE_ROWS_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "src/internal/compiler.h"
#include "src/internal/dots.h"
#include "src/internal/public.h"
#include "src/mve/matrix_product.h"

/** Channels of a single row between sums and outputs, and rows that are summed before they are multiplied. */
enum { kChannelsAtOnce = 128, kSumsAtOnce = 32 };

void tinsmith_mve_multiply_row(const mve_matrix *matrix, const int8_t *row, int8_t *output) {
  const int32_t depth = matrix->depth;
  for (int32_t first = 0; first < matrix->channels; first += kChannelsAtOnce) {
    const int32_t rest = matrix->channels - first;
    const int32_t count = rest < kChannelsAtOnce ? rest : kChannelsAtOnce;
    int32_t sums[kChannelsAtOnce];
    for (int32_t i = 0; i < count; i += kWordLanes) {
      const mve_pred16_t p = vctp32q((uint32_t)(count - i));
      vstrwq_p_s32(sums + i, vldrwq_z_s32(matrix->bias + first + i, p), p);
    }
    tinsmith_dots_s8(sums, row, 0, matrix->weights + first * depth, depth, depth, count);
    tinsmith_mve_store_row(&matrix->scale, first, sums, count, output + first);
  }
}

/** Where one pass begins: up to four channels of rows. */
typedef struct {
  const int8_t *weights;
  const int8_t *rows;
  int8_t *output;
  int32_t channels; /* up to four */
  int32_t row_count;
} block;

/** Sums of a row with four of weights; those that are missing are the last one again. */
static inline int32x4_t sum_row(const int8_t *row, const int8_t *w0, int32_t depth, int32_t pitches[3]) {
  const int8_t *w1 = w0 + pitches[0];
  const int8_t *w2 = w0 + pitches[1];
  const int8_t *w3 = w0 + pitches[2];
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int32_t left = depth; left > 0; left -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    const int8x16_t x = vldrbq_z_s8(row, p);
    s0 = vmladavaq_p_s8(s0, x, vldrbq_z_s8(w0, p), p);
    s1 = vmladavaq_p_s8(s1, x, vldrbq_z_s8(w1, p), p);
    s2 = vmladavaq_p_s8(s2, x, vldrbq_z_s8(w2, p), p);
    s3 = vmladavaq_p_s8(s3, x, vldrbq_z_s8(w3, p), p);
    row += kByteLanes;
    w0 += kByteLanes;
    w1 += kByteLanes;
    w2 += kByteLanes;
    w3 += kByteLanes;
  }
  return (int32x4_t){s0, s1, s2, s3};
}

/** shifts_right: of all channels. row_bias: one per row. */
TINSMITH_ALWAYS_INLINE void multiply_block(const mve_matrix *matrix, bool shifts_right, const block *b, int32x4_t bias,
                                           int32x4_t multiplier, int32x4_t shift, const int32_t *row_bias) {
  const int32_t depth = matrix->depth;
  const mve_pred16_t present = vctp32q((uint32_t)b->channels);
  const int32_t last = b->channels - 1;
  int32_t pitches[3] = {last < 1 ? 0 : depth, (last < 2 ? last : 2) * depth, last * depth};
  const mve_output_range range = matrix->scale.range;
  const int8_t *row = b->rows;
  int8_t *output = b->output;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < b->row_count; ++i) {
    const int32x4_t sum = vaddq_n_s32(vaddq_s32(sum_row(row, b->weights, depth, pitches), bias), row_bias[i]);
    const int32x4_t value =
        shifts_right ? mve_requantize_right(sum, multiplier, shift) : mve_requantize(sum, multiplier, shift);
    vstrbq_p_s32(output, mve_to_range(value, &range), present);
    row += depth;
    output += matrix->channels;
  }
}

static void multiply_summed_rows(const mve_matrix *matrix, const int8_t *rows, int32_t row_count,
                                 const int32_t *row_bias, int8_t *output) {
  const mve_output_scale *scale = &matrix->scale;
  int32x4_t multiplier = vdupq_n_s32(scale->multiplier[0]);
  int32x4_t shift = vdupq_n_s32(scale->shift[0]);
  block b = {.weights = matrix->weights, .rows = rows, .output = output, .row_count = row_count};
  TINSMITH_NO_UNROLL
  for (int32_t channel = 0; channel < matrix->channels; channel += kWordLanes) {
    const int32_t left = matrix->channels - channel;
    const mve_pred16_t present = vctp32q((uint32_t)left);
    b.channels = left < kWordLanes ? left : kWordLanes;
    if (scale->per_channel) {
      multiplier = vldrwq_z_s32(scale->multiplier + channel, present);
      shift = vldrwq_z_s32(scale->shift + channel, present);
    }
    const int32x4_t bias = vldrwq_z_s32(matrix->bias + channel, present);
    if (scale->shifts_right) {
      multiply_block(matrix, true, &b, bias, multiplier, shift, row_bias);
    } else {
      multiply_block(matrix, false, &b, bias, multiplier, shift, row_bias);
    }
    b.weights += kWordLanes * matrix->depth;
    b.output += kWordLanes;
  }
}

void tinsmith_mve_multiply_rows(const mve_matrix *matrix, int32_t weights_offset, const int8_t *rows, int32_t row_count,
                                int8_t *output) {
  for (; row_count > 0; row_count -= kSumsAtOnce) {
    const int32_t count = row_count < kSumsAtOnce ? row_count : kSumsAtOnce;
    int32_t row_bias[kSumsAtOnce];
    arm_vector_sum_s8(row_bias, matrix->depth, count, rows, weights_offset, 0, NULL);
    multiply_summed_rows(matrix, rows, count, row_bias, output);
    rows += count * matrix->depth;
    output += count * matrix->channels;
  }
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_ROWS_BODY_H */
