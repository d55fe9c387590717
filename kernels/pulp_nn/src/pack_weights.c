// Weights for the 4 x 4 kernels: the words of four rows side by side.
#include <string.h>

#include "tinsmith_pulp_nn.h"

uint32_t tinsmith_pulp_packed_bytes(uint32_t rows, uint32_t columns) {
  return ((rows + 3u) & ~3u) * ((columns + 3u) & ~3u);
}

void tinsmith_pulp_pack_weights(const int8_t *weights, uint32_t rows, uint32_t columns, int8_t *packed) {
  const uint32_t padded = (columns + 3u) & ~3u;
  memset(packed, 0, tinsmith_pulp_packed_bytes(rows, columns));
  for (uint32_t row = 0u; row < rows; ++row) {
    int8_t *block = packed + (row & ~3u) * padded + 4u * (row & 3u);
    for (uint32_t column = 0u; column < columns; ++column) {
      block[4u * (column & ~3u) + (column & 3u)] = weights[row * columns + column];
    }
  }
}
