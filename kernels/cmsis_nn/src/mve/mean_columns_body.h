/* Means of columns (tinsmith_nn_rescaling.h) on MVE: eight columns as lanes of 16 bits, or four of 32. */
#ifndef TINSMITH_NN_MVE_MEAN_COLUMNS_BODY_H
#define TINSMITH_NN_MVE_MEAN_COLUMNS_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/tinsmith_nn_rescaling.h"
#include "src/mve/requantize.h"

enum {
  kHalfLanes = 8,
  kMostRows = 256 /* of int8, whose sum fits 16 bits: 256 * -128 = -2^15 */
};

/** Sums to results. Clamped before the zero point is added, so that nothing overflows. */
static inline int32x4_t means(const tinsmith_columns_params *params, int32x4_t sums) {
  const mve_uniform_scale scale = mve_uniform(params->multiplier, params->shift);
  const int32_t offset = params->output_offset;
  int32x4_t value = mve_requantize_uniform(vaddq_n_s32(sums, params->offset), &scale);
  value = vmaxq_s32(value, vdupq_n_s32(params->activation.min - offset));
  value = vminq_s32(value, vdupq_n_s32(params->activation.max - offset));
  return vaddq_n_s32(value, offset);
}

/** Up to kMostRows rows of eight columns. */
static inline int16x8_t sum_rows(const int8_t *input, int32_t rows, int32_t pitch, mve_pred16_t p) {
  int16x8_t sums = vdupq_n_s16(0);
  for (; rows > 0; --rows) {
    sums = vaddq_s16(sums, vldrbq_z_s16(input, p));
    input += pitch;
  }
  return sums;
}

static void columns_s8(const tinsmith_columns_params *params, const int8_t *input, int8_t *output) {
  const int32_t inner = params->inner;
  for (int32_t column = 0; column < inner; column += kHalfLanes) {
    const mve_pred16_t p = vctp16q((uint32_t)(inner - column));
    int32x4_t even = vdupq_n_s32(0), odd = even;
    const int8_t *row = input + column;
    for (int32_t left = params->count; left > 0; left -= kMostRows) {
      const int16x8_t sums = sum_rows(row, left < kMostRows ? left : kMostRows, inner, p);
      even = vaddq_s32(even, vmovlbq_s16(sums));
      odd = vaddq_s32(odd, vmovltq_s16(sums));
      row += kMostRows * inner;
    }
    const int16x8_t low = vmovnbq_s32(vdupq_n_s16(0), means(params, even));
    vstrbq_p_s16(output + column, vmovntq_s32(low, means(params, odd)), p);
  }
}

void tinsmith_mean_columns_s8(const tinsmith_columns_params *params, const int8_t *input, int8_t *output) {
  for (int32_t i = 0; i < params->outer; ++i) {
    if (params->inner > 1) {
      columns_s8(params, input, output);
    } else {
      int32_t sum = 0;
      const int8_t *values = input;
      for (int32_t left = params->count; left > 0; left -= kByteLanes) {
        sum = vaddvaq_p_s8(sum, vldrbq_z_s8(values, vctp8q((uint32_t)left)), vctp8q((uint32_t)left));
        values += kByteLanes;
      }
      *output = (int8_t)vgetq_lane_s32(means(params, vdupq_n_s32(sum)), 0);
    }
    input += params->count * params->inner;
    output += params->inner;
  }
}

static void columns_s16(const tinsmith_columns_params *params, const int16_t *input, int16_t *output) {
  const int32_t inner = params->inner;
  for (int32_t column = 0; column < inner; column += kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)(inner - column));
    int32x4_t sums = vdupq_n_s32(0);
    const int16_t *row = input + column;
    for (int32_t left = params->count; left > 0; --left) {
      sums = vaddq_s32(sums, vldrhq_z_s32(row, p));
      row += inner;
    }
    vstrhq_p_s32(output + column, means(params, sums), p);
  }
}

void tinsmith_mean_columns_s16(const tinsmith_columns_params *params, const int16_t *input, int16_t *output) {
  for (int32_t i = 0; i < params->outer; ++i) {
    if (params->inner > 1) {
      columns_s16(params, input, output);
    } else {
      int32_t sum = 0;
      const int16_t *values = input;
      for (int32_t left = params->count; left > 0; left -= kHalfLanes) {
        sum = vaddvaq_p_s16(sum, vldrhq_z_s16(values, vctp16q((uint32_t)left)), vctp16q((uint32_t)left));
        values += kHalfLanes;
      }
      *output = (int16_t)vgetq_lane_s32(means(params, vdupq_n_s32(sum)), 0);
    }
    input += params->count * params->inner;
    output += params->inner;
  }
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_MEAN_COLUMNS_BODY_H */
