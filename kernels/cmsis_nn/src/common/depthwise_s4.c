/* Depthwise convolution with weights of four bits. They are made bytes first, and functions of int8 do the rest: all of
 * them in scratch, or without scratch those of some channels at a time on the stack. */

#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/arguments.h"
#include "src/internal/compiler.h"
#include "src/internal/depthwise_block.h"
#include "src/internal/implementation.h"
#include "src/internal/nibbles.h"
#include "src/internal/requantize.h"
#include "src/mve/scratch.h"

typedef struct {
  const cmsis_nn_dw_conv_params *params;
  const int8_t *image;
  const int8_t *filter;
  int32_t height;
  int32_t width;
  int32_t channels; /* of the input */
  int32_t taps_h;
  int32_t taps_w;
  int32_t output_channels;
} layer;

/** The products of one output; what lies outside the input counts as its zero point. */
static int32_t sum_of(const layer *l, int32_t y, int32_t x, int32_t input_channel, int32_t output_channel) {
  int32_t sum = 0;
  for (int32_t ky = 0; ky < l->taps_h; ++ky) {
    const int32_t row = y + ky * l->params->dilation.h;
    if (row < 0 || row >= l->height) {
      continue;
    }
    TINSMITH_NO_UNROLL
    for (int32_t kx = 0; kx < l->taps_w; ++kx) {
      const int32_t column = x + kx * l->params->dilation.w;
      if (column < 0 || column >= l->width) {
        continue;
      }
      const int32_t value = l->image[(row * l->width + column) * l->channels + input_channel];
      const int32_t weight = tinsmith_nibble(l->filter, (ky * l->taps_w + kx) * l->output_channels + output_channel);
      sum += (value + l->params->input_offset) * weight;
    }
  }
  return sum;
}

static void output_pixel(const layer *l, const cmsis_nn_per_channel_quant_params *quant_params, const int32_t *bias,
                         int32_t y, int32_t x, int8_t *output) {
  for (int32_t channel = 0; channel < l->output_channels; ++channel) {
    const int32_t sum = sum_of(l, y, x, channel / l->params->ch_mult, channel) + (bias == NULL ? 0 : bias[channel]);
    const int32_t value = tinsmith_requantize(sum, quant_params->multiplier[channel], quant_params->shift[channel]);
    output[channel] =
        (int8_t)tinsmith_clamp(value + l->params->output_offset, l->params->activation.min, l->params->activation.max);
  }
}

/** Any filter, output by output. */
static void convolve_deep(const cmsis_nn_dw_conv_params *params, const cmsis_nn_per_channel_quant_params *quant_params,
                          const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims,
                          const int8_t *filter, const int32_t *bias, const cmsis_nn_dims *output_dims, int8_t *output) {
  layer l = {
      .params = params,
      .image = input,
      .filter = filter,
      .height = input_dims->h,
      .width = input_dims->w,
      .channels = input_dims->c,
      .taps_h = filter_dims->h,
      .taps_w = filter_dims->w,
      .output_channels = input_dims->c * params->ch_mult,
  };
  for (int32_t n = 0; n < input_dims->n; ++n) {
    for (int32_t oy = 0; oy < output_dims->h; ++oy) {
      const int32_t y = oy * params->stride.h - params->padding.h;
      for (int32_t ox = 0; ox < output_dims->w; ++ox) {
        const int32_t x = ox * params->stride.w - params->padding.w;
        output_pixel(&l, quant_params, bias, y, x, output);
        output += l.output_channels;
      }
    }
    l.image += l.height * l.width * l.channels;
  }
}

/** `count` weights from an index on. */
static void unpack(int8_t *bytes, const int8_t *nibbles, int32_t index, int32_t count) {
  nibbles += index / 2;
  if (index % 2 != 0) {
    *bytes++ = (int8_t)tinsmith_high_nibble(*nibbles++);
    --count;
  }
  TINSMITH_NO_UNROLL
  for (; count > 1; count -= 2) {
    const int8_t pair = *nibbles++;
    bytes[0] = (int8_t)tinsmith_low_nibble(pair);
    bytes[1] = (int8_t)tinsmith_high_nibble(pair);
    bytes += 2;
  }
  if (count > 0) {
    *bytes = (int8_t)tinsmith_low_nibble(*nibbles);
  }
}

/** The weights of output channels [first, first + count) of `channels`. */
static void unpack_channels(int8_t *bytes, const int8_t *nibbles, int32_t taps, int32_t channels, int32_t first,
                            int32_t count) {
  if (count == channels) {
    unpack(bytes, nibbles, 0, taps * channels);
    return;
  }
  for (int32_t tap = 0; tap < taps; ++tap) {
    unpack(bytes, nibbles, first, count);
    bytes += count;
    first += channels;
  }
}

enum {
  kFilterBytes = 1024, /* of weights on the stack */
  kGranule = 8         /* channels that functions of int8 like to have together */
};

/** How many of `count` things are done at once, if so many fit. */
static int32_t at_once(int32_t count, int32_t fitting) {
  if (count <= fitting) {
    return count;
  }
  return fitting >= kGranule ? fitting / kGranule * kGranule : fitting;
}

arm_cmsis_nn_status arm_depthwise_conv_s4(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input,
                                          const cmsis_nn_dims *filter_dims, const int8_t *kernel,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias,
                                          const cmsis_nn_dims *output_dims, int8_t *output) {
  (void)ctx;
  (void)bias_dims;
  const arm_cmsis_nn_status status = tinsmith_check_depthwise(dw_conv_params);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const int32_t taps = filter_dims->h * filter_dims->w;
  const int32_t fitting = kFilterBytes / taps;
  if (fitting == 0) {
    convolve_deep(dw_conv_params, quant_params, input_dims, input, filter_dims, kernel, bias, output_dims, output);
    return ARM_CMSIS_NN_SUCCESS;
  }
  /* A block is some channels of the input with all their outputs, or some outputs of one. */
  const int32_t per_input = dw_conv_params->ch_mult;
  const int32_t channels = input_dims->c * per_input;
  const int32_t inputs = per_input <= fitting ? at_once(input_dims->c, fitting / per_input) : 1;
  const int32_t outputs = per_input <= fitting ? per_input : at_once(per_input, fitting);
  int8_t filter[kFilterBytes];
  for (int32_t first = 0; first < channels;) {
    const int32_t i = first / per_input;
    const int32_t inputs_left = input_dims->c - i;
    const int32_t outputs_left = per_input - first % per_input;
    tinsmith_depthwise_block block = {
        .params = dw_conv_params,
        .filter = filter,
        .bias = bias == NULL ? NULL : bias + first,
        .multiplier = quant_params->multiplier + first,
        .shift = quant_params->shift + first,
        .inputs = inputs < inputs_left ? inputs : inputs_left,
        .per_input = outputs < outputs_left ? outputs : outputs_left,
    };
    block.filter_pitch = block.inputs * block.per_input;
    unpack_channels(filter, kernel, taps, channels, first, block.filter_pitch);
    tinsmith_depthwise_block_s8(&block, input_dims, input + i, filter_dims, output_dims, output + first);
    first += block.filter_pitch;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

/** The filter as bytes, up to what keeps an aligned buffer aligned. */
static int32_t filter_bytes(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims) {
  return (filter_dims->h * filter_dims->w * input_dims->c + 15) / 16 * 16;
}

arm_cmsis_nn_status arm_depthwise_conv_s4_opt(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                              const cmsis_nn_dims *output_dims, int8_t *output_data) {
  if (ctx->buf == NULL || input_dims->c != output_dims->c) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  int8_t *filter = ctx->buf;
  unpack(filter, filter_data, 0, filter_dims->h * filter_dims->w * input_dims->c);
  const int32_t used = filter_bytes(input_dims, filter_dims);
  const cmsis_nn_context rest = {filter + used, ctx->size - used};
  const cmsis_nn_dw_conv_params params = tinsmith_depthwise_opt_params(dw_conv_params);
  const cmsis_nn_dims image = tinsmith_one_image(input_dims);
  return arm_depthwise_conv_s8_opt(&rest, &params, quant_params, &image, input_data, filter_dims, filter, bias_dims,
                                   bias_data, output_dims, output_data);
}

static bool is_one_image(const cmsis_nn_dw_conv_params *params, const cmsis_nn_dims *input_dims) {
  return params->ch_mult == 1 && input_dims->n == 1 && tinsmith_is_undilated(params);
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s4(const cmsis_nn_context *ctx,
                                                  const cmsis_nn_dw_conv_params *dw_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                  const cmsis_nn_dims *output_dims, int8_t *output_data) {
  if (is_one_image(dw_conv_params, input_dims)) {
    return arm_depthwise_conv_s4_opt(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims,
                                     filter_data, bias_dims, bias_data, output_dims, output_data);
  }
  return arm_depthwise_conv_s4(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                               bias_dims, bias_data, output_dims, output_data);
}

int32_t arm_depthwise_conv_s4_opt_get_buffer_size(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims) {
  return filter_bytes(input_dims, filter_dims) + arm_depthwise_conv_s8_opt_get_buffer_size(input_dims, filter_dims);
}

int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                      const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                      const cmsis_nn_dims *output_dims) {
  (void)output_dims;
  return is_one_image(dw_conv_params, input_dims) ? arm_depthwise_conv_s4_opt_get_buffer_size(input_dims, filter_dims)
                                                  : 0;
}

int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size_dsp(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims) {
  (void)output_dims;
  return is_one_image(dw_conv_params, input_dims) ? filter_bytes(input_dims, filter_dims) : 0;
}

int32_t arm_depthwise_conv_wrapper_s4_get_buffer_size_mve(const cmsis_nn_dw_conv_params *dw_conv_params,
                                                          const cmsis_nn_dims *input_dims,
                                                          const cmsis_nn_dims *filter_dims,
                                                          const cmsis_nn_dims *output_dims) {
  (void)output_dims;
  if (!is_one_image(dw_conv_params, input_dims)) {
    return 0;
  }
  return filter_bytes(input_dims, filter_dims) + mve_public_depthwise_bytes(input_dims, filter_dims);
}
