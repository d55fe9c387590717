// The copy engines of DIANA's two accelerators: between the accelerators' memory and the part of the second-level
// memory that they reach. A copy is a job as layers are, and starts when all that its accelerator was given before has
// ended; so it goes to one that is idle, the digital one first. While both are busy the core waits for either.

#include "tinsmith/diana.h"

#include "tinsmith/dma.h"
#include "tinsmith_diana_analog.h"

#define L1_ROW_BYTES 16u

// The copy of each accelerator that was started last with a token, which is the last one to end. Of a token that the
// digital one never had, its first job: to wait for that is never wrong.
static uint32_t digital_numbers[TINSMITH_DMA_TOKENS];

static uint32_t analog_numbers[TINSMITH_DMA_TOKENS];

// Tokens of copies of the analog accelerator that nobody has waited for, a bit each.
static uint32_t analog_tokens;

static bool lies_in_l1(const uint8_t *place) {
  return (uint32_t)(uintptr_t)place - TINSMITH_DIANA_L1 < TINSMITH_DIANA_L1_BYTES;
}

// Alignment and reach are the program's engine's, to which its verifier holds all copies.
static inline void need(tinsmith_diana_status_t status) {
  if (status != kTinsmithDianaOk) {
    __builtin_trap();
  }
}

static inline void start_digital(uint32_t token, uint8_t *to, const uint8_t *from, uint32_t bytes) {
  uint32_t *const number = &digital_numbers[token];
  need(lies_in_l1(to) ? tinsmith_diana_copy_in(to, from, bytes, number)
                      : tinsmith_diana_copy_out(to, from, bytes, number));
}

static inline tinsmith_diana_status_t try_digital(uint32_t token, uint8_t *to, const uint8_t *from, uint32_t bytes) {
  uint32_t *const number = &digital_numbers[token];
  return lies_in_l1(to) ? tinsmith_diana_try_copy_in(to, from, bytes, number)
                        : tinsmith_diana_try_copy_out(to, from, bytes, number);
}

static void start_analog(uint32_t token, uint8_t *to, const uint8_t *from, uint32_t bytes) {
  uint32_t *const number = &analog_numbers[token];
  const uint32_t rows = (bytes + L1_ROW_BYTES - 1u) / L1_ROW_BYTES;
  need(lies_in_l1(to) ? tinsmith_diana_analog_copy_in(to, from, rows, 1u, number)
                      : tinsmith_diana_analog_copy_out(to, from, rows, 1u, number));
  analog_tokens |= 1u << token;
}

// By the accelerator that is idle first. Returns whether it is the analog one.
static __attribute__((noinline)) bool start_by_either(uint32_t token, uint8_t *to, const uint8_t *from,
                                                      uint32_t bytes) {
  tinsmith_diana_status_t status = kTinsmithDianaBusy;
  while (status == kTinsmithDianaBusy) {
    if (tinsmith_diana_analog_is_idle()) {
      start_analog(token, to, from, bytes);
      return true;
    }
    status = try_digital(token, to, from, bytes);
  }
  need(status);
  return false;
}

static inline bool start_first(uint32_t token, uint8_t *to, const uint8_t *from, uint32_t bytes) {
  if (try_digital(token, to, from, bytes) == kTinsmithDianaOk) {
    return false;
  }
  return start_by_either(token, to, from, bytes);
}

// Copies that keep an order are one accelerator's. In ascending order: each row takes whole lines of 32 bytes, and the
// next one mends what it wrote too far.
void tinsmith_dma_start(uint32_t token, void *destination, const void *source, uint32_t bytes, uint32_t rows,
                        uint32_t destination_stride, uint32_t source_stride) {
  uint8_t *to = destination;
  const uint8_t *from = source;
  for (uint32_t row = 0u; row < rows; ++row) {
    start_digital(token, to, from, bytes);
    to += destination_stride;
    from += source_stride;
  }
}

void tinsmith_dma_wait(uint32_t token) {
  tinsmith_diana_wait(digital_numbers[token]);
}

// As rows mend one another, the accelerator that has the first one copies them all.
void tinsmith_dma_start_unordered(uint32_t token, void *destination, const void *source, uint32_t bytes, uint32_t rows,
                                  uint32_t destination_stride, uint32_t source_stride) {
  uint8_t *to = destination;
  const uint8_t *from = source;
  if (rows == 0u) {
    return;
  }
  const bool is_analog = start_first(token, to, from, bytes);
  for (uint32_t row = 1u; row < rows; ++row) {
    to += destination_stride;
    from += source_stride;
    (is_analog ? start_analog : start_digital)(token, to, from, bytes);
  }
}

static __attribute__((noinline)) void wait_for_both(uint32_t token) {
  const uint32_t bit = 1u << token;
  if ((analog_tokens & bit) != 0u) {
    tinsmith_diana_analog_wait(analog_numbers[token]);
    analog_tokens &= ~bit;
  }
  tinsmith_diana_wait(digital_numbers[token]);
}

void tinsmith_dma_wait_unordered(uint32_t token) {
  if (analog_tokens != 0u) {
    wait_for_both(token);
  } else {
    tinsmith_diana_wait(digital_numbers[token]);
  }
}

void tinsmith_dma_start_bytes_unordered(uint32_t token, void *destination, const void *source, uint32_t bytes) {
  (void)start_first(token, destination, source, bytes);
}
