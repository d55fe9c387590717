/* Depthwise convolution pixel by pixel (internal/depthwise_block.h): channel by channel, all that plain
 * C does, and the others for what they have no loops of their own for. */
#ifndef TINSMITH_NN_C_DEPTHWISE_BLOCK_BODY_H
#define TINSMITH_NN_C_DEPTHWISE_BLOCK_BODY_H

#include <stddef.h>

#include "src/internal/compiler.h"
#include "src/internal/depthwise_block.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"

/** The sum of one channel, its first tap at x and w. */
static inline int32_t sum_taps(const tinsmith_depthwise_taps *taps, const int8_t *x, const int8_t *w, int32_t offset) {
  const int32_t columns = taps->columns;
  const int32_t x_step = taps->input_column;
  const int32_t w_step = taps->filter_column;
  int32_t sum = 0;
  TINSMITH_NO_UNROLL
  for (int32_t rows = taps->rows; rows != 0; --rows) {
    if (columns == 3 || columns == 2) { /* the usual window, and the same at a border */
      sum += (x[0] + offset) * w[0];
      sum += (x[x_step] + offset) * w[w_step];
      if (columns == 3) {
        sum += (x[2 * x_step] + offset) * w[2 * w_step];
      }
    } else {
      const int8_t *x_tap = x;
      const int8_t *w_tap = w;
      TINSMITH_NO_UNROLL
      for (int32_t left = columns; left != 0; --left) {
        sum += (*x_tap + offset) * *w_tap;
        x_tap += x_step;
        w_tap += w_step;
      }
    }
    x += taps->input_row;
    w += taps->filter_row;
  }
  return sum;
}

void tinsmith_depthwise_pixel_singly(const tinsmith_depthwise_block *block, tinsmith_depthwise_taps *taps,
                                     int8_t *output) {
  const cmsis_nn_dw_conv_params *params = block->params;
  const int8_t *x = taps->input;
  const int32_t channels = block->inputs * block->per_input;
  int32_t left = block->per_input; /* of the outputs of x */
  TINSMITH_NO_UNROLL
  for (int32_t channel = 0; channel < channels; ++channel) {
    const int32_t sum = sum_taps(taps, x, taps->filter + channel, params->input_offset);
    const int32_t acc = block->bias == NULL ? sum : sum + block->bias[channel];
    const int32_t value =
        tinsmith_requantize_to(acc, block->multiplier[channel], block->shift[channel], params->output_offset);
    output[channel] = (int8_t)tinsmith_clamp(value, params->activation.min, params->activation.max);
    if (--left == 0) {
      ++x;
      left = block->per_input;
    }
  }
}

#if TINSMITH_NN_C
tinsmith_depthwise_pixel *tinsmith_depthwise_pixel_for(const tinsmith_depthwise_block *block, int32_t filter_w) {
  (void)block;
  (void)filter_w;
  return tinsmith_depthwise_pixel_singly;
}
#endif

#endif /* TINSMITH_NN_C_DEPTHWISE_BLOCK_BODY_H */
