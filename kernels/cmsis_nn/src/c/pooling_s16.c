/* Average and max pooling of int16, for plain C and the DSP extension, which has no wider maximum. */

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/pool_s16.h"
#include "src/internal/requantize.h"

#if !TINSMITH_NN_MVE

enum { kChannels = 4 };

/** Sums of `channels` adjacent channels; a constant, so that they stay in registers. */
TINSMITH_ALWAYS_INLINE void sum_window(const tinsmith_pool_window *window, int32_t channel, int32_t channels,
                                       int32_t *sums) {
  const int16_t *row = window->input + channel;
  int32_t sum[kChannels] = {0};
  TINSMITH_NO_UNROLL
  for (int32_t y = window->rows; y > 0; --y) {
    const int16_t *x = row;
    TINSMITH_NO_UNROLL
    for (int32_t left = window->columns; left > 0; --left) {
      for (int32_t c = 0; c < channels; ++c) {
        sum[c] += x[c];
      }
      x += window->channels;
    }
    row += window->row;
  }
  for (int32_t c = 0; c < channels; ++c) {
    sums[c] = sum[c];
  }
}

static void mean(const tinsmith_pool_window *window, const cmsis_nn_activation *activation, int16_t *output) {
  const int32_t count = window->rows * window->columns;
  TINSMITH_NO_UNROLL
  for (int32_t channel = 0; channel < window->channels;) {
    int32_t sums[kChannels];
    int32_t channels = 1;
    if (channel + kChannels <= window->channels) {
      channels = kChannels;
      sum_window(window, channel, kChannels, sums);
    } else {
      sum_window(window, channel, 1, sums);
    }
    TINSMITH_NO_UNROLL
    for (int32_t c = 0; c < channels; ++c) {
      output[channel++] = tinsmith_mean_s16(sums[c], count, activation);
    }
  }
}

static void maximum(const tinsmith_pool_window *window, const cmsis_nn_activation *activation, int16_t *output) {
  TINSMITH_NO_UNROLL
  for (int32_t channel = 0; channel < window->channels; ++channel) {
    int32_t largest = INT16_MIN;
    for (int32_t y = 0; y < window->rows; ++y) {
      const int16_t *x = window->input + y * window->row + channel;
      TINSMITH_NO_UNROLL
      for (int32_t left = window->columns; left > 0; --left, x += window->channels) {
        largest = *x > largest ? *x : largest;
      }
    }
    output[channel] = (int16_t)tinsmith_clamp(largest, activation->min, activation->max);
  }
}

TINSMITH_POOLING_S16(mean, maximum)

#endif /* !TINSMITH_NN_MVE */
