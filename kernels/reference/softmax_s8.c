// Softmax of int8 in fixed point. "Qm.n" is an int32 with m integer and n fraction bits. The polynomial, the Newton
// division and their constants are gemmlowp's; so are the roundings.
#include "arithmetic.h"
#include "tinsmith/softmax.h"

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
#define PROBABILITY_BITS 8  // the output's scale is 2**-8

// exp(-2**(i - 2)) in Q0.31
static const int32_t kExpOfPowers[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};

static int32_t saturating_shift_left(int32_t value, int32_t shift) {
  const int64_t wide = (int64_t)value * ((int64_t)1 << shift);
  return wide > INT32_MAX ? INT32_MAX : wide < INT32_MIN ? INT32_MIN : (int32_t)wide;
}

// exp(value) for value in [-1/4, 0), Q0.31 to Q0.31: Taylor's series around -1/8.
static int32_t exp_near_zero(int32_t value) {
  const int32_t x = value + ONE_EIGHTH;
  const int32_t x2 = multiply_high(x, x);
  const int32_t x3 = multiply_high(x2, x);
  const int32_t x4_over_4 = divide_by_power_of_two(multiply_high(x2, x2), 2);
  const int32_t cubic = multiply_high(x4_over_4 + x3, ONE_THIRD);
  const int32_t higher_terms = divide_by_power_of_two(cubic + x2, 1);
  return EXP_OF_MINUS_ONE_EIGHTH + multiply_high(EXP_OF_MINUS_ONE_EIGHTH, x + higher_terms);
}

// exp(value) for value <= 0, Q5.26 to Q0.31: the part below 1/4 by the series, the rest bit by bit.
static int32_t exp_of_negative(int32_t value) {
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
static int32_t reciprocal_of_one_plus(int32_t value) {
  const int32_t half = (int32_t)(((int64_t)value + INT32_MAX + 1) / 2);
  int32_t x = FORTY_EIGHT_SEVENTEENTHS + multiply_high(half, MINUS_THIRTY_TWO_SEVENTEENTHS);
  for (int32_t step = 0; step < NEWTON_STEPS; ++step) {
    const int32_t error = ONE_IN_Q2 - multiply_high(half, x);
    x += saturating_shift_left(multiply_high(x, error), 2);
  }
  return saturating_shift_left(x, 1);
}

static int32_t leading_zeros(int32_t value) {
  int32_t count = 0;
  for (uint32_t bits = (uint32_t)value; (bits & UINT32_C(0x80000000)) == 0; bits <<= 1) {
    ++count;
  }
  return count;
}

static int32_t exp_of_difference(int32_t difference, const tinsmith_softmax_parameters *parameters) {
  const int32_t wide = shift_left_s32(difference, parameters->shift);
  return exp_of_negative(multiply_high(wide, parameters->multiplier));
}

// Rows of 512 and more may sum to so much that every probability rounds to 0.
static int32_t divide_probability(int32_t value, int32_t exponent) {
  return exponent > 31 ? 0 : divide_by_power_of_two(value, exponent);
}

static void softmax_row(int32_t depth, const tinsmith_softmax_parameters *parameters, const int8_t *input,
                        int8_t *output) {
  int32_t largest = input[0];
  for (int32_t i = 1; i < depth; ++i) {
    largest = input[i] > largest ? input[i] : largest;
  }
  int32_t sum = 0;
  for (int32_t i = 0; i < depth; ++i) {
    if (input[i] - largest >= parameters->diff_min) {
      sum += divide_by_power_of_two(exp_of_difference(input[i] - largest, parameters), SUM_INTEGER_BITS);
    }
  }
  // The largest element adds nearly 1 to the sum, so that sum > 0 here and the loop below ends.
  const int32_t headroom = leading_zeros(sum);
  const int32_t mantissa = (int32_t)(((uint32_t)sum << headroom) - (UINT32_C(1) << 31));
  const int32_t reciprocal = reciprocal_of_one_plus(mantissa);
  const int32_t right_shift = SUM_INTEGER_BITS - headroom + 31 - PROBABILITY_BITS;
  for (int32_t i = 0; i < depth; ++i) {
    int32_t probability = 0;
    if (input[i] - largest >= parameters->diff_min) {
      const int32_t exponential = exp_of_difference(input[i] - largest, parameters);
      probability = divide_probability(multiply_high(reciprocal, exponential), right_shift);
    }
    output[i] = (int8_t)clamp_s32(probability + INT8_MIN, INT8_MIN, INT8_MAX);
  }
}

void tinsmith_softmax_s8(int32_t rows, int32_t depth, const tinsmith_softmax_parameters *parameters,
                         const int8_t *input, int8_t *output) {
  for (int32_t row = 0; row < rows; ++row) {
    softmax_row(depth, parameters, input + row * depth, output + row * depth);
  }
}
