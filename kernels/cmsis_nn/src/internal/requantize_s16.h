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

/** The same for many sums: a multiplier so much larger that at least 32 bits are shifted out, which are one register.
 */
typedef struct {
  uint32_t multiplier;
  uint32_t half_low; /* of what is shifted out, in 64 bits */
  uint32_t half_high;
  int32_t left;  /* of the sum, first */
  int32_t right; /* besides 32 */
} tinsmith_scale_s64;

/** reduced and shift: as above. The former has 15 bits, so that it may be raised by 17. */
static inline tinsmith_scale_s64 tinsmith_scale_of_s64(int32_t reduced, int32_t shift) {
  const int32_t missing = 32 - (15 - shift); /* bits to shift out */
  const int32_t raised = missing < 0 ? 0 : (missing > 17 ? 17 : missing);
  const int32_t right = missing < 0 ? -missing : 0;
  return (tinsmith_scale_s64){
      .multiplier = (uint32_t)reduced << raised,
      .half_low = right > 0 ? 0 : UINT32_C(1) << 31,
      .half_high = right > 0 ? UINT32_C(1) << (right - 1) : 0,
      .left = shift > 0 ? shift : 0,
      .right = right,
  };
}

/** tinsmith_requantize_s64() of |acc| < 2^47, or of any sum whose result fits; modulo 2^32 where nothing but 32 bits
 * are shifted out. */
static inline int32_t tinsmith_scale_sum_s64(int64_t acc, const tinsmith_scale_s64 *scale) {
  const uint64_t sum = (uint64_t)acc << scale->left;
  const uint32_t high = (uint32_t)(sum >> 32) * scale->multiplier + scale->half_high;
  const uint64_t low = ((uint64_t)high << 32 | scale->half_low) + (uint64_t)(uint32_t)sum * scale->multiplier;
  return (int32_t)(low >> 32) >> scale->right;
}

#endif /* TINSMITH_NN_INTERNAL_REQUANTIZE_S16_H */
