#include "tests/buffers.h"

#include <string.h>

L1 uint8_t input[BUFFER_BYTES];
L1 int8_t weights[BUFFER_BYTES];
L1 uint8_t output[BUFFER_BYTES + MARGIN_BYTES];
L1 uint8_t scratch[BUFFER_BYTES];
__attribute__((aligned(4))) uint8_t expected[BUFFER_BYTES];

uint8_t *random_input(random_t *random, uint32_t bytes) {
  uint8_t *start = input + BUFFER_BYTES - bytes;
  random_bytes(random, start, bytes);
  return start;
}

void clear_output(uint32_t bytes) {
  memset(output, MARGIN_VALUE, bytes + MARGIN_BYTES);
}

bool output_is_right(uint32_t bytes) {
  for (uint32_t i = 0u; i < bytes; ++i) {
    if (output[i] != expected[i]) {
      return false;
    }
  }
  for (uint32_t i = 0u; i < MARGIN_BYTES; ++i) {
    if (output[bytes + i] != MARGIN_VALUE) {
      return false;
    }
  }
  return true;
}
