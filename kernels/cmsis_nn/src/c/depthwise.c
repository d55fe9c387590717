/* The public depthwise functions for plain C and the DSP extension: output pixel by output pixel, on the NHWC input. */

#include <stddef.h>
#include <string.h>

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
  int32_t offset; /* of the input */
} taps;

/** First tap at or above 0, and number of taps below `extent`, of taps start + t * step. */
static int32_t inside(int32_t start, int32_t step, int32_t count, int32_t extent, int32_t *first) {
  if (start >= 0 && start + (count - 1) * step < extent) {
    *first = 0;
    return count;
  }
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

/** Of one channel. */
static int32_t sum_taps(const taps *window, const int8_t *x, const int8_t *w) {
  const int32_t offset = window->offset;
  const int32_t x_step = window->input_column;
  const int32_t w_step = window->filter_column;
  int32_t sum = 0;
  TINSMITH_NO_UNROLL
  for (int32_t rows = window->rows; rows > 0; --rows) {
    if (window->columns == 3) {
      sum += (x[0] + offset) * w[0];
      sum += (x[x_step] + offset) * w[w_step];
      sum += (x[2 * x_step] + offset) * w[2 * w_step];
    } else {
      const int8_t *x_tap = x;
      const int8_t *w_tap = w;
      TINSMITH_NO_UNROLL
      for (int32_t left = window->columns; left > 0; --left) {
        sum += (*x_tap + offset) * *w_tap;
        x_tap += x_step;
        w_tap += w_step;
      }
    }
    x += window->input_row;
    w += window->filter_row;
  }
  return sum;
}

static inline int8_t finish(const cmsis_nn_dw_conv_params *params, int32_t acc, int32_t multiplier, int32_t shift) {
  const int32_t value = tinsmith_requantize(acc, multiplier, shift) + params->output_offset;
  return (int8_t)tinsmith_clamp(value, params->activation.min, params->activation.max);
}

#if TINSMITH_NN_DSP
/** Channels that are done together, and their sums. */
enum { kChannels = 4 };
typedef struct {
  int32_t channel[kChannels];
} four_sums;

/** of_one: all four output channels are of the input channel at x. */
TINSMITH_ALWAYS_INLINE void add_tap(four_sums *sums, const int8_t *x, const int8_t *w, uint32_t offsets, bool of_one) {
  const uint32_t inputs = of_one ? tinsmith_sxtab16(offsets, (uint8_t)*x) : tinsmith_load_word(x);
  const uint32_t weights = tinsmith_load_word(w);
  const uint32_t x02 = of_one ? inputs : tinsmith_sxtab16(offsets, inputs);
  const uint32_t w02 = tinsmith_sxtb16(weights);
  sums->channel[0] = tinsmith_smlabb(x02, w02, sums->channel[0]);
  sums->channel[2] = of_one ? tinsmith_smlabt(x02, w02, sums->channel[2]) : tinsmith_smlatt(x02, w02, sums->channel[2]);
  const uint32_t x13 = of_one ? inputs : tinsmith_sxtab16_ror8(offsets, inputs);
  const uint32_t w13 = tinsmith_sxtb16_ror8(weights);
  sums->channel[1] = tinsmith_smlabb(x13, w13, sums->channel[1]);
  sums->channel[3] = of_one ? tinsmith_smlabt(x13, w13, sums->channel[3]) : tinsmith_smlatt(x13, w13, sums->channel[3]);
}

/** Adds the taps of four adjacent channels, the first of them at x. */
TINSMITH_ALWAYS_INLINE void add_taps(four_sums *sums, const taps *window, const int8_t *x, const int8_t *w,
                                     bool of_one) {
  four_sums acc = *sums;
  const uint32_t offsets = tinsmith_pack_bottoms((uint32_t)window->offset, (uint32_t)window->offset);
  const int32_t x_step = window->input_column;
  const int32_t w_step = window->filter_column;
  TINSMITH_NO_UNROLL
  for (int32_t rows = window->rows; rows > 0; --rows) {
    const int8_t *x_tap = x;
    const int8_t *w_tap = w;
    if (window->columns == 3) {
      add_tap(&acc, x, w, offsets, of_one);
      add_tap(&acc, x + x_step, w + w_step, offsets, of_one);
      add_tap(&acc, x + 2 * x_step, w + 2 * w_step, offsets, of_one);
    } else {
      TINSMITH_NO_UNROLL
      for (const int8_t *end = w + window->columns * w_step; w_tap != end; w_tap += w_step) {
        add_tap(&acc, x_tap, w_tap, offsets, of_one);
        x_tap += x_step;
      }
    }
    x += window->input_row;
    w += window->filter_row;
  }
  *sums = acc;
}

/* Not inlined: each needs every register. */
TINSMITH_NOINLINE static void add_taps_of_four(four_sums *sums, const taps *window, const int8_t *x, const int8_t *w) {
  add_taps(sums, window, x, w, false);
}

TINSMITH_NOINLINE static void add_taps_of_one(four_sums *sums, const taps *window, const int8_t *x, const int8_t *w) {
  add_taps(sums, window, x, w, true);
}

/** Outputs of four channels. Not inlined, for the same reason. */
TINSMITH_NOINLINE static void finish_four(const cmsis_nn_dw_conv_params *layer, const four_sums *sums,
                                          const int32_t *multiplier, const int32_t *shift, int8_t *output) {
  const cmsis_nn_dw_conv_params params = *layer; /* A copy that no store to the output can change. */
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < kChannels; ++i) {
    output[i] = finish(&params, sums->channel[i], multiplier[i], shift[i]);
  }
}
#endif

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
  const bool of_one = params.ch_mult % kChannels == 0;
  const bool by_fours = of_one || params.ch_mult == 1;
  TINSMITH_NO_UNROLL
  for (; by_fours && channel + kChannels <= channels; channel += kChannels) {
    const int8_t *x = window.input + (of_one ? channel / params.ch_mult : channel);
    four_sums sums = {{0}};
    if (bias != NULL) {
      memcpy(&sums, bias + channel, sizeof sums);
    }
    (of_one ? add_taps_of_one : add_taps_of_four)(&sums, &window, x, window.filter + channel);
    finish_four(&params, &sums, multiplier + channel, shift + channel, output + channel);
  }
#endif
  TINSMITH_NO_UNROLL
  for (; channel < channels; ++channel) {
    const int8_t *x = window.input + (params.ch_mult == 1 ? channel : channel / params.ch_mult);
    const int32_t sum = sum_taps(&window, x, window.filter + channel);
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
      .offset = params->input_offset,
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
