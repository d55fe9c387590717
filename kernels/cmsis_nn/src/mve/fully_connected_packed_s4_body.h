/* Fully connected on arranged weights of four bits, on MVE.
 *
 * A byte holds the weights of two channels, a + 16 b. Its sum with the input is that of both, and shifted to the left
 * by four bits it is 16 a: one load and one shift, where bytes take two loads. As in fully_connected_packed.c six
 * channels are done at once.
 */
#ifndef TINSMITH_NN_MVE_FULLY_CONNECTED_PACKED_S4_BODY_H
#define TINSMITH_NN_MVE_FULLY_CONNECTED_PACKED_S4_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/tinsmith_nn.h"
#include "src/internal/arguments.h"
#include "src/internal/compiler.h"
#include "src/mve/requantize.h"

/** Channels that are summed together, and channels between sums and outputs. */
enum { kPairs = 3, kTogether = 2 * kPairs, kChannelsAtOnce = 24 * kTogether };

/** The sums of two channels from that of both and 16 times that of the first. */
static inline void store_pair(int32_t both, int32_t first_16, int32_t *sums) {
  const int32_t first = first_16 >> 4;
  sums[0] = first;
  sums[1] = (both - first) >> 4;
}

/** Sums of one row and `groups` times kTogether channels. Not inlined: it needs every register. */
TINSMITH_NOINLINE static void sum_groups(const int8_t *row, int32_t depth, const int8_t *weights, int32_t groups,
                                         const int32_t *bias, int32_t *sums) {
  TINSMITH_NO_UNROLL
  for (; groups > 0; --groups) {
    const int8_t *from = row;
    int32_t both0 = bias[0];
    int32_t first0 = bias[1];
    int32_t both1 = bias[2];
    int32_t first1 = bias[3];
    int32_t both2 = bias[4];
    int32_t first2 = bias[5];
    int32_t left = depth;
    do {
      const mve_pred16_t p = vctp8q((uint32_t)left);
      const int8x16_t x = vldrbq_z_s8(from, p);
      const int8x16_t w0 = vldrbq_z_s8(weights, p);
      both0 = vmladavaq_p_s8(both0, x, w0, p);
      first0 = vmladavaq_p_s8(first0, x, vshlq_n_s8(w0, 4), p);
      const int8x16_t w1 = vldrbq_z_s8(weights + kByteLanes, p);
      both1 = vmladavaq_p_s8(both1, x, w1, p);
      first1 = vmladavaq_p_s8(first1, x, vshlq_n_s8(w1, 4), p);
      const int8x16_t w2 = vldrbq_z_s8(weights + 2 * kByteLanes, p);
      both2 = vmladavaq_p_s8(both2, x, w2, p);
      first2 = vmladavaq_p_s8(first2, x, vshlq_n_s8(w2, 4), p);
      from += kByteLanes;
      weights += kPairs * kByteLanes;
      left -= kByteLanes;
    } while (left > 0);
    store_pair(both0, first0, sums);
    store_pair(both1, first1, sums + 2);
    store_pair(both2, first2, sums + 4);
    bias += kTogether;
    sums += kTogether;
  }
}

/** Sums of one row and the pairs of channels that are left, one after the other. */
static void sum_last(const int8_t *row, int32_t depth, const int8_t *weights, int32_t pairs, const int32_t *bias,
                     int32_t *sums) {
  for (; pairs > 0; --pairs) {
    int32_t both = bias[0];
    int32_t first = bias[1];
    for (int32_t i = 0; i < depth; i += kByteLanes) {
      const mve_pred16_t p = vctp8q((uint32_t)(depth - i));
      const int8x16_t x = vldrbq_z_s8(row + i, p);
      const int8x16_t w = vldrbq_z_s8(weights, p);
      both = vmladavaq_p_s8(both, x, w, p);
      first = vmladavaq_p_s8(first, x, vshlq_n_s8(w, 4), p);
      weights += kByteLanes;
    }
    store_pair(both, first, sums);
    bias += 2;
    sums += 2;
  }
}

static void multiply_row(const mve_output_scale *scale, const cmsis_nn_dims *filter_dims, const int8_t *row,
                         const int8_t *weights, const int32_t *bias, int8_t *output) {
  const int32_t depth = filter_dims->n;
  const int32_t pair_bytes = (depth + kByteLanes - 1) / kByteLanes * kByteLanes;
  for (int32_t first = 0; first < filter_dims->c; first += kChannelsAtOnce) {
    const int32_t rest = filter_dims->c - first;
    const int32_t count = rest < kChannelsAtOnce ? rest : kChannelsAtOnce;
    int32_t sums[kChannelsAtOnce];
    const int32_t pairs = (count + 1) / 2;
    const int32_t groups = pairs / kPairs;
    const int32_t grouped = groups * kTogether;
    sum_groups(row, depth, weights, groups, bias + first, sums);
    weights += groups * kPairs * pair_bytes;
    sum_last(row, depth, weights, pairs - groups * kPairs, bias + first + grouped, sums + grouped);
    tinsmith_mve_store_row(scale, first, sums, count, output + first);
  }
}

arm_cmsis_nn_status tinsmith_fully_connected_packed_s4(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
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

#endif /* TINSMITH_NN_MVE_FULLY_CONNECTED_PACKED_S4_BODY_H */
