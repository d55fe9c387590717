// Weights of four bits, two to a byte, the first in the lower half, without gaps between rows; and how kernels that
// share one loop end their sums.
#ifndef TINSMITH_KERNELS_REFERENCE_FOUR_BITS_H_
#define TINSMITH_KERNELS_REFERENCE_FOUR_BITS_H_

#include <stdint.h>

#include "arithmetic.h"

// One weight, in [-8, 7].
static inline int32_t weight_s4(const uint8_t *weights, int32_t index) {
  const int32_t half = (weights[index >> 1] >> (index % 2 * 4)) & 15;
  return (half ^ 8) - 8;
}

// What becomes of a sum: int8 by one of the roundings, or itself. stage: not of sums.
typedef struct {
  enum { kAsTflite, kNearest, kFloor, kSums } how;
  int32_t input_offset;
  const tinsmith_output_stage *stage;
} s4_ending;

// Output element `index` of the sum `acc` of `channel`.
static inline void store_s4(const s4_ending *ending, int32_t acc, int32_t channel, void *output, int32_t index) {
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

#endif  // TINSMITH_KERNELS_REFERENCE_FOUR_BITS_H_
