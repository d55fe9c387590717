/* Depthwise convolution pixel by pixel (common/depthwise_pixels.h) in plain C: four channels at a time. */
#ifndef TINSMITH_NN_C_DEPTHWISE_PIXELS_BODY_H
#define TINSMITH_NN_C_DEPTHWISE_PIXELS_BODY_H

#include "include/tinsmith_nn.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_C

#include "src/common/depthwise_pixels.h"

enum { kTogether = 4 };

static void convolve_pixel(const layer *l, const int8_t *window, int32_t inside, int8_t *output) {
  const int16_t *block = l->weights;
  TINSMITH_NO_UNROLL
  for (int32_t next = 0; next < l->channels; next += kTogether) {
    const int32_t channel = next + kTogether <= l->channels ? next : l->channels - kTogether;
    const int32_t *bias = l->bias + channel;
    int32_t sum0 = bias[0], sum1 = bias[1], sum2 = bias[2], sum3 = bias[3];
    TINSMITH_NO_UNROLL
    for (int32_t t = 0; t < inside; ++t) {
      const int8_t *x = window + (channel + l->taps[t].input);
      const int16_t *w = weights_of(block, &l->taps[t]);
      sum0 += x[0] * w[0];
      sum1 += x[1] * w[1];
      sum2 += x[2] * w[2];
      sum3 += x[3] * w[3];
    }
    TINSMITH_NO_UNROLL
    for (int32_t t = inside; t < l->count; ++t) {
      const int16_t *w = weights_of(block, &l->taps[t]);
      sum0 += l->padding * w[0];
      sum1 += l->padding * w[1];
      sum2 += l->padding * w[2];
      sum3 += l->padding * w[3];
    }
    int32_t *sums = l->sums + channel;
    sums[0] = sum0;
    sums[1] = sum1;
    sums[2] = sum2;
    sums[3] = sum3;
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

#endif /* TINSMITH_NN_C */

#endif /* TINSMITH_NN_C_DEPTHWISE_PIXELS_BODY_H */
