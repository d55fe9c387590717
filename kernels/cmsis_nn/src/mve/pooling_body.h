/* Pooling on MVE: lanes are channels. Rounded once: averages alone, halves to even. */
#ifndef TINSMITH_NN_MVE_POOLING_BODY_H
#define TINSMITH_NN_MVE_POOLING_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "src/internal/pool_mean.h"
#include "src/mve/requantize.h"

/** The part of a window that lies inside the input. */
typedef struct {
  const int8_t *first; /**< Channel 0 of its first pixel. */
  int32_t rows;
  int32_t columns;
  int32_t row_pitch; /**< Bytes. */
  int32_t channels;  /**< Bytes from pixel to pixel. */
} pool_window;

static int32_t least(int32_t a, int32_t b) {
  return a < b ? a : b;
}

static int32_t greatest(int32_t a, int32_t b) {
  return a > b ? a : b;
}

static pool_window window_at(const tinsmith_pool_layer *params, const cmsis_nn_dims *input_dims, const int8_t *input,
                             const cmsis_nn_dims *filter_dims, int32_t out_y, int32_t out_x) {
  const int32_t y = out_y * params->stride.h - params->padding.h;
  const int32_t x = out_x * params->stride.w - params->padding.w;
  const int32_t top = greatest(y, 0);
  const int32_t left = greatest(x, 0);
  pool_window window = {
      .first = input + (top * input_dims->w + left) * input_dims->c,
      .rows = least(y + filter_dims->h, input_dims->h) - top,
      .columns = least(x + filter_dims->w, input_dims->w) - left,
      .row_pitch = input_dims->w * input_dims->c,
      .channels = input_dims->c,
  };
  if (window.columns == input_dims->w && window.rows > 0) { /* Whole rows follow each other as one. */
    window.columns *= window.rows;
    window.rows = 1;
  }
  return window;
}

/** Sums of four channels. whole: all four exist, so that loads need no predicate. */
static inline int32x4_t sum_window(const pool_window *window, const int8_t *row, bool whole, mve_pred16_t p) {
  int32x4_t sum = vdupq_n_s32(0);
  for (int32_t y = 0; y < window->rows; ++y) {
    const int8_t *pixel = row;
    for (int32_t x = 0; x < window->columns; ++x) {
      sum = vaddq_s32(sum, whole ? vldrbq_s32(pixel) : vldrbq_z_s32(pixel, p));
      pixel += window->channels;
    }
    row += window->row_pitch;
  }
  return sum;
}

/** Mean of each channel, clamped. */
static void average(const pool_window *window, const tinsmith_pool_range *activation, int8_t *output) {
  const mve_output_range range = {0, activation->min, activation->max};
  const int32_t count = window->rows * window->columns;
  for (int32_t channel = 0; channel < window->channels; channel += kWordLanes) {
    const int32_t rest = window->channels - channel;
    const mve_pred16_t p = vctp32q((uint32_t)rest);
    const int8_t *row = window->first + channel;
    int32_t mean[kWordLanes];
    vstrwq_s32(mean, rest < kWordLanes ? sum_window(window, row, false, p) : sum_window(window, row, true, p));
    for (int32_t i = 0; i < kWordLanes; ++i) {
      mean[i] = tinsmith_pool_mean(mean[i], count, activation);
    }
    vstrbq_p_s32(output + channel, mve_to_range(vldrwq_s32(mean), &range), p);
  }
}

#if !TINSMITH_NN_NEAREST

/** Greatest value of each channel, clamped. */
static void maximum(const pool_window *window, const cmsis_nn_activation *activation, int8_t *output) {
  for (int32_t channel = 0; channel < window->channels; channel += kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)(window->channels - channel));
    const int8_t *row = window->first + channel;
    int8x16_t most = vdupq_n_s8((int8_t)activation->min);
    for (int32_t y = 0; y < window->rows; ++y) {
      const int8_t *pixel = row;
      for (int32_t x = 0; x < window->columns; ++x) {
        most = vmaxq_s8(most, vldrbq_z_s8(pixel, p));
        pixel += window->channels;
      }
      row += window->row_pitch;
    }
    vstrbq_p_s8(output + channel, vminq_s8(most, vdupq_n_s8((int8_t)activation->max)), p);
  }
}

#endif /* !TINSMITH_NN_NEAREST */

typedef void pool_function(const pool_window *window, const tinsmith_pool_range *activation, int8_t *output);

static arm_cmsis_nn_status pool(pool_function *reduce, const tinsmith_pool_layer *params,
                                const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims,
                                const cmsis_nn_dims *output_dims, int8_t *output) {
  if (input_dims->n < 1) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  for (int32_t batch = 0; batch < input_dims->n; ++batch) {
    for (int32_t y = 0; y < output_dims->h; ++y) {
      for (int32_t x = 0; x < output_dims->w; ++x) {
        const pool_window window = window_at(params, input_dims, input, filter_dims, y, x);
        if (window.rows < 1 || window.columns < 1) {
          return ARM_CMSIS_NN_ARG_ERROR;
        }
        reduce(&window, &params->activation, output);
        output += input_dims->c;
      }
    }
    input += input_dims->h * input_dims->w * input_dims->c;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#if TINSMITH_NN_NEAREST

arm_cmsis_nn_status tinsmith_average_pool_even_s8(const tinsmith_average_pool_params *params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                                  int8_t *output_data) {
  return pool(average, params, input_dims, input_data, filter_dims, output_dims, output_data);
}

#else

arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                   const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                   const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                   int8_t *output_data) {
  (void)ctx;
  return pool(average, pool_params, input_dims, input_data, filter_dims, output_dims, output_data);
}

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *ctx, const cmsis_nn_pool_params *pool_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const cmsis_nn_dims *output_dims,
                                    int8_t *output_data) {
  (void)ctx;
  return pool(maximum, pool_params, input_dims, input_data, filter_dims, output_dims, output_data);
}

#endif /* TINSMITH_NN_NEAREST */

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_POOLING_BODY_H */
