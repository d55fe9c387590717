// For computers and boards without a cluster that Tinsmith drives: the core that forks does the work of all, one after
// another.

#include "tinsmith/cluster.h"

void tinsmith_cluster_fork(uint32_t cores, void (*work)(const void *argument, uint32_t core, uint32_t cores),
                           const void *argument) {
  for (uint32_t core = 0u; core < cores; ++core) {
    work(argument, core, cores);
  }
}

// There is nobody but core 0.
void tinsmith_cluster_enter(uint32_t core) {
  (void)core;
}
