// Sums, pools, softmax, lookup and copy. What is counted is not products but elements of the inputs: of a sum both, of
// the others each once.
#ifndef TINSMITH_KERNELS_PULP_NN_BENCHMARKS_SMALL_CASES_H_
#define TINSMITH_KERNELS_PULP_NN_BENCHMARKS_SMALL_CASES_H_

#include "benchmarks/cases.h"

uint32_t small_count(void);

benchmark_t small_case(uint32_t index);

/** As benchmark_expect(). */
void small_expect(uint32_t index);

#endif  // TINSMITH_KERNELS_PULP_NN_BENCHMARKS_SMALL_CASES_H_
