// Weights of four bits, two to a byte, the first in the lower half, without gaps between rows.
#ifndef TINSMITH_KERNELS_REFERENCE_FOUR_BITS_H_
#define TINSMITH_KERNELS_REFERENCE_FOUR_BITS_H_

#include <stdint.h>

// A byte's weights, in [-8, 7]: their signs where that of the word is.
static inline int32_t lower_s4(uint8_t both) {
  return (int32_t)((uint32_t)both << 28) >> 28;
}

static inline int32_t upper_s4(uint8_t both) {
  return (int32_t)((uint32_t)both << 24) >> 28;
}

// One weight.
static inline int32_t weight_s4(const uint8_t *weights, int32_t index) {
  return (int32_t)((uint32_t)weights[index >> 1] << (28 - (index & 1) * 4)) >> 28;
}

// The sum of the products of `count` weights, from number `first` on, and inputs: a byte of weights at a time.
static inline int32_t dot_s4(const uint8_t *weights, int32_t first, int32_t count, const int8_t *input,
                             int32_t input_offset) {
  const uint8_t *both = weights + (first >> 1);
  int32_t sum = 0;
  if ((first & 1) != 0 && count > 0) {
    sum = (input[0] + input_offset) * upper_s4(*both++);
    ++input;
    --count;
  }
  for (const int8_t *end = input + (count & ~1); input != end; input += 2) {
    sum += (input[0] + input_offset) * lower_s4(*both);
    sum += (input[1] + input_offset) * upper_s4(*both++);
  }
  return (count & 1) != 0 ? sum + (input[0] + input_offset) * lower_s4(*both) : sum;
}

#endif  // TINSMITH_KERNELS_REFERENCE_FOUR_BITS_H_
