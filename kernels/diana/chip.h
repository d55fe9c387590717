// What drivers of DIANA's accelerators share: where the chip has what, which KU Leuven's SDK says, and how registers
// and the memory that accelerators load from are written; for sources of this folder.

#ifndef TINSMITH_KERNELS_DIANA_CHIP_H_
#define TINSMITH_KERNELS_DIANA_CHIP_H_

#include <stdbool.h>
#include <stdint.h>

#include "tinsmith/diana.h"

#ifndef TINSMITH_DIANA_DIGITAL
#define TINSMITH_DIANA_DIGITAL 0x1a10c000u
#endif

#ifndef TINSMITH_DIANA_ANALOG
#define TINSMITH_DIANA_ANALOG 0x1a10d000u
#endif

// The word whose bits turn both accelerators on, as the SDK says: of PULP's generator of events, where it lets events
// through to the core.
#ifndef TINSMITH_DIANA_ENABLE
#define TINSMITH_DIANA_ENABLE 0x1a106018u
#endif

#ifndef TINSMITH_DIANA_ENABLE_BITS
#define TINSMITH_DIANA_ENABLE_BITS 0xc00u
#endif

// The part of the second-level memory that the accelerators reach.
#ifndef TINSMITH_DIANA_L2
#define TINSMITH_DIANA_L2 0x1c010000u
#endif

#ifndef TINSMITH_DIANA_L2_BYTES
#define TINSMITH_DIANA_L2_BYTES 0x70000u
#endif

// The section of arenas: boards keep them where accelerators reach them, and other variables in the private part.
// Nobody clears it.
#ifndef TINSMITH_DIANA_SHARED
#define TINSMITH_DIANA_SHARED __attribute__((section(".arena.tinsmith_diana"), aligned(16)))
#endif

// A part of it that nobody keeps who joins no runs.
#ifndef TINSMITH_DIANA_SHARED_JOINED
#define TINSMITH_DIANA_SHARED_JOINED __attribute__((section(".arena.tinsmith_diana_joined"), aligned(16)))
#endif

// Registers that both accelerators have.
#define TRIGGER 0x00u
#define STATUS 0x0cu

// Operations; that of a copy into banks is the one behind.
enum { kCompute = 0, kCopyOut = 1, kCopyIn = 2, kBankedCopyOut = 3 };

#define CONFIGURATION_WORDS 16u

static inline void store_word(uint32_t address, uint32_t value) {
  *(volatile uint32_t *)(uintptr_t)address = value;
}

static inline void store_shared(uint32_t *word, uint32_t value) {
  *(volatile uint32_t *)word = value;
}

static inline uint32_t address(const void *place) {
  return (uint32_t)(uintptr_t)place;
}

// No access of what a job reads or writes may move across.
static inline void order_memory(void) {
  __asm__ volatile("" : : : "memory");
}

static inline bool is_idle(uint32_t accelerator) {
  return *(volatile uint32_t *)(uintptr_t)(accelerator + STATUS) == 0u;
}

static inline void wait_for(uint32_t accelerator) {
  while (!is_idle(accelerator)) {
  }
}

static inline void enable_accelerators(void) {
  *(volatile uint32_t *)(uintptr_t)TINSMITH_DIANA_ENABLE |= TINSMITH_DIANA_ENABLE_BITS;
}

static inline uint32_t rounded_for_copy(uint32_t bytes) {
  return (bytes + TINSMITH_DIANA_COPY_BYTES - 1u) & ~(TINSMITH_DIANA_COPY_BYTES - 1u);
}

// Whether so many bytes lie in a memory of that size.
static inline bool lies_in(uint32_t place, uint32_t bytes, uint32_t memory, uint32_t size) {
  return place - memory < size && bytes <= size - (place - memory);
}

// Whether a copy of so many rows, of 16 bytes of each bank, is aligned, stays in its banks, and lies where it may.
static inline bool lies_in_banks(uint32_t l1, uint32_t l2, uint32_t rows, uint32_t banks) {
  const uint32_t offset = l1 - TINSMITH_DIANA_L1;
  const uint32_t bank = banks == 1u ? TINSMITH_DIANA_L1_BYTES : TINSMITH_DIANA_BANK_BYTES;
  const uint32_t last = l1 + (banks - 1u) * TINSMITH_DIANA_BANK_BYTES;
  const uint32_t in_bank = TINSMITH_DIANA_LANES * rows;
  return l1 % TINSMITH_DIANA_LANES == 0u && l2 % 4u == 0u && offset % bank + in_bank <= bank &&
         lies_in(last, in_bank, TINSMITH_DIANA_L1, TINSMITH_DIANA_L1_BYTES) &&
         lies_in(l2, in_bank * banks, TINSMITH_DIANA_L2, TINSMITH_DIANA_L2_BYTES);
}

#endif  // TINSMITH_KERNELS_DIANA_CHIP_H_
