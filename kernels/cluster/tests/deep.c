// Work that takes a stack as deep as its input says for one of the cores, for test_cluster.py.

#include "tinsmith/cluster.h"
#include "tinsmith_harness.h"

#define CORES 8u
#define FRAME_BYTES 64u

typedef struct {
  uint32_t core;
  uint32_t frames;
} depth_t;

static _Alignas(16) depth_t depth[1] TINSMITH_HARNESS_MEMORY("l2");
static const tinsmith_harness_memory_t memories[] = {{depth, sizeof(depth)}};
static const tinsmith_harness_tensor_t inputs[] = {{0u, sizeof(depth), 0u}};

static __attribute__((noinline)) uint32_t descend(uint32_t frames) {
  volatile uint8_t frame[FRAME_BYTES];
  for (uint32_t i = 0u; i < FRAME_BYTES; ++i) {
    frame[i] = (uint8_t)frames;
  }
  const uint32_t below = frames == 0u ? 0u : descend(frames - 1u);
  return below + frame[frames % FRAME_BYTES];
}

static void work(const void *argument, uint32_t core, uint32_t cores) {
  const depth_t *const wanted = argument;
  (void)cores;
  if (core == wanted->core) {
    (void)descend(wanted->frames);
  }
}

static int run(void *argument) {
  (void)argument;
  tinsmith_cluster_fork(CORES, work, depth);
  return 0;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "deep",
    .input_count = 1u,
    .inputs = inputs,
    .run = run,
    .memory_count = 1u,
    .memories = memories,
};
