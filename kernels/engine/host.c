// Engines for tests on a computer. They run each job as late as they may: when it is waited for, what the same engine
// was given before going first. Compiled with TINSMITH_ENGINE_EARLY they run it at once. A program without races gives
// the same results either way.

#include <stdlib.h>

#include "tinsmith/engine.h"

#ifndef TINSMITH_ENGINE_EARLY
#define TINSMITH_ENGINE_EARLY 0
#endif

#define ENGINES 64u

// States of a job.
enum { kWaiting = 0x7001, kDone = 0x7002 };

static tinsmith_job_t *queues[ENGINES];

static void run(tinsmith_job_t *job) {
  job->run(job);
  job->state = kDone;
}

void tinsmith_engine_start(uint32_t engine, tinsmith_job_t *job) {
  if (engine >= ENGINES) {
    abort();
  }
  job->next = NULL;
  if (TINSMITH_ENGINE_EARLY) {
    run(job);
    return;
  }
  job->state = kWaiting;
  if (queues[engine] == NULL) {
    queues[engine] = job;
    return;
  }
  tinsmith_job_t *last = queues[engine];
  while (last->next != NULL) {
    last = last->next;
  }
  last->next = job;
}

void tinsmith_engine_wait(uint32_t engine, tinsmith_job_t *job) {
  while (job->state == kWaiting && queues[engine] != NULL) {
    tinsmith_job_t *const first = queues[engine];
    queues[engine] = first->next;
    run(first);
  }
  if (job->state != kDone) {
    abort();  // it was given to no engine, to another one, or waited for before
  }
  job->state = 0;
}
