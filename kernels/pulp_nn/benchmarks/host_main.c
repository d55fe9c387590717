// Prints the checksum that each case must have, by plain loops.
#include <stdio.h>

#include "benchmarks/cases.h"

int main(void) {
  for (uint32_t i = 0u; i < benchmark_count(); ++i) {
    const benchmark_t benchmark = benchmark_case(i);
    benchmark_expect(i);
    printf("%d\n", (int)(int32_t)checksum(benchmark.output, benchmark.output_bytes));
  }
  return 0;
}
