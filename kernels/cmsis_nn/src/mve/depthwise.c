/* The public depthwise convolutions on MVE: the blocked core where there is scratch for it, else a plain one. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "include/tinsmith_nn.h"
#include "src/internal/arguments.h"
#include "src/internal/compiler.h"
#include "src/mve/depthwise_core.h"

/** by_lines: not by patches, even if there is a plan for them. */
TINSMITH_ALWAYS_INLINE void run_core(void *scratch, bool by_lines, const cmsis_nn_dw_conv_params *params,
                                     const cmsis_nn_per_channel_quant_params *quant, const cmsis_nn_dims *input_dims,
                                     const int8_t *input, const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                     const int32_t *bias, bool folded, const cmsis_nn_dims *output_dims,
                                     int8_t *output) {
  const mve_depthwise layer = {
      .filter = filter,
      .bias = bias,
      .folded = folded,
      .channels = output_dims->c,
      .input_offset = params->input_offset,
      .scale = {.multiplier = quant->multiplier,
                .shift = quant->shift,
                .per_channel = true,
                .shifts_right = tinsmith_mve_shifts_right(quant->shift, output_dims->c),
                .range = {params->output_offset, params->activation.min, params->activation.max}},
  };
  const mve_axes axes = mve_depthwise_axes(params, input_dims, filter_dims, output_dims);
  for (int32_t batch = 0; batch < input_dims->n; ++batch) {
    if (!by_lines && mve_plan_patches(&axes).outputs > 0) {
      tinsmith_mve_depthwise_patches_s8(&layer, &axes, input, output, scratch);
    } else {
      tinsmith_mve_depthwise_lines_s8(&layer, &axes, input, output, scratch);
    }
    input += input_dims->h * input_dims->w * input_dims->c;
    output += output_dims->h * output_dims->w * output_dims->c;
  }
}

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
  run_core(scratch, few_taps, &params, quant_params, &image, input_data, filter_dims, filter_data, bias_data, false,
           output_dims, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status tinsmith_depthwise_packed_s8(const cmsis_nn_context *ctx,
                                                 const cmsis_nn_dw_conv_params *dw_conv_params,
                                                 const cmsis_nn_per_channel_quant_params *quant_params,
                                                 const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                 const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                 const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                 int8_t *output_data) {
  const arm_cmsis_nn_status status =
      tinsmith_check_depthwise_packed(ctx, dw_conv_params, 1, 1, input_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  run_core(ctx->buf, false, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_data,
           true, output_dims, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_MVE */
