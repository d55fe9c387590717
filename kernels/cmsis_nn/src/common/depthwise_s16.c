/* Depthwise convolution of int16: output by output, four channels at a time. */

#include "src/internal/depthwise_s16.h"

#include <stdbool.h>
#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/internal/dots.h"

/** One output for each channel of the input. */
static void multiply_channels(const tinsmith_stage_s16 *stage, tinsmith_taps_s16 taps, int32_t channels,
                              int16_t *output) {
  for (int32_t first = 0; first < channels; first += kTapChannels) {
    const int32_t count = channels - first < kTapChannels ? channels - first : kTapChannels;
    int32_t sums[kTapChannels];
    tinsmith_sum_taps_s16(sums, &taps, count);
    tinsmith_finish_taps_s16(stage, sums, first, count, output + first);
    taps.x += kTapChannels;
    taps.w += kTapChannels;
  }
}

/** Any taps, one output. */
static int64_t sum_of(const tinsmith_taps_s16 *taps, int32_t input_channel, int32_t output_channel) {
  int64_t sum = 0;
  for (int32_t y = 0; y < taps->rows; ++y) {
    const int16_t *x = taps->x + y * taps->x_row + input_channel;
    const int8_t *w = taps->w + y * taps->w_row + output_channel;
    TINSMITH_NO_UNROLL
    for (int32_t left = taps->columns; left > 0; --left) {
      sum += (int32_t)*x * *w;
      x += taps->x_step;
      w += taps->w_step;
    }
  }
  return sum;
}

static void multiply_any(const tinsmith_stage_s16 *stage, const tinsmith_taps_s16 *taps, int32_t channels,
                         int16_t *output) {
  int32_t channel = 0;
  for (int32_t i = 0; i < channels; ++i) {
    for (int32_t m = 0; m < stage->channels_per_input; ++m, ++channel) {
      output[channel] = tinsmith_finish_s16(stage, sum_of(taps, i, channel), channel);
    }
  }
}

/** The taps t of [0, taps) with 0 <= start + t * step < extent: the first of them; their number is returned. */
static int32_t clip(int32_t start, int32_t step, int32_t taps, int32_t extent, int32_t *first) {
  int32_t begin = 0;
  while (begin < taps && start + begin * step < 0) {
    ++begin;
  }
  int32_t end = taps;
  while (end > begin && start + (end - 1) * step >= extent) {
    --end;
  }
  *first = begin;
  return end - begin;
}

static void convolve(const cmsis_nn_dw_conv_params *params, const tinsmith_stage_s16 *stage, cmsis_nn_tile dilation,
                     const cmsis_nn_dims *input_dims, const int16_t *input, const cmsis_nn_dims *filter_dims,
                     const int8_t *filter, const cmsis_nn_dims *output_dims, int16_t *output) {
  const int32_t channels = input_dims->c;
  const int32_t row = input_dims->w * channels;
  const bool narrow = stage->channels_per_input == 1 && filter_dims->h * filter_dims->w <= kNarrowDepth;
  tinsmith_taps_s16 taps = {
      .x_row = dilation.h * row,
      .x_step = dilation.w * channels,
      .w_row = filter_dims->w * output_dims->c,
      .w_step = output_dims->c,
  };
  for (int32_t n = 0; n < input_dims->n; ++n, input += input_dims->h * row) {
    for (int32_t oy = 0; oy < output_dims->h; ++oy) {
      const int32_t y = oy * params->stride.h - params->padding.h;
      int32_t top;
      taps.rows = clip(y, dilation.h, filter_dims->h, input_dims->h, &top);
      for (int32_t ox = 0; ox < output_dims->w; ++ox) {
        const int32_t x = ox * params->stride.w - params->padding.w;
        int32_t left;
        taps.columns = clip(x, dilation.w, filter_dims->w, input_dims->w, &left);
        taps.w = filter + top * taps.w_row + left * taps.w_step;
        taps.x = input;
        if (taps.rows > 0 && taps.columns > 0) {
          taps.x += (y + top * dilation.h) * row + (x + left * dilation.w) * channels;
        }
        if (narrow) {
          multiply_channels(stage, taps, channels, output);
        } else {
          multiply_any(stage, &taps, channels, output);
        }
        output += output_dims->c;
      }
    }
  }
}

arm_cmsis_nn_status arm_depthwise_conv_s16(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                           const cmsis_nn_per_channel_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                           const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                           const cmsis_nn_dims *output_dims, int16_t *output_data) {
  (void)ctx;
  (void)bias_dims;
  const tinsmith_stage_s16 stage = {quant_params, bias_data, dw_conv_params->activation, dw_conv_params->ch_mult};
  convolve(dw_conv_params, &stage, dw_conv_params->dilation, input_dims, input_data, filter_dims, filter_data,
           output_dims, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

enum { kFastTaps = 512 }; /* Arm's function refuses as many. */

arm_cmsis_nn_status arm_depthwise_conv_fast_s16(const cmsis_nn_context *ctx,
                                                const cmsis_nn_dw_conv_params *dw_conv_params,
                                                const cmsis_nn_per_channel_quant_params *quant_params,
                                                const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                                const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                                const cmsis_nn_dims *output_dims, int16_t *output_data) {
  (void)ctx;
  (void)bias_dims;
  if (input_dims->c != output_dims->c || filter_dims->h * filter_dims->w >= kFastTaps) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const tinsmith_stage_s16 stage = {quant_params, bias_data, dw_conv_params->activation, 1};
  convolve(dw_conv_params, &stage, (cmsis_nn_tile){1, 1}, input_dims, input_data, filter_dims, filter_data, output_dims,
           output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s16(const cmsis_nn_context *ctx,
                                                   const cmsis_nn_dw_conv_params *dw_conv_params,
                                                   const cmsis_nn_per_channel_quant_params *quant_params,
                                                   const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                                   const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                   const cmsis_nn_dims *bias_dims, const int64_t *bias_data,
                                                   const cmsis_nn_dims *output_dims, int16_t *output_data) {
  return arm_depthwise_conv_s16(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                bias_dims, bias_data, output_dims, output_data);
}
