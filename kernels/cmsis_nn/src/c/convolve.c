/* The public convolution functions for plain C and the DSP extension: window by window, times the rows of the filter.
 */

#include "include/arm_nnfunctions.h"
#include "src/internal/im2col.h"
#include "src/internal/implementation.h"
#include "src/internal/rows.h"
#include "src/internal/shapes.h"

#if !TINSMITH_NN_MVE

static bool is_pointwise(const cmsis_nn_conv_params *conv_params, const cmsis_nn_dims *input_dims,
                         const cmsis_nn_dims *filter_dims) {
  const tinsmith_convolution kind = tinsmith_convolution_of(conv_params, input_dims, filter_dims);
  return kind == kConvolution1x1 || kind == kConvolution1x1Fast;
}

#if TINSMITH_NN_C
arm_cmsis_nn_status arm_convolve_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                    const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                    const cmsis_nn_dims *upscale_dims, const cmsis_nn_dims *output_dims,
                                    int8_t *output_data) {
  (void)bias_dims;
  if (upscale_dims != NULL && (upscale_dims->h > 1 || upscale_dims->w > 1)) {
    return ARM_CMSIS_NN_NO_IMPL_ERROR;
  }
  if (filter_dims->c < 1 || input_dims->c % filter_dims->c != 0) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const int32_t groups = input_dims->c / filter_dims->c;
  const bool in_place = is_pointwise(conv_params, input_dims, filter_dims);
  if (output_dims->c % groups != 0 || (ctx->buf == NULL && !in_place)) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const tinsmith_windows windows = tinsmith_windows_of(conv_params, input_dims, input_data, filter_dims, output_dims);
  const int32_t depth = filter_dims->h * filter_dims->w * filter_dims->c;
  const int32_t channels = output_dims->c / groups;
  int8_t *column = (int8_t *)ctx->buf;

  tinsmith_window window = tinsmith_first_window(&windows);
  for (int32_t pixels = output_dims->n * output_dims->h * output_dims->w; pixels > 0; --pixels) {
    for (int32_t group = 0; group < groups; ++group) {
      const tinsmith_rows rows = {
          .weights = filter_data + group * channels * depth,
          .bias = bias_data == NULL ? NULL : bias_data + group * channels,
          .multiplier = quant_params->multiplier + group * channels,
          .shift = quant_params->shift + group * channels,
          .stage_step = 1,
          .rows = channels,
          .depth = depth,
          .x_offset = conv_params->input_offset,
          .weights_offset = 0,
          .zero_point = conv_params->output_offset,
          .activation = conv_params->activation,
      };
      if (in_place) {
        tinsmith_multiply_rows(&rows, tinsmith_window_pixel(&windows, &window), output_data);
      } else {
        tinsmith_copy_window(&windows, &window, group * filter_dims->c, column);
        tinsmith_multiply_rows(&rows, column, output_data);
      }
      output_data += channels;
    }
    tinsmith_next_window(&windows, &window);
  }
  return ARM_CMSIS_NN_SUCCESS;
}
#endif

arm_cmsis_nn_status arm_convolve_1x1_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                        const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                        const cmsis_nn_dims *output_dims, int8_t *output_data) {
  if (!is_pointwise(conv_params, input_dims, filter_dims)) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  return arm_convolve_s8(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                         bias_data, NULL, output_dims, output_data);
}

arm_cmsis_nn_status arm_convolve_1x1_s8_fast(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                             const cmsis_nn_per_channel_quant_params *quant_params,
                                             const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                             const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                             const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                             const cmsis_nn_dims *output_dims, int8_t *output_data) {
  if (conv_params->stride.h != 1 || conv_params->stride.w != 1) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  return arm_convolve_1x1_s8(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                             bias_dims, bias_data, output_dims, output_data);
}

arm_cmsis_nn_status arm_convolve_1_x_n_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data) {
  if (input_dims->h != 1 || filter_dims->h != 1 || conv_params->dilation.w != 1 || filter_dims->c != input_dims->c ||
      conv_params->stride.w * input_dims->c % 4 != 0) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  return arm_convolve_s8(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                         bias_data, NULL, output_dims, output_data);
}

#endif /* !TINSMITH_NN_MVE */
