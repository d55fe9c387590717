/* Average and max pooling of int16 on MVE. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/arm_nnfunctions.h"
#include "src/internal/pool_s16.h"
#include "src/mve/requantize.h"

enum { kHalfLanes = 8 };

/** Division of numbers n in [0, 2^15 count] by count: (n + half) multiplier / 2^(32 + shift), rounded half up. */
typedef struct {
  uint32_t multiplier;
  int32_t shift;
  int32_t half;
} divisor;

/** More taps are divided by one by one. */
enum { kMostTaps = INT16_MAX };

/** count in [1, kMostTaps]. With 2^shift in [count / 2, count) and the multiplier rounded up by less than 1, products
 * are too large by less than 2^16 count, which is less than 2^(32 + shift) / count: quotients are exact. */
static divisor divisor_of(int32_t count) {
  if (count == 1) {
    return (divisor){UINT32_MAX, 0, 1}; /* (n + 1) (1 - 2^-32) */
  }
  const uint32_t by = (uint32_t)count;
  const int32_t shift = 31 - __builtin_clz(by - 1);
  const uint32_t upper = UINT32_C(1) << (shift + 16);
  const uint32_t lower = upper % by << 16;
  return (divisor){(upper / by << 16) + (lower + by - 1) / by, shift, count / 2};
}

/** Half away from zero. */
static inline int32x4_t divide(int32x4_t sums, const divisor *d) {
  const uint32x4_t n = vreinterpretq_u32_s32(vaddq_n_s32(vabsq_s32(sums), d->half));
  const uint32x4_t quotients = vshlq_r_u32(vmulhq_u32(n, vdupq_n_u32(d->multiplier)), -d->shift);
  const int32x4_t values = vreinterpretq_s32_u32(quotients);
  return vnegq_m_s32(values, values, vcmpltq_n_s32(sums, 0));
}

static inline int32x4_t mean_of(int32x4_t sums, int32_t count, const divisor *d, const mve_output_range *range) {
  if (count <= kMostTaps) {
    return mve_to_range(divide(sums, d), range);
  }
  const cmsis_nn_activation activation = {range->min, range->max};
  int32_t means[kWordLanes];
  vstrwq_s32(means, sums);
  for (int32_t i = 0; i < kWordLanes; ++i) {
    means[i] = tinsmith_mean_s16(means[i], count, &activation);
  }
  return vldrwq_s32(means);
}

/** Sums of eight channels, or of the first of four. */
TINSMITH_ALWAYS_INLINE void sum_window(const tinsmith_pool_window *window, int32_t channel, bool eight, mve_pred16_t p,
                                       int32x4_t sums[2]) {
  const int16_t *row = window->input + channel;
  sums[0] = vdupq_n_s32(0);
  sums[1] = vdupq_n_s32(0);
  for (int32_t y = 0; y < window->rows; ++y) {
    const int16_t *x = row;
    for (int32_t left = window->columns; left > 0; --left) {
      sums[0] = vaddq_s32(sums[0], eight ? vldrhq_s32(x) : vldrhq_z_s32(x, p));
      if (eight) {
        sums[1] = vaddq_s32(sums[1], vldrhq_s32(x + kWordLanes));
      }
      x += window->channels;
    }
    row += window->row;
  }
}

static void mean(const tinsmith_pool_window *window, const cmsis_nn_activation *activation, int16_t *output) {
  const int32_t count = window->rows * window->columns;
  const mve_output_range range = {0, activation->min, activation->max};
  const divisor d = divisor_of(count <= kMostTaps ? count : 1);
  int32x4_t sums[2];
  int32_t channel = 0;
  for (; channel + kHalfLanes <= window->channels; channel += kHalfLanes) {
    sum_window(window, channel, true, kAllLanes, sums);
    vstrhq_s32(output + channel, mean_of(sums[0], count, &d, &range));
    vstrhq_s32(output + channel + kWordLanes, mean_of(sums[1], count, &d, &range));
  }
  for (; channel < window->channels; channel += kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)(window->channels - channel));
    sum_window(window, channel, false, p, sums);
    vstrhq_p_s32(output + channel, mean_of(sums[0], count, &d, &range), p);
  }
}

static void maximum(const tinsmith_pool_window *window, const cmsis_nn_activation *activation, int16_t *output) {
  const int16x8_t least = vdupq_n_s16((int16_t)activation->min);
  const int16x8_t most = vdupq_n_s16((int16_t)activation->max);
  for (int32_t channel = 0; channel < window->channels; channel += kHalfLanes) {
    const mve_pred16_t p = vctp16q((uint32_t)(window->channels - channel));
    int16x8_t largest = least;
    for (int32_t y = 0; y < window->rows; ++y) {
      const int16_t *x = window->input + y * window->row + channel;
      for (int32_t column = 0; column < window->columns; ++column, x += window->channels) {
        largest = vmaxq_s16(largest, vldrhq_z_s16(x, p));
      }
    }
    vstrhq_p_s16(output + channel, vminq_s16(largest, most), p);
  }
}

TINSMITH_POOLING_S16(mean, maximum)

#endif /* TINSMITH_NN_MVE */
