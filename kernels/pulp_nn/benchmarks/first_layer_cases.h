// First layers of networks: convolutions of few channels, in TFLite's padding.
#ifndef TINSMITH_KERNELS_PULP_NN_BENCHMARKS_FIRST_LAYER_CASES_H_
#define TINSMITH_KERNELS_PULP_NN_BENCHMARKS_FIRST_LAYER_CASES_H_

#include "benchmarks/cases.h"

uint32_t first_layer_count(void);

benchmark_t first_layer_case(uint32_t index);

/** As benchmark_expect(). */
void first_layer_expect(uint32_t index);

#endif  // TINSMITH_KERNELS_PULP_NN_BENCHMARKS_FIRST_LAYER_CASES_H_
