/* Rows of int16 on MVE (internal/rows_s16.h): windows by four, and sums of 32 bits to outputs. */
#include "src/internal/rows_s16.h"

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "src/internal/dots.h"
#include "src/internal/requantize.h"
#include "src/internal/requantize_s16.h"
#include "src/mve/requantize.h"

enum { kHalfLanes = 8 };

void tinsmith_finish_rows_s16(const tinsmith_rows_s16 *rows, const int32_t *sums, int32_t first, int32_t count,
                              int16_t *output) {
  const mve_pred16_t present = vctp32q((uint32_t)count);
  const mve_output_range range = {0, rows->activation.min, rows->activation.max};
  int32x4_t multiplier = vdupq_n_s32(*rows->multiplier);
  int32x4_t shift = vdupq_n_s32(*rows->shift);
  if (rows->stage_step != 0) {
    multiplier = vldrwq_z_s32(rows->multiplier + first, present);
    shift = vldrwq_z_s32(rows->shift + first, present);
  }
  const int32x4_t value = mve_requantize(vldrwq_z_s32(sums, present), multiplier, shift);
  vstrhq_p_s32(output, mve_to_range(value, &range), present);
}

/** sums[i] of window i and a row, modulo 2^32. */
static void sum_windows(const int16_t *x, int32_t pitch, const int8_t *weights, int32_t depth, int32_t sums[kWindows]) {
  const int16_t *x1 = x + pitch;
  const int16_t *x2 = x1 + pitch;
  const int16_t *x3 = x2 + pitch;
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (int32_t left = depth; left > 0; left -= kHalfLanes) {
    const mve_pred16_t p = vctp16q((uint32_t)left);
    const int16x8_t row = vldrbq_z_s16(weights, p);
    s0 = vmladavaq_p_s16(s0, vldrhq_z_s16(x, p), row, p);
    s1 = vmladavaq_p_s16(s1, vldrhq_z_s16(x1, p), row, p);
    s2 = vmladavaq_p_s16(s2, vldrhq_z_s16(x2, p), row, p);
    s3 = vmladavaq_p_s16(s3, vldrhq_z_s16(x3, p), row, p);
    weights += kHalfLanes;
    x += kHalfLanes;
    x1 += kHalfLanes;
    x2 += kHalfLanes;
    x3 += kHalfLanes;
  }
  sums[0] = s0;
  sums[1] = s1;
  sums[2] = s2;
  sums[3] = s3;
}

/** Of a bias of 32 bits. Windows that are missing are multiplied as well, whatever their room holds. */
static void multiply_windows_by_32_bits(const tinsmith_rows_s16 *rows, const int16_t *x, int32_t count,
                                        int16_t *output) {
  const int32_t *bias = rows->bias.data;
  const int32_t depth = rows->depth;
  const mve_pred16_t present = vctp32q((uint32_t)count);
  const uint32x4_t places = vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)rows->rows);
  const mve_output_range range = {0, rows->activation.min, rows->activation.max};
  for (int32_t r = 0; r < rows->rows; ++r) {
    int32_t sums[kWindows];
    sum_windows(x, depth, rows->weights + r * depth, depth, sums);
    const int32x4_t sum = vaddq_n_s32(vldrwq_s32(sums), bias == NULL ? 0 : bias[r]);
    const mve_uniform_scale scale = mve_uniform(rows->multiplier[r], rows->shift[r]);
    const int32x4_t value = mve_to_range(mve_requantize_uniform(sum, &scale), &range);
    vstrhq_scatter_shifted_offset_p_s32(output + r, places, value, present);
  }
}

/** Of a bias of 64 bits, or none. */
static void multiply_windows_by_64_bits(const tinsmith_rows_s16 *rows, const int16_t *x, int32_t count,
                                        int16_t *output) {
  const int64_t *bias = rows->bias.data;
  const int32_t depth = rows->depth;
  for (int32_t r = 0; r < rows->rows; ++r) {
    const int64_t start = bias == NULL ? 0 : bias[r];
    int64_t wide[kWindows] = {start, start, start, start};
    for (int32_t k = 0; k < depth; k += kNarrowDepth) {
      const int32_t part = depth - k < kNarrowDepth ? depth - k : kNarrowDepth;
      int32_t sums[kWindows];
      sum_windows(x + k, depth, rows->weights + r * depth + k, part, sums);
      for (int32_t i = 0; i < kWindows; ++i) {
        wide[i] += sums[i];
      }
    }
    const int32_t multiplier = tinsmith_reduced_multiplier(rows->multiplier[r]);
    for (int32_t i = 0; i < count; ++i) {
      const int32_t value = tinsmith_requantize_s64(wide[i], multiplier, rows->shift[r]);
      output[i * rows->rows + r] = (int16_t)tinsmith_clamp(value, rows->activation.min, rows->activation.max);
    }
  }
}

void tinsmith_multiply_windows_s16(const tinsmith_rows_s16 *rows, const int16_t *x, int32_t count, int16_t *output) {
  if (count <= kWindows / 2) {
    for (int32_t i = 0; i < count; ++i) {
      tinsmith_multiply_rows_s16(rows, x + i * rows->depth, output + i * rows->rows);
    }
  } else if (rows->bias.is_int32_bias) {
    multiply_windows_by_32_bits(rows, x, count, output);
  } else {
    multiply_windows_by_64_bits(rows, x, count, output);
  }
}

#endif /* TINSMITH_NN_MVE */
