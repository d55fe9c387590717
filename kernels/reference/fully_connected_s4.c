// Matrix of weights of four bits times vector of int8.
#include <stddef.h>

#include "four_bits.h"
#include "tinsmith/four_bits.h"

static void multiply(const tinsmith_fully_connected_shape *shape, const s4_ending *ending, const int8_t *input,
                     const uint8_t *weights, const int32_t *bias, void *output) {
  for (int32_t n = 0; n < shape->batches; ++n) {
    int32_t first = 0;
    for (int32_t unit = 0; unit < shape->units; ++unit) {
      const int32_t start = bias == NULL ? 0 : bias[unit];
      const int32_t acc = start + dot_s4(weights, first, shape->depth, input, ending->input_offset);
      first += shape->depth;
      store_s4(ending, acc, unit, output, n * shape->units + unit);
    }
    input += shape->depth;
  }
}

void tinsmith_fully_connected_s4(const tinsmith_fully_connected_shape *shape, const tinsmith_output_stage *stage,
                                 const int8_t *input, const uint8_t *weights, const int32_t *bias, int8_t *output) {
  const s4_ending ending = {kAsTflite, stage->input_offset, stage};
  multiply(shape, &ending, input, weights, bias, output);
}

void tinsmith_fully_connected_s4_nearest(const tinsmith_fully_connected_shape *shape,
                                         const tinsmith_output_stage *stage, const int8_t *input,
                                         const uint8_t *weights, const int32_t *bias, int8_t *output) {
  const s4_ending ending = {kNearest, stage->input_offset, stage};
  multiply(shape, &ending, input, weights, bias, output);
}

void tinsmith_fully_connected_s4_floor(const tinsmith_fully_connected_shape *shape, const tinsmith_output_stage *stage,
                                       const int8_t *input, const uint8_t *weights, const int32_t *bias,
                                       int8_t *output) {
  const s4_ending ending = {kFloor, stage->input_offset, stage};
  multiply(shape, &ending, input, weights, bias, output);
}

void tinsmith_fully_connected_s4_s32(const tinsmith_fully_connected_shape *shape, int32_t input_offset,
                                     const int8_t *input, const uint8_t *weights, const int32_t *bias,
                                     int32_t *output) {
  const s4_ending ending = {kSums, input_offset, NULL};
  multiply(shape, &ending, input, weights, bias, output);
}
