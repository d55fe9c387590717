/* Average and max pooling of int16 on MVE. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/arm_nnfunctions.h"
#include "src/internal/pool_s16.h"
#include "src/mve/requantize.h"

enum { kHalfLanes = 8 };

static void mean(const tinsmith_pool_window *window, const cmsis_nn_activation *activation, int16_t *output) {
  const int32_t count = window->rows * window->columns;
  for (int32_t channel = 0; channel < window->channels; channel += kWordLanes) {
    const int32_t left = window->channels - channel;
    const mve_pred16_t p = vctp32q((uint32_t)left);
    int32x4_t sum = vdupq_n_s32(0);
    for (int32_t y = 0; y < window->rows; ++y) {
      const int16_t *x = window->input + y * window->row + channel;
      for (int32_t column = 0; column < window->columns; ++column, x += window->channels) {
        sum = vaddq_s32(sum, vldrhq_z_s32(x, p));
      }
    }
    int32_t sums[kWordLanes];
    vstrwq_s32(sums, sum);
    for (int32_t i = 0; i < kWordLanes && i < left; ++i) {
      output[channel + i] = tinsmith_mean_s16(sums[i], count, activation);
    }
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
