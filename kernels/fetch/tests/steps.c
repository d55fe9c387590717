// Carries out the fetches and waits that its input lists, for test_udma.py; then the near memory is its output. What is
// fetched from, test_udma.py writes.

#include "tinsmith/fetch.h"
#include "tinsmith_harness.h"

#define STEPS 64u
#define NEAR_BYTES 16384u

enum { kFetch = 1, kWait = 2, kRead = 3 };

// number: of the fetch that a wait is for, in the order of the starts. to, from, bytes: of a fetch; a read is of `to`.
typedef struct {
  uint32_t kind;
  uint32_t number;
  uint32_t to;
  uint32_t from;
  uint32_t bytes;
} step_t;

typedef struct {
  step_t steps[STEPS];
  uint8_t data[NEAR_BYTES];
} near_t;

extern const uint8_t far_bytes[];

static _Alignas(16) uint8_t near_memory[sizeof(near_t)] TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t inputs[] = {{0u, sizeof(step_t) * STEPS, 0u}};
static const tinsmith_harness_tensor_t outputs[] = {{sizeof(step_t) * STEPS, NEAR_BYTES, 0u}};

static int run(void *arena) {
  near_t *const near = (near_t *)arena;
  uint32_t tickets[STEPS];
  uint32_t started = 0u;
  for (uint32_t i = 0u; i < STEPS; ++i) {
    const step_t step = near->steps[i];
    if (step.kind == kFetch) {
      tickets[started++] = tinsmith_fetch_start(near->data + step.to, far_bytes + step.from, step.bytes);
    } else if (step.kind == kWait) {
      tinsmith_fetch_wait(tickets[step.number]);
    } else if (step.kind == kRead) {
      (void)*(volatile uint8_t *)(near->data + step.to);
    }
  }
  return 0;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "fetches",
    .arena = near_memory,
    .arena_bytes = sizeof near_memory,
    .input_count = 1u,
    .inputs = inputs,
    .output_count = 1u,
    .outputs = outputs,
    .run = run,
};
