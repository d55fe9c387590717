// For chips without a DMA that Tinsmith drives: the core copies, at once, so that there is nothing to wait for.

#include <string.h>

#include "tinsmith/dma.h"

void tinsmith_dma_start(uint32_t token, void *destination, const void *source, uint32_t bytes, uint32_t rows,
                        uint32_t destination_stride, uint32_t source_stride) {
  (void)token;
  uint8_t *to = destination;
  const uint8_t *from = source;
  for (uint32_t row = 0u; row < rows; ++row) {
    memcpy(to, from, bytes);
    to += destination_stride;
    from += source_stride;
  }
}

void tinsmith_dma_wait(uint32_t token) {
  (void)token;
}

void tinsmith_dma_start_unordered(uint32_t token, void *destination, const void *source, uint32_t bytes, uint32_t rows,
                                  uint32_t destination_stride, uint32_t source_stride) {
  tinsmith_dma_start(token, destination, source, bytes, rows, destination_stride, source_stride);
}

void tinsmith_dma_wait_unordered(uint32_t token) {
  tinsmith_dma_wait(token);
}

void tinsmith_dma_start_bytes_unordered(uint32_t token, void *destination, const void *source, uint32_t bytes) {
  tinsmith_dma_start(token, destination, source, bytes, 1u, 0u, 0u);
}
