// Weights of two bits, four to a byte, the first in the lowest bits, without gaps between rows.
#ifndef TINSMITH_KERNELS_REFERENCE_TWO_BITS_H_
#define TINSMITH_KERNELS_REFERENCE_TWO_BITS_H_

#include <stdint.h>

// Of the weights in one byte that at bit `place`, in [-2, 1].
static inline int32_t field_s2(uint32_t four, int32_t place) {
  return (int32_t)((four >> place & 3u) ^ 2u) - 2;
}

// Sum of products of `count` inputs with the weights from `first` on. Whole bytes are read once for their four.
static inline int32_t dot_s2(const uint8_t *weights, int32_t first, int32_t count, const int8_t *input,
                             int32_t input_offset) {
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

#endif  // TINSMITH_KERNELS_REFERENCE_TWO_BITS_H_
