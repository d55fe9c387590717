// How kernels that share one loop for all roundings end their sums.
#ifndef TINSMITH_KERNELS_REFERENCE_SUM_ENDING_H_
#define TINSMITH_KERNELS_REFERENCE_SUM_ENDING_H_

#include <stdint.h>

#include "arithmetic.h"

// What becomes of a sum: int8 by one of the roundings, or itself. stage: not of sums.
typedef struct {
  enum { kAsTflite, kNearest, kFloor, kSums } how;
  int32_t input_offset;
  const tinsmith_output_stage *stage;
} sum_ending;

// Output element `index` of the sum `acc` of `channel`.
static inline void store_sum(const sum_ending *ending, int32_t acc, int32_t channel, void *output, int32_t index) {
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

#endif  // TINSMITH_KERNELS_REFERENCE_SUM_ENDING_H_
