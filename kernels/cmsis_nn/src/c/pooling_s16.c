/* Average and max pooling of int16, for plain C and the DSP extension, which has no wider maximum. */

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/pool_s16.h"
#include "src/internal/requantize.h"

#if !TINSMITH_NN_MVE

static void mean(const tinsmith_pool_window *window, const cmsis_nn_activation *activation, int16_t *output) {
  const int32_t count = window->rows * window->columns;
  TINSMITH_NO_UNROLL
  for (int32_t channel = 0; channel < window->channels; ++channel) {
    int32_t sum = 0;
    for (int32_t y = 0; y < window->rows; ++y) {
      const int16_t *x = window->input + y * window->row + channel;
      TINSMITH_NO_UNROLL
      for (int32_t left = window->columns; left > 0; --left, x += window->channels) {
        sum += *x;
      }
    }
    output[channel] = tinsmith_mean_s16(sum, count, activation);
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
