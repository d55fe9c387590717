// Carries out the copies and waits that its input lists, for test_dma.py; then both memories are its outputs.

#include "tinsmith/dma.h"
#include "tinsmith_harness.h"

#define STEPS 48u
#define DATA_BYTES 4096u

// A cluster has room for the variables of one kind.
#ifdef UNORDERED
#define START tinsmith_dma_start_unordered
#define WAIT tinsmith_dma_wait_unordered
#else
#define START tinsmith_dma_start
#define WAIT tinsmith_dma_wait
#endif

enum { kCopy = 1, kWait = 2, kRead = 3, kWrite = 4 };

typedef struct {
  uint32_t kind;
  uint32_t token;
  uint32_t to_memory;
  uint32_t to;
  uint32_t from_memory;
  uint32_t from;
  uint32_t bytes;
  uint32_t rows;
  uint32_t to_stride;
  uint32_t from_stride;
} step_t;

typedef struct {
  step_t steps[STEPS];
  uint8_t data[DATA_BYTES];
} far_t;

static _Alignas(16) uint8_t far_memory[sizeof(far_t)] TINSMITH_HARNESS_MEMORY("l2");
static _Alignas(16) uint8_t near_memory[DATA_BYTES] TINSMITH_HARNESS_MEMORY("l1");
static const tinsmith_harness_memory_t memories[] = {
    {far_memory, sizeof(far_t)},
    {near_memory, DATA_BYTES},
};
static const tinsmith_harness_tensor_t inputs[] = {{0u, sizeof(far_t), 0u}};
static const tinsmith_harness_tensor_t outputs[] = {{sizeof(step_t) * STEPS, DATA_BYTES, 0u}, {0u, DATA_BYTES, 1u}};

static int run(void *argument) {
  (void)argument;
  far_t *const far = (far_t *)(void *)far_memory;
  uint8_t *const data[] = {far->data, near_memory};
  for (uint32_t i = 0u; i < STEPS; ++i) {
    const step_t *const step = &far->steps[i];
    volatile uint8_t *const to = data[step->to_memory] + step->to;
    switch (step->kind) {
      case kCopy:
        START(step->token, data[step->to_memory] + step->to, data[step->from_memory] + step->from, step->bytes,
              step->rows, step->to_stride, step->from_stride);
        break;
      case kWait:
        WAIT(step->token);
        break;
      case kRead:
        (void)*to;
        break;
      case kWrite:
        *to = 1u;
        break;
      default:
        break;
    }
  }
  return 0;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "copies",
    .input_count = 1u,
    .inputs = inputs,
    .output_count = 2u,
    .outputs = outputs,
    .run = run,
    .memory_count = 2u,
    .memories = memories,
};
