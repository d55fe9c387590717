/* The public convolutions on MVE: check the arguments, fold the bias where that is not done yet, call the core. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "include/tinsmith_nn.h"
#include "src/mve/convolve_core.h"
#include "src/mve/scratch.h"

/** Channels whose bias a function without scratch folds at a time, on the stack. */
enum { kChannelsAtOnce = 16 };

static mve_matrix matrix_of(const cmsis_nn_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
                            const cmsis_nn_dims *filter_dims, const int8_t *filter, const int32_t *folded_bias) {
  const mve_matrix matrix = {
      .weights = filter,
      .channels = filter_dims->n,
      .depth = filter_dims->h * filter_dims->w * filter_dims->c,
      .bias = folded_bias,
      .scale = {.multiplier = quant->multiplier,
                .shift = quant->shift,
                .per_channel = true,
                .shifts_right = tinsmith_mve_shifts_right(quant->shift, filter_dims->n),
                .range = {params->output_offset, params->activation.min, params->activation.max}},
  };
  return matrix;
}

/** Whether channels, groups and batches agree. */
static bool dims_agree(const cmsis_nn_dims *input, const cmsis_nn_dims *filter, const cmsis_nn_dims *output) {
  if (filter->c < 1 || input->c % filter->c != 0 || output->c != filter->n || output->n != input->n) {
    return false;
  }
  return filter->n % (input->c / filter->c) == 0;
}

static bool is_pointwise(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input, const cmsis_nn_dims *filter) {
  return filter->h == 1 && filter->w == 1 && filter->c == input->c && params->padding.h == 0 &&
         params->padding.w == 0 && params->dilation.h == 1 && params->dilation.w == 1;
}

arm_cmsis_nn_status tinsmith_convolve_packed_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                                const cmsis_nn_per_channel_quant_params *quant_params,
                                                const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                int8_t *output_data) {
  if (!dims_agree(input_dims, filter_dims, output_dims) || filter_dims->c != input_dims->c) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  if (ctx->buf == NULL && !mve_fields_in_place(conv_params, input_dims, filter_dims, output_dims)) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const mve_matrix matrix = matrix_of(conv_params, quant_params, filter_dims, filter_data, bias_data);
  tinsmith_mve_convolve_s8(conv_params, &matrix, input_dims, input_data, filter_dims, output_dims, output_data,
                           ctx->buf);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_convolve_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                    const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                    const cmsis_nn_dims *upscale_dims, const cmsis_nn_dims *output_dims,
                                    int8_t *output_data) {
  (void)bias_dims;
  if (upscale_dims != NULL && (upscale_dims->h == 2 || upscale_dims->w == 2)) {
    return ARM_CMSIS_NN_NO_IMPL_ERROR;
  }
  if (ctx->buf == NULL || !dims_agree(input_dims, filter_dims, output_dims)) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  int32_t *folded_bias = ctx->buf;
  const mve_matrix matrix = matrix_of(conv_params, quant_params, filter_dims, filter_data, folded_bias);
  arm_vector_sum_s8(folded_bias, matrix.depth, matrix.channels, filter_data, conv_params->input_offset, 0, bias_data);
  tinsmith_mve_convolve_s8(conv_params, &matrix, input_dims, input_data, filter_dims, output_dims, output_data,
                           (int8_t *)(folded_bias + matrix.channels));
  return ARM_CMSIS_NN_SUCCESS;
}

/* The core finds out by itself which fields need no copy. */
arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                            const cmsis_nn_per_channel_quant_params *quant_params,
                                            const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                            const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                            const cmsis_nn_dims *output_dims, int8_t *output_data) {
  return arm_convolve_s8(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                         bias_data, NULL, output_dims, output_data);
}

arm_cmsis_nn_status arm_convolve_1x1_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                        const cmsis_nn_per_channel_quant_params *quant_params,
                                        const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                        const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                        const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                        const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)ctx;
  (void)bias_dims;
  if (!dims_agree(input_dims, filter_dims, output_dims) || !is_pointwise(conv_params, input_dims, filter_dims)) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  int32_t folded_bias[kChannelsAtOnce];
  mve_matrix part = matrix_of(conv_params, quant_params, filter_dims, filter_data, folded_bias);
  for (int32_t channel = 0; channel < filter_dims->n; channel += kChannelsAtOnce) {
    const int32_t rest = filter_dims->n - channel;
    part.channels = rest < kChannelsAtOnce ? rest : kChannelsAtOnce;
    arm_vector_sum_s8(folded_bias, part.depth, part.channels, part.weights, conv_params->input_offset, 0,
                      bias_data != NULL ? bias_data + channel : NULL);
    tinsmith_mve_convolve_s8(conv_params, &part, input_dims, input_data, filter_dims, output_dims,
                             output_data + channel, NULL);
    part.weights += part.channels * part.depth;
    part.scale.multiplier += part.channels;
    part.scale.shift += part.channels;
  }
  return ARM_CMSIS_NN_SUCCESS;
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
  const bool one_row = input_dims->h == 1 && filter_dims->h == 1 && conv_params->dilation.w == 1;
  if (!one_row || conv_params->stride.w * input_dims->c % 4 != 0 || filter_dims->c != input_dims->c) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  return arm_convolve_s8(ctx, conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                         bias_data, NULL, output_dims, output_data);
}

#endif /* TINSMITH_NN_MVE */
