/* The public depthwise functions for plain C and the DSP extension: output pixel by output pixel, on the NHWC input. */

#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/arguments.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"

#if !TINSMITH_NN_MVE

#if TINSMITH_NN_DSP
#include "src/internal/dsp.h"
#endif

/** The taps of one window that lie inside the input. */
typedef struct {
  const int8_t *input;  /* first inside tap, channel 0 */
  const int8_t *filter; /* the same */
  int32_t rows;
  int32_t columns;
  int32_t input_row; /* bytes from tap to tap, in rows and columns, of both */
  int32_t input_column;
  int32_t filter_row;
  int32_t filter_column;
} taps;

/** First tap at or above 0, and number of taps below `extent`, of taps start + t * step. */
static int32_t inside(int32_t start, int32_t step, int32_t count, int32_t extent, int32_t *first) {
  int32_t from = 0;
  while (from < count && start + from * step < 0) {
    ++from;
  }
  int32_t to = from;
  while (to < count && start + to * step < extent) {
    ++to;
  }
  *first = from;
  return to - from;
}

static int32_t sum_taps(const taps *window, int32_t input_channel, int32_t output_channel, int32_t offset) {
  int32_t sum = 0;
  for (int32_t y = 0; y < window->rows; ++y) {
    const int8_t *x = window->input + y * window->input_row + input_channel;
    const int8_t *w = window->filter + y * window->filter_row + output_channel;
    TINSMITH_NO_UNROLL
    for (int32_t left = window->columns; left > 0; --left) {
      sum += (*x + offset) * *w;
      x += window->input_column;
      w += window->filter_column;
    }
  }
  return sum;
}

#if TINSMITH_NN_DSP
/** sum_taps() of four adjacent channels whose multiplier is 1. */
static inline void sum_taps_of_4(int32_t sums[4], const taps *window, int32_t channel, int32_t offset) {
  const uint32_t offsets = tinsmith_pack_bottoms((uint32_t)offset, (uint32_t)offset);
  int32_t sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
  for (int32_t y = 0; y < window->rows; ++y) {
    const int8_t *x = window->input + y * window->input_row + channel;
    const int8_t *w = window->filter + y * window->filter_row + channel;
    TINSMITH_NO_UNROLL
    for (int32_t left = window->columns; left > 0; --left) {
      const uint32_t inputs = tinsmith_load_word(x);
      const uint32_t weights = tinsmith_load_word(w);
      const uint32_t x02 = tinsmith_add_lanes(tinsmith_sxtb16(inputs), offsets);
      const uint32_t x13 = tinsmith_add_lanes(tinsmith_sxtb16_ror8(inputs), offsets);
      const uint32_t w02 = tinsmith_sxtb16(weights);
      const uint32_t w13 = tinsmith_sxtb16_ror8(weights);
      sum0 = tinsmith_smlabb(x02, w02, sum0);
      sum1 = tinsmith_smlabb(x13, w13, sum1);
      sum2 = tinsmith_smlatt(x02, w02, sum2);
      sum3 = tinsmith_smlatt(x13, w13, sum3);
      x += window->input_column;
      w += window->filter_column;
    }
  }
  sums[0] = sum0;
  sums[1] = sum1;
  sums[2] = sum2;
  sums[3] = sum3;
}
#endif

static inline int8_t finish(const cmsis_nn_dw_conv_params *params, int32_t acc, int32_t multiplier, int32_t shift) {
  const int32_t value = tinsmith_requantize(acc, multiplier, shift) + params->output_offset;
  return (int8_t)tinsmith_clamp(value, params->activation.min, params->activation.max);
}

static void convolve_pixel(const taps *pixel, const cmsis_nn_dw_conv_params *layer,
                           const cmsis_nn_per_channel_quant_params *quant_params, const int32_t *bias, int32_t channels,
                           int8_t *output) {
  /* Copies that no store to the output can change. */
  const taps window = *pixel;
  const cmsis_nn_dw_conv_params params = *layer;
  const int32_t *multiplier = quant_params->multiplier;
  const int32_t *shift = quant_params->shift;
  int32_t channel = 0;
#if TINSMITH_NN_DSP
  TINSMITH_NO_UNROLL
  for (; params.ch_mult == 1 && channel + 4 <= channels; channel += 4) {
    int32_t sums[4];
    sum_taps_of_4(sums, &window, channel, params.input_offset);
    TINSMITH_NO_UNROLL
    for (int32_t i = 0; i < 4; ++i) {
      const int32_t c = channel + i;
      output[c] = finish(&params, sums[i] + (bias == NULL ? 0 : bias[c]), multiplier[c], shift[c]);
    }
  }
#endif
  TINSMITH_NO_UNROLL
  for (; channel < channels; ++channel) {
    const int32_t sum = sum_taps(&window, channel / params.ch_mult, channel, params.input_offset);
    output[channel] = finish(&params, sum + (bias == NULL ? 0 : bias[channel]), multiplier[channel], shift[channel]);
  }
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
  const int32_t channels = input_dims->c * params->ch_mult;
  const int32_t input_row = input_dims->w * input_dims->c;
  taps window = {
      .input_row = params->dilation.h * input_row,
      .input_column = params->dilation.w * input_dims->c,
      .filter_row = filter_dims->w * channels,
      .filter_column = channels,
  };
  for (int32_t n = 0; n < input_dims->n; ++n) {
    for (int32_t oy = 0; oy < output_dims->h; ++oy) {
      const int32_t y = oy * params->stride.h - params->padding.h;
      int32_t first_row;
      window.rows = inside(y, params->dilation.h, filter_dims->h, input_dims->h, &first_row);
      for (int32_t ox = 0; ox < output_dims->w; ++ox) {
        const int32_t x = ox * params->stride.w - params->padding.w;
        int32_t first_column;
        window.columns = inside(x, params->dilation.w, filter_dims->w, input_dims->w, &first_column);
        window.input = input_data;
        window.filter = filter_data;
        if (window.rows > 0 && window.columns > 0) { /* else there is no first tap to point at */
          window.input += (y + first_row * params->dilation.h) * input_row +
                          (x + first_column * params->dilation.w) * input_dims->c;
          window.filter += first_row * window.filter_row + first_column * window.filter_column;
        }
        convolve_pixel(&window, params, quant_params, bias_data, channels, output_data);
        output_data += channels;
      }
    }
    input_data += input_dims->h * input_row;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

/** One image, one output per channel, no dilation. */
static arm_cmsis_nn_status convolve_image(const cmsis_nn_context *ctx, const cmsis_nn_dw_conv_params *dw_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data) {
  const cmsis_nn_dw_conv_params params = tinsmith_depthwise_opt_params(dw_conv_params);
  const cmsis_nn_dims image = tinsmith_one_image(input_dims);
  return arm_depthwise_conv_s8(ctx, &params, quant_params, &image, input_data, filter_dims, filter_data, bias_dims,
                               bias_data, output_dims, output_data);
}

arm_cmsis_nn_status arm_depthwise_conv_s8_opt(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                              const cmsis_nn_dims *output_dims, int8_t *output_data) {
  const arm_cmsis_nn_status status = tinsmith_check_depthwise_opt(input_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
#if TINSMITH_NN_C /* Arm's plain C is the general function, which reads all members. */
  return arm_depthwise_conv_s8(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data,
                               bias_dims, bias_data, output_dims, output_data);
#else
  return convolve_image(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                        bias_data, output_dims, output_data);
#endif
}

arm_cmsis_nn_status arm_depthwise_conv_3x3_s8(const cmsis_nn_context *ctx,
                                              const cmsis_nn_dw_conv_params *dw_conv_params,
                                              const cmsis_nn_per_channel_quant_params *quant_params,
                                              const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                              const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                              const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                              const cmsis_nn_dims *output_dims, int8_t *output_data) {
  const arm_cmsis_nn_status status = tinsmith_check_depthwise_3x3(dw_conv_params, input_dims, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  return convolve_image(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_dims,
                        bias_data, output_dims, output_data);
}

#endif /* !TINSMITH_NN_MVE */
