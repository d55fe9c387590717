// Matrix of weights of two bits times vector of int8.
#include <stddef.h>

#include "tinsmith/two_bits.h"
#include "two_bits.h"

static void multiply(const tinsmith_fully_connected_shape *shape, const s2_ending *ending, const int8_t *input,
                     const uint8_t *weights, const int32_t *bias, void *output) {
  for (int32_t n = 0; n < shape->batches; ++n) {
    for (int32_t unit = 0; unit < shape->units; ++unit) {
      const int32_t sum = dot_s2(input, ending->input_offset, weights, unit * shape->depth, shape->depth);
      const int32_t acc = sum + (bias == NULL ? 0 : bias[unit]);
      store_s2(ending, acc, unit, output, n * shape->units + unit);
    }
    input += shape->depth;
  }
}

void tinsmith_fully_connected_s2(const tinsmith_fully_connected_shape *shape, const tinsmith_output_stage *stage,
                                 const int8_t *input, const uint8_t *weights, const int32_t *bias, int8_t *output) {
  const s2_ending ending = {kAsTflite, stage->input_offset, stage};
  multiply(shape, &ending, input, weights, bias, output);
}

void tinsmith_fully_connected_s2_nearest(const tinsmith_fully_connected_shape *shape,
                                         const tinsmith_output_stage *stage, const int8_t *input,
                                         const uint8_t *weights, const int32_t *bias, int8_t *output) {
  const s2_ending ending = {kNearest, stage->input_offset, stage};
  multiply(shape, &ending, input, weights, bias, output);
}

void tinsmith_fully_connected_s2_floor(const tinsmith_fully_connected_shape *shape, const tinsmith_output_stage *stage,
                                       const int8_t *input, const uint8_t *weights, const int32_t *bias,
                                       int8_t *output) {
  const s2_ending ending = {kFloor, stage->input_offset, stage};
  multiply(shape, &ending, input, weights, bias, output);
}

void tinsmith_fully_connected_s2_s32(const tinsmith_fully_connected_shape *shape, int32_t input_offset,
                                     const int8_t *input, const uint8_t *weights, const int32_t *bias,
                                     int32_t *output) {
  const s2_ending ending = {kSums, input_offset, NULL};
  multiply(shape, &ending, input, weights, bias, output);
}
