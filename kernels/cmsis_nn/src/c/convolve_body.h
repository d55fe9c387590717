/* The public convolution functions for plain C and the DSP extension: window by window, times the rows of the filter.
 */
#ifndef TINSMITH_NN_C_CONVOLVE_BODY_H
#define TINSMITH_NN_C_CONVOLVE_BODY_H

#include "src/internal/arguments.h"
#include "src/internal/compiler.h"
#include "src/internal/convolve.h"
#include "src/internal/implementation.h"
#include "src/internal/public.h"
#include "src/internal/rows.h"

#if !TINSMITH_NN_MVE

void tinsmith_convolve_rows(const tinsmith_convolution_layer *layer, int8_t *column, int8_t *output) {
  const tinsmith_windows *windows = &layer->windows;
  const int32_t groups = windows->input_dims.c / windows->channels;
  const bool in_place = tinsmith_layer_is_in_place(layer);
  const int32_t depth = windows->kernel_h * windows->kernel_w * windows->channels;
  const int32_t channels = layer->channels / groups;

  tinsmith_window window = tinsmith_first_window(windows);
  for (int32_t pixels = layer->pixels; pixels > 0; --pixels) {
    for (int32_t group = 0; group < groups; ++group) {
      const tinsmith_rows rows = {
          .weights = layer->filter + group * channels * depth,
          .bias = layer->bias == NULL ? NULL : layer->bias + group * channels,
          .multiplier = layer->quant_params->multiplier + group * channels,
          .shift = layer->quant_params->shift + group * channels,
          .stage_step = 1,
          .rows = channels,
          .depth = depth,
          .x_offset = layer->params->input_offset,
          .weights_offset = 0,
          .zero_point = layer->params->output_offset,
          .activation = layer->params->activation,
      };
      if (in_place) {
        tinsmith_multiply_rows(&rows, tinsmith_window_pixel(windows, &window), output);
      } else {
        tinsmith_copy_window(windows, &window, group * windows->channels, column);
        tinsmith_multiply_rows(&rows, column, output);
      }
      output += channels;
    }
    output += layer->output_channels - layer->channels;
    tinsmith_next_window(windows, &window);
  }
}

/** With room for two columns of int16 and a window of bytes at `scratch`, wherever it lies. */
static void convolve(const tinsmith_convolution_layer *layer, void *scratch, int8_t *output) {
#if TINSMITH_NN_DSP
  if ((uintptr_t)scratch % sizeof(uint32_t) == 0) {
    tinsmith_convolve_columns(layer, scratch, output);
    return;
  }
#endif
  tinsmith_convolve_rows(layer, scratch, output);
}

arm_cmsis_nn_status arm_convolve_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                    const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                    const cmsis_nn_dims *upscale_dims, const cmsis_nn_dims *output_dims,
                                    int8_t *output_data) {
  (void)bias_dims;
  const arm_cmsis_nn_status status = tinsmith_check_convolve(ctx, input_dims, filter_dims, upscale_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const tinsmith_convolution_layer layer = tinsmith_convolution_layer_of(
      conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_data, output_dims);
  convolve(&layer, ctx->buf, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

/** Without scratch: Arm's functions touch none, so that there may be too little. */
TINSMITH_NOINLINE static void convolve_1x1(const cmsis_nn_conv_params *conv_params,
                                           const cmsis_nn_per_channel_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int8_t *input, const int8_t *filter,
                                           const int32_t *bias, const cmsis_nn_dims *output_dims, int8_t *output) {
  const cmsis_nn_conv_params params = tinsmith_1x1_params(conv_params);
  const cmsis_nn_dims filter_dims = tinsmith_1x1_filter_dims(input_dims, output_dims);
  const tinsmith_convolution_layer layer =
      tinsmith_convolution_layer_of(&params, quant_params, input_dims, input, &filter_dims, filter, bias, output_dims);
#if TINSMITH_NN_DSP
  enum { kDepth = 512 };
  if (input_dims->c <= kDepth) {
    uint32_t columns[kDepth]; /* two of int16 */
    tinsmith_convolve_columns(&layer, columns, output);
    return;
  }
#endif
  tinsmith_convolve_rows(&layer, NULL, output);
}

arm_cmsis_nn_status arm_convolve_1x1_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                        const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                        const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)ctx;
  (void)filter_dims;
  (void)bias_dims;
  const arm_cmsis_nn_status status = tinsmith_check_convolve_1x1(conv_params);
  if (status == ARM_CMSIS_NN_SUCCESS) {
    convolve_1x1(conv_params, quant_params, input_dims, input_data, filter_data, bias_data, output_dims, output_data);
  }
  return status;
}

arm_cmsis_nn_status arm_convolve_1x1_s8_fast(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                             const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)ctx;
  (void)filter_dims;
  (void)bias_dims;
  const arm_cmsis_nn_status status = tinsmith_check_convolve_1x1_fast(conv_params);
  if (status == ARM_CMSIS_NN_SUCCESS) {
    const cmsis_nn_dims dims = tinsmith_1x1_fast_output_dims(input_dims, output_dims);
    convolve_1x1(conv_params, quant_params, input_dims, input_data, filter_data, bias_data, &dims, output_data);
  }
  return status;
}

arm_cmsis_nn_status arm_convolve_1_x_n_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data) {
  const arm_cmsis_nn_status status = tinsmith_check_convolve_1_x_n(ctx, conv_params, input_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  return arm_convolve_s8(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                         bias_data, NULL, output_dims, output_data);
}

#endif /* !TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_C_CONVOLVE_BODY_H */
