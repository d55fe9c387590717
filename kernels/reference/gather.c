// Rows of any type, picked by indices.
#include "tinsmith/gather.h"

#include <string.h>

void tinsmith_gather(const tinsmith_gather_shape *shape, const void *input, const int32_t *indices, void *output) {
  const size_t row_bytes = (size_t)shape->row_bytes;
  const int32_t last = shape->rows - 1;
  const uint8_t *block = input;
  uint8_t *destination = output;
  for (int32_t i = 0; i < shape->blocks; ++i) {
    for (int32_t k = 0; k < shape->indices; ++k) {
      // Computed indices may be anything; nothing outside of the block is ever read.
      const int32_t index = indices[k] < 0 ? 0 : indices[k] > last ? last : indices[k];
      memcpy(destination, block + (size_t)index * row_bytes, row_bytes);
      destination += row_bytes;
    }
    block += (size_t)shape->rows * row_bytes;
  }
}
