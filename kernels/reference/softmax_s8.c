// Softmax of int8 in fixed point, see fixed_point.h.
#include "fixed_point.h"
#include "tinsmith/softmax.h"

#define PROBABILITY_BITS 8  // the output's scale is 2**-8

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
