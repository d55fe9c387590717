// The copy engine of DIANA's digital accelerator: between the accelerators' memory and the part of the second-level
// memory that they reach. A copy is a job as layers are: it starts when all that was started before has ended.

#include "tinsmith/diana.h"

#include "tinsmith/dma.h"

// The copy that was started last with a token; it is the last one to end.
static uint32_t numbers[TINSMITH_DMA_TOKENS];

static void start(uint32_t token, uint8_t *to, const uint8_t *from, uint32_t bytes) {
  const uint32_t l1_place = (uint32_t)(uintptr_t)to - TINSMITH_DIANA_L1;
  const tinsmith_diana_status_t status = l1_place < TINSMITH_DIANA_L1_BYTES
                                             ? tinsmith_diana_copy_in(to, from, bytes, &numbers[token])
                                             : tinsmith_diana_copy_out(to, from, bytes, &numbers[token]);
  // Alignment and reach are the program's engine's, to which its verifier holds all copies.
  if (status != kTinsmithDianaOk) {
    __builtin_trap();
  }
}

void tinsmith_dma_start(uint32_t token, void *destination, const void *source, uint32_t bytes, uint32_t rows,
                        uint32_t destination_stride, uint32_t source_stride) {
  uint8_t *to = destination;
  const uint8_t *from = source;
  // In ascending order: each row takes whole lines of 32 bytes, and the next one mends what it wrote too far.
  for (uint32_t row = 0u; row < rows; ++row) {
    start(token, to, from, bytes);
    to += destination_stride;
    from += source_stride;
  }
}

void tinsmith_dma_wait(uint32_t token) {
  tinsmith_diana_wait(numbers[token]);
}

void tinsmith_dma_start_unordered(uint32_t token, void *destination, const void *source, uint32_t bytes, uint32_t rows,
                                  uint32_t destination_stride, uint32_t source_stride) {
  tinsmith_dma_start(token, destination, source, bytes, rows, destination_stride, source_stride);
}

void tinsmith_dma_wait_unordered(uint32_t token) {
  tinsmith_dma_wait(token);
}

void tinsmith_dma_start_bytes_unordered(uint32_t token, void *destination, const void *source, uint32_t bytes) {
  start(token, destination, source, bytes);
}
