// Fork, join, barrier and DMA; the exit status says which of them failed.
#include "tinsmith_pulp.h"

#define BYTES 256u
#define LINE 32u
#define STRIDE 64u

static PULP_L1 uint8_t near[2u * BYTES];
static uint8_t far[4u * BYTES];
static uint8_t back[2u * BYTES];
static PULP_L1 uint32_t squares[PULP_CORES_MAX];
static PULP_L1 uint32_t sums[PULP_CORES_MAX];

// After the barrier each core reads what all of them wrote before it.
static void work(void *argument) {
  const uint32_t core = pulp_core_id();
  squares[core] = core * core + *(const uint32_t *)argument;
  pulp_barrier();
  sums[core] = 0u;
  for (uint32_t i = 0u; i < pulp_team_size(); ++i) {
    sums[core] += squares[i];
  }
}

static bool team_works(uint32_t cores) {
  uint32_t offset = cores;
  uint32_t expected = 0u;
  pulp_team_fork(cores, work, &offset);
  for (uint32_t i = 0u; i < cores; ++i) {
    expected += i * i + cores;
  }
  for (uint32_t i = 0u; i < cores; ++i) {
    if (sums[i] != expected) {
      return false;
    }
  }
  return true;
}

static bool dma_works(void) {
  for (uint32_t i = 0u; i < sizeof far; ++i) {
    far[i] = (uint8_t)(7u * i + (i >> 8));
  }
  const uint32_t whole = pulp_dma_start(near, far, BYTES, kPulpToL1);
  const uint32_t lines = pulp_dma_start_lines(near + BYTES, far, BYTES, LINE, STRIDE, kPulpToL1);
  pulp_dma_wait(whole);
  pulp_dma_wait(lines);
  for (uint32_t i = 0u; i < BYTES; ++i) {
    if (near[i] != far[i] || near[BYTES + i] != far[i / LINE * STRIDE + i % LINE]) {
      return false;
    }
  }
  pulp_dma_wait(pulp_dma_start(near, back, sizeof back, kPulpToL2));
  for (uint32_t i = 0u; i < sizeof back; ++i) {
    if (back[i] != near[i]) {
      return false;
    }
  }
  return true;
}

int main(void) {
  for (uint32_t cores = 1u; cores <= PULP_CORES_MAX; ++cores) {
    if (!team_works(cores)) {
      return 1;
    }
  }
  if (!dma_works()) {
    return 2;
  }
  pulp_print_number(-2147483647 - 1);
  return pulp_l1_end() > pulp_l1_start() ? 0 : 4;
}
