/* Fully connected on arranged weights, on MVE.
 *
 * With one row there is nothing to share weights with, so what counts is how little is done besides loading them: the
 * arrangement has the sixteen weights of each of six channels follow each other, which makes one pointer of six, and
 * leaves registers for six sums.
 */
#ifndef TINSMITH_NN_MVE_FULLY_CONNECTED_PACKED_BODY_H
#define TINSMITH_NN_MVE_FULLY_CONNECTED_PACKED_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/tinsmith_nn.h"
#include "src/internal/arguments.h"
#include "src/mve/requantize.h"

/** Channels that are summed together, and channels between sums and outputs. */
enum { kTogether = 6, kChannelsAtOnce = 24 * kTogether };

/** Sums of one row and `groups` times kTogether channels. Not inlined: it needs every register. */
__attribute__((noinline)) static void sum_groups(const int8_t *row, int32_t depth, const int8_t *weights,
                                                 int32_t groups, const int32_t *bias, int32_t *sums) {
  for (; groups > 0; --groups) {
    const int8_t *from = row;
    int32_t s0 = bias[0];
    int32_t s1 = bias[1];
    int32_t s2 = bias[2];
    int32_t s3 = bias[3];
    int32_t s4 = bias[4];
    int32_t s5 = bias[5];
    int32_t left = depth;
    do {
      const mve_pred16_t p = vctp8q((uint32_t)left);
      const int8x16_t x = vldrbq_z_s8(from, p);
      s0 = vmladavaq_p_s8(s0, x, vldrbq_z_s8(weights, p), p);
      s1 = vmladavaq_p_s8(s1, x, vldrbq_z_s8(weights + kByteLanes, p), p);
      s2 = vmladavaq_p_s8(s2, x, vldrbq_z_s8(weights + 2 * kByteLanes, p), p);
      s3 = vmladavaq_p_s8(s3, x, vldrbq_z_s8(weights + 3 * kByteLanes, p), p);
      s4 = vmladavaq_p_s8(s4, x, vldrbq_z_s8(weights + 4 * kByteLanes, p), p);
      s5 = vmladavaq_p_s8(s5, x, vldrbq_z_s8(weights + 5 * kByteLanes, p), p);
      from += kByteLanes;
      weights += kTogether * kByteLanes;
      left -= kByteLanes;
    } while (left > 0);
    sums[0] = s0;
    sums[1] = s1;
    sums[2] = s2;
    sums[3] = s3;
    sums[4] = s4;
    sums[5] = s5;
    bias += kTogether;
    sums += kTogether;
  }
}

/** Sums of one row and fewer channels, whose weights follow each other in the same way. */
static void sum_last(const int8_t *row, int32_t depth, const int8_t *weights, int32_t channels, const int32_t *bias,
                     int32_t *sums) {
  for (int32_t channel = 0; channel < channels; ++channel) {
    const int8_t *from = weights + channel * kByteLanes;
    int32_t sum = bias[channel];
    for (int32_t i = 0; i < depth; i += kByteLanes) {
      const mve_pred16_t p = vctp8q((uint32_t)(depth - i));
      sum = vmladavaq_p_s8(sum, vldrbq_z_s8(row + i, p), vldrbq_z_s8(from, p), p);
      from += channels * kByteLanes;
    }
    sums[channel] = sum;
  }
}

static void multiply_row(const mve_output_scale *scale, const cmsis_nn_dims *filter_dims, const int8_t *row,
                         const int8_t *weights, const int32_t *bias, int8_t *output) {
  const int32_t depth = filter_dims->n;
  const int32_t channel_bytes = (depth + kByteLanes - 1) / kByteLanes * kByteLanes;
  for (int32_t first = 0; first < filter_dims->c; first += kChannelsAtOnce) {
    const int32_t rest = filter_dims->c - first;
    const int32_t count = rest < kChannelsAtOnce ? rest : kChannelsAtOnce;
    int32_t sums[kChannelsAtOnce];
    const int32_t grouped = count / kTogether * kTogether;
    sum_groups(row, depth, weights, grouped / kTogether, bias + first, sums);
    weights += grouped * channel_bytes;
    sum_last(row, depth, weights, count - grouped, bias + first + grouped, sums + grouped);
    tinsmith_mve_store_row(scale, first, sums, count, output + first);
  }
}

arm_cmsis_nn_status tinsmith_fully_connected_packed_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                       const cmsis_nn_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data) {
  (void)ctx;
  const arm_cmsis_nn_status status = tinsmith_check_fully_connected_packed(fc_params, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const mve_output_scale scale = mve_scale_of_rows(fc_params, quant_params);
  for (int32_t batch = 0; batch < input_dims->n; ++batch) {
    multiply_row(&scale, filter_dims, input_data, filter_data, bias_data, output_data);
    input_data += filter_dims->n;
    output_data += filter_dims->c;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_FULLY_CONNECTED_PACKED_BODY_H */
