// Fork and join on PULP's clusters, by the event unit (event_unit_flex) in the cores' own windows: its dispatch queue
// hands a word to each core of a team, its first barrier ends a fork.
//
// What is dispatched is the work and its argument. How many cores there are changes rarely: only then the event unit's
// registers are written, and the cores of the new team are told, by an argument without work, what each of them keeps.

#include "tinsmith/cluster.h"

#ifndef TINSMITH_EVENT_UNIT
#define TINSMITH_EVENT_UNIT 0x10204000u
#endif

#define MASK_OR 0x08u
#define DISPATCH 0x80
#define DISPATCH_TEAM 0x84u
#define BARRIER_TRIGGER_MASK 0x200u
#define BARRIER_TARGET_MASK 0x20cu
#define BARRIER_TRIGGER_WAIT_CLEAR 0x21c
#define BARRIER_EVENT 16u
#define DISPATCH_EVENT 18u

// cv.elw: reads a register and sleeps until the event comes that it stands for.
#define WAIT(offset)                                                                                                  \
  __extension__({                                                                                                     \
    uint32_t value;                                                                                                   \
    __asm__ volatile(".insn i 0x0b, 3, %0, %2(%1)" : "=r"(value) : "r"(TINSMITH_EVENT_UNIT), "i"(offset) : "memory"); \
    value;                                                                                                            \
  })

typedef void (*work_t)(const void *argument, uint32_t core, uint32_t cores);

// Of core 0, in the memory that it reaches at once, where linker scripts know the name.
static uint32_t team_cores __attribute__((section(".bss.tinsmith_near")));

static inline void store_register(uint32_t offset, uint32_t value) {
  *(volatile uint32_t *)(uintptr_t)(TINSMITH_EVENT_UNIT + offset) = value;
}

// The dispatch queue serves the cores of its team only; core 0 knows its work already.
static inline void set_team(uint32_t cores) {
  const uint32_t mask = (1u << cores) - 1u;
  store_register(BARRIER_TRIGGER_MASK, mask);
  store_register(BARRIER_TARGET_MASK, mask);
  store_register(DISPATCH_TEAM, mask & ~1u);
  store_register(DISPATCH, 0u);
  store_register(DISPATCH, cores);
  team_cores = cores;
}

void tinsmith_cluster_fork(uint32_t cores, work_t work, const void *argument) {
  if (cores == 1u) {
    work(argument, 0u, 1u);
    return;
  }
  if (cores != team_cores) {
    set_team(cores);
  }
  // What work reads must be in memory by now, and what it writes must be read from there.
  __asm__ volatile("" : : : "memory");
  store_register(DISPATCH, (uint32_t)(uintptr_t)work);
  store_register(DISPATCH, (uint32_t)(uintptr_t)argument);
  work(argument, 0u, cores);
  (void)WAIT(BARRIER_TRIGGER_WAIT_CLEAR);
}

void tinsmith_cluster_enter(uint32_t core) {
  store_register(MASK_OR, 1u << BARRIER_EVENT | 1u << DISPATCH_EVENT);
  if (core == 0u) {
    return;
  }
  uint32_t cores = 1u;
  for (;;) {
    const uint32_t work = WAIT(DISPATCH);
    const uint32_t argument = WAIT(DISPATCH);
    if (work == 0u) {
      cores = argument;
      continue;
    }
    ((work_t)(uintptr_t)work)((const void *)(uintptr_t)argument, core, cores);
    (void)WAIT(BARRIER_TRIGGER_WAIT_CLEAR);
  }
}
