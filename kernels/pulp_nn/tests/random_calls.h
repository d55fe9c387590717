// Random layers of every kernel against the oracle.
#ifndef TINSMITH_KERNELS_PULP_NN_TESTS_RANDOM_CALLS_H_
#define TINSMITH_KERNELS_PULP_NN_TESTS_RANDOM_CALLS_H_

#include <stdint.h>

/** Calls each kernel `calls` times on up to max_cores cores; prints every kernel's name, calls and failures.
 * Returns the number of calls with a wrong byte, or with a byte written outside the output. */
uint32_t random_calls(uint32_t seed, uint32_t calls, uint32_t max_cores);

#endif  // TINSMITH_KERNELS_PULP_NN_TESTS_RANDOM_CALLS_H_
