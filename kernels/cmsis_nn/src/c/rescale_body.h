/* Values from one scale to another (tinsmith_nn_rescaling.h), for plain C and the DSP extension. */
#ifndef TINSMITH_NN_C_RESCALE_BODY_H
#define TINSMITH_NN_C_RESCALE_BODY_H

#include "include/tinsmith_nn_rescaling.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"
#include "src/internal/rescale.h"

#if !TINSMITH_NN_MVE

/* Where an instruction saturates, it takes the place of the clamp, which few layers have. */
#if defined(__ARM_FEATURE_SAT)
#define TINSMITH_SATURATED(instruction, bits)                                \
  static inline int32_t saturated_##instruction##bits(int32_t value) {       \
    int32_t result;                                                          \
    __asm__(#instruction " %0, #" #bits ", %1" : "=r"(result) : "r"(value)); \
    return result;                                                           \
  }
TINSMITH_SATURATED(ssat, 8)
TINSMITH_SATURATED(ssat, 16)
TINSMITH_SATURATED(usat, 8)
#define TINSMITH_STORE_RESCALED(value, saturated) saturated(value)
enum { kClampsLater = 1 };
#else
#define TINSMITH_STORE_RESCALED(value, saturated) tinsmith_clamp(value, low, high)
enum { kClampsLater = 0 };
#endif

#define TINSMITH_DEFINE_RESCALE(function, from, to, least, most, saturated)                               \
  void function(const tinsmith_rescale_params *params, int32_t elements, const from *input, to *output) { \
    const int32_t unit = params->unit, start = params->start, multiplier = params->multiplier;            \
    const int32_t right = params->right, half = params->half, nudged = -(right > 0);                      \
    const int32_t low = params->activation.min, high = params->activation.max;                            \
    TINSMITH_NO_UNROLL                                                                                    \
    for (int32_t i = 0; i < elements; ++i) {                                                              \
      const int32_t product = tinsmith_multiply_doubled(input[i] * unit + start, multiplier);             \
      const int32_t value = tinsmith_divide_and_move(product, nudged, half, right);                       \
      output[i] = (to)TINSMITH_STORE_RESCALED(value, saturated);                                          \
    }                                                                                                     \
    if (kClampsLater && (low > (least) || high < (most))) {                                               \
      TINSMITH_NO_UNROLL                                                                                  \
      for (int32_t i = 0; i < elements; ++i) {                                                            \
        output[i] = (to)tinsmith_clamp(output[i], low, high);                                             \
      }                                                                                                   \
    }                                                                                                     \
  }

TINSMITH_DEFINE_RESCALE(tinsmith_rescale_s8_s8, int8_t, int8_t, INT8_MIN, INT8_MAX, saturated_ssat8)
TINSMITH_DEFINE_RESCALE(tinsmith_rescale_s8_u8, int8_t, uint8_t, 0, (int32_t)UINT8_MAX, saturated_usat8)
TINSMITH_DEFINE_RESCALE(tinsmith_rescale_s8_s16, int8_t, int16_t, INT16_MIN, INT16_MAX, saturated_ssat16)
TINSMITH_DEFINE_RESCALE(tinsmith_rescale_u8_s8, uint8_t, int8_t, INT8_MIN, INT8_MAX, saturated_ssat8)
TINSMITH_DEFINE_RESCALE(tinsmith_rescale_s16_s8, int16_t, int8_t, INT8_MIN, INT8_MAX, saturated_ssat8)
TINSMITH_DEFINE_RESCALE(tinsmith_rescale_s16_s16, int16_t, int16_t, INT16_MIN, INT16_MAX, saturated_ssat16)

#endif /* !TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_C_RESCALE_BODY_H */
