/* Matrix product on VMLADAV: sixteen products and their sum per instruction.
 *
 * Four output channels are finished for all rows before the next four, in two phases that take turns: raw sums of up to
 * kRowsAtOnce rows into a small table, then the table requantized with everything it needs in vector registers.
 * A depth of up to 48 leaves the weights of two or four channels in registers while rows pass by. Deeper sums are
 * collected for 3 rows x 2 channels at a time: five loads feed six multiplications, which the core overlaps, and six
 * sums with five pointers are what its registers hold; loops are tail-predicated, so no depth is worse than a multiple
 * of sixteen.
 */
#ifndef TINSMITH_NN_MVE_MATRIX_PRODUCT_BODY_H
#define TINSMITH_NN_MVE_MATRIX_PRODUCT_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "src/internal/compiler.h"
#include "src/mve/matrix_product.h"
#include "src/mve/one_row.h"
#include "src/mve/scratch.h"

/** Channels of a single row between sums and outputs. */
enum { kChannelsOfRow = 64 };

/** sums[0..2][0..1] = three rows times two channels; the second channel's weights lie `depth` after the first's. */
static inline void sum_3x2(const int8_t *row0, const int8_t *row1, const int8_t *row2, const int8_t *weights0,
                           int32_t depth, mve_sums *sums) {
  const int8_t *weights1 = weights0 + depth;
  int32_t s00 = 0;
  int32_t s01 = 0;
  int32_t s10 = 0;
  int32_t s11 = 0;
  int32_t s20 = 0;
  int32_t s21 = 0;
  int32_t left = depth;
  do {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    const int8x16_t w0 = vldrbq_z_s8(weights0, p);
    const int8x16_t x0 = vldrbq_z_s8(row0, p);
    s00 = vmladavaq_p_s8(s00, x0, w0, p);
    const int8x16_t x1 = vldrbq_z_s8(row1, p);
    s10 = vmladavaq_p_s8(s10, x1, w0, p);
    const int8x16_t x2 = vldrbq_z_s8(row2, p);
    s20 = vmladavaq_p_s8(s20, x2, w0, p);
    const int8x16_t w1 = vldrbq_z_s8(weights1, p);
    s01 = vmladavaq_p_s8(s01, x0, w1, p);
    s11 = vmladavaq_p_s8(s11, x1, w1, p);
    s21 = vmladavaq_p_s8(s21, x2, w1, p);
    row0 += kByteLanes;
    row1 += kByteLanes;
    row2 += kByteLanes;
    weights0 += kByteLanes;
    weights1 += kByteLanes;
    left -= kByteLanes;
  } while (left > 0);
  sums[0][0] = s00;
  sums[0][1] = s01;
  sums[1][0] = s10;
  sums[1][1] = s11;
  sums[2][0] = s20;
  sums[2][1] = s21;
}

/** The same for two rows. */
static inline void sum_2x2(const int8_t *row0, const int8_t *row1, const int8_t *weights0, int32_t depth,
                           mve_sums *sums) {
  const int8_t *weights1 = weights0 + depth;
  int32_t s00 = 0;
  int32_t s01 = 0;
  int32_t s10 = 0;
  int32_t s11 = 0;
  int32_t left = depth;
  do {
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
    left -= kByteLanes;
  } while (left > 0);
  sums[0][0] = s00;
  sums[0][1] = s01;
  sums[1][0] = s10;
  sums[1][1] = s11;
}

/** Sums of `count` rows for a depth of up to sixteen: the weights of four channels stay in registers. */
__attribute__((noinline)) static void sum_shallow(const int8_t *row, int32_t row_pitch, int32_t count,
                                                  const int8_t *weights, int32_t depth, mve_sums *sums) {
  const mve_pred16_t p = vctp8q((uint32_t)depth);
  const int8x16_t w0 = vldrbq_z_s8(weights, p);
  const int8x16_t w1 = vldrbq_z_s8(weights + depth, p);
  const int8x16_t w2 = vldrbq_z_s8(weights + 2 * depth, p);
  const int8x16_t w3 = vldrbq_z_s8(weights + 3 * depth, p);
  for (int32_t i = 0; i < count; ++i) {
    const int8x16_t x = vldrbq_z_s8(row, p);
    sums[i][0] = vmladavq_s8(x, w0);
    sums[i][1] = vmladavq_s8(x, w1);
    sums[i][2] = vmladavq_s8(x, w2);
    sums[i][3] = vmladavq_s8(x, w3);
    row += row_pitch;
  }
}

/** The same for two channels and a depth of `chunks` - 1 times sixteen and up to sixteen more; chunks: 2 or 3. */
static inline void sum_chunks(const int8_t *row, int32_t row_pitch, int32_t count, const int8_t *weights, int32_t depth,
                              int32_t chunks, int32_t *sums) {
  const int32_t last = (chunks - 1) * kByteLanes;
  const mve_pred16_t p = vctp8q((uint32_t)(depth - last));
  const int8_t *next = weights + depth;
  const int8x16_t w00 = vldrbq_s8(weights);
  const int8x16_t w01 = vldrbq_s8(weights + kByteLanes * (chunks - 2)); /* The first one again if there are two. */
  const int8x16_t w02 = vldrbq_z_s8(weights + last, p);
  const int8x16_t w10 = vldrbq_s8(next);
  const int8x16_t w11 = vldrbq_s8(next + kByteLanes * (chunks - 2));
  const int8x16_t w12 = vldrbq_z_s8(next + last, p);
  for (; count > 0; --count) {
    int8x16_t x = vldrbq_s8(row);
    int32_t s0 = vmladavq_s8(x, w00);
    int32_t s1 = vmladavq_s8(x, w10);
    if (chunks == 3) {
      x = vldrbq_s8(row + kByteLanes);
      s0 = vmladavaq_s8(s0, x, w01);
      s1 = vmladavaq_s8(s1, x, w11);
    }
    x = vldrbq_z_s8(row + last, p);
    sums[0] = vmladavaq_s8(s0, x, w02);
    sums[1] = vmladavaq_s8(s1, x, w12);
    row += row_pitch;
    sums += kWordLanes;
  }
}

/** The same for four channels and a depth of 17 to 48. Not inlined: it needs every vector register. */
__attribute__((noinline)) static void sum_half_deep(const int8_t *row, int32_t row_pitch, int32_t count,
                                                    const int8_t *weights, int32_t depth, mve_sums *sums) {
  TINSMITH_NO_UNROLL
  for (int32_t channel = 0; channel < kWordLanes; channel += 2) {
    if (depth <= 2 * kByteLanes) {
      sum_chunks(row, row_pitch, count, weights, depth, 2, &sums[0][channel]);
    } else {
      sum_chunks(row, row_pitch, count, weights, depth, 3, &sums[0][channel]);
    }
    weights += 2 * depth;
  }
}

/** Sums of `triples` times three rows and four channels, two after two. Not inlined: it needs every register. */
__attribute__((noinline)) static void sum_triples(const int8_t *first, int32_t row_pitch, int32_t triples,
                                                  const int8_t *weights, int32_t depth, mve_sums *sums) {
  const int8_t *end = first + 3 * triples * row_pitch;
  TINSMITH_NO_UNROLL
  for (int32_t channel = 0; channel < kWordLanes; channel += 2) {
    const int8_t *row = first;
    int32_t *to = &sums[0][channel];
    while (row != end) {
      const int8_t *row1 = row + row_pitch;
      const int8_t *row2 = row1 + row_pitch;
      sum_3x2(row, row1, row2, weights, depth, (mve_sums *)to);
      row = row2 + row_pitch;
      to += 3 * kWordLanes;
    }
    weights += 2 * depth;
  }
}

/** sums[0..3] = one vector times four, `pitch` apart. Not inlined, as two call it. */
__attribute__((noinline)) static void sum_four(const int8_t *vector, const int8_t *four, int32_t pitch, int32_t depth,
                                               mve_sums sums) {
  mve_sum_1x4(vector, four, pitch, depth, sums);
}

/** Sums of one or two rows that are left. */
TINSMITH_NOINLINE static void sum_rest(const int8_t *row, int32_t row_pitch, int32_t count, const int8_t *weights,
                                       int32_t depth, mve_sums *sums) {
  if (count == 1) {
    sum_four(row, weights, depth, depth, sums[0]);
    return;
  }
  TINSMITH_NO_UNROLL
  for (int32_t channel = 0; channel < kWordLanes; channel += 2) {
    sum_2x2(row, row + row_pitch, weights + channel * depth, depth, (mve_sums *)&sums[0][channel]);
  }
}

/** Sums of `count` rows for any depth. */
static inline void sum_deep(const int8_t *row, int32_t row_pitch, int32_t count, const int8_t *weights, int32_t depth,
                            mve_sums *sums) {
  const int32_t triples = count / 3;
  const int32_t done = 3 * triples;
  sum_triples(row, row_pitch, triples, weights, depth, sums);
  if (done != count) {
    sum_rest(row + done * row_pitch, row_pitch, count - done, weights, depth, sums + done);
  }
}

static void four_channels(const mve_matrix *matrix, int32_t channel, const int8_t *rows, int32_t row_pitch,
                          int32_t row_count, int8_t *output, int32_t output_pitch) {
  const int32_t depth = matrix->depth;
  const int8_t *weights = matrix->weights + channel * depth;
  const int32x4_t bias = vldrwq_s32(matrix->bias + channel);
  while (row_count > 0) {
    const int32_t count = row_count < kRowsAtOnce ? row_count : kRowsAtOnce;
    mve_sums sums[kRowsAtOnce];
    if (depth <= kByteLanes) {
      sum_shallow(rows, row_pitch, count, weights, depth, sums);
    } else if (depth <= 3 * kByteLanes) {
      sum_half_deep(rows, row_pitch, count, weights, depth, sums);
    } else {
      sum_deep(rows, row_pitch, count, weights, depth, sums);
    }
    tinsmith_mve_store_sums(&matrix->scale, channel, kAllLanes, bias, sums, count, output, output_pitch);
    rows += count * row_pitch;
    output += count * output_pitch;
    row_count -= count;
  }
}

static inline int32_t sum_one(const int8_t *weights, const int8_t *row, int32_t depth) {
  int32_t sum = 0;
  for (int32_t left = depth; left > 0; left -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)left);
    sum = vmladavaq_p_s8(sum, vldrbq_z_s8(row, p), vldrbq_z_s8(weights, p), p);
    row += kByteLanes;
    weights += kByteLanes;
  }
  return sum;
}

/** One of the channels that four do not divide: four rows at a time, the last four again, or
 * fewer than four singly. */
static void one_channel(const mve_matrix *matrix, int32_t channel, const int8_t *rows, int32_t row_pitch,
                        int32_t row_count, int8_t *output, int32_t output_pitch) {
  const int32_t quant = matrix->scale.per_channel ? channel : 0;
  const int32x4_t multiplier = vdupq_n_s32(matrix->scale.multiplier[quant]);
  const int32x4_t shift = vdupq_n_s32(matrix->scale.shift[quant]);
  const uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)output_pitch);
  const int8_t *weights = matrix->weights + channel * matrix->depth;
  const int32_t count = row_count >= kWordLanes ? kWordLanes : 1;
  for (int32_t next = 0; next < row_count; next += count) {
    const int32_t row = next + count <= row_count ? next : row_count - count;
    mve_sums sums;
    if (count == 1) {
      sums[0] = sum_one(weights, rows + row * row_pitch, matrix->depth);
    } else {
      sum_four(weights, rows + row * row_pitch, row_pitch, matrix->depth, sums);
    }
    const int32x4_t sum = vaddq_n_s32(vldrwq_s32(sums), matrix->bias[channel]);
    const int32x4_t value = mve_to_range(mve_requantize(sum, multiplier, shift), &matrix->scale.range);
    vstrbq_scatter_offset_p_s32(output + row * output_pitch, places, value, vctp32q((uint32_t)count));
  }
}

/** A single row, as in fully connected layers: the table has channel after channel instead. At least four channels; the
 * last up to three are done together with those before them, again. */
static void multiply_row(const mve_matrix *matrix, const int8_t *row, int8_t *output) {
  const int32_t depth = matrix->depth;
  const int32_t channels = matrix->channels;
  for (int32_t next = 0; next < channels; next += kChannelsOfRow) {
    const int32_t first = next + kWordLanes <= channels ? next : channels - kWordLanes;
    const int32_t rest = channels - first;
    const int32_t count = rest < kChannelsOfRow ? rest : kChannelsOfRow;
    int32_t sums[kChannelsOfRow];
    for (int32_t left = count; left > 0; left -= kWordLanes) {
      const int32_t i = left < kWordLanes ? count - kWordLanes : count - left;
      mve_sum_1x4(row, matrix->weights + (first + i) * depth, depth, depth, sums + i);
      vstrwq_s32(sums + i, vaddq_s32(vldrwq_s32(sums + i), vldrwq_s32(matrix->bias + first + i)));
    }
    tinsmith_mve_store_row(&matrix->scale, first, sums, count, output + first);
  }
}

void tinsmith_mve_matrix_product_s8(const mve_matrix *matrix, const int8_t *rows, int32_t row_pitch, int32_t row_count,
                                    int8_t *output, int32_t output_pitch) {
  const int32_t last = matrix->channels - kWordLanes;
  if (row_count == 1 && last >= 0) {
    multiply_row(matrix, rows, output);
    return;
  }
  const int32_t end = last > 0 && matrix->channels % kWordLanes == 3 ? last + 2 : last + 1;
  int32_t next = 0;
  for (; next < end; next += kWordLanes) { /* Before the last three, one is done again. */
    const int32_t channel = next <= last ? next : last;
    four_channels(matrix, channel, rows, row_pitch, row_count, output + channel, output_pitch);
  }
  for (; next < matrix->channels; ++next) {
    one_channel(matrix, next, rows, row_pitch, row_count, output + next, output_pitch);
  }
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_MATRIX_PRODUCT_BODY_H */
