/* Depthwise convolution pixel by pixel (internal/depthwise_block.h): the loops over pixels, and the public function for
 * any layer. */
#ifndef TINSMITH_NN_COMMON_DEPTHWISE_BLOCK_BODY_H
#define TINSMITH_NN_COMMON_DEPTHWISE_BLOCK_BODY_H

#include "src/internal/arguments.h"
#include "src/internal/compiler.h"
#include "src/internal/depthwise_block.h"
#include "src/internal/public.h"

/** Of taps at start, start + step, ...: the first one at or above 0, and the number of those from it on that lie below
 * `extent`; both at most `count`. */
static inline int32_t inside(int32_t start, int32_t step, int32_t count, int32_t extent, int32_t *first) {
  int32_t before = start < 0 ? -start : 0;
  int32_t end = extent - start;
  if (step != 1) {
    before = (before + step - 1) / step;
    end = (end + step - 1) / step;
  }
  before = before < count ? before : count;
  end = end < count ? end : count;
  *first = before;
  return end > before ? end - before : 0;
}

void tinsmith_depthwise_block_s8(const tinsmith_depthwise_block *block, const cmsis_nn_dims *input_dims,
                                 const int8_t *input, const cmsis_nn_dims *filter_dims,
                                 const cmsis_nn_dims *output_dims, int8_t *output) {
  const cmsis_nn_dw_conv_params *params = block->params;
  const int32_t channels = input_dims->c;
  const int32_t row = input_dims->w * channels;
  tinsmith_depthwise_pixel *const compute = tinsmith_depthwise_pixel_for(block, filter_dims->w);
  tinsmith_depthwise_taps taps;
  taps.input_row = params->dilation.h * row;
  taps.input_column = params->dilation.w * channels;
  taps.filter_row = filter_dims->w * block->filter_pitch;
  taps.filter_column = block->filter_pitch;
#if TINSMITH_NN_DSP
  taps.listed_rows = 0;
#endif
  for (int32_t n = 0; n < input_dims->n; ++n) {
    int32_t y = -params->padding.h;
    for (int32_t oy = output_dims->h; oy > 0; --oy) {
      int32_t top;
      taps.rows = inside(y, params->dilation.h, filter_dims->h, input_dims->h, &top);
      const int8_t *row_input = input; /* of the first tap of a pixel, column 0 */
      const int8_t *row_filter = block->filter;
      if (taps.rows > 0) { /* else there is no first tap to point at */
        row_input += (y + top * params->dilation.h) * row;
        row_filter += top * taps.filter_row;
      }
      int32_t x = -params->padding.w;
      for (int32_t ox = output_dims->w; ox > 0; --ox) {
        int32_t left;
        taps.columns = inside(x, params->dilation.w, filter_dims->w, input_dims->w, &left);
        if (taps.columns > 0) {
          taps.input = row_input + (x + left * params->dilation.w) * channels;
          taps.filter = row_filter + left * block->filter_pitch;
        } else {
          taps.input = row_input;
          taps.filter = row_filter;
        }
        compute(block, &taps, output);
        output += channels * params->ch_mult;
        x += params->stride.w;
      }
      y += params->stride.h;
    }
    input += input_dims->h * row;
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
  const arm_cmsis_nn_status status = tinsmith_check_depthwise(dw_conv_params);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const tinsmith_depthwise_block block = {
      .params = dw_conv_params,
      .filter = filter_data,
      .filter_pitch = input_dims->c * dw_conv_params->ch_mult,
      .bias = bias_data,
      .multiplier = quant_params->multiplier,
      .shift = quant_params->shift,
      .inputs = input_dims->c,
      .per_input = dw_conv_params->ch_mult,
  };
  tinsmith_depthwise_block_s8(&block, input_dims, input_data, filter_dims, output_dims, output_data);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_COMMON_DEPTHWISE_BLOCK_BODY_H */
