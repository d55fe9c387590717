// Normalization of rows by their moments.
#include "tinsmith/moments.h"

#include <stddef.h>

#include "float_functions.h"
#include "inverse_root.h"

#define WIDE_ROOT (INT64_C(1) << 31)
#define SHORT_ROOT (1 << 29)
#define HIGH_BITS 32  // of a normalized element times gamma, below which beta has none

// 1 / sqrt(X + e), times the unit of a normalized element, as multiplier * 2**-shift; of equal elements 1 or any. The
// shift is in [1, 44]: a normalized element has no more than 28 bits, and no fewer than its share of the largest.
static tinsmith_scale inverse_deviation(int64_t squares, const tinsmith_moment_parameters *parameters) {
  const int32_t left = parameters->square_shift > 0 ? parameters->square_shift : 0;
  const int32_t right = parameters->square_shift > 0 ? 0 : -parameters->square_shift;
  int64_t kept = ((squares << left) >> right) + parameters->epsilon;
  int32_t shift = parameters->base_shift;
  while (kept >= WIDE_ROOT) {
    kept >>= 2;
    ++shift;
  }
  tinsmith_scale root = inverse_root_of((int32_t)kept, EXACT_ROOT_STEPS);
  shift -= root.shift;
  if (root.multiplier < SHORT_ROOT) {
    root.multiplier *= 4;
    shift += 2;
  }
  root.shift = squares > 0 ? shift : 1;
  return root;
}

// The result of a distance from the mean, times depth: that is below 2**31, as the multiplier, so that half a unit
// can be added to their product; so is what gamma makes of 28 bits, less HIGH_BITS. The sum with beta wraps.
static inline int32_t normalized(int32_t distance, tinsmith_scale root, int32_t gamma, int32_t beta,
                                 const tinsmith_moment_parameters *parameters) {
  const int64_t half = INT64_C(1) << (root.shift - 1);
  const int32_t normal = (int32_t)(((int64_t)distance * root.multiplier + half) >> root.shift);
  const int32_t scaled = (int32_t)(((int64_t)normal * gamma) >> HIGH_BITS);
  const uint32_t half_step = UINT32_C(1) << (parameters->right_shift - 1);
  const int32_t parts = (int32_t)((uint32_t)scaled + (uint32_t)beta + half_step);
  return (parts >> parameters->right_shift) + parameters->output_zero_point;
}

// Sums and products of a row: with depth up to 2**15 the sum is at most 2**30, depth times that of the squares 2**60,
// and a distance, depth * value - sum, below 2**31.
#define DEFINE_NORM(suffix, element, result, lowest, highest)                                                        \
  static void normalize_##suffix(int32_t depth, int32_t is_centred, const tinsmith_moment_parameters *parameters,    \
                                 const element *input, const int32_t *gamma, const int32_t *beta, result *output) {  \
    int32_t sum = 0;                                                                                                 \
    int64_t squares = 0;                                                                                             \
    for (int32_t i = 0; i < depth; ++i) {                                                                            \
      const int32_t value = input[i] - parameters->zero_point;                                                       \
      sum += value;                                                                                                  \
      squares += (int64_t)value * value;                                                                             \
    }                                                                                                                \
    const int32_t centre = is_centred ? sum : 0;                                                                     \
    const tinsmith_scale root = inverse_deviation(depth * squares - (int64_t)centre * centre, parameters);           \
    for (int32_t i = 0; i < depth; ++i) {                                                                            \
      const int32_t distance = depth * (input[i] - parameters->zero_point) - centre;                                 \
      const int32_t gain = gamma == NULL ? parameters->gain : gamma[i];                                              \
      const int32_t steps = normalized(distance, root, gain, beta == NULL ? 0 : beta[i], parameters);                \
      output[i] = (result)clamp_s32(steps, lowest, highest);                                                         \
    }                                                                                                                \
  }                                                                                                                  \
                                                                                                                     \
  void tinsmith_layer_norm_##suffix(int32_t rows, int32_t depth, const tinsmith_moment_parameters *parameters,       \
                                    const element *input, const int32_t *gamma, const int32_t *beta,                 \
                                    result *output) {                                                                \
    for (int32_t row = 0; row < rows; ++row) {                                                                       \
      normalize_##suffix(depth, 1, parameters, input + row * depth, gamma, beta, output + row * depth);              \
    }                                                                                                                \
  }                                                                                                                  \
                                                                                                                     \
  void tinsmith_rms_norm_##suffix(int32_t rows, int32_t depth, const tinsmith_moment_parameters *parameters,         \
                                  const element *input, const int32_t *gamma, result *output) {                      \
    for (int32_t row = 0; row < rows; ++row) {                                                                       \
      normalize_##suffix(depth, 0, parameters, input + row * depth, gamma, NULL, output + row * depth);              \
    }                                                                                                                \
  }

DEFINE_NORM(s8, int8_t, int8_t, INT8_MIN, INT8_MAX)
DEFINE_NORM(s8_s16, int8_t, int16_t, INT16_MIN, INT16_MAX)
DEFINE_NORM(s16, int16_t, int16_t, INT16_MIN, INT16_MAX)
DEFINE_NORM(s16_s8, int16_t, int8_t, INT8_MIN, INT8_MAX)

static float mean_of(int32_t depth, const float *input) {
  float sum = 0.0f;
  for (int32_t i = 0; i < depth; ++i) {
    sum += input[i];
  }
  return sum / (float)depth;
}

static void normalize_f32(int32_t depth, float centre, float epsilon, const float *input, const float *gamma,
                          const float *beta, float *output) {
  float squares = 0.0f;
  for (int32_t i = 0; i < depth; ++i) {
    const float rest = input[i] - centre;
    squares += rest * rest;
  }
  const float inverse = 1.0f / square_root(squares / (float)depth + epsilon);
  for (int32_t i = 0; i < depth; ++i) {
    float value = (input[i] - centre) * inverse;
    value = gamma == NULL ? value : value * gamma[i];
    output[i] = beta == NULL ? value : value + beta[i];
  }
}

void tinsmith_layer_norm_f32(int32_t rows, int32_t depth, float epsilon, const float *input, const float *gamma,
                             const float *beta, float *output) {
  for (int32_t row = 0; row < rows; ++row) {
    const float *first = input + row * depth;
    normalize_f32(depth, mean_of(depth, first), epsilon, first, gamma, beta, output + row * depth);
  }
}

void tinsmith_rms_norm_f32(int32_t rows, int32_t depth, float epsilon, const float *input, const float *gamma,
                           float *output) {
  for (int32_t row = 0; row < rows; ++row) {
    normalize_f32(depth, 0.0f, epsilon, input + row * depth, gamma, NULL, output + row * depth);
  }
}
