// Fork and join through the event unit's dispatch queue and its first barrier.
#include "src/team.h"

#include "tinsmith_pulp.h"

#define MASK_OR 0x08u
#define DISPATCH 0x80
#define DISPATCH_TEAM 0x84u
#define BARRIER_TRIGGER_MASK 0x200u
#define BARRIER_TARGET_MASK 0x20cu
#define BARRIER_EVENT 16u
#define DISPATCH_EVENT 18u

typedef void (*work_t)(void *argument);

static PULP_L1 uint32_t team_cores;

static inline void store_event_register(uint32_t offset, uint32_t value) {
  *(volatile uint32_t *)(PULP_EVENT_UNIT + offset) = value;
}

void team_prepare_core(void) {
  store_event_register(MASK_OR, 1u << BARRIER_EVENT | 1u << DISPATCH_EVENT);
  if (pulp_core_id() == 0u) {
    team_cores = 1u;
  }
}

_Noreturn void team_serve(void) {
  for (;;) {
    const work_t work = (work_t)PULP_WAIT(DISPATCH);
    void *argument = (void *)PULP_WAIT(DISPATCH);
    work(argument);
    pulp_barrier();
  }
}

uint32_t pulp_team_size(void) {
  return team_cores;
}

void pulp_team_fork(uint32_t cores, work_t work, void *argument) {
  const uint32_t mask = (1u << cores) - 1u;
  team_cores = cores;
  store_event_register(BARRIER_TRIGGER_MASK, mask);
  store_event_register(BARRIER_TARGET_MASK, mask);
  if (cores > 1u) {
    // The dispatch queue serves the cores of its team only; core 0 knows its work already.
    store_event_register(DISPATCH_TEAM, mask & ~1u);
    store_event_register(DISPATCH, (uint32_t)work);
    store_event_register(DISPATCH, (uint32_t)argument);
  }
  work(argument);
  pulp_barrier();
}
