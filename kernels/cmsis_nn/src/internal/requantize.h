/* The output stage of every int8 kernel: TFLite's two roundings (gemmlowp), in two forms. The folded one also rounds
 * once, in files that ask for it (rounding.h).
 *
 * General form, any multiplier and shift:     tinsmith_requantize(acc, multiplier, shift)
 * Folded form, arranged by the compiler:      tinsmith_requantize_folded(acc, multiplier, shift, half_and_zero_point)
 */
#ifndef TINSMITH_NN_INTERNAL_REQUANTIZE_H
#define TINSMITH_NN_INTERNAL_REQUANTIZE_H

#include <stdint.h>

#include "src/internal/rounding.h"

/** gemmlowp's SaturatingRoundingDoublingHighMul for multiplier >= 0, where saturation cannot happen. Its truncating
 * division with a sign-dependent nudge equals a rounded-up floor: floor((a * b + 2^30) / 2^31). Or floor(a * b / 2^31)
 * if the only rounding comes later. */
static inline int32_t tinsmith_doubling_high_multiply(int32_t value, int32_t multiplier) {
#if defined(__ARM_FEATURE_DSP)
  /* (addend * 2^32 + value * doubled + 2^31) >> 32, where doubled reads as 2 * multiplier - 2^32 if that is too large.
   */
  const int32_t doubled = (int32_t)((uint32_t)multiplier << 1);
  const int32_t addend = value & (doubled >> 31);
  int32_t product;
#if TINSMITH_NN_NEAREST
  __asm__("smmla %0, %1, %2, %3" : "=r"(product) : "r"(value), "r"(doubled), "r"(addend));
#else
  __asm__("smmlar %0, %1, %2, %3" : "=r"(product) : "r"(value), "r"(doubled), "r"(addend));
#endif
  return product;
#else
  const int64_t half = TINSMITH_NN_NEAREST ? 0 : INT64_C(1) << 30;
  return (int32_t)(((int64_t)value * multiplier + half) >> 31);
#endif
}

/** gemmlowp's RoundingDivideByPOT: value / 2^exponent, half away from zero. exponent in [0, 31], value > INT32_MIN.
 * floor((value - (value < 0) + 2^(exponent - 1)) / 2^exponent), shifted in two steps so that nothing overflows. */
static inline int32_t tinsmith_rounding_divide(int32_t value, int32_t exponent) {
  if (exponent == 0) {
    return value;
  }
  return (((value + (value >> 31)) >> (exponent - 1)) + 1) >> 1;
}

#if TINSMITH_NN_NEAREST
/** acc * multiplier * 2^(shift - 31), rounded once. shift in [-31, 30]; acc * 2^(shift + 1) must fit 32 bits if shift
 * is not negative. */
static inline int32_t tinsmith_requantize(int32_t acc, int32_t multiplier, int32_t shift) {
#if defined(__ARM_FEATURE_DSP)
  int32_t left;
  __asm__("usat %0, #5, %1" : "=r"(left) : "r"(shift + 1)); /* negative numbers become 0 */
  int32_t value = tinsmith_doubling_high_multiply((int32_t)((uint32_t)acc << left), multiplier);
  /* The last bit shifted out, in the carry, is the rounding's half. */
  __asm__(
      "asrs %0, %0, %1\n\t"
      "adc %0, %0, #0"
      : "+r"(value)
      : "r"(left - shift)
      : "cc");
  return value;
#else
  const int32_t left = shift < 0 ? 0 : shift + 1;
  const int32_t right = left - shift;
  const int32_t high = tinsmith_doubling_high_multiply((int32_t)((uint32_t)acc << left), multiplier);
  return ((high >> (right - 1)) + 1) >> 1;
#endif
}
#else
/** TFLite's MultiplyByQuantizedMultiplier. shift in [-31, 30]; acc * 2^max(shift, 0) must fit 32 bits. */
static inline int32_t tinsmith_requantize(int32_t acc, int32_t multiplier, int32_t shift) {
  const int32_t left = shift > 0 ? shift : 0;
  const int32_t right = shift > 0 ? 0 : -shift;
  const int32_t shifted = (int32_t)((uint32_t)acc << left);
  return tinsmith_rounding_divide(tinsmith_doubling_high_multiply(shifted, multiplier), right);
}
#endif

/** One multiplier and shift for many sums. */
typedef struct {
  int32_t multiplier;
  int32_t left;
  int32_t nudge_mask;  /* -1 if anything is shifted to the right, else 0; rounded once always 0 */
  int32_t all_but_one; /* bits to the right, without the last */
  int32_t one;         /* the last; 0 if there is none */
} tinsmith_scale;

/** shift in [-31, 30] */
static inline tinsmith_scale tinsmith_scale_of(int32_t multiplier, int32_t shift) {
#if TINSMITH_NN_NEAREST
  const int32_t left = shift < 0 ? 0 : shift + 1;
  return (tinsmith_scale){.multiplier = multiplier, .left = left, .all_but_one = left - shift - 1, .one = 1};
#else
  return (tinsmith_scale){
      .multiplier = multiplier,
      .left = shift > 0 ? shift : 0,
      .nudge_mask = -(shift < 0),
      .all_but_one = shift < 0 ? -shift - 1 : 0,
      .one = shift < 0,
  };
#endif
}

/** tinsmith_requantize() without deciding anything. */
static inline int32_t tinsmith_scale_sum(int32_t acc, const tinsmith_scale *scale) {
  const int32_t shifted = (int32_t)((uint32_t)acc << scale->left);
  const int32_t product = tinsmith_doubling_high_multiply(shifted, scale->multiplier);
  const int32_t nudge = TINSMITH_NN_NEAREST ? 0 : (product & scale->nudge_mask) >> 31;
  const int32_t nudged = product + nudge;
  return ((nudged >> scale->all_but_one) + scale->one) >> scale->one;
}

/** The same plus the zero point. */
static inline int32_t tinsmith_requantize_to(int32_t acc, int32_t multiplier, int32_t shift, int32_t zero_point) {
#if defined(__ARM_FEATURE_DSP) && !TINSMITH_NN_NEAREST
  int32_t left, right;
  __asm__("usat %0, #5, %1" : "=r"(left) : "r"(shift)); /* negative shifts become 0 */
  __asm__("usat %0, #5, %1" : "=r"(right) : "r"(-shift));
  int32_t value = tinsmith_doubling_high_multiply((int32_t)((uint32_t)acc << left), multiplier);
  int32_t nudge;
  /* value -= value < 0 if it is going to be shifted; the last bit shifted out, in the carry, is the rounding's half.
   * Without a shift nothing is taken, so that the sum leaves no carry. */
  __asm__(
      "and %1, %0, %2\n\t"
      "adds %0, %0, %1, asr #31\n\t"
      "asrs %0, %0, %3\n\t"
      "adc %0, %0, %4"
      : "+r"(value), "=&r"(nudge)
      : "r"(shift), "r"(right), "r"(zero_point)
      : "cc");
  return value;
#else
  return tinsmith_requantize(acc, multiplier, shift) + zero_point;
#endif
}

/** value saturated to int8. */
static inline int8_t tinsmith_saturate_s8(int32_t value) {
#if defined(__ARM_FEATURE_SAT)
  int32_t saturated;
  __asm__("ssat %0, #8, %1" : "=r"(saturated) : "r"(value));
  return (int8_t)saturated;
#else
  const int32_t raised = value < INT8_MIN ? INT8_MIN : value;
  return (int8_t)(raised > INT8_MAX ? INT8_MAX : raised);
#endif
}

static inline int32_t tinsmith_clamp(int32_t value, int32_t min, int32_t max) {
  return value < min ? min : (value > max ? max : value);
}

/* The folded form: multiplier is twice the Q31 one as an unsigned 32-bit pattern; shift is the right shift in [1, 22];
 * |acc| < 2^30. With y the rounded product and z the zero point,
 *     RoundingDivideByPOT(y, shift) + z = floor((y - (y < 0) + (2 z + 1) 2^(shift - 1)) / 2^shift).
 * Rounded once, y is the product rounded down, and nothing is taken from it. */

/** (2 z + 1) 2^(shift - 1): the half of the rounding and the zero point, one number per channel. */
static inline int32_t tinsmith_half_and_zero_point(int32_t shift, int32_t zero_point) {
  return (int32_t)((uint32_t)(2 * zero_point + 1) << shift) >> 1;
}

/** acc * multiplier * 2^-32: rounded half up, or down if the only rounding comes later. */
static inline int32_t tinsmith_multiply_folded(int32_t acc, int32_t multiplier) {
#if defined(__ARM_FEATURE_DSP)
  /* (acc * 2^32 + acc * (multiplier - 2^32) [+ 2^31]) >> 32, as the pattern reads as multiplier - 2^32. */
  int32_t product;
#if TINSMITH_NN_NEAREST
  __asm__("smmla %0, %1, %2, %1" : "=r"(product) : "r"(acc), "r"(multiplier));
#else
  __asm__("smmlar %0, %1, %2, %1" : "=r"(product) : "r"(acc), "r"(multiplier));
#endif
  return product;
#else
  const int64_t half = TINSMITH_NN_NEAREST ? 0 : INT64_C(1) << 31;
  return (int32_t)(((int64_t)acc * (uint32_t)multiplier + half) >> 32);
#endif
}

/** acc scaled, plus the zero point: TFLite's MultiplyByQuantizedMultiplier, or rounded once. */
static inline int32_t tinsmith_requantize_folded(int32_t acc, int32_t multiplier, int32_t shift,
                                                 int32_t half_and_zero_point) {
  const int32_t product = tinsmith_multiply_folded(acc, multiplier);
  const int32_t nudge = TINSMITH_NN_NEAREST ? 0 : product >> 31;
  return (product + nudge + half_and_zero_point) >> shift;
}

/** The same for any shift, with the zero point as it is: shift in [-30, 22], 0 or below being to the left;
 * |acc| * 2^-shift < 2^30, rounded once < 2^29. A product that is not shifted to the right is rounded already. */
static inline int32_t tinsmith_requantize_folded_any(int32_t acc, int32_t multiplier, int32_t shift,
                                                     int32_t zero_point) {
#if TINSMITH_NN_NEAREST
  const int32_t left = shift < 1 ? 1 - shift : 0;
  const int32_t right = shift + left;
#else
  const int32_t left = shift < 0 ? -shift : 0;
  const int32_t right = shift < 0 ? 0 : shift;
#endif
  const int32_t product = tinsmith_multiply_folded((int32_t)((uint32_t)acc << left), multiplier);
  const int32_t nudge = TINSMITH_NN_NEAREST ? 0 : (product & -(right > 0)) >> 31;
  return (product + nudge + tinsmith_half_and_zero_point(right, zero_point)) >> right;
}

#endif /* TINSMITH_NN_INTERNAL_REQUANTIZE_H */
