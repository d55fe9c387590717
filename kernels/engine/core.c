// For chips without another core that Tinsmith drives: whoever starts a job runs it, at once, so that there is nothing
// to wait for.

#include "tinsmith/engine.h"

void tinsmith_engine_start(uint32_t engine, tinsmith_job_t *job) {
  (void)engine;
  job->run(job);
}

void tinsmith_engine_wait(uint32_t engine, tinsmith_job_t *job) {
  (void)engine;
  (void)job;
}
