// Weights of two bits, four to a byte, the first in the lowest bits, without gaps between rows; and how kernels that
// share one loop end their sums.
#ifndef TINSMITH_KERNELS_REFERENCE_TWO_BITS_H_
#define TINSMITH_KERNELS_REFERENCE_TWO_BITS_H_

#include <stdint.h>

#include "arithmetic.h"

// Of the weights in one byte that at bit `place`, in [-2, 1].
static inline int32_t field_s2(uint32_t four, int32_t place) {
  return (int32_t)((four >> place & 3u) ^ 2u) - 2;
}

// Sum of products of `count` inputs with the weights from `first` on. Whole bytes are read once for their four.
static inline int32_t dot_s2(const int8_t *input, int32_t input_offset, const uint8_t *weights, int32_t first,
                             int32_t count) {
  int32_t acc = 0;
  int32_t i = 0;
  for (; i < count && (first + i) % 4 != 0; ++i) {
    acc += (input[i] + input_offset) * field_s2(weights[(first + i) >> 2], (first + i) % 4 * 2);
  }
  for (; i + 4 <= count; i += 4) {
    const uint32_t four = weights[(first + i) >> 2];
    acc += (input[i] + input_offset) * field_s2(four, 0);
    acc += (input[i + 1] + input_offset) * field_s2(four, 2);
    acc += (input[i + 2] + input_offset) * field_s2(four, 4);
    acc += (input[i + 3] + input_offset) * field_s2(four, 6);
  }
  for (; i < count; ++i) {
    acc += (input[i] + input_offset) * field_s2(weights[(first + i) >> 2], (first + i) % 4 * 2);
  }
  return acc;
}

// What becomes of a sum: int8 by one of the roundings, or itself. stage: not of sums.
typedef struct {
  enum { kAsTflite, kNearest, kFloor, kSums } how;
  int32_t input_offset;
  const tinsmith_output_stage *stage;
} s2_ending;

// Output element `index` of the sum `acc` of `channel`.
static inline void store_s2(const s2_ending *ending, int32_t acc, int32_t channel, void *output, int32_t index) {
  switch (ending->how) {
    case kAsTflite:
      ((int8_t *)output)[index] = (int8_t)apply_stage(ending->stage, acc, channel);
      break;
    case kNearest:
      ((int8_t *)output)[index] = (int8_t)apply_stage_nearest(ending->stage, acc, channel);
      break;
    case kFloor:
      ((int8_t *)output)[index] = (int8_t)apply_stage_floor(ending->stage, acc, channel);
      break;
    case kSums:
      ((int32_t *)output)[index] = acc;
      break;
  }
}

#endif  // TINSMITH_KERNELS_REFERENCE_TWO_BITS_H_
