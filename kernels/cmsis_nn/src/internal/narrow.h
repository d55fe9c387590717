/* The output stage of layers with narrow multipliers (tinsmith_nn_narrow.h), for files that define TINSMITH_NN_NARROW
 * as 1 before they include a kernel.
 */
#ifndef TINSMITH_NN_INTERNAL_NARROW_H
#define TINSMITH_NN_INTERNAL_NARROW_H

#include <stdint.h>

#ifndef TINSMITH_NN_NARROW
#define TINSMITH_NN_NARROW 0
#endif

/** floor((sum * multiplier + addend) / 2^shift), where sum * multiplier + addend, addend taken as what it is congruent
 * to modulo 2^32, is a number of 32 bits: then the word that remains of it is that number. */
static inline int32_t tinsmith_scale_narrow(int32_t sum, int32_t multiplier, int32_t shift, int32_t addend) {
  return (int32_t)((uint32_t)sum * (uint32_t)multiplier + (uint32_t)addend) >> shift;
}

#if defined(__ARM_FEATURE_DSP)
/** floor((sum * m + addend * 2^16) / 2^(16 + right)) of multiplier = m * 2^16 + right, m in [0, 2^15), right in [0,
 * 31], |addend| < 2^30. smlawt drops the product's last 16 bits, which are no part of what is added. Nothing overflows:
 * |sum * m / 2^16| < 2^30. The shift reads the last byte of its register alone. */
static inline int32_t tinsmith_scale_narrow_top(int32_t sum, int32_t multiplier, int32_t addend) {
  int32_t value;
  __asm__(
      "smlawt %0, %1, %2, %3\n\t"
      "asr %0, %0, %2"
      : "=&r"(value)
      : "r"(sum), "r"(multiplier), "r"(addend));
  return value;
}
#endif

#endif /* TINSMITH_NN_INTERNAL_NARROW_H */
