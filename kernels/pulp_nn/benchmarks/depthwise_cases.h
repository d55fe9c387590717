// Depthwise convolutions, in TFLite's padding.
#ifndef TINSMITH_KERNELS_PULP_NN_BENCHMARKS_DEPTHWISE_CASES_H_
#define TINSMITH_KERNELS_PULP_NN_BENCHMARKS_DEPTHWISE_CASES_H_

#include "benchmarks/cases.h"

uint32_t depthwise_count(void);

benchmark_t depthwise_case(uint32_t index);

/** As benchmark_expect(). */
void depthwise_expect(uint32_t index);

#endif  // TINSMITH_KERNELS_PULP_NN_BENCHMARKS_DEPTHWISE_CASES_H_
