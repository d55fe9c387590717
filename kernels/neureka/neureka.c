// N-EUREKA's start and wait for a core of the cluster: its registers lie among the cluster's peripherals, the event of
// a job's end in the event unit (event_unit_flex), in the core's own window. Which register is which, pulp-nnx says.
//
// A wait asks which contexts are in use, as jobs end in the order of their starts, and sleeps until an event comes. An
// event stays in the event unit's buffer until it is waited for, so one that comes between the two is not lost, and one
// that is left from a job before only costs another question.

#include "tinsmith/neureka.h"

#ifndef TINSMITH_NEUREKA
#define TINSMITH_NEUREKA 0x10201000u
#endif

#ifndef TINSMITH_EVENT_UNIT
#define TINSMITH_EVENT_UNIT 0x10204000u
#endif

#define TRIGGER 0x00u
#define ACQUIRE 0x04u
#define STATUS 0x0cu
#define JOB 0x20u
#define IDENTIFIERS 256u  // ACQUIRE is not below while no context is free

#define MASK 0x00u
#define WAIT_CLEAR 0x3c
#define JOB_EVENT 12u

// Jobs so far, and those of them that ended; where linker scripts know the name, in the first-level memory.
static uint32_t started __attribute__((section(".bss.tinsmith_near")));
static uint32_t ended __attribute__((section(".bss.tinsmith_near")));

static inline void store_register(uint32_t address, uint32_t value) {
  *(volatile uint32_t *)(uintptr_t)address = value;
}

static inline uint32_t load_register(uint32_t address) {
  return *(volatile uint32_t *)(uintptr_t)address;
}

// No access of what a job reads or writes may move across.
static inline void order_memory(void) {
  __asm__ volatile("" : : : "memory");
}

// cv.elw: reads a register and sleeps until the event comes. Others that the core waits for elsewhere stay in the
// buffer, as the mask leaves them out.
static void sleep_until_a_job_ends(void) {
  const uint32_t mask = load_register(TINSMITH_EVENT_UNIT + MASK);
  store_register(TINSMITH_EVENT_UNIT + MASK, 1u << JOB_EVENT);
  uint32_t events;
  __asm__ volatile(".insn i 0x0b, 3, %0, %2(%1)" : "=r"(events) : "r"(TINSMITH_EVENT_UNIT), "i"(WAIT_CLEAR) : "memory");
  store_register(TINSMITH_EVENT_UNIT + MASK, mask);
}

uint32_t tinsmith_neureka_start(const tinsmith_neureka_job_t *job) {
  while (load_register(TINSMITH_NEUREKA + ACQUIRE) >= IDENTIFIERS) {
    sleep_until_a_job_ends();
  }
  order_memory();
  // Two by two: no store waits for the load right before it.
#pragma GCC unroll 12
  for (uint32_t i = 0u; i < TINSMITH_NEUREKA_WORDS; i += 2u) {
    const uint32_t first = job->words[i];
    const uint32_t second = job->words[i + 1u];
    __asm__ volatile("" : : "r"(first), "r"(second));
    store_register(TINSMITH_NEUREKA + JOB + 4u * i, first);
    store_register(TINSMITH_NEUREKA + JOB + 4u * i + 4u, second);
  }
  store_register(TINSMITH_NEUREKA + TRIGGER, 0u);
  return started++;
}

// A bit for each context in use; nobody is writing one.
static inline uint32_t jobs_under_way(void) {
  const uint32_t status = load_register(TINSMITH_NEUREKA + STATUS);
  return (status & 1u) + (status >> 8 & 1u);
}

static inline bool has_ended(uint32_t number) {
  return (int32_t)(number - ended) < 0;
}

void tinsmith_neureka_wait(uint32_t number) {
  while (!has_ended(number)) {
    ended = started - jobs_under_way();
    if (!has_ended(number)) {
      sleep_until_a_job_ends();
    }
  }
  order_memory();
}
