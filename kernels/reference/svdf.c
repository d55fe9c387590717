// Layers of filters over time, quantized and float.
#include "tinsmith/svdf.h"

#include <stddef.h>
#include <string.h>

#include "arithmetic.h"
#include "float_rules.h"

// Of the sums over features the low 32 bits count; an int8 state takes the low 8 bits of its newest element.
#define DEFINE_STATE(kernel, element)                                                                             \
  void kernel(const tinsmith_svdf_shape *shape, const tinsmith_svdf_parameters *parameters, const element *state, \
              const int8_t *input, const int8_t *weights, element *output) {                                      \
    for (int32_t batch = 0; batch < shape->batches; ++batch) {                                                    \
      const int8_t *row = weights;                                                                                \
      for (int32_t filter = 0; filter < shape->filters; ++filter) {                                               \
        int32_t acc = 0;                                                                                          \
        for (int32_t i = 0; i < shape->depth; ++i) {                                                              \
          acc += (input[i] + parameters->input_offset) * *row++;                                                  \
        }                                                                                                         \
        const int32_t scaled = scale_s32(acc, parameters->scale.multiplier, parameters->scale.shift);             \
        const int32_t kept = clamp_s32(scaled, parameters->clamp_min, parameters->clamp_max);                     \
        memmove(output, state + 1, sizeof *output * (size_t)(shape->steps - 1));                                  \
        output[shape->steps - 1] = (element)(kept + parameters->output_offset);                                   \
        state += shape->steps;                                                                                    \
        output += shape->steps;                                                                                   \
      }                                                                                                           \
      input += shape->depth;                                                                                      \
    }                                                                                                             \
  }

DEFINE_STATE(tinsmith_svdf_state_s16, int16_t)
DEFINE_STATE(tinsmith_svdf_state_s8, int8_t)

void tinsmith_svdf_state_f32(const tinsmith_svdf_shape *shape, const float *state, const float *input,
                             const float *weights, float *output) {
  for (int32_t batch = 0; batch < shape->batches; ++batch) {
    const float *row = weights;
    for (int32_t filter = 0; filter < shape->filters; ++filter) {
      float acc = 0.0f;
      for (int32_t i = 0; i < shape->depth; ++i) {
        acc += input[i] * *row++;
      }
      memmove(output, state + 1, sizeof *output * (size_t)(shape->steps - 1));
      output[shape->steps - 1] = acc;
      state += shape->steps;
      output += shape->steps;
    }
    input += shape->depth;
  }
}

// Sums wrap as the hardware's do: products of int16 may leave 32 bits.
#define DEFINE_LAYER(kernel, element)                                                                                  \
  void kernel(const tinsmith_svdf_shape *shape, const tinsmith_svdf_parameters *parameters, const element *state,      \
              const element *weights, const int32_t *bias, int8_t *output) {                                           \
    const int32_t units = shape->filters / shape->rank;                                                                \
    const int32_t taps = shape->rank * shape->steps;                                                                   \
    for (int32_t batch = 0; batch < shape->batches; ++batch) {                                                         \
      const element *row = weights;                                                                                    \
      for (int32_t unit = 0; unit < units; ++unit) {                                                                   \
        uint32_t acc = bias == NULL ? 0 : (uint32_t)bias[unit];                                                        \
        for (int32_t i = 0; i < taps; ++i) {                                                                           \
          acc += (uint32_t)((*state++ + parameters->input_offset) * *row++);                                           \
        }                                                                                                              \
        const int32_t scaled = scale_s32((int32_t)acc, parameters->scale.multiplier, parameters->scale.shift);         \
        *output++ =                                                                                                    \
            (int8_t)offset_and_clamp(scaled, parameters->output_offset, parameters->clamp_min, parameters->clamp_max); \
      }                                                                                                                \
    }                                                                                                                  \
  }

DEFINE_LAYER(tinsmith_svdf_s16, int16_t)
DEFINE_LAYER(tinsmith_svdf_s8, int8_t)

void tinsmith_svdf_f32(const tinsmith_svdf_shape *shape, const tinsmith_clamp_f32 *clamp, const float *state,
                       const float *weights, const float *bias, float *output) {
  for (int32_t batch = 0; batch < shape->batches; ++batch) {
    const float *row = weights;
    for (int32_t unit = 0; unit < shape->filters / shape->rank; ++unit) {
      float total = bias == NULL ? 0.0f : bias[unit];
      for (int32_t filter = 0; filter < shape->rank; ++filter) {
        float acc = 0.0f;
        for (int32_t step = 0; step < shape->steps; ++step) {
          acc += *state++ * *row++;
        }
        total += acc;
      }
      *output++ = clamp_f32(total, clamp->min, clamp->max);
    }
  }
}
