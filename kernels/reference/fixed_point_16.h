// Fixed-point numbers of 16 bits, gemmlowp's: the logistic function and tanh of LSTMs. "Qm" has m integer bits and 15 -
// m fraction bits. Sums are made in 32 bits, which hold all of them.
#ifndef TINSMITH_KERNELS_REFERENCE_FIXED_POINT_16_H_
#define TINSMITH_KERNELS_REFERENCE_FIXED_POINT_16_H_

#include <stdint.h>

#include "arithmetic.h"

#define Q0_ONE INT16_MAX
#define Q2_ONE (1 << 13)
#define Q0_ONE_EIGHTH (1 << 12)
#define Q0_EXP_OF_MINUS_ONE_EIGHTH 28918
#define Q0_ONE_THIRD 10923
#define Q2_FORTY_EIGHT_SEVENTEENTHS 23130
#define Q2_MINUS_THIRTY_TWO_SEVENTEENTHS (-15420)
#define RECIPROCAL_STEPS 3

// exp(-2**(i - 2)) in Q0
static const int16_t kExpOfPowers16[] = {25520, 19875, 12055, 4435, 600, 11, 0};

static inline int32_t clamp_to_s16(int32_t value) {
  return clamp_s32(value, INT16_MIN, INT16_MAX);
}

// High 16 bits of 2 * lhs * rhs, rounded to nearest, ties up.
static inline int32_t multiply_high_s16(int32_t lhs, int32_t rhs) {
  const int32_t high = (lhs * rhs + (1 << 14)) >> 15;
  return high > INT16_MAX ? INT16_MAX : high;
}

// exp(value) for value in [-1/4, 0) in Q0: Taylor's series around -1/8.
static inline int32_t exp_near_zero_s16(int32_t value) {
  const int32_t x = value + Q0_ONE_EIGHTH;
  const int32_t x2 = multiply_high_s16(x, x);
  const int32_t x3 = multiply_high_s16(x2, x);
  const int32_t x4_over_4 = divide_by_power_of_two(multiply_high_s16(x2, x2), 2);
  const int32_t cubic = multiply_high_s16(x4_over_4 + x3, Q0_ONE_THIRD);
  const int32_t higher_terms = divide_by_power_of_two(cubic + x2, 1);
  return clamp_to_s16(Q0_EXP_OF_MINUS_ONE_EIGHTH + multiply_high_s16(Q0_EXP_OF_MINUS_ONE_EIGHTH, x + higher_terms));
}

// exp(value) in Q0 for value <= 0 with `integer_bits`: the part below 1/4 by the series, the rest bit by bit.
static int32_t exp_of_negative_s16(int32_t value, int32_t integer_bits) {
  const int32_t quarter = 1 << (13 - integer_bits);
  if (value == 0) {
    return Q0_ONE;
  }
  if (integer_bits > 5 && value < -128 * quarter) {
    return 0;  // below -32
  }
  const int32_t fraction = (value & (quarter - 1)) - quarter;
  const int32_t remainder = fraction - value;
  int32_t result = exp_near_zero_s16(clamp_to_s16(fraction * (1 << integer_bits)));
  for (int32_t i = 0; i < integer_bits + 2 && i < (int32_t)(sizeof kExpOfPowers16 / sizeof kExpOfPowers16[0]); ++i) {
    if (remainder & (quarter << i)) {
      result = multiply_high_s16(result, kExpOfPowers16[i]);
    }
  }
  return result;
}

// 2 / (1 + value) in Q2 for value in [0, 1] in Q0, by Newton's method for the reciprocal of (1 + value) / 2.
static int32_t twice_reciprocal_of_one_plus_s16(int32_t value) {
  const int32_t half = (value + Q0_ONE + 1) / 2;
  int32_t x = Q2_FORTY_EIGHT_SEVENTEENTHS + multiply_high_s16(half, Q2_MINUS_THIRTY_TWO_SEVENTEENTHS);
  for (int32_t step = 0; step < RECIPROCAL_STEPS; ++step) {
    const int32_t error = Q2_ONE - multiply_high_s16(half, x);
    x += clamp_to_s16(multiply_high_s16(x, error) * 4);
  }
  return x;
}

// 1 / (1 + exp(-value)) in Q0 of a number in Q3.
static int32_t logistic_s16(int32_t value) {
  if (value == 0) {
    return (Q0_ONE + 1) / 2;
  }
  const int32_t exponential = exp_of_negative_s16(value > 0 ? -value : value, 3);
  const int32_t above = clamp_to_s16(twice_reciprocal_of_one_plus_s16(exponential) * 2);
  return value > 0 ? above : Q0_ONE - above;
}

// tanh(value) in Q0 of a number with `integer_bits` in [0, 6].
static int32_t tanh_s16(int32_t value, int32_t integer_bits) {
  if (value == 0) {
    return 0;
  }
  const int32_t exponential = exp_of_negative_s16(value > 0 ? -value : value, integer_bits + 1);
  const int32_t above = clamp_to_s16((twice_reciprocal_of_one_plus_s16(exponential) - Q2_ONE) * 4);
  return value > 0 ? above : -above;
}

#endif  // TINSMITH_KERNELS_REFERENCE_FIXED_POINT_16_H_
