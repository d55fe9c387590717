/* Average and max pooling, for plain C and the DSP extension. Rounded once: averages alone, halves to even. */
#ifndef TINSMITH_NN_C_POOLING_BODY_H
#define TINSMITH_NN_C_POOLING_BODY_H

#include <stddef.h>

#include "src/internal/clamp.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/pool_mean.h"
#include "src/internal/requantize.h"

#if !TINSMITH_NN_MVE

#if TINSMITH_NN_DSP
#include "src/internal/dsp.h"
#endif

/** The part of a window inside the input. */
typedef struct {
  const int8_t *input; /* first pixel, channel 0 */
  int32_t rows;
  int32_t columns;
  int32_t row_bytes; /* from one row of the input to the next */
  int32_t channels;
} window;

static int32_t sum_pixels(const window *pixels, int32_t channel) {
  const int8_t *row = pixels->input + channel;
  int32_t sum = 0;
  TINSMITH_NO_UNROLL
  for (int32_t y = 0; y < pixels->rows; ++y, row += pixels->row_bytes) {
    const int8_t *x = row;
    TINSMITH_NO_UNROLL
    for (int32_t left = pixels->columns; left > 0; --left, x += pixels->channels) {
      sum += *x;
    }
  }
  return sum;
}

#if TINSMITH_NN_DSP
enum { kLaneTaps = 256 };

/** Sums of four adjacent channels in int16 lanes, which hold up to kLaneTaps values of a byte. */
static void sum_pixels_of_4(const window *pixels, int32_t channel, int32_t sums[4]) {
  const int8_t *row = pixels->input + channel;
  uint32_t even = 0;
  uint32_t odd = 0;
  TINSMITH_NO_UNROLL
  for (int32_t y = 0; y < pixels->rows; ++y, row += pixels->row_bytes) {
    const int8_t *x = row;
    TINSMITH_NO_UNROLL
    for (int32_t left = pixels->columns; left > 0; --left, x += pixels->channels) {
      const uint32_t values = tinsmith_load_word(x);
      even = tinsmith_add_lanes(even, tinsmith_sxtb16(values));
      odd = tinsmith_add_lanes(odd, tinsmith_sxtb16_ror8(values));
    }
  }
  sums[0] = (int16_t)even;
  sums[1] = (int16_t)odd;
  sums[2] = (int32_t)even >> 16;
  sums[3] = (int32_t)odd >> 16;
}
#endif

static inline int8_t mean_of(int32_t sum, int32_t count, const tinsmith_pool_range *activation) {
  return (int8_t)tinsmith_clamp(tinsmith_pool_mean(sum, count, activation), activation->min, activation->max);
}

static void mean(const window *pixels, const tinsmith_pool_range *activation, int8_t *output) {
  const int32_t count = pixels->rows * pixels->columns;
  int32_t channel = 0;
#if TINSMITH_NN_DSP
  for (; count <= kLaneTaps && channel + 4 <= pixels->channels; channel += 4) {
    int32_t sums[4];
    sum_pixels_of_4(pixels, channel, sums);
    TINSMITH_NO_UNROLL
    for (int32_t i = 0; i < 4; ++i) {
      *output++ = mean_of(sums[i], count, activation);
    }
  }
#endif
  TINSMITH_NO_UNROLL
  for (; channel < pixels->channels; ++channel) {
    *output++ = mean_of(sum_pixels(pixels, channel), count, activation);
  }
}

#if !TINSMITH_NN_NEAREST

static void maximum_of_each(const window *pixels, int8_t *output) {
  TINSMITH_NO_UNROLL
  for (int32_t channel = 0; channel < pixels->channels; ++channel) {
    const int8_t *row = pixels->input + channel;
    int32_t largest = INT8_MIN;
    TINSMITH_NO_UNROLL
    for (int32_t y = 0; y < pixels->rows; ++y, row += pixels->row_bytes) {
      const int8_t *x = row;
      TINSMITH_NO_UNROLL
      for (int32_t left = pixels->columns; left > 0; --left, x += pixels->channels) {
        largest = *x > largest ? *x : largest;
      }
    }
    *output++ = (int8_t)largest;
  }
}

#if TINSMITH_NN_DSP
enum { kWordChannels = 4 };

static const uint32_t kLeastBytes = UINT32_C(0x80808080); /* four times INT8_MIN */

/** Greatest values of four adjacent channels, as a word. */
TINSMITH_NOINLINE static uint32_t maximum_of_4(const window *pixels, int32_t channel) {
  const int8_t *row = pixels->input + channel;
  uint32_t largest = kLeastBytes;
  TINSMITH_NO_UNROLL
  for (int32_t y = 0; y < pixels->rows; ++y, row += pixels->row_bytes) {
    const int8_t *x = row;
    TINSMITH_NO_UNROLL
    for (int32_t left = pixels->columns; left > 0; --left, x += pixels->channels) {
      largest = tinsmith_greater_bytes(tinsmith_load_word(x), largest);
    }
  }
  return largest;
}

/** The same of eight, written to where nothing is read any more. */
static inline void maximum_of_8(const window *pixels, int32_t channel, int8_t *output) {
  const int8_t *row = pixels->input + channel;
  uint32_t first = kLeastBytes;
  uint32_t second = first;
  TINSMITH_NO_UNROLL
  for (int32_t y = 0; y < pixels->rows; ++y, row += pixels->row_bytes) {
    const int8_t *x = row;
    TINSMITH_NO_UNROLL
    for (int32_t left = pixels->columns; left > 0; --left, x += pixels->channels) {
      first = tinsmith_greater_bytes(tinsmith_load_word(x), first);
      second = tinsmith_greater_bytes(tinsmith_load_word(x + kWordChannels), second);
    }
  }
  tinsmith_store_word(output, first);
  tinsmith_store_word(output + kWordChannels, second);
}

static void maximum(const window *pixels, int8_t *output) {
  const int32_t channels = pixels->channels;
  const int32_t last = channels - kWordChannels;
  if (last < 0) {
    maximum_of_each(pixels, output);
    return;
  }
  /* What is left over is done with those before it, some of them again: before outputs may lie over inputs. */
  const uint32_t rest = channels % kWordChannels != 0 ? maximum_of_4(pixels, last) : 0;
  int32_t channel = 0;
  TINSMITH_NO_UNROLL
  for (; channel + 2 * kWordChannels <= channels; channel += 2 * kWordChannels) {
    maximum_of_8(pixels, channel, output + channel);
  }
  if (channel <= last) {
    tinsmith_store_word(output + channel, maximum_of_4(pixels, channel));
  }
  if (channels % kWordChannels != 0) {
    tinsmith_store_word(output + last, rest);
  }
}
#else
static void maximum(const window *pixels, int8_t *output) {
  maximum_of_each(pixels, output);
}
#endif

static void clamped_maximum(const window *pixels, const cmsis_nn_activation *activation, int8_t *output) {
  maximum(pixels, output);
  tinsmith_apply_activation(activation, output, pixels->channels);
}

#endif /* !TINSMITH_NN_NEAREST */

typedef void (*reduction)(const window *pixels, const tinsmith_pool_range *activation, int8_t *output);

/** The taps of [start, start + taps) inside [0, extent): their number, and the first. */
static int32_t clip(int32_t start, int32_t taps, int32_t extent, int32_t *first) {
  const int32_t end = start + taps < extent ? start + taps : extent;
  *first = start > 0 ? start : 0;
  return end - *first;
}

static arm_cmsis_nn_status pool(const tinsmith_pool_layer *params, const cmsis_nn_dims *input_dims, const int8_t *input,
                                const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims, int8_t *output,
                                reduction reduce) {
  if (input_dims->n < 1) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const int32_t channels = input_dims->c;
  window pixels = {.row_bytes = input_dims->w * channels, .channels = channels};
  for (int32_t n = 0; n < input_dims->n; ++n) {
    for (int32_t oy = 0; oy < output_dims->h; ++oy) {
      int32_t y;
      pixels.rows = clip(oy * params->stride.h - params->padding.h, filter_dims->h, input_dims->h, &y);
      for (int32_t ox = 0; ox < output_dims->w; ++ox) {
        int32_t x;
        pixels.columns = clip(ox * params->stride.w - params->padding.w, filter_dims->w, input_dims->w, &x);
        if (pixels.rows < 1 || pixels.columns < 1) {
          return ARM_CMSIS_NN_ARG_ERROR;
        }
        pixels.input = input + y * pixels.row_bytes + x * channels;
        reduce(&pixels, &params->activation, output);
        output += channels;
      }
    }
    input += input_dims->h * pixels.row_bytes;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#if TINSMITH_NN_NEAREST

arm_cmsis_nn_status tinsmith_average_pool_even_s8(const tinsmith_average_pool_params *params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                                  int8_t *output_data) {
  return pool(params, input_dims, input_data, filter_dims, output_dims, output_data, mean);
}

#else

arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                   const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                   const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                   int8_t *output_data) {
  (void)ctx;
  return pool(pool_params, input_dims, input_data, filter_dims, output_dims, output_data, mean);
}

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                    int8_t *output_data) {
  (void)ctx;
  return pool(pool_params, input_dims, input_data, filter_dims, output_dims, output_data, clamped_maximum);
}

#endif /* TINSMITH_NN_NEAREST */

#endif /* !TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_C_POOLING_BODY_H */
