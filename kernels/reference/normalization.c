// Normalization of rows: the logarithm of softmax, and division by the Euclidean norm.
#include "tinsmith/normalization.h"

#include "fixed_point.h"
#include "float_functions.h"

#define RESULT_INTEGER_BITS 4  // of a logarithm: its scale is 1/16
#define NORMALIZED_BITS 7      // of a normalized element: its scale is 1/128
#define SMALLEST_NORM 1e-6f
#define ONE_IN_Q3 (1 << 28)
#define THREE_HALVES_IN_Q3 (3 << 27)
#define ROOT_STEPS 5

static int32_t scaled_difference(int32_t difference, const tinsmith_log_softmax_parameters *parameters) {
  const int32_t wide = shift_left_s32(difference, parameters->forward.shift);
  return multiply_high(wide, parameters->forward.multiplier);
}

static void log_softmax_row(int32_t depth, const tinsmith_log_softmax_parameters *parameters, const int8_t *input,
                            int8_t *output) {
  int32_t largest = input[0];
  for (int32_t i = 1; i < depth; ++i) {
    largest = input[i] > largest ? input[i] : largest;
  }
  int32_t sum = 0;
  for (int32_t i = 0; i < depth; ++i) {
    if (input[i] - largest >= parameters->diff_min) {
      const int32_t exponential_q0 = exp_of_negative(scaled_difference(input[i] - largest, parameters));
      sum += divide_by_power_of_two(exponential_q0, SUM_INTEGER_BITS);
    }
  }
  const int32_t logarithm_q5 = logarithm_of_sum(sum);
  // The most negative difference whose result is not below all that int8 has; the sum wraps.
  const int32_t lowest = (int32_t)((uint32_t)logarithm_q5 + (UINT32_C(1) << 31));
  const int32_t least = scale_s32(lowest, parameters->back.multiplier, parameters->back.shift);
  const int32_t bound = least > parameters->diff_min - 1 ? least : parameters->diff_min - 1;
  for (int32_t i = 0; i < depth; ++i) {
    int32_t result = INT8_MIN;
    if (input[i] - largest > bound) {
      const int32_t rest = scaled_difference(input[i] - largest, parameters) - logarithm_q5;
      result = divide_by_power_of_two(rest, INPUT_FRACTION_BITS - RESULT_INTEGER_BITS) + INT8_MAX;
    }
    output[i] = (int8_t)clamp_s32(result, INT8_MIN, INT8_MAX);
  }
}

void tinsmith_log_softmax_s8(int32_t rows, int32_t depth, const tinsmith_log_softmax_parameters *parameters,
                             const int8_t *input, int8_t *output) {
  for (int32_t row = 0; row < rows; ++row) {
    log_softmax_row(depth, parameters, input + row * depth, output + row * depth);
  }
}

void tinsmith_log_softmax_f32(int32_t rows, int32_t depth, const float *input, float *output) {
  for (int32_t row = 0; row < rows; ++row) {
    float largest = input[0];
    for (int32_t i = 1; i < depth; ++i) {
      largest = input[i] > largest ? input[i] : largest;
    }
    float sum = 0.0f;
    for (int32_t i = 0; i < depth; ++i) {
      sum += exponential(input[i] - largest);
    }
    const float logarithm_of_all = logarithm(sum);
    for (int32_t i = 0; i < depth; ++i) {
      output[i] = (input[i] - largest) - logarithm_of_all;
    }
    input += depth;
    output += depth;
  }
}

// 1 / sqrt(2 x) of x in [1/4, 1], with 3 integer bits, by Newton's method; the result has none.
static int32_t newton_root(int32_t x) {
  const int32_t half = divide_by_power_of_two(x, 1);
  int32_t root = ONE_IN_Q3;
  for (int32_t step = 0; step < ROOT_STEPS; ++step) {
    const int32_t cube = saturating_shift_left(multiply_high(multiply_high(root, root), root), 6);
    root = saturating_shift_left(multiply_high(root, THREE_HALVES_IN_Q3) - multiply_high(half, cube), 3);
  }
  return multiply_high(root, FIXED_ROOT_HALF);
}

// 1 / sqrt(value) as TFLite's GetInvSqrtQuantizedMultiplierExp, of 0 as of 1.
static tinsmith_scale inverse_root_of(int32_t value) {
  tinsmith_scale result = {INT32_MAX, 0};
  if (value <= 1) {
    return result;
  }
  int32_t shift = 11;
  while (value >= 1 << 29) {
    value /= 4;
    ++shift;
  }
  while (value < 1 << 27) {
    value *= 4;
    --shift;
  }
  const int32_t root = newton_root(value >> 1);
  result.multiplier = shift < 0 ? shift_left_s32(root, -shift) : root;
  result.shift = shift < 0 ? 0 : -shift;
  return result;
}

void tinsmith_l2_normalization_s8(int32_t rows, int32_t depth, int32_t zero_point, const int8_t *input,
                                  int8_t *output) {
  for (int32_t row = 0; row < rows; ++row) {
    int32_t squares = 0;
    for (int32_t i = 0; i < depth; ++i) {
      squares += (input[i] - zero_point) * (input[i] - zero_point);
    }
    const tinsmith_scale scale = inverse_root_of(squares);
    for (int32_t i = 0; i < depth; ++i) {
      const int32_t scaled = scale_s32(input[i] - zero_point, scale.multiplier, scale.shift + NORMALIZED_BITS);
      output[i] = (int8_t)clamp_s32(scaled, INT8_MIN, INT8_MAX);
    }
    input += depth;
    output += depth;
  }
}

void tinsmith_l2_normalization_f32(int32_t rows, int32_t depth, const float *input, float *output) {
  for (int32_t row = 0; row < rows; ++row) {
    float squares = 0.0f;
    for (int32_t i = 0; i < depth; ++i) {
      squares += input[i] * input[i];
    }
    const float root = square_root(squares);
    const float norm = root < SMALLEST_NORM ? SMALLEST_NORM : root;
    for (int32_t i = 0; i < depth; ++i) {
      output[i] = input[i] / norm;
    }
    input += depth;
    output += depth;
  }
}
