// Matrix of weights that share bytes times vector of int8. For a file that says before how many weights and inputs are
// multiplied: dot(weights, first, count, input, input_offset).
#include <stddef.h>
#include <stdint.h>

#include "sum_ending.h"

static void multiply(const tinsmith_fully_connected_shape *shape, const sum_ending *ending, const int8_t *input,
                     const uint8_t *weights, const int32_t *bias, void *output) {
  for (int32_t n = 0; n < shape->batches; ++n) {
    int32_t first = 0;
    for (int32_t unit = 0; unit < shape->units; ++unit) {
      const int32_t start = bias == NULL ? 0 : bias[unit];
      const int32_t acc = start + dot(weights, first, shape->depth, input, ending->input_offset);
      first += shape->depth;
      store_sum(ending, acc, unit, output, n * shape->units + unit);
    }
    input += shape->depth;
  }
}

#define DEFINE_KERNELS(kernel)                                                                                      \
  void kernel(const tinsmith_fully_connected_shape *shape, const tinsmith_output_stage *stage, const int8_t *input, \
              const uint8_t *weights, const int32_t *bias, int8_t *output) {                                        \
    const sum_ending ending = {kAsTflite, stage->input_offset, stage};                                              \
    multiply(shape, &ending, input, weights, bias, output);                                                         \
  }                                                                                                                 \
  void kernel##_nearest(const tinsmith_fully_connected_shape *shape, const tinsmith_output_stage *stage,            \
                        const int8_t *input, const uint8_t *weights, const int32_t *bias, int8_t *output) {         \
    const sum_ending ending = {kNearest, stage->input_offset, stage};                                               \
    multiply(shape, &ending, input, weights, bias, output);                                                         \
  }                                                                                                                 \
  void kernel##_floor(const tinsmith_fully_connected_shape *shape, const tinsmith_output_stage *stage,              \
                      const int8_t *input, const uint8_t *weights, const int32_t *bias, int8_t *output) {           \
    const sum_ending ending = {kFloor, stage->input_offset, stage};                                                 \
    multiply(shape, &ending, input, weights, bias, output);                                                         \
  }                                                                                                                 \
  void kernel##_s32(const tinsmith_fully_connected_shape *shape, int32_t input_offset, const int8_t *input,         \
                    const uint8_t *weights, const int32_t *bias, int32_t *output) {                                 \
    const sum_ending ending = {kSums, input_offset, NULL};                                                          \
    multiply(shape, &ending, input, weights, bias, output);                                                         \
  }
