// Softmax of int8 in fixed point, see fixed_point.h.
#include "fixed_point.h"
#include "tinsmith/softmax.h"

// What all elements of a row are divided by.
typedef struct {
  const tinsmith_softmax_parameters *parameters;
  int32_t largest;
  int32_t reciprocal;
  int32_t right_shift;
} softmax_row;

static int32_t exp_of_difference(int32_t difference, const tinsmith_softmax_parameters *parameters) {
  const int32_t wide = shift_left_s32(difference, parameters->shift);
  return exp_of_negative(multiply_high(wide, parameters->multiplier));
}

// Rows of 512 and more may sum to so much that every probability rounds to 0.
static int32_t divide_probability(int32_t value, int32_t exponent) {
  return exponent > 31 ? 0 : divide_by_power_of_two(value, exponent);
}

// bits: of a probability.
static softmax_row summed_row(int32_t depth, int32_t bits, const tinsmith_softmax_parameters *parameters,
                              const int8_t *input) {
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
  const softmax_row row = {parameters, largest, reciprocal_of_one_plus(mantissa),
                           SUM_INTEGER_BITS - headroom + 31 - bits};
  return row;
}

static int32_t probability(const softmax_row *row, int32_t element) {
  if (element - row->largest < row->parameters->diff_min) {
    return 0;
  }
  const int32_t exponential = exp_of_difference(element - row->largest, row->parameters);
  return divide_probability(multiply_high(row->reciprocal, exponential), row->right_shift);
}

void tinsmith_softmax_s8(int32_t rows, int32_t depth, const tinsmith_softmax_parameters *parameters,
                         const int8_t *input, int8_t *output) {
  for (int32_t begin = 0; begin < rows * depth; begin += depth) {
    const softmax_row row = summed_row(depth, 8, parameters, input + begin);
    for (int32_t i = begin; i < begin + depth; ++i) {
      output[i] = (int8_t)clamp_s32(probability(&row, input[i]) + INT8_MIN, INT8_MIN, INT8_MAX);
    }
  }
}

void tinsmith_softmax_s8_s16(int32_t rows, int32_t depth, const tinsmith_softmax_parameters *parameters,
                             const int8_t *input, int16_t *output) {
  for (int32_t begin = 0; begin < rows * depth; begin += depth) {
    const softmax_row row = summed_row(depth, 16, parameters, input + begin);
    for (int32_t i = begin; i < begin + depth; ++i) {
      output[i] = (int16_t)clamp_s32(probability(&row, input[i]) + INT16_MIN, INT16_MIN, INT16_MAX);
    }
  }
}
