// The copy engines of DIANA's two accelerators: between the accelerators' memory and the part of the second-level
// memory that they reach. A copy is a job as layers are, and starts when all that its accelerator was given before has
// ended; so it goes to one that is idle, the digital one first. While both are busy the core waits for either.

#include "tinsmith/diana.h"

#include "tinsmith/dma.h"
#include "tinsmith_diana_analog.h"

#define L1_ROW_BYTES 16u

// The copy of each accelerator that was started last with a token, which is the last one to end; of the digital one as
// the number behind it, so that 0 is none.
static uint32_t digital_ends[TINSMITH_DMA_TOKENS];
static uint32_t analog_numbers[TINSMITH_DMA_TOKENS];

// Tokens of copies of the analog accelerator that nobody has waited for, a bit each.
static uint32_t analog_tokens;

static bool lies_in_l1(const uint8_t *place) {
  return (uint32_t)(uintptr_t)place - TINSMITH_DIANA_L1 < TINSMITH_DIANA_L1_BYTES;
}

// Alignment and reach are the program's engine's, to which its verifier holds all copies.
static void need(tinsmith_diana_status_t status) {
  if (status != kTinsmithDianaOk) {
    __builtin_trap();
  }
}

static inline void start_digital(uint32_t token, uint8_t *to, const uint8_t *from, uint32_t bytes) {
  uint32_t number;
  need(lies_in_l1(to) ? tinsmith_diana_copy_in(to, from, bytes, &number)
                      : tinsmith_diana_copy_out(to, from, bytes, &number));
  digital_ends[token] = number + 1u;
}

static __attribute__((noinline)) void start_analog(uint32_t token, uint8_t *to, const uint8_t *from, uint32_t bytes) {
  uint32_t *const number = &analog_numbers[token];
  const uint32_t rows = (bytes + L1_ROW_BYTES - 1u) / L1_ROW_BYTES;
  need(lies_in_l1(to) ? tinsmith_diana_analog_copy_in(to, from, rows, 1u, number)
                      : tinsmith_diana_analog_copy_out(to, from, rows, 1u, number));
  analog_tokens |= 1u << token;
}

// Whether the analog accelerator is idle first.
static inline bool is_for_analog(void) {
  while (!tinsmith_diana_is_idle()) {
    if (tinsmith_diana_analog_is_idle()) {
      return true;
    }
  }
  return false;
}

static inline void start(bool is_analog, uint32_t token, uint8_t *to, const uint8_t *from, uint32_t bytes) {
  if (is_analog) {
    start_analog(token, to, from, bytes);
  } else {
    start_digital(token, to, from, bytes);
  }
}

// In ascending order: each row takes whole lines of 32 bytes, and the next one mends what it wrote too far. So one
// accelerator copies them all.
static inline void start_rows(bool is_analog, uint32_t token, uint8_t *to, const uint8_t *from, uint32_t bytes,
                              uint32_t rows, uint32_t to_stride, uint32_t from_stride) {
  for (uint32_t row = 0u; row < rows; ++row) {
    start(is_analog, token, to, from, bytes);
    to += to_stride;
    from += from_stride;
  }
}

// Copies that keep an order are one accelerator's.
void tinsmith_dma_start(uint32_t token, void *destination, const void *source, uint32_t bytes, uint32_t rows,
                        uint32_t destination_stride, uint32_t source_stride) {
  start_rows(false, token, destination, source, bytes, rows, destination_stride, source_stride);
}

void tinsmith_dma_wait(uint32_t token) {
  tinsmith_dma_wait_unordered(token);
}

void tinsmith_dma_start_unordered(uint32_t token, void *destination, const void *source, uint32_t bytes, uint32_t rows,
                                  uint32_t destination_stride, uint32_t source_stride) {
  start_rows(is_for_analog(), token, destination, source, bytes, rows, destination_stride, source_stride);
}

void tinsmith_dma_wait_unordered(uint32_t token) {
  const uint32_t bit = 1u << token;
  tinsmith_diana_wait(digital_ends[token] - 1u);
  if ((analog_tokens & bit) != 0u) {
    tinsmith_diana_analog_wait(analog_numbers[token]);
    analog_tokens &= ~bit;
  }
}

void tinsmith_dma_start_bytes_unordered(uint32_t token, void *destination, const void *source, uint32_t bytes) {
  start(is_for_analog(), token, destination, source, bytes);
}
