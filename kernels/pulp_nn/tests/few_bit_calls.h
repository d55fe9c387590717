// One random call each of what weights of few bits need; whether its output is the oracle's.
#ifndef TINSMITH_KERNELS_PULP_NN_TESTS_FEW_BIT_CALLS_H_
#define TINSMITH_KERNELS_PULP_NN_TESTS_FEW_BIT_CALLS_H_

#include "tests/random_data.h"

bool call_widen_s4(random_t *random, uint32_t max_cores);
bool call_linear_s4(random_t *random, uint32_t max_cores);
bool call_widen_s2(random_t *random, uint32_t max_cores);
bool call_linear_s2(random_t *random, uint32_t max_cores);
bool call_linear_blocks_s4(random_t *random, uint32_t max_cores);

#endif  // TINSMITH_KERNELS_PULP_NN_TESTS_FEW_BIT_CALLS_H_
