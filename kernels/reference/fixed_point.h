// Functions in fixed point, for softmax and its logarithm. "Qm.n" is an int32 with m integer and n fraction bits. The
// polynomials, the Newton division and their constants are gemmlowp's, the logarithm's TFLite's; so are the roundings.
#ifndef TINSMITH_KERNELS_REFERENCE_FIXED_POINT_H_
#define TINSMITH_KERNELS_REFERENCE_FIXED_POINT_H_

#include "arithmetic.h"

#define INPUT_FRACTION_BITS 26  // differences are Q5.26
#define SUM_INTEGER_BITS 12     // the sum of exponentials is Q12.19
#define ONE_QUARTER (1 << 24)   // in Q5.26
#define ONE_EIGHTH (1 << 28)    // in Q0.31
#define EXP_OF_MINUS_ONE_EIGHTH 1895147668
#define ONE_THIRD 715827883
#define FORTY_EIGHT_SEVENTEENTHS 1515870810          // in Q2.29
#define MINUS_THIRTY_TWO_SEVENTEENTHS (-1010580540)  // in Q2.29
#define ONE_IN_Q2 (1 << 29)
#define NEWTON_STEPS 3
#define LOG_INTEGER_BITS 6  // while a logarithm is added up
#define LOG_2 1488522236
#define FIXED_ROOT_HALF 1518500250
#define FOURTH_ROOT_HALF 1805811301

// exp(-2**(i - 2)) in Q0.31
static const int32_t kExpOfPowers[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};

static inline int32_t saturating_shift_left(int32_t value, int32_t shift) {
  const int64_t wide = (int64_t)value * ((int64_t)1 << shift);
  return wide > INT32_MAX ? INT32_MAX : wide < INT32_MIN ? INT32_MIN : (int32_t)wide;
}

// exp(value) for value in [-1/4, 0), Q0.31 to Q0.31: Taylor's series around -1/8.
static inline int32_t exp_near_zero(int32_t value) {
  const int32_t x = value + ONE_EIGHTH;
  const int32_t x2 = multiply_high(x, x);
  const int32_t x3 = multiply_high(x2, x);
  const int32_t x4_over_4 = divide_by_power_of_two(multiply_high(x2, x2), 2);
  const int32_t cubic = multiply_high(x4_over_4 + x3, ONE_THIRD);
  const int32_t higher_terms = divide_by_power_of_two(cubic + x2, 1);
  return EXP_OF_MINUS_ONE_EIGHTH + multiply_high(EXP_OF_MINUS_ONE_EIGHTH, x + higher_terms);
}

// exp(value) for value <= 0, Q5.26 to Q0.31: the part below 1/4 by the series, the rest bit by bit.
static inline int32_t exp_of_negative(int32_t value) {
  if (value == 0) {
    return INT32_MAX;
  }
  const int32_t fraction = (value & (ONE_QUARTER - 1)) - ONE_QUARTER;
  const int32_t remainder = fraction - value;
  int32_t result = exp_near_zero(saturating_shift_left(fraction, 31 - INPUT_FRACTION_BITS));
  for (int32_t i = 0; i < (int32_t)(sizeof kExpOfPowers / sizeof kExpOfPowers[0]); ++i) {
    if (remainder & (1 << (INPUT_FRACTION_BITS - 2 + i))) {
      result = multiply_high(result, kExpOfPowers[i]);
    }
  }
  return result;
}

// 1 / (1 + value) for value in [0, 1), Q0.31 to Q0.31, by Newton's method for the reciprocal of (1 + value) / 2.
static inline int32_t reciprocal_of_one_plus(int32_t value) {
  const int32_t half = (int32_t)(((int64_t)value + INT32_MAX + 1) / 2);
  int32_t x = FORTY_EIGHT_SEVENTEENTHS + multiply_high(half, MINUS_THIRTY_TWO_SEVENTEENTHS);
  for (int32_t step = 0; step < NEWTON_STEPS; ++step) {
    const int32_t error = ONE_IN_Q2 - multiply_high(half, x);
    x += saturating_shift_left(multiply_high(x, error), 2);
  }
  return saturating_shift_left(x, 1);
}

static inline int32_t leading_zeros(int32_t value) {
  int32_t count = 0;
  for (uint32_t bits = (uint32_t)value; (bits & UINT32_C(0x80000000)) == 0; bits <<= 1) {
    ++count;
  }
  return count;
}

// log(value) for value >= 1, Q12.19 to Q5.26. value is r * 2**power with r around the fourth root of 1/2: of two ways
// to choose the power, by the value itself and by the value times the root of 1/2, that with the smaller r.
static inline int32_t logarithm_of_sum(int32_t value) {
  const int32_t fraction_bits = 31 - LOG_INTEGER_BITS;
  const int32_t quarter = 1 << (fraction_bits - 2);
  const int32_t zeros = leading_zeros(value);
  const int32_t normalized = multiply_high(saturating_shift_left(value, zeros - 1), FIXED_ROOT_HALF);
  const int32_t by_itself = saturating_shift_left(normalized, 1);
  const int32_t itself_power = (SUM_INTEGER_BITS - zeros) * (1 << fraction_bits) + quarter;
  const int32_t headroom = leading_zeros(multiply_high(value, FIXED_ROOT_HALF)) - 1;
  const int32_t by_root = saturating_shift_left(value, headroom);
  const int32_t root_power = (SUM_INTEGER_BITS - headroom) * (1 << fraction_bits) - quarter;
  const int32_t r = by_itself < by_root ? by_itself : by_root;
  const int32_t power = itself_power > root_power ? itself_power : root_power;

  const int32_t mean = (int32_t)(((int64_t)r + FOURTH_ROOT_HALF + 1) / 2);
  const int32_t distance = (r - FOURTH_ROOT_HALF) * 2;
  const int32_t square = multiply_high(distance, distance);
  const int32_t cube = multiply_high(distance, square);
  const int32_t numerator = multiply_high(distance, r) + multiply_high(cube, 117049297);
  const int32_t sum = 1057819769 + distance + multiply_high(square, 127690142);
  const int32_t denominator = multiply_high(mean, sum) + multiply_high(distance, 638450708);
  const int32_t quotient =
      multiply_high(divide_by_power_of_two(numerator, LOG_INTEGER_BITS), reciprocal_of_one_plus(denominator));
  return saturating_shift_left(multiply_high(power, LOG_2) + quotient, 1);
}

#endif  // TINSMITH_KERNELS_REFERENCE_FIXED_POINT_H_
