/* Reads the board's free-running counters. Which ones they are comes from the board's data as TINSMITH_COUNTER_*. */
#ifndef TINSMITH_COUNTER_H_
#define TINSMITH_COUNTER_H_

#include <stdint.h>

#if defined(TINSMITH_COUNTER_MEMORY)
/* A register that just counts (MPS2 and MPS3 FPGAIO COUNTER). */
static inline void counter_start(void) {
}

static inline uint32_t counter_read(void) {
  return *(volatile uint32_t *)TINSMITH_COUNTER_MEMORY;
}

#elif defined(TINSMITH_COUNTER_NRF51_TIMER)
/* nRF51 TIMER: 32 bits wide, prescaler 1; the value is captured into CC[0] and read from there. */
#define NRF51_TIMER_REGISTER(offset) (*(volatile uint32_t *)(TINSMITH_COUNTER_NRF51_TIMER + (offset)))

static inline void counter_start(void) {
  NRF51_TIMER_REGISTER(0x508u) = 3u; /* BITMODE: 32 bits */
  NRF51_TIMER_REGISTER(0x510u) = 0u; /* PRESCALER: 16 MHz */
  NRF51_TIMER_REGISTER(0x000u) = 1u; /* TASKS_START */
}

static inline uint32_t counter_read(void) {
  NRF51_TIMER_REGISTER(0x040u) = 1u; /* TASKS_CAPTURE[0] */
  return NRF51_TIMER_REGISTER(0x540u);
}

#elif defined(TINSMITH_COUNTER_MINSTRET)
/* RISC-V retired instructions, low word. */
static inline void counter_start(void) {
}

static inline uint32_t counter_read(void) {
  uint32_t value;
  __asm__ volatile("csrr %0, minstret" : "=r"(value)::"memory");
  return value;
}

#else
/* No counter: everything measures 0, and the runner says so. */
static inline void counter_start(void) {
}

static inline uint32_t counter_read(void) {
  return 0u;
}
#endif

/* Cycles, where the emulator has a notion of them; 0 elsewhere. */
static inline uint32_t cycles_read(void) {
#if defined(TINSMITH_COUNTER_MCYCLE)
  uint32_t value;
  __asm__ volatile("csrr %0, mcycle" : "=r"(value)::"memory");
  return value;
#else
  return 0u;
#endif
}

#endif  // TINSMITH_COUNTER_H_
