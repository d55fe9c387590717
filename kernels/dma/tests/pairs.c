// As many short copies as its input says, for test_dma.py: each waited for at once, or the one before it, as it says.

#include "tinsmith/dma.h"
#include "tinsmith_harness.h"

#define COPY_BYTES 64u
#define COPIES 4u

typedef struct {
  uint32_t pairs;
  uint32_t is_ahead;
} order_t;

static _Alignas(16) uint8_t far_memory[COPIES * COPY_BYTES] TINSMITH_HARNESS_MEMORY("l2");
static _Alignas(16) struct {
  order_t order;
  uint8_t data[COPIES * COPY_BYTES];
} near_memory TINSMITH_HARNESS_MEMORY("l1");
static const tinsmith_harness_memory_t memories[] = {
    {far_memory, sizeof(far_memory)},
    {&near_memory, sizeof(near_memory)},
};
static const tinsmith_harness_tensor_t inputs[] = {{0u, sizeof(order_t), 1u}};

static void copy(uint32_t index) {
  const uint32_t at = index % COPIES * COPY_BYTES;
  tinsmith_dma_start(index % COPIES, near_memory.data + at, far_memory + at, COPY_BYTES, 1u, 0u, 0u);
}

static int run(void *argument) {
  (void)argument;
  const uint32_t pairs = near_memory.order.pairs;
  const uint32_t ahead = near_memory.order.is_ahead;
  if (ahead != 0u && pairs != 0u) {
    copy(0u);
  }
  for (uint32_t i = 0u; i < pairs; ++i) {
    if (i + ahead < pairs) {
      copy(i + ahead);
    }
    tinsmith_dma_wait(i % COPIES);
  }
  return 0;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "pairs",
    .input_count = 1u,
    .inputs = inputs,
    .run = run,
    .memory_count = 2u,
    .memories = memories,
};
