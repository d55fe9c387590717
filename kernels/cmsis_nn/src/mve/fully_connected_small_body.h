/* Fully connected of few weights, on MVE.
 *
 * What counts in a small layer is what is done besides the products: no sums go through memory, nothing is called, and
 * four channels are scaled as soon as they are summed.
 */
#ifndef TINSMITH_NN_MVE_FULLY_CONNECTED_SMALL_BODY_H
#define TINSMITH_NN_MVE_FULLY_CONNECTED_SMALL_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/tinsmith_nn.h"
#include "src/internal/arguments.h"
#include "src/mve/requantize.h"

arm_cmsis_nn_status tinsmith_fully_connected_small_s8(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
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
  const mve_output_range range = {fc_params->output_offset, fc_params->activation.min, fc_params->activation.max};
  const int32_t pitch = quant_params->is_per_channel != 0 ? kWordLanes : 0;
  const int32_t depth = filter_dims->n;
  for (int32_t batch = input_dims->n; batch > 0; --batch) {
    const int8_t *weights = filter_data;
    const int32_t *bias = bias_data;
    const int32_t *multiplier = quant_params->multiplier;
    const int32_t *shift = quant_params->shift;
    for (int32_t channels = filter_dims->c; channels > 0; channels -= kWordLanes) {
      int32_t s0 = bias[0];
      int32_t s1 = bias[1];
      int32_t s2 = bias[2];
      int32_t s3 = bias[3];
      const int8_t *from = input_data;
      int32_t left = depth;
      do {
        const int8x16_t x = vldrbq_z_s8(from, vctp8q((uint32_t)left));
        s0 = vmladavaq_s8(s0, x, vldrbq_s8(weights));
        s1 = vmladavaq_s8(s1, x, vldrbq_s8(weights + kByteLanes));
        s2 = vmladavaq_s8(s2, x, vldrbq_s8(weights + 2 * kByteLanes));
        s3 = vmladavaq_s8(s3, x, vldrbq_s8(weights + 3 * kByteLanes));
        weights += kWordLanes * kByteLanes;
        from += kByteLanes;
        left -= kByteLanes;
      } while (left > 0);
      const int32x4_t sums = {s0, s1, s2, s3};
      const int32x4_t scaled = mve_requantize(sums, vldrwq_s32(multiplier), vldrwq_s32(shift));
      vstrbq_p_s32(output_data, mve_to_range(scaled, &range), vctp32q((uint32_t)channels));
      output_data += channels < kWordLanes ? channels : kWordLanes;
      bias += kWordLanes;
      multiplier += pitch;
      shift += pitch;
    }
    input_data += depth;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_FULLY_CONNECTED_SMALL_BODY_H */
