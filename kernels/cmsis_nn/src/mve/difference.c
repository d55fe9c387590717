/* Difference of two tensors on MVE: four int32 lanes, tail-predicated. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/tinsmith_nn.h"
#include "src/mve/requantize.h"

/** value * multiplier, which doubles, divided by 2^right, half away from zero; half: see tinsmith_difference_params. */
static inline int32x4_t scaled_value(int32x4_t value, int32_t multiplier, int32_t half, int32_t right) {
  value = vqrdmulhq_n_s32(value, multiplier);
  value = vaddq_s32(value, vqdmulhq_n_s32(value, 1));
  return vshlq_r_s32(vaddq_n_s32(value, half), -right);
}

void tinsmith_difference_s8(const tinsmith_difference_params *params, const int8_t *shifted, const int8_t *scaled,
                            int8_t *output, int32_t elements) {
  /* VQRDMULH doubles, so that units are taken as half of what they are. */
  const int32x4_t shifted_units = vdupq_n_s32(params->shifted_unit / 2);
  const int32x4_t units = vdupq_n_s32(params->scaled_unit / 2);
  const int32x4_t flip = vdupq_n_s32(params->scaled_flip);
  const int32_t shifted_start = params->shifted_start / 2, start = params->scaled_start / 2;
  const int32_t scaled_half = 1 << (params->scaled_right - 1);
  for (int32_t left = elements; left > 0; left -= kWordLanes) {
    const mve_pred16_t p = vctp32q((uint32_t)left);
    int32x4_t other = vmlasq_n_s32(vldrbq_z_s32(scaled, p), units, start);
    other = scaled_value(other, params->scaled_multiplier, scaled_half, params->scaled_right);
    const int32x4_t one = vmlasq_n_s32(vldrbq_z_s32(shifted, p), shifted_units, shifted_start);
    int32x4_t result = vaddq_s32(one, veorq_s32(other, flip));
    result = scaled_value(result, params->multiplier, params->half, params->right);
    result = vmaxq_s32(result, vdupq_n_s32(params->activation.min));
    result = vminq_s32(result, vdupq_n_s32(params->activation.max));
    vstrbq_p_s32(output, result, p);
    shifted += kWordLanes;
    scaled += kWordLanes;
    output += kWordLanes;
  }
}

#endif /* TINSMITH_NN_MVE */
