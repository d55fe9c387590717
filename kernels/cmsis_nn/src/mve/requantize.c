/* Sums to outputs, for every kernel that collects sums of four channels at several positions.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "src/mve/requantize.h"

void tinsmith_mve_store_sums(const mve_output_scale *scale, int32_t channel, mve_pred16_t present,
                             const mve_sum_table sums, int32_t count, int8_t *output, int32_t output_pitch) {
  const int32_t quant = scale->per_channel ? channel : 0;
  const int32x4_t multiplier = vldrwq_z_s32(scale->multiplier + quant, present);
  const int32x4_t shift = vldrwq_z_s32(scale->shift + quant, present);
  const mve_output_range range = scale->range;
  if (scale->shifts_right) {
    for (int32_t i = 0; i < count; ++i) {
      const int32x4_t value = mve_requantize_right(vldrwq_s32(sums[i]), multiplier, shift);
      vstrbq_p_s32(output, mve_to_range(value, &range), present);
      output += output_pitch;
    }
  } else {
    for (int32_t i = 0; i < count; ++i) {
      const int32x4_t value = mve_requantize(vldrwq_s32(sums[i]), multiplier, shift);
      vstrbq_p_s32(output, mve_to_range(value, &range), present);
      output += output_pitch;
    }
  }
}

bool tinsmith_mve_shifts_right(const int32_t *shift, int32_t count) {
  int32_t greatest = -1;
  for (int32_t left = count; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    greatest = vmaxvq_p_s32(greatest, vldrwq_z_s32(shift, p), p);
    shift += kWordLanes;
  }
  return greatest < 0;
}

#endif /* TINSMITH_NN_MVE */
