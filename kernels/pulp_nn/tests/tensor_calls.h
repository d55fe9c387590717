// One random call each of what tinsmith_pulp_tensors.h has; whether its output is that of plain loops.
#ifndef TINSMITH_KERNELS_PULP_NN_TESTS_TENSOR_CALLS_H_
#define TINSMITH_KERNELS_PULP_NN_TESTS_TENSOR_CALLS_H_

#include "tests/random_data.h"

bool call_mul(random_t *random, uint32_t max_cores);
bool call_sum_by_tables(random_t *random, uint32_t max_cores);
bool call_extremum(random_t *random, uint32_t max_cores);
bool call_mean(random_t *random, uint32_t max_cores);
bool call_move(random_t *random, uint32_t max_cores);

#endif  // TINSMITH_KERNELS_PULP_NN_TESTS_TENSOR_CALLS_H_
