/* Matrix product on VMLADAV: sixteen products and their sum per instruction.
 *
 * The outer loop takes four output channels, so that one int32 vector holds their results; the inner one takes two rows
 * of the input at a time. Sums of 2 rows x 2 channels are collected together: four loads feed four multiplications,
 * which is what the core can overlap, and the four sums and four pointers fit its registers.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "src/mve/matrix_product.h"

/** Four channels of the matrix. */
typedef struct {
  const int8_t *weights[4]; /**< Missing channels at the end repeat the last one. */
  mve_pred16_t present;     /**< Which of the four exist. */
  int32x4_t bias;
  int32x4_t multiplier;
  int32x4_t shift;
} channel_block;

static inline channel_block load_block(const mve_matrix *matrix, int32_t channel) {
  channel_block block;
  const int32_t last = matrix->channels - 1;
  for (int32_t i = 0; i < 4; ++i) {
    const int32_t row = channel + i < last ? channel + i : last;
    block.weights[i] = matrix->weights + row * matrix->depth;
  }
  const int32_t quant = matrix->per_channel ? channel : 0;
  block.present = vctp32q((uint32_t)(matrix->channels - channel));
  block.bias = vldrwq_z_s32(matrix->bias + channel, block.present);
  block.multiplier = vldrwq_z_s32(matrix->multiplier + quant, block.present);
  block.shift = vldrwq_z_s32(matrix->shift + quant, block.present);
  return block;
}

static inline void store(const channel_block *block, const mve_matrix *matrix, int32x4_t sum, int8_t *output) {
  sum = vaddq_s32(sum, block->bias);
  sum = mve_requantize(sum, block->multiplier, block->shift);
  vstrbq_p_s32(output, mve_to_range(sum, &matrix->range), block->present);
}

/** Sums of two channels for two rows, put into lanes `lane` and `lane + 2` of each row's vector. */
static inline void sum_2x2(const int8_t *row0, const int8_t *row1, const int8_t *weights0, const int8_t *weights1, int32_t depth,
                           int32_t sums[4]) {
  int32_t s00 = 0;
  int32_t s01 = 0;
  int32_t s10 = 0;
  int32_t s11 = 0;
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
  sums[2] = s10;
  sums[3] = s11;
}

static inline int32x4_t four(int32_t a, int32_t b, int32_t c, int32_t d) {
  const int32x4_t v = {a, b, c, d};
  return v;
}

static void two_rows(const mve_matrix *matrix, const channel_block *block, const int8_t *row0, const int8_t *row1,
                     int8_t *output0, int8_t *output1) {
  int32_t even[4];
  int32_t odd[4];
  sum_2x2(row0, row1, block->weights[0], block->weights[2], matrix->depth, even);
  sum_2x2(row0, row1, block->weights[1], block->weights[3], matrix->depth, odd);
  store(block, matrix, four(even[0], odd[0], even[1], odd[1]), output0);
  store(block, matrix, four(even[2], odd[2], even[3], odd[3]), output1);
}

static void one_row(const mve_matrix *matrix, const channel_block *block, const int8_t *row, int8_t *output) {
  const int8_t *w0 = block->weights[0];
  const int8_t *w1 = block->weights[1];
  const int8_t *w2 = block->weights[2];
  const int8_t *w3 = block->weights[3];
  int32_t s0 = 0;
  int32_t s1 = 0;
  int32_t s2 = 0;
  int32_t s3 = 0;
  for (int32_t left = matrix->depth; left > 0; left -= kByteLanes) {
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
  store(block, matrix, four(s0, s1, s2, s3), output);
}

void tinsmith_mve_matrix_product_s8(const mve_matrix *matrix, const int8_t *rows, int32_t row_pitch, int32_t row_count,
                                    int8_t *output, int32_t output_pitch) {
  for (int32_t channel = 0; channel < matrix->channels; channel += kWordLanes) {
    const channel_block block = load_block(matrix, channel);
    const int8_t *row = rows;
    int8_t *out = output + channel;
    for (int32_t pairs = row_count / 2; pairs > 0; --pairs) {
      two_rows(matrix, &block, row, row + row_pitch, out, out + output_pitch);
      row += 2 * row_pitch;
      out += 2 * output_pitch;
    }
    if (row_count % 2 != 0) {
      one_row(matrix, &block, row, out);
    }
  }
}

#endif /* TINSMITH_NN_MVE */
