/* Weights of four bits: two to a byte, the first in the lower half. */
#ifndef TINSMITH_NN_INTERNAL_NIBBLES_H
#define TINSMITH_NN_INTERNAL_NIBBLES_H

#include <stdint.h>

static inline int32_t tinsmith_low_nibble(int8_t byte) {
  return (int8_t)((uint8_t)byte << 4) >> 4;
}

static inline int32_t tinsmith_high_nibble(int8_t byte) {
  return byte >> 4;
}

/** The value of an index. */
static inline int32_t tinsmith_nibble(const int8_t *values, int32_t index) {
  const int8_t byte = values[index >> 1];
  return index & 1 ? tinsmith_high_nibble(byte) : tinsmith_low_nibble(byte);
}

#endif /* TINSMITH_NN_INTERNAL_NIBBLES_H */
