// N-EUREKA for tests on a computer. It ends each job as late as it may: when it is waited for, or another one needs its
// context, what was started before going first. Compiled with TINSMITH_NEUREKA_EARLY it runs jobs at once. A program
// without races gives the same results either way.

#include <stdlib.h>

#include "tinsmith/neureka.h"
#include "twin.h"

#ifndef TINSMITH_NEUREKA_EARLY
#define TINSMITH_NEUREKA_EARLY 0
#endif

static tinsmith_neureka_job_t contexts[TINSMITH_NEUREKA_CONTEXTS];
static uint32_t started;
static uint32_t ended;

static void end_oldest(void) {
  if (ended == started) {
    abort();  // no such job was started
  }
  tinsmith_neureka_run(&contexts[ended % TINSMITH_NEUREKA_CONTEXTS]);
  ++ended;
}

uint32_t tinsmith_neureka_start(const tinsmith_neureka_job_t *job) {
  if (started - ended == TINSMITH_NEUREKA_CONTEXTS) {
    end_oldest();
  }
  contexts[started % TINSMITH_NEUREKA_CONTEXTS] = *job;
  ++started;
  if (TINSMITH_NEUREKA_EARLY) {
    end_oldest();
  }
  return started - 1u;
}

void tinsmith_neureka_wait(uint32_t number) {
  while ((int32_t)(number - ended) >= 0) {
    end_oldest();
  }
}
