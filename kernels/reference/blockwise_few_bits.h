// Matrix of weights that share bytes, whose blocks have multipliers, times vector of int8. For a file that says before
// how many weights and inputs are multiplied: dot(weights, first, count, input, input_offset).
#include <stddef.h>
#include <stdint.h>

#include "sum_ending.h"
#include "tinsmith/blockwise.h"

// The sum of a unit whose weights begin at number `first`: each block's sum, multiplied.
static inline int32_t dot_blocks(const tinsmith_blockwise_fully_connected_shape *shape, const uint8_t *weights,
                                 int32_t first, const uint8_t *blocks, const int8_t *input, int32_t input_offset) {
  int32_t sum = 0;
  for (int32_t done = 0; done < shape->depth; done += shape->block) {
    const int32_t left = shape->depth - done;
    const int32_t count = left < shape->block ? left : shape->block;
    sum += *blocks++ * dot(weights, first + done, count, input + done, input_offset);
  }
  return sum;
}

static void multiply(const tinsmith_blockwise_fully_connected_shape *shape, const sum_ending *ending,
                     const int8_t *input, const uint8_t *weights, const int32_t *bias, const uint8_t *blocks,
                     int8_t *output) {
  const int32_t each = (shape->depth - 1) / shape->block + 1;
  for (int32_t n = 0; n < shape->batches; ++n) {
    for (int32_t unit = 0; unit < shape->units; ++unit) {
      const int32_t first = unit * shape->depth;
      const int32_t sum = dot_blocks(shape, weights, first, blocks + unit * each, input, ending->input_offset);
      const int32_t acc = bias == NULL ? sum : bias[unit] + sum;
      store_sum(ending, acc, unit, output, n * shape->units + unit);
    }
    input += shape->depth;
  }
}

#define DEFINE_KERNELS(kernel)                                                                                     \
  void kernel(const tinsmith_blockwise_fully_connected_shape *shape, const tinsmith_output_stage *stage,           \
              const int8_t *input, const uint8_t *weights, const int32_t *bias, const uint8_t *blocks,             \
              int8_t *output) {                                                                                    \
    const sum_ending ending = {kAsTflite, stage->input_offset, stage};                                             \
    multiply(shape, &ending, input, weights, bias, blocks, output);                                                \
  }                                                                                                                \
  void kernel##_nearest(const tinsmith_blockwise_fully_connected_shape *shape, const tinsmith_output_stage *stage, \
                        const int8_t *input, const uint8_t *weights, const int32_t *bias, const uint8_t *blocks,   \
                        int8_t *output) {                                                                          \
    const sum_ending ending = {kNearest, stage->input_offset, stage};                                              \
    multiply(shape, &ending, input, weights, bias, blocks, output);                                                \
  }                                                                                                                \
  void kernel##_floor(const tinsmith_blockwise_fully_connected_shape *shape, const tinsmith_output_stage *stage,   \
                      const int8_t *input, const uint8_t *weights, const int32_t *bias, const uint8_t *blocks,     \
                      int8_t *output) {                                                                            \
    const sum_ending ending = {kFloor, stage->input_offset, stage};                                                \
    multiply(shape, &ending, input, weights, bias, blocks, output);                                                \
  }
