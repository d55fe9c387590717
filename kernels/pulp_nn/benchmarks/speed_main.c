// Keeps eight cores in one kernel, as often as REPEATS says: how fast does the simulator go?
#include <stdbool.h>

#include "benchmarks/cases.h"
#include "tinsmith_pulp.h"

#if !defined(KERNEL) || !defined(REPEATS)
#error "define KERNEL and REPEATS"
#endif

// Region 1 of the simulator's counters; the marks do nothing elsewhere.
#define REGION_BEGIN() __asm__ volatile("slti zero, zero, 1" : : : "memory")
#define REGION_END() __asm__ volatile("sltiu zero, zero, 1" : : : "memory")

static void run(void *argument) {
  const benchmark_t *benchmark = argument;
  const tinsmith_pulp_core_t core = {pulp_core_id(), pulp_team_size()};
  REGION_BEGIN();
  for (uint32_t i = 0u; i < REPEATS; ++i) {
    benchmark->run(benchmark->layer, core);
  }
  REGION_END();
}

// There is no strcmp in the cluster's runtime.
static bool is_same(const char *a, const char *b) {
  while (*a != '\0' && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

int main(void) {
  for (uint32_t i = 0u; i < benchmark_count(); ++i) {
    benchmark_t benchmark = benchmark_case(i);
    if (is_same(benchmark.kernel, KERNEL)) {
      pulp_team_fork(benchmark.cores, run, &benchmark);
      return 0;
    }
  }
  return 1;
}
