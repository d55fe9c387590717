// The uDMA of platforms/simulators/soc between a chip's remote memory and L2, for core 0 of a cluster and for the
// fabric controller: registers and the number of the event are those of chips/gap9.soc.
//
// Copies end in the order of their starts, and DONE says how many have: so a ticket is how many were started up to its
// copy. An event stays in the event unit's buffer until it is waited for, so that one that comes between a look at DONE
// and the sleep is not lost, and one that is left from a copy before only costs another look. The fabric controller has
// no window of the cluster's event unit, and looks again and again.

#include <stdbool.h>

#include "tinsmith/fetch.h"

#ifndef TINSMITH_UDMA
#define TINSMITH_UDMA 0x1a102000u
#endif

#ifndef TINSMITH_UDMA_EVENT
#define TINSMITH_UDMA_EVENT 20u
#endif

// The most copies under way.
#ifndef TINSMITH_UDMA_QUEUE
#define TINSMITH_UDMA_QUEUE 8u
#endif

#ifndef TINSMITH_EVENT_UNIT
#define TINSMITH_EVENT_UNIT 0x10204000u
#endif

#define SOURCE 0x00u
#define TARGET 0x04u
#define BYTES 0x08u
#define START 0x0cu
#define DONE 0x14u

#define MASK 0x00u
#define WAIT_CLEAR 0x3c

// Copies so far, and those of them that are known to have ended; where linker scripts know the name, in the first-level
// memory.
static uint32_t started __attribute__((section(".bss.tinsmith_near")));
static uint32_t ended __attribute__((section(".bss.tinsmith_near")));

static inline void store_register(uint32_t address, uint32_t value) {
  *(volatile uint32_t *)(uintptr_t)address = value;
}

static inline uint32_t load_register(uint32_t address) {
  return *(volatile uint32_t *)(uintptr_t)address;
}

// No access of what a copy reads or writes may move across.
static inline void order_memory(void) {
  __asm__ volatile("" : : : "memory");
}

// Hart numbers are 32 * cluster + core; the fabric controller is alone in cluster 31.
static inline bool is_in_cluster(void) {
  uint32_t hart;
  __asm__("csrr %0, mhartid" : "=r"(hart));
  return hart >> 5 == 0u;
}

// cv.elw: reads a register and sleeps until the event comes. Others that the core waits for elsewhere stay in the
// buffer, as the mask leaves them out.
static void sleep_until_a_copy_ends(void) {
  const uint32_t mask = load_register(TINSMITH_EVENT_UNIT + MASK);
  store_register(TINSMITH_EVENT_UNIT + MASK, 1u << TINSMITH_UDMA_EVENT);
  uint32_t events;
  __asm__ volatile(".insn i 0x0b, 3, %0, %2(%1)" : "=r"(events) : "r"(TINSMITH_EVENT_UNIT), "i"(WAIT_CLEAR) : "memory");
  store_register(TINSMITH_EVENT_UNIT + MASK, mask);
}

static inline bool has_ended(uint32_t ticket) {
  return (int32_t)(ticket - ended) <= 0;
}

static __attribute__((noinline)) void wait(uint32_t ticket) {
  while (!has_ended(ticket)) {
    ended = load_register(TINSMITH_UDMA + DONE);
    if (!has_ended(ticket) && is_in_cluster()) {
      sleep_until_a_copy_ends();
    }
  }
}

uint32_t tinsmith_fetch_start(void *to, const void *from, uint32_t bytes) {
  if (started - ended == TINSMITH_UDMA_QUEUE) {
    wait(ended + 1u);
  }
  order_memory();
  store_register(TINSMITH_UDMA + SOURCE, (uint32_t)(uintptr_t)from);
  store_register(TINSMITH_UDMA + TARGET, (uint32_t)(uintptr_t)to);
  store_register(TINSMITH_UDMA + BYTES, bytes);
  store_register(TINSMITH_UDMA + START, 1u);
  return ++started;
}

void tinsmith_fetch_wait(uint32_t ticket) {
  if (!has_ended(ticket)) {
    wait(ticket);
  }
  order_memory();
}
