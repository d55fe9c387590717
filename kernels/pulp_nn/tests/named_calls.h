// Random calls of the functions with PULP-NN's names.
#ifndef TINSMITH_KERNELS_PULP_NN_TESTS_NAMED_CALLS_H_
#define TINSMITH_KERNELS_PULP_NN_TESTS_NAMED_CALLS_H_

#include <stdint.h>

/** Calls every function of pulp_nn_kernels.h (of one signature, one of the types) `calls` times on up to max_cores
 * cores; returns how many calls failed. */
uint32_t named_calls(uint32_t seed, uint32_t calls, uint32_t max_cores);

/** The same for pulp_nn_8bit_kernels.h. */
uint32_t named_8bit_calls(uint32_t seed, uint32_t calls, uint32_t max_cores);

/** The same for pulp_nn_kernels_64.h. */
uint32_t named_64_calls(uint32_t seed, uint32_t calls, uint32_t max_cores);

#endif  // TINSMITH_KERNELS_PULP_NN_TESTS_NAMED_CALLS_H_
