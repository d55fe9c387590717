// The cores of a cluster as an engine that keeps no order (`unordered`). Jobs wait in a list until one of them is
// waited for; then the core that waits forks, and each core runs every so many-th of them.

#include "tinsmith/cluster.h"

#include <stddef.h>

#include "tinsmith/engine.h"

#ifndef TINSMITH_ENGINE_CORES
#define TINSMITH_ENGINE_CORES 8u
#endif

// States of a job.
enum { kWaiting = 0x7001, kDone = 0x7002 };

// Of core 0, in the memory that it reaches at once, where linker scripts know the name.
static tinsmith_job_t *list __attribute__((section(".bss.tinsmith_near")));
static uint32_t count __attribute__((section(".bss.tinsmith_near")));

static void run_share(const void *first, uint32_t core, uint32_t cores) {
  tinsmith_job_t *job = (tinsmith_job_t *)(uintptr_t)first;
  for (uint32_t turn = 0u; job != NULL; job = job->next) {
    if (turn == core) {
      job->run(job);
      job->state = kDone;
    }
    turn = turn + 1u == cores ? 0u : turn + 1u;
  }
}

void tinsmith_engine_start(uint32_t engine, tinsmith_job_t *job) {
  (void)engine;
  job->state = kWaiting;
  job->next = list;
  list = job;
  ++count;
}

void tinsmith_engine_wait(uint32_t engine, tinsmith_job_t *job) {
  (void)engine;
  if (job->state != kWaiting) {
    return;
  }
  tinsmith_job_t *const first = list;
  const uint32_t cores = count < TINSMITH_ENGINE_CORES ? count : TINSMITH_ENGINE_CORES;
  list = NULL;
  count = 0u;
  tinsmith_cluster_fork(cores, run_share, first);
}
