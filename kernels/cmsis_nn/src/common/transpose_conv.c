/* Transposed convolution of int8: each output gathers the inputs that reach it, so that nothing is kept between rows.
 */

#include <stddef.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/internal/dots.h"
#include "src/internal/requantize.h"

/** The inputs along one axis that reach an output: tap `tap` meets input `input`, tap + stride the one before. */
typedef struct {
  int32_t tap;
  int32_t input;
  int32_t count;
} meeting;

/** place: the output's, in the full result before cutting. */
static meeting meeting_of(int32_t place, int32_t stride, int32_t taps, int32_t inputs) {
  meeting m = {.tap = place % stride, .input = place / stride};
  if (m.input >= inputs) {
    m.tap += (m.input - (inputs - 1)) * stride;
    m.input = inputs - 1;
  }
  const int32_t left = m.tap < taps ? (taps - 1 - m.tap) / stride + 1 : 0;
  m.count = left < m.input + 1 ? left : m.input + 1;
  return m;
}

typedef struct {
  const cmsis_nn_transpose_conv_params *params;
  const cmsis_nn_per_channel_quant_params *quant_params;
  const int8_t *filter;
  const int32_t *bias; /* or NULL */
  int32_t taps_h;
  int32_t taps_w;
  int32_t input_w;
  int32_t input_c;
  int32_t output_c;
} layer;

/** Sums of up to kDotRows channels. */
static void gather(const layer *l, const int8_t *image, meeting y, meeting x, int32_t channel, int32_t channels,
                   int32_t *sums) {
  const int32_t pitch = l->taps_h * l->taps_w * l->input_c;
  const int8_t *filter = l->filter + channel * pitch;
  for (int32_t i = 0; i < y.count; ++i) {
    const int32_t tap_y = y.tap + i * l->params->stride.h;
    const int8_t *row = image + (y.input - i) * l->input_w * l->input_c;
    for (int32_t j = 0; j < x.count; ++j) {
      const int32_t tap_x = x.tap + j * l->params->stride.w;
      tinsmith_dots_s8(sums, row + (x.input - j) * l->input_c, l->params->input_offset,
                       filter + (tap_y * l->taps_w + tap_x) * l->input_c, pitch, l->input_c, channels);
    }
  }
}

static void output_pixel(const layer *l, const int8_t *image, meeting y, meeting x, int8_t *output) {
  for (int32_t channel = 0; channel < l->output_c; channel += kDotRows) {
    const int32_t left = l->output_c - channel;
    const int32_t channels = left < kDotRows ? left : kDotRows;
    int32_t sums[kDotRows];
    for (int32_t c = 0; c < channels; ++c) {
      sums[c] = l->bias == NULL ? 0 : l->bias[channel + c];
    }
    gather(l, image, y, x, channel, channels, sums);
    TINSMITH_NO_UNROLL
    for (int32_t c = 0; c < channels; ++c) {
      const int32_t scaled =
          tinsmith_requantize(sums[c], l->quant_params->multiplier[channel + c], l->quant_params->shift[channel + c]);
      output[channel + c] = (int8_t)tinsmith_clamp(scaled + l->params->output_offset, l->params->activation.min,
                                                   l->params->activation.max);
    }
  }
}

arm_cmsis_nn_status arm_transpose_conv_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *output_ctx,
                                          const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                          const cmsis_nn_per_channel_quant_params *quant_params,
                                          const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                          const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                          const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                          const cmsis_nn_dims *output_dims, int8_t *output_data) {
  (void)ctx;
  (void)output_ctx;
  (void)bias_dims;
  const layer l = {
      .params = transpose_conv_params,
      .quant_params = quant_params,
      .filter = filter_data,
      .bias = bias_data,
      .taps_h = filter_dims->h,
      .taps_w = filter_dims->w,
      .input_w = input_dims->w,
      .input_c = input_dims->c,
      .output_c = output_dims->c,
  };
  for (int32_t n = 0; n < input_dims->n; ++n) {
    for (int32_t oy = 0; oy < output_dims->h; ++oy) {
      const meeting y = meeting_of(oy + transpose_conv_params->padding.h, transpose_conv_params->stride.h,
                                   filter_dims->h, input_dims->h);
      for (int32_t ox = 0; ox < output_dims->w; ++ox) {
        const meeting x = meeting_of(ox + transpose_conv_params->padding.w, transpose_conv_params->stride.w,
                                     filter_dims->w, input_dims->w);
        output_pixel(&l, input_data, y, x, output_data);
        output_data += output_dims->c;
      }
    }
    input_data += input_dims->h * input_dims->w * input_dims->c;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_transpose_conv_wrapper_s8(const cmsis_nn_context *ctx, const cmsis_nn_context *output_ctx,
                                                  const cmsis_nn_transpose_conv_params *transpose_conv_params,
                                                  const cmsis_nn_per_channel_quant_params *quant_params,
                                                  const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                  const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                  const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                                  const cmsis_nn_dims *output_dims, int8_t *output_data) {
  return arm_transpose_conv_s8(ctx, output_ctx, transpose_conv_params, quant_params, input_dims, input_data,
                               filter_dims, filter_data, bias_dims, bias_data, output_dims, output_data);
}

int32_t arm_transpose_conv_s8_get_buffer_size_dsp(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                  const cmsis_nn_dims *out_dims) {
  (void)input_dims;
  (void)filter_dims;
  (void)out_dims;
  return 0;
}

int32_t arm_transpose_conv_s8_get_buffer_size_mve(const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                                  const cmsis_nn_dims *out_dims) {
  return arm_transpose_conv_s8_get_buffer_size_dsp(input_dims, filter_dims, out_dims);
}

int32_t arm_transpose_conv_s8_get_buffer_size(const cmsis_nn_transpose_conv_params *transposed_conv_params,
                                              const cmsis_nn_dims *input_dims, const cmsis_nn_dims *filter_dims,
                                              const cmsis_nn_dims *out_dims) {
  (void)transposed_conv_params;
  return arm_transpose_conv_s8_get_buffer_size_dsp(input_dims, filter_dims, out_dims);
}

int32_t arm_transpose_conv_s8_get_reverse_conv_buffer_size(const cmsis_nn_transpose_conv_params *transposed_conv_params,
                                                           const cmsis_nn_dims *input_dims,
                                                           const cmsis_nn_dims *filter_dims) {
  (void)transposed_conv_params;
  (void)input_dims;
  (void)filter_dims;
  return 0;
}
