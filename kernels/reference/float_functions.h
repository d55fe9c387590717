// Functions of one float that several kernels have: its bits, the integer below, square root and logarithm. No libm and
// no processor decides their last bit.
#ifndef TINSMITH_KERNELS_REFERENCE_FLOAT_FUNCTIONS_H_
#define TINSMITH_KERNELS_REFERENCE_FLOAT_FUNCTIONS_H_

#include <string.h>

#include "exponential.h"

#define ROOT_BITS 25  // of a root, one of them for rounding
#define FRACTION_MASK INT32_C(0x7FFFFF)
#define WHOLE_FROM 8388608.0f  // 2**23: from here on all floats are integers
#define SIGN_MASK UINT32_C(0x80000000)
#define ROOT_HALF_BITS INT32_C(0x3F3504F3)  // of the float next to the root of 1/2
#define SUBNORMAL_BITS 25

static inline uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float float_of(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline float infinity(void) {
  return float_of(UINT32_C(0x7F800000));
}

static inline float not_a_number(void) {
  return float_of(UINT32_C(0x7FC00000));
}

static inline float magnitude(float value) {
  return float_of(bits_of(value) & ~SIGN_MASK);
}

static inline float negated(float value) {
  return float_of(bits_of(value) ^ SIGN_MASK);
}

// |size| with the sign of another float, be it that of a zero.
static inline float signed_as(float size, float other) {
  return float_of(bits_of(magnitude(size)) | (bits_of(other) & SIGN_MASK));
}

// The fraction of a float that is not 0, an integer, and its exponent.
static inline uint32_t fraction_of(float value, int32_t *exponent) {
  const uint32_t bits = bits_of(magnitude(value));
  const int32_t biased = (int32_t)(bits >> FLOAT_FRACTION_BITS);
  *exponent = (biased == 0 ? 1 : biased) - FLOAT_EXPONENT_BIAS - FLOAT_FRACTION_BITS;
  return (bits & (uint32_t)FRACTION_MASK) | (biased == 0 ? 0 : UINT32_C(1) << FLOAT_FRACTION_BITS);
}

static inline float integer_below(float value) {
  if (!(magnitude(value) < WHOLE_FROM)) {
    return value;
  }
  const float whole = (float)(int32_t)value;
  if (whole == value) {
    return value;  // with the sign of a zero
  }
  return whole > value ? whole - 1.0f : whole;
}

// The root of an integer of 49 or 50 bits, down; bit by bit.
static inline uint32_t integer_root(uint64_t square) {
  uint32_t root = 0;
  for (uint32_t bit = UINT32_C(1) << (ROOT_BITS - 1); bit != 0; bit >>= 1) {
    const uint64_t candidate = root | bit;
    if (candidate * candidate <= square) {
      root |= bit;
    }
  }
  return root;
}

// The fraction, an integer of 24 bits, is shifted so that its root has 25; a root that is no integer is never a half.
static inline float square_root(float value) {
  if (!(value > 0.0f) || value == infinity()) {
    return value < 0.0f ? not_a_number() : value;
  }
  const int is_subnormal = bits_of(value) <= (uint32_t)FRACTION_MASK;
  const uint32_t bits = bits_of(is_subnormal ? value * 16777216.0f : value);
  const uint64_t fraction = (bits & (uint32_t)FRACTION_MASK) | (UINT32_C(1) << FLOAT_FRACTION_BITS);
  const int32_t biased = (int32_t)(bits >> FLOAT_FRACTION_BITS) - (is_subnormal ? 24 : 0);
  const int32_t exponent = biased - FLOAT_EXPONENT_BIAS - FLOAT_FRACTION_BITS;
  const int32_t shift = exponent % 2 == 0 ? 26 : 25;
  const uint32_t root = integer_root(fraction << shift);
  return (float)((root + 1) >> 1) * power_of_two((exponent - shift) / 2 + 1);
}

// fdlibm's: the mantissa m between the roots of 1/2 and 2, log(m) by s = (m - 1) / (m + 1).
static inline float logarithm(float value) {
  if (!(value > 0.0f) || value == infinity()) {
    return value == 0.0f ? -infinity() : value < 0.0f ? not_a_number() : value;
  }
  const int is_small = bits_of(value) <= (uint32_t)FRACTION_MASK;
  const int32_t bits = (int32_t)bits_of(is_small ? value * 33554432.0f : value) - ROOT_HALF_BITS;
  const float exponent = (float)((bits >> FLOAT_FRACTION_BITS) - (is_small ? SUBNORMAL_BITS : 0));
  const float f = float_of((uint32_t)((bits & FRACTION_MASK) + ROOT_HALF_BITS)) - 1.0f;
  const float s = f / (2.0f + f);
  const float z = s * s;
  const float w = z * z;
  const float rest = z * (0.66666662693f + w * 0.28498786688f) + w * (0.40000972152f + w * 0.24279078841f);
  const float half_square = 0.5f * f * f;
  const float result = s * (half_square + rest) + exponent * EXPM1_LN2_LOW - half_square + f;
  return result + exponent * EXPM1_LN2_HIGH;
}

#endif  // TINSMITH_KERNELS_REFERENCE_FLOAT_FUNCTIONS_H_
