// Starts and waits for the jobs that its input lists, for test_engine.py, on an engine whose jobs run beside one
// another. Each job counts how often it ran, and notes on which core; at each wait both are written down.

#include <string.h>

#include "tinsmith/engine.h"
#include "tinsmith_harness.h"

#define STEPS 48u
#define JOBS 16u

enum { kStart = 1, kWait = 2 };

typedef struct {
  uint32_t kind;
  uint32_t engine;
  uint32_t job;
} step_t;

typedef struct {
  tinsmith_job_t job;
  uint32_t runs;
  uint32_t core;
} counting_job_t;

typedef struct {
  uint32_t runs;
  uint32_t core;
} written_t;

static _Alignas(16) step_t steps[STEPS] TINSMITH_HARNESS_MEMORY("l2");
static _Alignas(16) written_t written[STEPS] TINSMITH_HARNESS_MEMORY("l1");
static const tinsmith_harness_memory_t memories[] = {{steps, sizeof(steps)}, {written, sizeof(written)}};
static const tinsmith_harness_tensor_t inputs[] = {{0u, sizeof(steps), 0u}};
static const tinsmith_harness_tensor_t outputs[] = {{0u, sizeof(written), 1u}};

static void work(tinsmith_job_t *started) {
  counting_job_t *const job = (counting_job_t *)(void *)started;
  uint32_t hart;
  __asm__ volatile("csrr %0, mhartid" : "=r"(hart));
  ++job->runs;
  job->core = hart & 31u;
}

static int run(void *argument) {
  (void)argument;
  counting_job_t jobs[JOBS];
  memset(jobs, 0, sizeof(jobs));
  memset(written, 0, sizeof(written));
  for (uint32_t i = 0u; i < STEPS; ++i) {
    counting_job_t *const job = &jobs[steps[i].job];
    if (steps[i].kind == kStart) {
      job->job.run = work;
      tinsmith_engine_start(steps[i].engine, &job->job);
    } else if (steps[i].kind == kWait) {
      tinsmith_engine_wait(steps[i].engine, &job->job);
      written[i].runs = job->runs;
      written[i].core = job->core;
    }
  }
  return 0;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "beside",
    .input_count = 1u,
    .inputs = inputs,
    .output_count = 1u,
    .outputs = outputs,
    .run = run,
    .memory_count = 2u,
    .memories = memories,
};
