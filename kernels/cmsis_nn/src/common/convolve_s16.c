/* Convolution of int16: window by window, times the rows of the filter. */

#include "include/arm_nnfunctions.h"
#include "src/internal/im2col.h"
#include "src/internal/rows_s16.h"

/** A value counts as two channels of bytes, so that windows are those of int8; padding is 0 in both. */
enum { kBytes = sizeof(int16_t) };

static tinsmith_windows windows_of(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input_dims,
                                   const int16_t *input, const cmsis_nn_dims *filter_dims,
                                   const cmsis_nn_dims *output_dims) {
  cmsis_nn_conv_params symmetric = *params;
  symmetric.input_offset = 0;
  const cmsis_nn_dims bytes = {input_dims->n, input_dims->h, input_dims->w, kBytes * input_dims->c};
  const cmsis_nn_dims taps = {.h = filter_dims->h, .w = filter_dims->w, .c = kBytes * input_dims->c};
  return tinsmith_windows_of(&symmetric, &bytes, (const int8_t *)input, &taps, output_dims);
}

arm_cmsis_nn_status arm_convolve_s16(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                     const cmsis_nn_per_channel_quant_params *quant_params,
                                     const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                     const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                     const cmsis_nn_dims *bias_dims, const cmsis_nn_bias_data *bias_data,
                                     const cmsis_nn_dims *output_dims, int16_t *output_data) {
  (void)bias_dims;
  if (ctx->buf == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const tinsmith_windows windows = windows_of(conv_params, input_dims, input_data, filter_dims, output_dims);
  const bool in_place = tinsmith_windows_are_pixels(&windows);
  const tinsmith_rows_s16 rows = {
      .weights = filter_data,
      .bias = *bias_data,
      .multiplier = quant_params->multiplier,
      .shift = quant_params->shift,
      .stage_step = 1,
      .rows = output_dims->c,
      .depth = filter_dims->h * filter_dims->w * input_dims->c,
      .activation = conv_params->activation,
  };
  int16_t *column = (int16_t *)(((uintptr_t)ctx->buf + 3) & ~(uintptr_t)3);
  tinsmith_window window = tinsmith_first_window(&windows);
  int32_t copied = 0;
  for (int32_t left = input_dims->n * output_dims->h * output_dims->w; left > 0; --left) {
    if (in_place) {
      const void *pixel = tinsmith_window_pixel(&windows, &window);
      tinsmith_multiply_rows_s16(&rows, pixel, output_data);
      output_data += rows.rows;
    } else {
      tinsmith_copy_window(&windows, &window, 0, (int8_t *)(column + copied * rows.depth));
      ++copied;
      if (copied == kWindows || left == 1) {
        tinsmith_multiply_windows_s16(&rows, column, copied, output_data);
        output_data += copied * rows.rows;
        copied = 0;
      }
    }
    tinsmith_next_window(&windows, &window);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_convolve_wrapper_s16(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int16_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const cmsis_nn_bias_data *bias_data,
                                             const cmsis_nn_dims *output_dims, int16_t *output_data) {
  return arm_convolve_s16(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                          bias_data, output_dims, output_data);
}
