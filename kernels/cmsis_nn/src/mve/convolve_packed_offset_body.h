/* Convolution on weights with a zero point on MVE: window by window, four channels at a time.
 *
 * sum of x * (w + offset) = sum of x * w + offset * sum of x, and the last is the same for all channels.
 */
#ifndef TINSMITH_NN_MVE_CONVOLVE_PACKED_OFFSET_BODY_H
#define TINSMITH_NN_MVE_CONVOLVE_PACKED_OFFSET_BODY_H

#include "include/tinsmith_nn.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "src/internal/arguments.h"
#include "src/internal/im2col.h"
#include "src/mve/matrix_product.h"
#include "src/mve/one_row.h"

/** Channels between sums and outputs. */
enum { kChannelsAtOnce = 64 };

static int32_t sum_values(const int8_t *row, int32_t depth) {
  int32_t sum = 0;
  for (int32_t left = depth; left > 0; left -= kByteLanes) {
    sum = vaddvaq_s8(sum, vldrbq_z_s8(row, vctp8q((uint32_t)left)));
    row += kByteLanes;
  }
  return sum;
}

/** One window; offset: what its values' sum is multiplied by. */
static void multiply_window(const mve_matrix *matrix, int32_t offset, const int8_t *row, int8_t *output) {
  const int32_t depth = matrix->depth;
  const int8_t *weights = matrix->weights;
  const int32x4_t term = vdupq_n_s32(offset * sum_values(row, depth));
  for (int32_t first = 0; first < matrix->channels; first += kChannelsAtOnce) {
    const int32_t rest = matrix->channels - first;
    const int32_t count = rest < kChannelsAtOnce ? rest : kChannelsAtOnce;
    int32_t sums[kChannelsAtOnce];
    for (int32_t i = 0; i < count; i += kWordLanes) {
      mve_sum_1x4(row, weights, depth, depth, sums + i);
      const int32x4_t start = vaddq_s32(term, vldrwq_s32(matrix->bias + first + i));
      vstrwq_s32(sums + i, vaddq_s32(vldrwq_s32(sums + i), start));
      weights += kWordLanes * depth;
    }
    tinsmith_mve_store_row(&matrix->scale, first, sums, count, output + first);
  }
}

arm_cmsis_nn_status tinsmith_convolve_packed_offset_s8(const cmsis_nn_context *ctx,
                                                       const cmsis_nn_conv_params *conv_params,
                                                       const cmsis_nn_per_channel_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data) {
  const tinsmith_windows windows = tinsmith_windows_of(conv_params, input_dims, input_data, filter_dims, output_dims);
  const bool in_place = tinsmith_windows_are_pixels(&windows);
  const arm_cmsis_nn_status status =
      tinsmith_check_convolve_packed(ctx, in_place, input_dims, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const int32_t channels = output_dims->c;
  const mve_matrix matrix = {
      .weights = filter_data,
      .channels = channels,
      .depth = filter_dims->h * filter_dims->w * filter_dims->c,
      .bias = bias_data,
      .scale = {.multiplier = quant_params->multiplier,
                .shift = quant_params->shift,
                .per_channel = true,
                .range = {conv_params->output_offset, conv_params->activation.min, conv_params->activation.max}},
  };
  const int32_t offset = bias_data[(channels + 3) / 4 * 4];
  int8_t *column = ctx->buf;
  tinsmith_window window = tinsmith_first_window(&windows);
  for (int32_t left = output_dims->n * output_dims->h * output_dims->w; left > 0; --left) {
    if (in_place) {
      multiply_window(&matrix, offset, tinsmith_window_pixel(&windows, &window), output_data);
    } else {
      tinsmith_copy_window(&windows, &window, 0, column);
      multiply_window(&matrix, offset, column, output_data);
    }
    output_data += channels;
    tinsmith_next_window(&windows, &window);
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_CONVOLVE_PACKED_OFFSET_BODY_H */
