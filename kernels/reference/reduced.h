// A walk over some dimensions of a tensor, which the kernels that reduce others share.
#ifndef TINSMITH_KERNELS_REFERENCE_REDUCED_H_
#define TINSMITH_KERNELS_REFERENCE_REDUCED_H_

#include <stdbool.h>
#include <stdint.h>

// Go to the next place of a walk over `rank` dimensions; false when it has gone round (then `place` is 0 again).
static inline bool advance(int32_t *index, int32_t *place, int32_t rank, const int32_t *shape, const int32_t *strides) {
  for (int32_t axis = rank - 1; axis >= 0; --axis) {
    *place += strides[axis];
    if (++index[axis] < shape[axis]) {
      return true;
    }
    *place -= shape[axis] * strides[axis];
    index[axis] = 0;
  }
  return false;
}

#endif  // TINSMITH_KERNELS_REFERENCE_REDUCED_H_
