// Forks that its input lists, for test_cluster.py. Each core writes, for each element that is its own, the element's
// value scaled by what core 0 wrote right before the fork, and down who it was; core 0 adds up behind the join.

#include "tinsmith/cluster.h"
#include "tinsmith_harness.h"

#define STEPS 32u
#define ELEMENTS 64u

typedef struct {
  uint32_t cores;  // 0: none
  uint32_t elements;
  uint32_t factor;
} step_t;

typedef struct {
  uint32_t factor;
  uint32_t elements;
  uint32_t *products;
  uint32_t *owners;
} share_t;

typedef struct {
  uint32_t sums[STEPS];
  uint32_t products[ELEMENTS];
  uint32_t owners[ELEMENTS];
} shared_t;

static _Alignas(16) step_t steps[STEPS] TINSMITH_HARNESS_MEMORY("l2");
static _Alignas(16) shared_t shared TINSMITH_HARNESS_MEMORY("l1");
static const tinsmith_harness_memory_t memories[] = {{steps, sizeof(steps)}, {&shared, sizeof(shared)}};
static const tinsmith_harness_tensor_t inputs[] = {{0u, sizeof(steps), 0u}};
static const tinsmith_harness_tensor_t outputs[] = {{0u, sizeof(shared), 1u}};

static void work(const void *argument, uint32_t core, uint32_t cores) {
  const share_t *const share = argument;
  for (uint32_t i = core; i < share->elements; i += cores) {
    share->products[i] = share->factor * (i + 1u);
    share->owners[i] = core + 16u * cores;
  }
}

static int run(void *argument) {
  (void)argument;
  for (uint32_t i = 0u; i < STEPS; ++i) {
    shared.sums[i] = 0u;
    if (steps[i].cores != 0u) {
      const share_t share = {steps[i].factor, steps[i].elements, shared.products, shared.owners};
      tinsmith_cluster_fork(steps[i].cores, work, &share);
      for (uint32_t k = 0u; k < share.elements; ++k) {
        shared.sums[i] += shared.products[k];
      }
    }
  }
  return 0;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "forks",
    .input_count = 1u,
    .inputs = inputs,
    .output_count = 1u,
    .outputs = outputs,
    .run = run,
    .memory_count = 2u,
    .memories = memories,
};
