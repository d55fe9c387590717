/* Convolutions and fully connected layers whose weights have four bits. */

#include "src/internal/convolve_s4.h"

#include "include/arm_nnfunctions.h"
#include "src/internal/arguments.h"
#include "src/internal/im2col.h"
#include "src/internal/implementation.h"
#include "src/internal/rows_s4.h"
#include "src/internal/shapes.h"

/** DSP extension: so many that widening weights costs less than it saves. */
enum { kManyPixels = 4 };

/** column: arm_convolve_s4_get_buffer_size() bytes; not used where windows are pixels. */
static void convolve(const cmsis_nn_conv_params *params, const cmsis_nn_per_channel_quant_params *quant_params,
                     const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims,
                     const int8_t *filter, const int32_t *bias, const cmsis_nn_dims *output_dims, int8_t *column,
                     int8_t *output) {
  const cmsis_nn_dims taps = {.h = filter_dims->h, .w = filter_dims->w, .c = input_dims->c};
#if TINSMITH_NN_MVE
  if (tinsmith_widens(taps.h * taps.w * taps.c)) {
    tinsmith_convolve_widened_s4(params, quant_params, input_dims, input, &taps, filter, bias, output_dims, output,
                                 column);
    return;
  }
#endif
  const tinsmith_windows windows = tinsmith_windows_of(params, input_dims, input, &taps, output_dims);
  const bool in_place = tinsmith_windows_are_pixels(&windows);
  const tinsmith_rows_s4 rows = {
      .weights = filter,
      .bias = bias,
      .multiplier = quant_params->multiplier,
      .shift = quant_params->shift,
      .stage_step = 1,
      .rows = output_dims->c,
      .depth = taps.h * taps.w * taps.c,
      .x_offset = params->input_offset,
      .zero_point = params->output_offset,
      .activation = params->activation,
  };
  tinsmith_window window = tinsmith_first_window(&windows);
  for (int32_t left = input_dims->n * output_dims->h * output_dims->w; left > 0; --left) {
    if (in_place) {
      tinsmith_multiply_rows_s4(&rows, tinsmith_window_pixel(&windows, &window), output);
    } else {
      tinsmith_copy_window(&windows, &window, 0, column);
      tinsmith_multiply_rows_s4(&rows, column, output);
    }
    output += rows.rows;
    tinsmith_next_window(&windows, &window);
  }
}

arm_cmsis_nn_status arm_convolve_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                    const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                    const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)bias_dims;
  if (ctx->buf == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  convolve(conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_data, output_dims,
           ctx->buf, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_convolve_even_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                         const cmsis_nn_per_channel_quant_params *quant_params,
                                         const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                         const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                         const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                         const cmsis_nn_dims *output_dims, int8_t *output_data) {
  if (!TINSMITH_NN_MVE) {
    return ARM_CMSIS_NN_NO_IMPL_ERROR;
  }
  if (filter_dims->h * filter_dims->w * input_dims->c % 2 != 0) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  return arm_convolve_s4(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                         bias_data, output_dims, output_data);
}

arm_cmsis_nn_status arm_convolve_1_x_n_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data) {
  const arm_cmsis_nn_status status = tinsmith_check_convolve_1_x_n(ctx, conv_params, input_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  return arm_convolve_s4(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                         bias_data, output_dims, output_data);
}

arm_cmsis_nn_status arm_convolve_1x1_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
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
    const cmsis_nn_conv_params params = tinsmith_1x1_params(conv_params);
    const cmsis_nn_dims taps = tinsmith_1x1_filter_dims(input_dims, output_dims);
#if TINSMITH_NN_DSP
    if (4 * taps.c <= kWidenedBytesDsp && input_dims->n * output_dims->h * output_dims->w >= kManyPixels) {
      tinsmith_convolve_pixels_widened_s4(&params, quant_params, input_dims, input_data, &taps, filter_data, bias_data,
                                          output_dims, output_data);
      return status;
    }
#endif
    convolve(&params, quant_params, input_dims, input_data, &taps, filter_data, bias_data, output_dims, NULL,
             output_data);
  }
  return status;
}

arm_cmsis_nn_status arm_convolve_1x1_s4_fast(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                             const cmsis_nn_dims *output_dims, int8_t *output_data) {
  const arm_cmsis_nn_status status = tinsmith_check_convolve_1x1_fast(conv_params);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const cmsis_nn_dims dims = tinsmith_1x1_fast_output_dims(input_dims, output_dims);
  return arm_convolve_1x1_s4(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                             bias_dims, bias_data, &dims, output_data);
}

/** The filter as the rule of the wrappers wants it: without groups. */
static tinsmith_convolution kind_of(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                                    const cmsis_nn_dims *filter_dims) {
  const cmsis_nn_dims taps = {.h = filter_dims->h, .w = filter_dims->w, .c = input_dims->c};
  return tinsmith_convolution_of(conv_params, input_dims, &taps);
}

arm_cmsis_nn_status arm_convolve_wrapper_s4(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                            const cmsis_nn_per_channel_quant_params *quant_params,
                                            const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                            const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                            const cmsis_nn_dims *output_dims, int8_t *output_data) {
  switch (kind_of(conv_params, input_dims, filter_dims)) {
    case kConvolution1x1Fast:
    case kConvolution1x1:
      return arm_convolve_1x1_s4(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                                 bias_dims, bias_data, output_dims, output_data);
    default:
      return arm_convolve_s4(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                             bias_dims, bias_data, output_dims, output_data);
  }
}

arm_cmsis_nn_status arm_fully_connected_s4(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                           const cmsis_nn_per_tensor_quant_params *quant_params,
                                           const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                           const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                           const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                           const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)ctx;
  (void)bias_dims;
  const tinsmith_rows_s4 rows = {
      .weights = filter_data,
      .bias = bias_data,
      .multiplier = &quant_params->multiplier,
      .shift = &quant_params->shift,
      .stage_step = 0,
      .rows = output_dims->c,
      .depth = filter_dims->n,
      .x_offset = fc_params->input_offset,
      .zero_point = fc_params->output_offset,
      .activation = fc_params->activation,
  };
  for (int32_t n = 0; n < input_dims->n; ++n) {
    tinsmith_multiply_rows_s4(&rows, input_data + n * rows.depth, output_data + n * rows.rows);
  }
  return ARM_CMSIS_NN_SUCCESS;
}
