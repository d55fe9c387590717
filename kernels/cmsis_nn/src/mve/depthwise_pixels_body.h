/* Depthwise convolution pixel by pixel (common/depthwise_pixels.h) on MVE: eight channels at a time. */
#ifndef TINSMITH_NN_MVE_DEPTHWISE_PIXELS_BODY_H
#define TINSMITH_NN_MVE_DEPTHWISE_PIXELS_BODY_H

#include "include/tinsmith_nn.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "src/common/depthwise_pixels.h"
#include "src/mve/requantize.h"

enum { kTogether = 8 };

/** x: int8 values of eight channels as int16. Sums of even channels are the first vector, those of odd ones the second.
 */
static inline void add_products(int32x4x2_t *sums, int16x8_t x, const int16_t *weights) {
  const int16x8_t w = vldrhq_s16(weights);
  sums->val[0] = vaddq_s32(sums->val[0], vmullbq_int_s16(x, w));
  sums->val[1] = vaddq_s32(sums->val[1], vmulltq_int_s16(x, w));
}

/** Of the channels that are present, on top of the bias. */
static inline int32x4x2_t sum_taps(const layer *l, const int8_t *x, int32_t inside, const int16_t *weights,
                                   int32x4x2_t sums, mve_pred16_t present) {
  const tap *t = l->taps;
  for (int32_t left = inside; left > 0; --left) {
    add_products(&sums, vldrbq_z_s16(x + t->input, present), weights_of(weights, t));
    ++t;
  }
  for (int32_t left = l->count - inside; left > 0; --left) {
    add_products(&sums, vdupq_n_s16((int16_t)l->padding), weights_of(weights, t));
    ++t;
  }
  return sums;
}

static void convolve_pixel(const layer *l, const int8_t *window, int32_t inside, int8_t *output) {
  const int16_t *block = l->weights;
  for (int32_t channel = 0; channel < l->channels; channel += kTogether) {
    const mve_pred16_t present = vctp16q((uint32_t)(l->channels - channel));
    const int32x4x2_t sums = sum_taps(l, window + channel, inside, block, vld2q_s32(l->bias + channel), present);
    const int32x4x2_t multiplier = vld2q_s32(l->multiplier + channel);
    const int32x4x2_t shift = vld2q_s32(l->shift + channel);
    const int32x4_t even = mve_requantize(sums.val[0], multiplier.val[0], shift.val[0]);
    const int32x4_t odd = mve_requantize(sums.val[1], multiplier.val[1], shift.val[1]);
    /* Saturating steps to 16 bits do not change what the clamp lets through. */
    int16x8_t value = vqmovntq_s32(vqmovnbq_s32(vdupq_n_s16(0), even), odd);
    value = vqaddq_n_s16(value, (int16_t)l->zero_point);
    value = vmaxq_s16(value, vdupq_n_s16((int16_t)l->activation.min));
    value = vminq_s16(value, vdupq_n_s16((int16_t)l->activation.max));
    vstrbq_p_s16(output + channel, value, present);
    block += kTogether * l->count;
  }
}

arm_cmsis_nn_status tinsmith_depthwise_pixels_s8(const cmsis_nn_context *ctx,
                                                 const cmsis_nn_dw_conv_params *dw_conv_params,
                                                 const cmsis_nn_per_channel_quant_params *quant_params,
                                                 const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                 const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                 const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                 int8_t *output_data) {
  return convolve_pixels(ctx, dw_conv_params, quant_params, input_dims, input_data, filter_dims, filter_data, bias_data,
                         output_dims, output_data, kTogether, 1);
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_DEPTHWISE_PIXELS_BODY_H */
