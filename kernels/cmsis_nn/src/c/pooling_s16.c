/* Average and max pooling of int16, for plain C and the DSP extension, of whose two-lane instructions only maxima are
 * made.
 */

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/pool_s16.h"
#include "src/internal/requantize.h"

#if !TINSMITH_NN_MVE

#if TINSMITH_NN_DSP
#include "src/internal/dsp.h"
#endif

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

#if TINSMITH_NN_DSP
/** Of each lane the greater of `a` and `b`; ssub16 says in flags that sel reads which that is. */
static inline uint32_t greater(uint32_t a, uint32_t b) {
  uint32_t chosen;
  __asm__("ssub16 %0, %1, %2\n\tsel %0, %1, %2" : "=&r"(chosen) : "r"(a), "r"(b) : "cc");
  return chosen;
}

static inline uint32_t lesser(uint32_t a, uint32_t b) {
  uint32_t chosen;
  __asm__("ssub16 %0, %1, %2\n\tsel %0, %2, %1" : "=&r"(chosen) : "r"(a), "r"(b) : "cc");
  return chosen;
}

/** Of `words` pairs of channels, one or two; a constant. range: of both lanes. */
TINSMITH_ALWAYS_INLINE void maximum_of_words(const tinsmith_pool_window *window, int32_t channel, int32_t words,
                                             const uint32_t range[2], int16_t *output) {
  const int16_t *row = window->input + channel;
  uint32_t largest = range[0], others = range[0];
  TINSMITH_NO_UNROLL
  for (int32_t y = window->rows; y > 0; --y) {
    const int16_t *x = row;
    TINSMITH_NO_UNROLL
    for (int32_t left = window->columns; left > 0; --left) {
      largest = greater(tinsmith_load_word(x), largest);
      others = words > 1 ? greater(tinsmith_load_word(x + 2), others) : others;
      x += window->channels;
    }
    row += window->row;
  }
  tinsmith_store_word(output + channel, lesser(largest, range[1]));
  if (words > 1) {
    tinsmith_store_word(output + channel + 2, lesser(others, range[1]));
  }
}

/** Of pairs of channels; returns how many channels it did. */
static int32_t maximum_of_pairs(const tinsmith_pool_window *window, const cmsis_nn_activation *activation,
                                int16_t *output) {
  const uint32_t low = (uint32_t)activation->min, high = (uint32_t)activation->max;
  const uint32_t range[2] = {tinsmith_pack_bottoms(low, low), tinsmith_pack_bottoms(high, high)};
  int32_t channel = 0;
  TINSMITH_NO_UNROLL
  for (; channel + 4 <= window->channels; channel += 4) {
    maximum_of_words(window, channel, 2, range, output);
  }
  if (channel + 2 <= window->channels) {
    maximum_of_words(window, channel, 1, range, output);
    channel += 2;
  }
  return channel;
}
#endif

static void maximum(const tinsmith_pool_window *window, const cmsis_nn_activation *activation, int16_t *output) {
#if TINSMITH_NN_DSP
  int32_t channel = maximum_of_pairs(window, activation, output);
#else
  int32_t channel = 0;
#endif
  TINSMITH_NO_UNROLL
  for (; channel < window->channels; ++channel) {
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
