/* The public depthwise convolutions on MVE: the blocked core where there is scratch for it, else a plain one. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "include/tinsmith_nn.h"
#include "src/internal/arguments.h"
#include "src/mve/depthwise_core.h"

/** Taps of a filter that lie inside the input for one output pixel: [top, bottom) x [left, right). */
typedef struct {
  int32_t top;
  int32_t bottom;
  int32_t left;
  int32_t right;
} tap_window;

/** First tap at or after position 0, for taps at first, first + dilation, … */
static int32_t first_inside(int32_t first, int32_t dilation) {
  return first >= 0 ? 0 : (dilation - 1 - first) / dilation;
}

/** One past the last of `taps` taps that is before position `limit`. */
static int32_t end_inside(int32_t first, int32_t dilation, int32_t taps, int32_t limit) {
  const int32_t end = first >= limit ? 0 : (limit - first + dilation - 1) / dilation;
  return end < taps ? end : taps;
}

/** Sums of channels [channel, channel + 4): lanes are channels of the input too. */
static int32x4_t sum_lanewise(const cmsis_nn_dw_conv_params *params, const int8_t *input, int32_t first,
                              int32_t row_pitch, int32_t channels, const int8_t *filter,
                              const cmsis_nn_dims *filter_dims, const tap_window *window, mve_pred16_t present,
                              int32x4_t sum) {
  for (int32_t y = window->top; y < window->bottom; ++y) {
    for (int32_t x = window->left; x < window->right; ++x) {
      const int8_t *pixel = input + (first + y * params->dilation.h * row_pitch + x * params->dilation.w * channels);
      const int32x4_t value = vaddq_n_s32(vldrbq_z_s32(pixel, present), params->input_offset);
      const int8_t *weights = filter + (y * filter_dims->w + x) * channels;
      sum = vaddq_s32(sum, vmulq_s32(value, vldrbq_z_s32(weights, present)));
    }
  }
  return sum;
}

/** Sums of up to four outputs of one input channel, which is the same for all lanes. */
static int32x4_t sum_broadcast(const cmsis_nn_dw_conv_params *params, const int8_t *input, int32_t first,
                               int32_t row_pitch, int32_t channels, const int8_t *filter,
                               const cmsis_nn_dims *filter_dims, const tap_window *window, mve_pred16_t present,
                               int32x4_t sum) {
  for (int32_t y = window->top; y < window->bottom; ++y) {
    for (int32_t x = window->left; x < window->right; ++x) {
      const int32_t value = input[first + y * params->dilation.h * row_pitch + x * params->dilation.w * channels];
      const int8_t *weights = filter + (y * filter_dims->w + x) * channels * params->ch_mult;
      sum = vmlaq_n_s32(sum, vldrbq_z_s32(weights, present), value + params->input_offset);
    }
  }
  return sum;
}

arm_cmsis_nn_status arm_depthwise_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)ctx;
  (void)bias_dims;
  const cmsis_nn_dw_conv_params *params = dw_conv_params;
  const arm_cmsis_nn_status status = tinsmith_check_depthwise(params);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const mve_output_range range = {params->output_offset, params->activation.min, params->activation.max};
  const int32_t channels = input_dims->c;
  const int32_t outputs = channels * params->ch_mult;
  const int32_t row_pitch = input_dims->w * channels;
  /* What four lanes may share: all channels if each has one output, else the outputs of one channel. */
  const int32_t group = params->ch_mult == 1 ? outputs : params->ch_mult;
  for (int32_t i = 0; i < input_dims->n * output_dims->h * output_dims->w; ++i) {
    const int32_t batch = i / (output_dims->h * output_dims->w);
    const int32_t first_y = i / output_dims->w % output_dims->h * params->stride.h - params->padding.h;
    const int32_t first_x = i % output_dims->w * params->stride.w - params->padding.w;
    const tap_window window = {
        .top = first_inside(first_y, params->dilation.h),
        .bottom = end_inside(first_y, params->dilation.h, filter_dims->h, input_dims->h),
        .left = first_inside(first_x, params->dilation.w),
        .right = end_inside(first_x, params->dilation.w, filter_dims->w, input_dims->w),
    };
    /* Of the first tap, counted from the input's start: before it where padding is. */
    const int32_t pixel = (batch * input_dims->h + first_y) * row_pitch + first_x * channels;
    for (int32_t channel = 0; channel < outputs;) {
      const int32_t rest = group - channel % group;
      const mve_pred16_t present = vctp32q((uint32_t)rest);
      const int8_t *filter = filter_data + channel;
      int32x4_t sum = bias_data != NULL ? vldrwq_z_s32(bias_data + channel, present) : vdupq_n_s32(0);
      sum = params->ch_mult == 1 ? sum_lanewise(params, input_data, pixel + channel, row_pitch, channels, filter,
                                                filter_dims, &window, present, sum)
                                 : sum_broadcast(params, input_data, pixel + channel / group, row_pitch, channels,
                                                 filter, filter_dims, &window, present, sum);
      sum = mve_requantize(sum, vldrwq_z_s32(quant_params->multiplier + channel, present),
                           vldrwq_z_s32(quant_params->shift + channel, present));
      vstrbq_p_s32(output_data + channel, mve_to_range(sum, &range), present);
      channel += rest < kWordLanes ? rest : kWordLanes;
    }
    output_data += outputs;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

static void run_core(void *scratch, const cmsis_nn_dw_conv_params *params,
                     const cmsis_nn_per_channel_quant_params *quant, const cmsis_nn_dims *input_dims,
                     const int8_t *input, const cmsis_nn_dims *filter_dims, const int8_t *filter, const int32_t *bias,
                     bool folded, const cmsis_nn_dims *output_dims, int8_t *output) {
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
    if (mve_plan_patches(&axes).outputs > 0) {
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
  if (mve_depthwise_bytes(&axes) + kScratchAlignment > mve_public_depthwise_bytes(&image, filter_dims)) {
    convolve_image(&params, quant_params, &image, input_data, filter_dims, filter_data, bias_data, output_dims,
                   output_data);
    return ARM_CMSIS_NN_SUCCESS;
  }
  int8_t *scratch = ctx->buf;
  scratch += -(uintptr_t)scratch % kScratchAlignment;
  run_core(scratch, &params, quant_params, &image, input_data, filter_dims, filter_data, bias_data, false, output_dims,
           output_data);
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
  run_core(ctx->buf, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_data, true,
           output_dims, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_MVE */
