// Sums of all that lies in front, along one dimension.
#include "tinsmith/scan.h"

#include "float_rules.h"

// `number` adds without overflow: the unsigned twin of an integer.
#define DEFINE_CUMSUM(kernel, element, number)                                           \
  void kernel(const tinsmith_scan_shape *shape, const element *input, element *output) { \
    const int32_t block = shape->count * shape->inner;                                   \
    const int32_t first = shape->reverse ? block - shape->inner : 0;                     \
    const int32_t step = shape->reverse ? -shape->inner : shape->inner;                  \
    for (int32_t row = 0; row < shape->blocks * shape->inner; ++row) {                   \
      int32_t at = row / shape->inner * block + row % shape->inner + first;              \
      number total = 0;                                                                  \
      for (int32_t k = 0; k < shape->count; ++k) {                                       \
        const number following = total + (number)input[at];                              \
        output[at] = (element)(shape->exclusive ? total : following);                    \
        total = following;                                                               \
        at += step;                                                                      \
      }                                                                                  \
    }                                                                                    \
  }

DEFINE_CUMSUM(tinsmith_cumsum_s32, int32_t, uint32_t)
DEFINE_CUMSUM(tinsmith_cumsum_s64, int64_t, uint64_t)
DEFINE_CUMSUM(tinsmith_cumsum_f32, float, float)
