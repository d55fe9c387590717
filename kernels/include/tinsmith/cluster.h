// What kernels ask of cores that compute together: fork and join. Generated C whose kernels share their work among the
// cores of a cluster calls tinsmith_cluster_fork(). Whoever integrates such a network gives these functions.
//
// Work reads and writes memory that all cores see; what core 0 wrote before the fork the others see, and what they
// wrote core 0 sees behind it. A fork inside of work is not possible.

#ifndef TINSMITH_CLUSTER_H_
#define TINSMITH_CLUSTER_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Call work(argument, core, cores) on cores 0 to cores - 1, the caller being core 0, and return when all are done.
//
// cores: 1 to what the cluster has running.
void tinsmith_cluster_fork(uint32_t cores, void (*work)(const void *argument, uint32_t core, uint32_t cores),
                           const void *argument);

// For start-up code of a cluster, which calls it on each core with a stack of its own: makes the core ready for forks.
// Returns on core 0; the others serve forks for ever.
//
// core: its number, from 0 on.
void tinsmith_cluster_enter(uint32_t core);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TINSMITH_CLUSTER_H_
