/* Matrix product on VMLADAV: sixteen products and their sum per instruction.
 *
 * Four output channels are finished for all rows before the next four, in two phases that take turns: raw sums of up to
 * kPositionsAtOnce rows into a small table, then the table requantized with everything it needs in vector registers.
 * Sums are collected for 2 rows x 2 channels at a time: four loads feed four multiplications, which the core overlaps,
 * and four sums with four pointers are what its registers hold. Loops over depth are tail-predicated, so any depth is
 * as good as a multiple of sixteen.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "src/mve/matrix_product.h"

/** sums[0..1][0..1] = bias + two rows times two channels; the second channel lies `depth` after the first. */
static inline void sum_2x2(const int8_t *row0, const int8_t *row1, const int8_t *weights0, int32_t depth,
                           const int32_t *bias, int32_t *sums) {
  const int8_t *weights1 = weights0 + depth;
  int32_t s00 = bias[0];
  int32_t s01 = bias[1];
  int32_t s10 = s00;
  int32_t s11 = s01;
  for (int32_t left = depth; left > 0; left -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    const int8x16_t x0 = vldrbq_z_s8(row0, p);
    const int8x16_t w0 = vldrbq_z_s8(weights0, p);
    s00 = vmladavaq_p_s8(s00, x0, w0, p);
    const int8x16_t x1 = vldrbq_z_s8(row1, p);
    s10 = vmladavaq_p_s8(s10, x1, w0, p);
    const int8x16_t w1 = vldrbq_z_s8(weights1, p);
    s01 = vmladavaq_p_s8(s01, x0, w1, p);
    s11 = vmladavaq_p_s8(s11, x1, w1, p);
    row0 += kByteLanes;
    row1 += kByteLanes;
    weights0 += kByteLanes;
    weights1 += kByteLanes;
  }
  sums[0] = s00;
  sums[1] = s01;
  sums[kWordLanes] = s10;
  sums[kWordLanes + 1] = s11;
}

/** sums[0..3] = bias + one row times four channels. */
static inline void sum_1x4(const int8_t *row, const int8_t *weights0, int32_t depth, const int32_t *bias,
                           int32_t *sums) {
  const int8_t *weights1 = weights0 + depth;
  const int8_t *weights2 = weights1 + depth;
  const int8_t *weights3 = weights2 + depth;
  int32_t s0 = bias[0];
  int32_t s1 = bias[1];
  int32_t s2 = bias[2];
  int32_t s3 = bias[3];
  for (int32_t left = depth; left > 0; left -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    const int8x16_t x = vldrbq_z_s8(row, p);
    s0 = vmladavaq_p_s8(s0, x, vldrbq_z_s8(weights0, p), p);
    s1 = vmladavaq_p_s8(s1, x, vldrbq_z_s8(weights1, p), p);
    s2 = vmladavaq_p_s8(s2, x, vldrbq_z_s8(weights2, p), p);
    s3 = vmladavaq_p_s8(s3, x, vldrbq_z_s8(weights3, p), p);
    row += kByteLanes;
    weights0 += kByteLanes;
    weights1 += kByteLanes;
    weights2 += kByteLanes;
    weights3 += kByteLanes;
  }
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}

/** Sums of `count` rows for a depth of up to sixteen: the weights of four channels stay in registers. */
static void sum_shallow(const int8_t *row, int32_t row_pitch, int32_t count, const int8_t *weights, int32_t depth,
                        const int32_t *bias, mve_sum_table sums) {
  const mve_pred16_t p = vctp8q((uint32_t)depth);
  const int8x16_t w0 = vldrbq_z_s8(weights, p);
  const int8x16_t w1 = vldrbq_z_s8(weights + depth, p);
  const int8x16_t w2 = vldrbq_z_s8(weights + 2 * depth, p);
  const int8x16_t w3 = vldrbq_z_s8(weights + 3 * depth, p);
  for (int32_t i = 0; i < count; ++i) {
    const int8x16_t x = vldrbq_z_s8(row, p);
    sums[i][0] = vmladavaq_s8(bias[0], x, w0);
    sums[i][1] = vmladavaq_s8(bias[1], x, w1);
    sums[i][2] = vmladavaq_s8(bias[2], x, w2);
    sums[i][3] = vmladavaq_s8(bias[3], x, w3);
    row += row_pitch;
  }
}

/** Sums of `count` rows for any depth. */
static void sum_deep(const int8_t *row, int32_t row_pitch, int32_t count, const int8_t *weights, int32_t depth,
                     const int32_t *bias, mve_sum_table sums) {
  int32_t i = 0;
  for (; i + 2 <= count; i += 2) {
    const int8_t *next = row + row_pitch;
    sum_2x2(row, next, weights, depth, bias, &sums[i][0]);
    sum_2x2(row, next, weights + 2 * depth, depth, bias + 2, &sums[i][2]);
    row = next + row_pitch;
  }
  if (i < count) {
    sum_1x4(row, weights, depth, bias, sums[i]);
  }
}

static void four_channels(const mve_matrix *matrix, int32_t channel, const int8_t *rows, int32_t row_pitch,
                          int32_t row_count, int8_t *output, int32_t output_pitch) {
  const int32_t depth = matrix->depth;
  const int8_t *weights = matrix->weights + channel * depth;
  const int32_t *bias = matrix->bias + channel;
  while (row_count > 0) {
    const int32_t count = row_count < kPositionsAtOnce ? row_count : kPositionsAtOnce;
    mve_sum_table sums;
    if (depth <= kByteLanes) {
      sum_shallow(rows, row_pitch, count, weights, depth, bias, sums);
    } else {
      sum_deep(rows, row_pitch, count, weights, depth, bias, sums);
    }
    tinsmith_mve_store_sums(&matrix->scale, channel, kAllLanes, sums, count, output, output_pitch);
    rows += count * row_pitch;
    output += count * output_pitch;
    row_count -= count;
  }
}

/** One of the up to three channels that four do not divide. */
static void one_channel(const mve_matrix *matrix, int32_t channel, const int8_t *rows, int32_t row_pitch,
                        int32_t row_count, int8_t *output, int32_t output_pitch) {
  const int32_t quant = matrix->scale.per_channel ? channel : 0;
  const int32x4_t multiplier = vdupq_n_s32(matrix->scale.multiplier[quant]);
  const int32x4_t shift = vdupq_n_s32(matrix->scale.shift[quant]);
  for (int32_t i = 0; i < row_count; ++i) {
    const int8_t *row = rows + i * row_pitch;
    const int8_t *weights = matrix->weights + channel * matrix->depth;
    int32_t sum = matrix->bias[channel];
    for (int32_t left = matrix->depth; left > 0; left -= kByteLanes) {
      const mve_pred16_t p = vctp8q((uint32_t)left);
      sum = vmladavaq_p_s8(sum, vldrbq_z_s8(row, p), vldrbq_z_s8(weights, p), p);
      row += kByteLanes;
      weights += kByteLanes;
    }
    const int32x4_t value = mve_requantize(vdupq_n_s32(sum), multiplier, shift);
    output[i * output_pitch] = (int8_t)vgetq_lane_s32(mve_to_range(value, &matrix->scale.range), 0);
  }
}

void tinsmith_mve_matrix_product_s8(const mve_matrix *matrix, const int8_t *rows, int32_t row_pitch, int32_t row_count,
                                    int8_t *output, int32_t output_pitch) {
  int32_t channel = 0;
  for (; channel + kWordLanes <= matrix->channels; channel += kWordLanes) {
    four_channels(matrix, channel, rows, row_pitch, row_count, output + channel, output_pitch);
  }
  for (; channel < matrix->channels; ++channel) {
    one_channel(matrix, channel, rows, row_pitch, row_count, output + channel, output_pitch);
  }
}

#endif /* TINSMITH_NN_MVE */
