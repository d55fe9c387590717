/* The public depthwise convolutions on MVE: the blocked core where there is scratch for it, else a plain one. */
#ifndef TINSMITH_NN_MVE_DEPTHWISE_BODY_H
#define TINSMITH_NN_MVE_DEPTHWISE_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "src/internal/arguments.h"
#include "src/internal/public.h"
#include "src/mve/depthwise_layer.h"

/** One image, one output per channel, no dilation, by the function for all else. */
static void convolve_image(const cmsis_nn_dw_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
                           const cmsis_nn_dims *image, const int8_t *input, const cmsis_nn_dims *filter_dims,
                           const int8_t *filter, const int32_t *bias, const cmsis_nn_dims *output_dims,
                           int8_t *output) {
  arm_depthwise_conv_s8(NULL, params, quant, image, input, filter_dims, filter, NULL, bias, output_dims, output);
}

arm_cmsis_nn_status arm_depthwise_conv_3x3_s8(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                              const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)ctx;
  (void)bias_dims;
  const arm_cmsis_nn_status status = tinsmith_check_depthwise_3x3(dw_conv_params, input_dims, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const cmsis_nn_dw_conv_params params = tinsmith_depthwise_opt_params(dw_conv_params);
  const cmsis_nn_dims image = tinsmith_one_image(input_dims);
  convolve_image(&params, quant_params, &image, input_data, filter_dims, filter_data, bias_data, output_dims,
                 output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

enum {
  kFewTaps = 4,  /* of a whole block of channels, lines take less for so few, where both can be done */
  kFewPixels = 4 /* so few do not make up for what is prepared */
};

arm_cmsis_nn_status arm_depthwise_conv_s8_opt(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                              const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)bias_dims;
  const arm_cmsis_nn_status status = tinsmith_check_depthwise_opt(input_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  if (ctx->buf == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const cmsis_nn_dw_conv_params params = tinsmith_depthwise_opt_params(dw_conv_params);
  const cmsis_nn_dims image = tinsmith_one_image(input_dims);
  const mve_axes axes = mve_depthwise_axes(&params, &image, filter_dims, output_dims);
  const int32_t room = mve_public_depthwise_bytes(&image, filter_dims) - kScratchAlignment;
  const bool few_taps =
      filter_dims->h * filter_dims->w <= kFewTaps && image.c >= kDepthwiseBlock && mve_lines_bytes(&axes) <= room;
  if (output_dims->h * output_dims->w < kFewPixels || (!few_taps && mve_depthwise_bytes(&axes) > room)) {
    convolve_image(&params, quant_params, &image, input_data, filter_dims, filter_data, bias_data, output_dims,
                   output_data);
    return ARM_CMSIS_NN_SUCCESS;
  }
  int8_t *scratch = ctx->buf;
  scratch += -(uintptr_t)scratch % kScratchAlignment;
  mve_convolve_depthwise(scratch, few_taps, &params, quant_params, &image, input_data, filter_dims, filter_data,
                         bias_data, false, output_dims, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_DEPTHWISE_BODY_H */
