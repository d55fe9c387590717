/* Depthwise convolution pixel by pixel (common/depthwise_pixels.h) for the DSP extension: a word is four channels of a
 * tap, which meet two words of weights. */
#ifndef TINSMITH_NN_DSP_DEPTHWISE_PIXELS_BODY_H
#define TINSMITH_NN_DSP_DEPTHWISE_PIXELS_BODY_H

#include "include/tinsmith_nn.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_DSP

#include "src/common/depthwise_pixels.h"
#include "src/internal/dsp.h"

enum { kTogether = 4 };

/** Sums of four channels. */
typedef struct {
  int32_t of[kTogether];
} channel_sums;

/** weights: of channels 0 and 2, then of 1 and 3. */
static inline void add_products(channel_sums *sums, uint32_t x02, uint32_t x13, const int16_t *weights) {
  const tinsmith_lanes *words = (const void *)weights;
  const uint32_t w02 = words[0];
  const uint32_t w13 = words[1];
  sums->of[0] = tinsmith_smlabb(x02, w02, sums->of[0]);
  sums->of[1] = tinsmith_smlabb(x13, w13, sums->of[1]);
  sums->of[2] = tinsmith_smlatt(x02, w02, sums->of[2]);
  sums->of[3] = tinsmith_smlatt(x13, w13, sums->of[3]);
}

static inline void add_tap(channel_sums *sums, const tap *t, const int8_t *x, const int16_t *weights) {
  const uint32_t inputs = tinsmith_load_word(x + t->input);
  add_products(sums, tinsmith_sxtb16(inputs), tinsmith_sxtb16_ror8(inputs), weights_of(weights, t));
}

/** Four channels, bias included. padding: both lanes of what taps outside the input read. */
TINSMITH_NOINLINE static void sum_taps(int32_t *to, const int8_t *x, const int16_t *weights, const tap *t,
                                       const tap *inside, const tap *end, uint32_t padding, const int32_t *bias) {
  channel_sums sums = {{bias[0], bias[1], bias[2], bias[3]}};
  TINSMITH_NO_UNROLL
  for (; t != inside; ++t) {
    add_tap(&sums, t, x, weights);
  }
  TINSMITH_NO_UNROLL
  for (; t != end; ++t) {
    add_products(&sums, padding, padding, weights_of(weights, t));
  }
  to[0] = sums.of[0];
  to[1] = sums.of[1];
  to[2] = sums.of[2];
  to[3] = sums.of[3];
}

static void convolve_pixel(const layer *l, const int8_t *window, int32_t inside, int8_t *output) {
  const uint32_t padding = tinsmith_pack_bottoms((uint32_t)l->padding, (uint32_t)l->padding);
  const int16_t *block = l->weights;
  TINSMITH_NO_UNROLL
  for (int32_t next = 0; next < l->channels; next += kTogether) {
    /* The last channels, if fewer than four, are done together with those before them, again. */
    const int32_t channel = next + kTogether <= l->channels ? next : l->channels - kTogether;
    sum_taps(l->sums + channel, window + channel, block, l->taps, l->taps + inside, l->taps + l->count, padding,
             l->bias + channel);
    block += kTogether * l->count;
  }
  finish_pixel(l, output);
}

arm_cmsis_nn_status tinsmith_depthwise_pixels_s8(const cmsis_nn_context *ctx,
                                                 const cmsis_nn_dw_conv_params *dw_conv_params,
                                                 const cmsis_nn_per_channel_quant_params *quant_params,
                                                 const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                 const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                 const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                 int8_t *output_data) {
  return convolve_pixels(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_data,
                         output_dims, output_data, kTogether, kTogether);
}

#endif /* TINSMITH_NN_DSP */

#endif /* TINSMITH_NN_DSP_DEPTHWISE_PIXELS_BODY_H */
