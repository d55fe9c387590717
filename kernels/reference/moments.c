// Normalization of rows by their moments.
#include "tinsmith/moments.h"

#include <stddef.h>

#include "float_functions.h"
#include "inverse_root.h"

#define WIDE_ROOT (INT64_C(1) << 31)
#define SHORT_ROOT (1 << 29)
#define HIGH_BITS 32  // of a normalized element times gamma, below which beta has none

// What is the same for all elements of a row. offset: depth times what is subtracted. A normalized element is
// the high word of (distance << left) * multiplier + half, by 2**right.
typedef struct {
  int32_t offset;
  int32_t multiplier;
  int32_t left;
  int32_t right;
  int64_t half;
} row_scale;

// 1 / sqrt(X + e), times the unit of a normalized element, is multiplier * 2**-shift. The shift is in [1, 45], as a
// normalized element has no more than 27 bits, and no fewer than its share of the largest; of equal elements, which no
// number changes, 1.
static row_scale scale_of_row(int64_t squares, const tinsmith_moment_parameters *parameters) {
  const int32_t to_left = parameters->square_shift > 0 ? parameters->square_shift : 0;
  const int32_t to_right = parameters->square_shift > 0 ? 0 : -parameters->square_shift;
  int64_t kept = ((squares << to_left) >> to_right) + parameters->epsilon;
  int32_t shift = parameters->base_shift;
  while (kept >= WIDE_ROOT) {
    kept >>= 2;
    ++shift;
  }
  const tinsmith_scale root = inverse_root_of((int32_t)kept, EXACT_ROOT_STEPS);
  const int32_t is_short = root.multiplier < SHORT_ROOT;
  shift = squares > 0 ? shift - root.shift + 2 * is_short : 1;
  row_scale scale = {0, is_short ? root.multiplier * 4 : root.multiplier, 0, 0, INT64_C(1) << 31};
  if (shift < HIGH_BITS) {
    scale.left = HIGH_BITS - shift;
  } else {
    scale.right = shift - HIGH_BITS;
    scale.half = INT64_C(1) << (shift - 1);
  }
  return scale;
}

// Of equal elements the distance is 0. Of others, times 2**left, it is below 2**31: times a multiplier of 2**29 at
// least and by 2**32 it has 27 bits. The product with a multiplier below 2**31 is below 2**62, to which half of 2**45
// at most is added.
static inline int32_t normalized(int32_t distance, const row_scale *scale) {
  const int64_t product = (int64_t)shift_left_s32(distance, scale->left) * scale->multiplier;
  return (int32_t)((product + scale->half) >> HIGH_BITS) >> scale->right;
}

// Sums and products of a row: with depth up to 2**15 the sum is at most 2**30, depth times that of the squares 2**60,
// and a distance, depth * value - sum, below 2**31. The sum of beta and what gamma makes of a normalized element wraps.
#define DEFINE_NORM(suffix, element, result, lowest, highest)                                                          \
  static void normalize_##suffix(int32_t depth, int32_t is_centred, const tinsmith_moment_parameters *parameters,      \
                                 const element *input, const int32_t *gamma, const int32_t *beta, result *output) {    \
    const int32_t zero_point = parameters->zero_point, right = parameters->right_shift;                                \
    const int32_t output_zero_point = parameters->output_zero_point, nothing = 0, all = parameters->gain;              \
    int32_t sum = 0;                                                                                                   \
    int64_t squares = 0;                                                                                               \
    for (int32_t i = 0; i < depth; ++i) {                                                                              \
      const int32_t value = input[i] - zero_point;                                                                     \
      sum += value;                                                                                                    \
      squares += (int64_t)value * value;                                                                               \
    }                                                                                                                  \
    const int32_t centre = is_centred ? sum : 0;                                                                       \
    row_scale scale = scale_of_row(depth * squares - (int64_t)centre * centre, parameters);                            \
    scale.offset = depth * zero_point + centre;                                                                        \
    const int32_t gain_step = gamma != NULL, shift_step = beta != NULL;                                                \
    const int32_t *gain = gamma == NULL ? &all : gamma, *shift = beta == NULL ? &nothing : beta;                       \
    for (int32_t i = 0; i < depth; ++i) {                                                                              \
      const int32_t normal = normalized(depth * input[i] - scale.offset, &scale);                                      \
      const int32_t scaled = (int32_t)(((int64_t)normal * *gain) >> HIGH_BITS);                                        \
      const uint32_t parts = (uint32_t)scaled + (uint32_t)*shift + (UINT32_C(1) << (right - 1));                       \
      output[i] = (result)clamp_s32(((int32_t)parts >> right) + output_zero_point, lowest, highest);                   \
      gain += gain_step;                                                                                               \
      shift += shift_step;                                                                                             \
    }                                                                                                                  \
  }                                                                                                                    \
                                                                                                                       \
  void tinsmith_layer_norm_##suffix(int32_t rows, int32_t depth, const tinsmith_moment_parameters *parameters,         \
                                    const element *input, const int32_t *gamma, const int32_t *beta, result *output) { \
    for (int32_t row = 0; row < rows; ++row) {                                                                         \
      normalize_##suffix(depth, 1, parameters, input + row * depth, gamma, beta, output + row * depth);                \
    }                                                                                                                  \
  }                                                                                                                    \
                                                                                                                       \
  void tinsmith_rms_norm_##suffix(int32_t rows, int32_t depth, const tinsmith_moment_parameters *parameters,           \
                                  const element *input, const int32_t *gamma, result *output) {                        \
    for (int32_t row = 0; row < rows; ++row) {                                                                         \
      normalize_##suffix(depth, 0, parameters, input + row * depth, gamma, NULL, output + row * depth);                \
    }                                                                                                                  \
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
