// sin, cos and tan of float by additions and multiplications and by integers; see tinsmith_ir/trigonometry.py.
#ifndef TINSMITH_KERNELS_REFERENCE_TRIGONOMETRY_H_
#define TINSMITH_KERNELS_REFERENCE_TRIGONOMETRY_H_

#include "float_functions.h"

#define QUARTER_OF_PI 0.78539816f
#define QUARTER_TURN_BITS 62                         // of a number in quarter turns behind the point
#define QUARTER_TURN (1.5707964f * 2.16840434e-19f)  // pi / 2 * 2**-62

// Digits of 2 / pi, 32 a word, behind a word of zeros.
static const uint32_t kTwoOverPi[] = {UINT32_C(0),          UINT32_C(0xA2F9836E), UINT32_C(0x4E441529),
                                      UINT32_C(0xFC2757D1), UINT32_C(0xF534DDC0), UINT32_C(0xDB629599),
                                      UINT32_C(0x3C439041), UINT32_C(0xFE5163AB)};

// 32 digits of 2 / pi from `place` on.
static inline uint32_t digits_at(int32_t place) {
  const uint64_t both = (uint64_t)kTwoOverPi[place / 32] << 32 | kTwoOverPi[place / 32 + 1];
  return (uint32_t)(both >> (32 - place % 32));
}

// Of |value| at least pi / 4: quarter turns, and what is left in [-pi / 4, pi / 4].
static inline int32_t reduce_turns(float value, float *rest) {
  const uint32_t bits = bits_of(value);
  const uint64_t fraction = (bits & (uint32_t)FRACTION_MASK) | (UINT32_C(1) << FLOAT_FRACTION_BITS);
  // The value is fraction * 2**exponent; digits in front of this place give whole turns.
  const int32_t exponent = (int32_t)(bits >> FLOAT_FRACTION_BITS & 0xFF) - FLOAT_EXPONENT_BIAS - FLOAT_FRACTION_BITS;
  const int32_t place = exponent - 2 + 32;
  const uint64_t high = (fraction * digits_at(place)) << 32;
  const uint64_t turn = high + fraction * digits_at(place + 32) + ((fraction * digits_at(place + 64)) >> 32);
  const uint64_t quarters = (turn + (UINT64_C(1) << (QUARTER_TURN_BITS - 1))) >> QUARTER_TURN_BITS;
  const float left = (float)(int64_t)(turn - (quarters << QUARTER_TURN_BITS)) * QUARTER_TURN;
  *rest = value < 0.0f ? -left : left;
  return value < 0.0f ? -(int32_t)quarters : (int32_t)quarters;
}

// sin(value + ahead * pi / 2), ahead in [0, 1].
static inline float turned(float value, int32_t ahead) {
  if (value != value || magnitude(value) == infinity()) {
    return not_a_number();
  }
  float x = value;
  const int32_t quarters = magnitude(value) < QUARTER_OF_PI ? 0 : reduce_turns(value, &x);
  const uint32_t turns = (uint32_t)(quarters + ahead) & 3;
  const float z = x * x;
  const float sine = ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z + -1.6666654611e-1f) * z * x + x;
  const float cosine =
      ((2.443315711809948e-5f * z + -1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z - 0.5f * z + 1.0f;
  const float with_sign = x == 0.0f ? x : sine;
  const float result = turns % 2 == 1 ? cosine : with_sign;
  return turns >= 2 ? -result : result;
}

static inline float tangent(float value) {
  if (value != value || magnitude(value) == infinity()) {
    return not_a_number();
  }
  float x = value;
  const int32_t quarters = magnitude(value) < QUARTER_OF_PI ? 0 : reduce_turns(value, &x);
  const float z = x * x;
  float polynomial = 0.00946498028564f;
  polynomial = polynomial * z + 0.00297574944987f;
  polynomial = polynomial * z + 0.0245272581539f;
  polynomial = polynomial * z + 0.053381594126f;
  polynomial = polynomial * z + 0.133391952812f;
  polynomial = polynomial * z + 0.333331397151f;
  const float result = x + x * (z * polynomial);
  return ((uint32_t)quarters & 1) == 1 ? -1.0f / result : result;
}

#endif  // TINSMITH_KERNELS_REFERENCE_TRIGONOMETRY_H_
