// One layer alone, REPEATS times in a row on all its cores: to see where its cycles go, and how fast it is simulated.
#include <stdbool.h>

#include "benchmarks/cases.h"
#include "tinsmith_pulp.h"

#if !defined(KERNEL) || !defined(SHAPE) || !defined(CORES) || !defined(REPEATS)
#error "define KERNEL, SHAPE, CORES and REPEATS"
#endif

// Region 1 of the simulator's counters; the marks do nothing elsewhere.
#define REGION_BEGIN() __asm__ volatile("slti zero, zero, 1" : : : "memory")
#define REGION_END() __asm__ volatile("sltiu zero, zero, 1" : : : "memory")

static void run_once(void *argument) {
  const benchmark_t *benchmark = argument;
  benchmark->run(benchmark->layer, (tinsmith_pulp_core_t){pulp_core_id(), pulp_team_size()});
}

static void run(void *argument) {
  REGION_BEGIN();
  for (uint32_t i = 0u; i < REPEATS; ++i) {
    run_once(argument);
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
    if (is_same(benchmark.kernel, KERNEL) && is_same(benchmark.shape, SHAPE) && benchmark.cores == CORES) {
      pulp_team_fork(benchmark.cores, run_once, &benchmark);  // fills the caches
      pulp_team_fork(benchmark.cores, run, &benchmark);
      return 0;
    }
  }
  return 1;
}
