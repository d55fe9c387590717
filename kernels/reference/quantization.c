// Quantize, dequantize, requantize.
#include "tinsmith/quantization.h"

#include <stdbool.h>

#include "arithmetic.h"
#include "float_rules.h"
#include "requantized.h"
#include "tinsmith/rounding.h"

// Nearest integer, ties away from zero, saturated to [min, max] after zero_point is added; NaN gives zero_point.
static int32_t nearest_integer(float value, int32_t zero_point, int32_t min, int32_t max) {
  if (value != value) {
    return clamp_s32(zero_point, min, max);
  }
  // Beyond 2**20 every int16 range is left behind; inside, truncation and the difference are exact.
  const float bounded = clamp_f32(value, -1048576.0f, 1048576.0f);
  const int32_t whole = (int32_t)bounded;
  const float rest = bounded - (float)whole;
  const int32_t rounded = whole + (rest >= 0.5f ? 1 : 0) - (rest <= -0.5f ? 1 : 0);
  return clamp_s32(rounded + zero_point, min, max);
}

// The same with ties to the even integer.
static int32_t nearest_even_integer(float value, int32_t zero_point, int32_t min, int32_t max) {
  if (value != value) {
    return clamp_s32(zero_point, min, max);
  }
  const float bounded = clamp_f32(value, -1048576.0f, 1048576.0f);
  const int32_t whole = (int32_t)bounded;
  const float rest = bounded - (float)whole;
  const bool is_odd = whole % 2 != 0;
  const int32_t up = rest > 0.5f || (rest == 0.5f && is_odd) ? 1 : 0;
  const int32_t down = rest < -0.5f || (rest == -0.5f && is_odd) ? 1 : 0;
  return clamp_s32(whole + up - down + zero_point, min, max);
}

void tinsmith_quantize_f32_s8(int32_t elements, float scale, int32_t zero_point, const float *input, int8_t *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = (int8_t)nearest_integer(input[i] / scale, zero_point, INT8_MIN, INT8_MAX);
  }
}

void tinsmith_quantize_f32_u8(int32_t elements, float scale, int32_t zero_point, const float *input, uint8_t *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = (uint8_t)nearest_integer(input[i] / scale, zero_point, 0, UINT8_MAX);
  }
}

void tinsmith_quantize_f32_s16(int32_t elements, float scale, int32_t zero_point, const float *input, int16_t *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = (int16_t)nearest_integer(input[i] / scale, zero_point, INT16_MIN, INT16_MAX);
  }
}

void tinsmith_quantize_even_f32_s8(int32_t elements, float scale, int32_t zero_point, const float *input,
                                   int8_t *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = (int8_t)nearest_even_integer(input[i] / scale, zero_point, INT8_MIN, INT8_MAX);
  }
}

void tinsmith_quantize_even_f32_u8(int32_t elements, float scale, int32_t zero_point, const float *input,
                                   uint8_t *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = (uint8_t)nearest_even_integer(input[i] / scale, zero_point, 0, UINT8_MAX);
  }
}

void tinsmith_quantize_even_f32_s16(int32_t elements, float scale, int32_t zero_point, const float *input,
                                    int16_t *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = (int16_t)nearest_even_integer(input[i] / scale, zero_point, INT16_MIN, INT16_MAX);
  }
}

void tinsmith_dequantize_s8_f32(int32_t elements, float scale, int32_t zero_point, const int8_t *input, float *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = scale * (float)(input[i] - zero_point);
  }
}

void tinsmith_dequantize_u8_f32(int32_t elements, float scale, int32_t zero_point, const uint8_t *input,
                                float *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = scale * (float)(input[i] - zero_point);
  }
}

void tinsmith_dequantize_s16_f32(int32_t elements, float scale, int32_t zero_point, const int16_t *input,
                                 float *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = scale * (float)(input[i] - zero_point);
  }
}

#define DEFINE_REQUANTIZE(kernel, from, to, apply)                                                                 \
  void kernel(int32_t elements, const tinsmith_requantize_parameters *parameters, const from *input, to *output) { \
    for (int32_t i = 0; i < elements; ++i) {                                                                       \
      output[i] = (to)apply(parameters, input[i]);                                                                 \
    }                                                                                                              \
  }

DEFINE_REQUANTIZE(tinsmith_requantize_s8_s8, int8_t, int8_t, requantized)
DEFINE_REQUANTIZE(tinsmith_requantize_s8_s16, int8_t, int16_t, requantized)
DEFINE_REQUANTIZE(tinsmith_requantize_s8_s32, int8_t, int32_t, requantized)
DEFINE_REQUANTIZE(tinsmith_requantize_s16_s8, int16_t, int8_t, requantized)
DEFINE_REQUANTIZE(tinsmith_requantize_s16_s16, int16_t, int16_t, requantized)
DEFINE_REQUANTIZE(tinsmith_requantize_s16_s32, int16_t, int32_t, requantized)
DEFINE_REQUANTIZE(tinsmith_requantize_s32_s8, int32_t, int8_t, requantized)
DEFINE_REQUANTIZE(tinsmith_requantize_s32_s16, int32_t, int16_t, requantized)
DEFINE_REQUANTIZE(tinsmith_requantize_s32_s32, int32_t, int32_t, requantized)
DEFINE_REQUANTIZE(tinsmith_requantize_s8_u8, int8_t, uint8_t, requantized)
DEFINE_REQUANTIZE(tinsmith_requantize_u8_s8, uint8_t, int8_t, requantized)
DEFINE_REQUANTIZE(tinsmith_requantize_u8_u8, uint8_t, uint8_t, requantized)
DEFINE_REQUANTIZE(tinsmith_requantize_u8_s16, uint8_t, int16_t, requantized)
DEFINE_REQUANTIZE(tinsmith_requantize_u8_s32, uint8_t, int32_t, requantized)
DEFINE_REQUANTIZE(tinsmith_requantize_s16_u8, int16_t, uint8_t, requantized)
DEFINE_REQUANTIZE(tinsmith_requantize_s32_u8, int32_t, uint8_t, requantized)

DEFINE_REQUANTIZE(tinsmith_requantize_s8_s8_nearest, int8_t, int8_t, requantized_nearest)
DEFINE_REQUANTIZE(tinsmith_requantize_s8_s16_nearest, int8_t, int16_t, requantized_nearest)
DEFINE_REQUANTIZE(tinsmith_requantize_s8_s32_nearest, int8_t, int32_t, requantized_nearest)
DEFINE_REQUANTIZE(tinsmith_requantize_s16_s8_nearest, int16_t, int8_t, requantized_nearest)
DEFINE_REQUANTIZE(tinsmith_requantize_s16_s16_nearest, int16_t, int16_t, requantized_nearest)
DEFINE_REQUANTIZE(tinsmith_requantize_s16_s32_nearest, int16_t, int32_t, requantized_nearest)
DEFINE_REQUANTIZE(tinsmith_requantize_s32_s8_nearest, int32_t, int8_t, requantized_nearest)
DEFINE_REQUANTIZE(tinsmith_requantize_s32_s16_nearest, int32_t, int16_t, requantized_nearest)
DEFINE_REQUANTIZE(tinsmith_requantize_s32_s32_nearest, int32_t, int32_t, requantized_nearest)
DEFINE_REQUANTIZE(tinsmith_requantize_s8_u8_nearest, int8_t, uint8_t, requantized_nearest)
DEFINE_REQUANTIZE(tinsmith_requantize_u8_s8_nearest, uint8_t, int8_t, requantized_nearest)
DEFINE_REQUANTIZE(tinsmith_requantize_u8_u8_nearest, uint8_t, uint8_t, requantized_nearest)
DEFINE_REQUANTIZE(tinsmith_requantize_u8_s16_nearest, uint8_t, int16_t, requantized_nearest)
DEFINE_REQUANTIZE(tinsmith_requantize_u8_s32_nearest, uint8_t, int32_t, requantized_nearest)
DEFINE_REQUANTIZE(tinsmith_requantize_s16_u8_nearest, int16_t, uint8_t, requantized_nearest)
DEFINE_REQUANTIZE(tinsmith_requantize_s32_u8_nearest, int32_t, uint8_t, requantized_nearest)

DEFINE_REQUANTIZE(tinsmith_requantize_s8_s8_floor, int8_t, int8_t, requantized_floor)
DEFINE_REQUANTIZE(tinsmith_requantize_s8_s16_floor, int8_t, int16_t, requantized_floor)
DEFINE_REQUANTIZE(tinsmith_requantize_s8_s32_floor, int8_t, int32_t, requantized_floor)
DEFINE_REQUANTIZE(tinsmith_requantize_s16_s8_floor, int16_t, int8_t, requantized_floor)
DEFINE_REQUANTIZE(tinsmith_requantize_s16_s16_floor, int16_t, int16_t, requantized_floor)
DEFINE_REQUANTIZE(tinsmith_requantize_s16_s32_floor, int16_t, int32_t, requantized_floor)
DEFINE_REQUANTIZE(tinsmith_requantize_s32_s8_floor, int32_t, int8_t, requantized_floor)
DEFINE_REQUANTIZE(tinsmith_requantize_s32_s16_floor, int32_t, int16_t, requantized_floor)
DEFINE_REQUANTIZE(tinsmith_requantize_s32_s32_floor, int32_t, int32_t, requantized_floor)
DEFINE_REQUANTIZE(tinsmith_requantize_s8_u8_floor, int8_t, uint8_t, requantized_floor)
DEFINE_REQUANTIZE(tinsmith_requantize_u8_s8_floor, uint8_t, int8_t, requantized_floor)
DEFINE_REQUANTIZE(tinsmith_requantize_u8_u8_floor, uint8_t, uint8_t, requantized_floor)
DEFINE_REQUANTIZE(tinsmith_requantize_u8_s16_floor, uint8_t, int16_t, requantized_floor)
DEFINE_REQUANTIZE(tinsmith_requantize_u8_s32_floor, uint8_t, int32_t, requantized_floor)
DEFINE_REQUANTIZE(tinsmith_requantize_s16_u8_floor, int16_t, uint8_t, requantized_floor)
DEFINE_REQUANTIZE(tinsmith_requantize_s32_u8_floor, int32_t, uint8_t, requantized_floor)

void tinsmith_recentre_u8_s8(int32_t elements, const uint8_t *input, int8_t *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = (int8_t)(input[i] - 128);
  }
}

void tinsmith_recentre_s8_u8(int32_t elements, const int8_t *input, uint8_t *output) {
  for (int32_t i = 0; i < elements; ++i) {
    output[i] = (uint8_t)(input[i] + 128);
  }
}

#define DEFINE_REQUANTIZE_SUMS(kernel, from, to, apply)                                                            \
  void kernel(int32_t rows, int32_t channels, const tinsmith_output_stage *stage, const from *input, to *output) { \
    for (int32_t row = 0; row < rows; ++row) {                                                                     \
      for (int32_t channel = 0; channel < channels; ++channel) {                                                   \
        *output++ = (to)apply(stage, *input++, channel);                                                           \
      }                                                                                                            \
    }                                                                                                              \
  }

DEFINE_REQUANTIZE_SUMS(tinsmith_requantize_sums_s32_s8, int32_t, int8_t, apply_stage)
DEFINE_REQUANTIZE_SUMS(tinsmith_requantize_sums_s32_s16, int32_t, int16_t, apply_stage)
DEFINE_REQUANTIZE_SUMS(tinsmith_requantize_sums_s64_s8, int64_t, int8_t, apply_stage_s64)
DEFINE_REQUANTIZE_SUMS(tinsmith_requantize_sums_s64_s16, int64_t, int16_t, apply_stage_s64)
DEFINE_REQUANTIZE_SUMS(tinsmith_requantize_sums_s32_s8_nearest, int32_t, int8_t, apply_stage_nearest)
DEFINE_REQUANTIZE_SUMS(tinsmith_requantize_sums_s32_s16_nearest, int32_t, int16_t, apply_stage_nearest)
DEFINE_REQUANTIZE_SUMS(tinsmith_requantize_sums_s64_s8_nearest, int64_t, int8_t, apply_stage_nearest)
DEFINE_REQUANTIZE_SUMS(tinsmith_requantize_sums_s64_s16_nearest, int64_t, int16_t, apply_stage_nearest)
DEFINE_REQUANTIZE_SUMS(tinsmith_requantize_sums_s32_s8_floor, int32_t, int8_t, apply_stage_floor)
DEFINE_REQUANTIZE_SUMS(tinsmith_requantize_sums_s32_s16_floor, int32_t, int16_t, apply_stage_floor)
DEFINE_REQUANTIZE_SUMS(tinsmith_requantize_sums_s64_s8_floor, int64_t, int8_t, apply_stage_floor)
DEFINE_REQUANTIZE_SUMS(tinsmith_requantize_sums_s64_s16_floor, int64_t, int16_t, apply_stage_floor)
