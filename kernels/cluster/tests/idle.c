// As many forks of work that does nothing as its input says, for test_cluster.py.

#include "tinsmith/cluster.h"
#include "tinsmith_harness.h"

#define CORES 8u

static _Alignas(16) uint32_t forks[1] TINSMITH_HARNESS_MEMORY("l1");
static const tinsmith_harness_memory_t memories[] = {{forks, sizeof(forks)}};
static const tinsmith_harness_tensor_t inputs[] = {{0u, sizeof(forks), 0u}};

static void work(const void *argument, uint32_t core, uint32_t cores) {
  (void)argument;
  (void)core;
  (void)cores;
}

static int run(void *argument) {
  (void)argument;
  for (uint32_t i = forks[0]; i != 0u; --i) {
    tinsmith_cluster_fork(CORES, work, forks);
  }
  return 0;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "idle",
    .input_count = 1u,
    .inputs = inputs,
    .run = run,
    .memory_count = 1u,
    .memories = memories,
};
