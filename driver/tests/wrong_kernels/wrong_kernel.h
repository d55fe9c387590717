#ifndef TINSMITH_TESTS_WRONG_KERNEL_H
#define TINSMITH_TESTS_WRONG_KERNEL_H

#include <stdint.h>

/** -input, but for the elements from the 13th on, which it forgets to negate. */
static inline void wrong_neg_f32(int32_t count, const float *input, float *output) {
  for (int32_t i = 0; i < count; ++i) {
    output[i] = i < 12 ? -input[i] : input[i];
  }
}

#endif
