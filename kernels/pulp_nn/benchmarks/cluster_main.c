// Prints per case: kernel, shape, cores, cycles, products, checksum; separated by commas. A case runs twice and the
// second run is measured, from before the fork to after the join: instruction caches are warm, as inside a loop of
// tiles.
#include "benchmarks/cases.h"
#include "tinsmith_pulp.h"

static void run(void *argument) {
  const benchmark_t *benchmark = argument;
  benchmark->run(benchmark->layer, (tinsmith_pulp_core_t){pulp_core_id(), pulp_team_size()});
}

static void print_field(int32_t number) {
  pulp_print(",");
  pulp_print_number(number);
}

int main(void) {
  for (uint32_t i = 0u; i < benchmark_count(); ++i) {
    benchmark_t benchmark = benchmark_case(i);
    pulp_team_fork(benchmark.cores, run, &benchmark);
    const uint32_t start = pulp_cycles();
    pulp_team_fork(benchmark.cores, run, &benchmark);
    const uint32_t cycles = pulp_cycles() - start;
    pulp_print(benchmark.kernel);
    pulp_print(",");
    pulp_print(benchmark.shape);
    print_field((int32_t)benchmark.cores);
    print_field((int32_t)cycles);
    print_field((int32_t)benchmark.macs);
    print_field((int32_t)checksum(benchmark.output, benchmark.output_bytes));
    pulp_print("\n");
  }
  return 0;
}
