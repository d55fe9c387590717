// Starts and waits for the jobs that its input lists, for test_engine.py. Each job writes its number down when it runs,
// and so does the core at each wait; what they wrote, in order, is the output.

#include <string.h>

#include "tinsmith/engine.h"
#include "tinsmith_harness.h"

#define STEPS 48u
#define JOBS 16u

enum { kStart = 1, kWait = 2, kWaited = 100 };

typedef struct {
  uint32_t kind;
  uint32_t engine;
  uint32_t job;
} step_t;

typedef struct {
  tinsmith_job_t job;
  uint32_t number;
} numbered_job_t;

static _Alignas(16) step_t steps[STEPS] TINSMITH_HARNESS_MEMORY("l2");
static _Alignas(16) uint32_t written[STEPS] TINSMITH_HARNESS_MEMORY("l1");
static uint32_t count;
static const tinsmith_harness_memory_t memories[] = {{steps, sizeof(steps)}, {written, sizeof(written)}};
static const tinsmith_harness_tensor_t inputs[] = {{0u, sizeof(steps), 0u}};
static const tinsmith_harness_tensor_t outputs[] = {{0u, sizeof(written), 1u}};

static void write_down(uint32_t number) {
  written[count] = number;
  ++count;
}

static void work(tinsmith_job_t *job) {
  write_down(((numbered_job_t *)(void *)job)->number);
}

static int run(void *argument) {
  (void)argument;
  numbered_job_t jobs[JOBS];
  memset(jobs, 0x55, sizeof(jobs));
  memset(written, 0, sizeof(written));
  count = 0u;
  for (uint32_t i = 0u; i < STEPS; ++i) {
    const step_t *const step = &steps[i];
    if (step->kind == kStart) {
      jobs[step->job].number = step->job + 1u;
      jobs[step->job].job.run = work;
      tinsmith_engine_start(step->engine, &jobs[step->job].job);
    } else if (step->kind == kWait) {
      tinsmith_engine_wait(step->engine, &jobs[step->job].job);
      write_down(kWaited + step->job + 1u);
    }
  }
  return 0;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "jobs",
    .input_count = 1u,
    .inputs = inputs,
    .output_count = 1u,
    .outputs = outputs,
    .run = run,
    .memory_count = 2u,
    .memories = memories,
};
