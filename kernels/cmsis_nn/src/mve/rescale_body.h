/* Values from one scale to another (tinsmith_nn_rescaling.h) on MVE: four int32 lanes, tail-predicated. */
#ifndef TINSMITH_NN_MVE_RESCALE_BODY_H
#define TINSMITH_NN_MVE_RESCALE_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/tinsmith_nn_rescaling.h"
#include "src/mve/requantize.h"

/** value * multiplier * 2^-31: rounded half up, and less 1 if it is negative and tie is 1; or rounded down if the only
 * rounding comes later. */
static inline int32x4_t product(int32x4_t value, int32_t multiplier, int32_t tie) {
#if TINSMITH_NN_NEAREST
  (void)tie;
  return vqdmulhq_n_s32(value, multiplier);
#else
  value = vqrdmulhq_n_s32(value, multiplier);
  return vaddq_s32(value, vqdmulhq_n_s32(value, tie));
#endif
}

/* The product doubles, so that units are taken as half of what they are; what is rounded when it is divided takes in
 * the zero point. */
#define TINSMITH_DEFINE_RESCALE(function, from, to, load, store)                                           \
  void function(const tinsmith_rescale_params *params, int32_t elements, const from *input, to *output) {  \
    const int32_t right = params->right, tie = right > 0, half = params->half, start = params->start / 2;  \
    const int32x4_t units = vdupq_n_s32(params->unit / 2);                                                 \
    const int32x4_t low = vdupq_n_s32(params->activation.min), high = vdupq_n_s32(params->activation.max); \
    for (int32_t left = elements; left > 0; left -= kWordLanes) {                                          \
      const mve_pred16_t p = vctp32q((uint32_t)left);                                                      \
      int32x4_t value = vmlasq_n_s32((int32x4_t)load(input, p), units, start);                             \
      value = vaddq_n_s32(product(value, params->multiplier, tie), half);                                  \
      value = vshlq_r_s32(value, -right);                                                                  \
      value = vminq_s32(vmaxq_s32(value, low), high);                                                      \
      store(output, value, p);                                                                             \
      input += kWordLanes;                                                                                 \
      output += kWordLanes;                                                                                \
    }                                                                                                      \
  }

static inline void store_u8(uint8_t *output, int32x4_t value, mve_pred16_t p) {
  vstrbq_p_u32(output, (uint32x4_t)value, p);
}

TINSMITH_DEFINE_RESCALE(tinsmith_rescale_s8_s8, int8_t, int8_t, vldrbq_z_s32, vstrbq_p_s32)
TINSMITH_DEFINE_RESCALE(tinsmith_rescale_s8_u8, int8_t, uint8_t, vldrbq_z_s32, store_u8)
TINSMITH_DEFINE_RESCALE(tinsmith_rescale_s8_s16, int8_t, int16_t, vldrbq_z_s32, vstrhq_p_s32)
TINSMITH_DEFINE_RESCALE(tinsmith_rescale_u8_s8, uint8_t, int8_t, vldrbq_z_u32, vstrbq_p_s32)
TINSMITH_DEFINE_RESCALE(tinsmith_rescale_s16_s8, int16_t, int8_t, vldrhq_z_s32, vstrbq_p_s32)
TINSMITH_DEFINE_RESCALE(tinsmith_rescale_s16_s16, int16_t, int16_t, vldrhq_z_s32, vstrhq_p_s32)

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_RESCALE_BODY_H */
