// Matrix times vector, quantized and float.
#include "tinsmith/fully_connected.h"

#include <stddef.h>

#include "arithmetic.h"
#include "float_rules.h"
#include "tinsmith/rounding.h"

void tinsmith_fully_connected_s8(const tinsmith_fully_connected_shape *shape, const tinsmith_output_stage *stage,
                                 const int8_t *input, const int8_t *weights, const int32_t *bias, int8_t *output) {
  for (int32_t n = 0; n < shape->batches; ++n) {
    for (int32_t unit = 0; unit < shape->units; ++unit) {
      const int8_t *row = weights + unit * shape->depth;
      int32_t acc = bias == NULL ? 0 : bias[unit];
      for (int32_t i = 0; i < shape->depth; ++i) {
        acc += (input[i] + stage->input_offset) * row[i];
      }
      *output++ = (int8_t)apply_stage(stage, acc, unit);
    }
    input += shape->depth;
  }
}

// TFLite keeps 32 bits and both roundings when there is no bias, 64 bits and one rounding when there is.
static int32_t finish_s16(const tinsmith_output_stage *stage, int64_t acc, const int32_t *bias, int32_t unit) {
  if (bias == NULL) {
    return apply_stage(stage, (int32_t)acc, unit);
  }
  return apply_stage_s64(stage, acc + bias[unit], unit);
}

void tinsmith_fully_connected_s16(const tinsmith_fully_connected_shape *shape, const tinsmith_output_stage *stage,
                                  const int16_t *input, const int8_t *weights, const int32_t *bias, int16_t *output) {
  for (int32_t n = 0; n < shape->batches; ++n) {
    for (int32_t unit = 0; unit < shape->units; ++unit) {
      const int8_t *row = weights + unit * shape->depth;
      int64_t acc = 0;
      for (int32_t i = 0; i < shape->depth; ++i) {
        acc += (input[i] + stage->input_offset) * row[i];
      }
      *output++ = (int16_t)finish_s16(stage, acc, bias, unit);
    }
    input += shape->depth;
  }
}

// The kernels that round once keep as many bits of the sum as `sum_type` has.
#define DEFINE_ROUNDED_ONCE(kernel, element, sum_type, apply)                                                        \
  void kernel(const tinsmith_fully_connected_shape *shape, const tinsmith_output_stage *stage, const element *input, \
              const int8_t *weights, const int32_t *bias, element *output) {                                         \
    for (int32_t n = 0; n < shape->batches; ++n) {                                                                   \
      for (int32_t unit = 0; unit < shape->units; ++unit) {                                                          \
        const int8_t *row = weights + unit * shape->depth;                                                           \
        sum_type acc = bias == NULL ? 0 : bias[unit];                                                                \
        for (int32_t i = 0; i < shape->depth; ++i) {                                                                 \
          acc += (input[i] + stage->input_offset) * row[i];                                                          \
        }                                                                                                            \
        *output++ = (element)apply(stage, acc, unit);                                                                \
      }                                                                                                              \
      input += shape->depth;                                                                                         \
    }                                                                                                                \
  }

DEFINE_ROUNDED_ONCE(tinsmith_fully_connected_s8_nearest, int8_t, int32_t, apply_stage_nearest)
DEFINE_ROUNDED_ONCE(tinsmith_fully_connected_s8_floor, int8_t, int32_t, apply_stage_floor)
DEFINE_ROUNDED_ONCE(tinsmith_fully_connected_s16_nearest, int16_t, int64_t, apply_stage_nearest)
DEFINE_ROUNDED_ONCE(tinsmith_fully_connected_s16_floor, int16_t, int64_t, apply_stage_floor)

// Sums alone: output[n][unit] = weights * input + bias, kept in as many bits as `result` has.
#define DEFINE_SUMS(kernel, element, result)                                                           \
  void kernel(const tinsmith_fully_connected_shape *shape, int32_t input_offset, const element *input, \
              const int8_t *weights, const int32_t *bias, result *output) {                            \
    for (int32_t n = 0; n < shape->batches; ++n) {                                                     \
      for (int32_t unit = 0; unit < shape->units; ++unit) {                                            \
        const int8_t *row = weights + unit * shape->depth;                                             \
        int64_t acc = bias == NULL ? 0 : bias[unit];                                                   \
        for (int32_t i = 0; i < shape->depth; ++i) {                                                   \
          acc += (input[i] + input_offset) * row[i];                                                   \
        }                                                                                              \
        *output++ = (result)acc;                                                                       \
      }                                                                                                \
      input += shape->depth;                                                                           \
    }                                                                                                  \
  }

DEFINE_SUMS(tinsmith_fully_connected_s8_s32, int8_t, int32_t)
DEFINE_SUMS(tinsmith_fully_connected_s16_s32, int16_t, int32_t)
DEFINE_SUMS(tinsmith_fully_connected_s16_s64, int16_t, int64_t)

// Weights with a zero point of their own.
#define DEFINE_ASYMMETRIC(kernel, parameters, zero, result, store)                                                  \
  void kernel(const tinsmith_fully_connected_shape *shape, parameters, int32_t weights_offset, const int8_t *input, \
              const int8_t *weights, const int32_t *bias, result *output) {                                         \
    for (int32_t n = 0; n < shape->batches; ++n) {                                                                  \
      for (int32_t unit = 0; unit < shape->units; ++unit) {                                                         \
        const int8_t *row = weights + unit * shape->depth;                                                          \
        int32_t acc = bias == NULL ? 0 : bias[unit];                                                                \
        for (int32_t i = 0; i < shape->depth; ++i) {                                                                \
          acc += (input[i] + (zero)) * (row[i] + weights_offset);                                                   \
        }                                                                                                           \
        *output++ = (result)(store);                                                                                \
      }                                                                                                             \
      input += shape->depth;                                                                                        \
    }                                                                                                               \
  }

DEFINE_ASYMMETRIC(tinsmith_fully_connected_s8_asymmetric, const tinsmith_output_stage *stage, stage->input_offset,
                  int8_t, apply_stage(stage, acc, unit))
DEFINE_ASYMMETRIC(tinsmith_fully_connected_s8_asymmetric_nearest, const tinsmith_output_stage *stage,
                  stage->input_offset, int8_t, apply_stage_nearest(stage, acc, unit))
DEFINE_ASYMMETRIC(tinsmith_fully_connected_s8_asymmetric_floor, const tinsmith_output_stage *stage, stage->input_offset,
                  int8_t, apply_stage_floor(stage, acc, unit))
DEFINE_ASYMMETRIC(tinsmith_fully_connected_s8_s32_asymmetric, int32_t input_offset, input_offset, int32_t, acc)

void tinsmith_fully_connected_f32(const tinsmith_fully_connected_shape *shape, const tinsmith_clamp_f32 *clamp,
                                  const float *input, const float *weights, const float *bias, float *output) {
  for (int32_t n = 0; n < shape->batches; ++n) {
    for (int32_t unit = 0; unit < shape->units; ++unit) {
      const float *row = weights + unit * shape->depth;
      float acc = 0.0f;
      for (int32_t i = 0; i < shape->depth; ++i) {
        acc += input[i] * row[i];
      }
      *output++ = clamp_f32(bias == NULL ? acc : acc + bias[unit], clamp->min, clamp->max);
    }
    input += shape->depth;
  }
}
