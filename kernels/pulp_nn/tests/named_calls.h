// Random calls of the functions with PULP-NN's names.
#ifndef TINSMITH_KERNELS_PULP_NN_TESTS_NAMED_CALLS_H_
#define TINSMITH_KERNELS_PULP_NN_TESTS_NAMED_CALLS_H_

#include <stdint.h>

/** Calls conv, pointwise, depthwise, linear, matmul, add and maxpool `calls` times each; returns how many failed. */
uint32_t named_calls(uint32_t seed, uint32_t calls, uint32_t max_cores);

#endif  // TINSMITH_KERNELS_PULP_NN_TESTS_NAMED_CALLS_H_
