// What generated C asks of an engine that computes beside the core: another core, a thread, a stand-in for one. It is
// given jobs, functions that do the work of a layer or a copy. Whoever integrates a network whose program puts such
// steps on an engine gives these two functions. Kernels of accelerators that start and wait by themselves do without.
//
// Generated C promises: between the start of a job and the wait for it nobody writes what it reads, or touches what it
// writes, but jobs that the same engine is given later; every job that was started is waited for once, by whoever
// started it; until then the job stays where it is, on the stack of the network's run function.
//
// An engine must run its jobs in the order of their starts, one after another: a job may read what an earlier one
// writes. Only one that the program declares `unordered` may run them in any order, or beside one another. Engines owe
// each other nothing.

#ifndef TINSMITH_ENGINE_H_
#define TINSMITH_ENGINE_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// run: does the work; to be called once, with the job. next, state: for the engine, which may keep there what it likes
// from the start to the wait.
typedef struct tinsmith_job {
  void (*run)(struct tinsmith_job *job);
  struct tinsmith_job *volatile next;
  volatile uint32_t state;
} tinsmith_job_t;

// Give a job to an engine. Returns at once, or when a queue has room.
//
// engine: its number; the header of a network has a macro for each, its place among the engines of the program.
void tinsmith_engine_start(uint32_t engine, tinsmith_job_t *job);

// Return when the job has run, and so all that the engine was given before, unless it is `unordered`; what they wrote
// can be read then.
void tinsmith_engine_wait(uint32_t engine, tinsmith_job_t *job);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TINSMITH_ENGINE_H_
