// Normalization of rows: the logarithm of softmax, and division by the Euclidean norm.
#include "tinsmith/normalization.h"

#include "fixed_point.h"
#include "float_functions.h"
#include "inverse_root.h"

#define RESULT_INTEGER_BITS 4  // of a logarithm: its scale is 1/16
#define NORMALIZED_BITS 7      // of a normalized element: its scale is 1/128
#define SMALLEST_NORM 1e-6f

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

void tinsmith_l2_normalization_s8(int32_t rows, int32_t depth, int32_t zero_point, const int8_t *input,
                                  int8_t *output) {
  for (int32_t row = 0; row < rows; ++row) {
    int32_t squares = 0;
    for (int32_t i = 0; i < depth; ++i) {
      squares += (input[i] - zero_point) * (input[i] - zero_point);
    }
    const tinsmith_scale scale = inverse_root_of(squares, ROOT_STEPS);
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
