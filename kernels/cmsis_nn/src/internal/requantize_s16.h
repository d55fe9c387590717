/* The output stage of int16 kernels whose sums have 64 bits: TFLite's multiplier of 16 bits, rounded once. */
#ifndef TINSMITH_NN_INTERNAL_REQUANTIZE_S16_H
#define TINSMITH_NN_INTERNAL_REQUANTIZE_S16_H

#include <stdint.h>

/** The Q31 multiplier in 16 bits. */
static inline int32_t tinsmith_reduced_multiplier(int32_t multiplier) {
  return multiplier < 0x7fff0000 ? (multiplier + (1 << 15)) >> 16 : 0x7fff;
}

/** TFLite's MultiplyByQuantizedMultiplier of 64 bits. reduced: of tinsmith_reduced_multiplier(). shift in [-31, 14].
 * floor((v + 2^(n - 1)) / 2^n) is floor((floor(v / 2^(n - 1)) + 1) / 2), whose addend needs no shift. */
static inline int32_t tinsmith_requantize_s64(int64_t acc, int32_t reduced, int32_t shift) {
  return (int32_t)((((acc * reduced) >> (14 - shift)) + 1) >> 1);
}

#endif /* TINSMITH_NN_INTERNAL_REQUANTIZE_S16_H */
