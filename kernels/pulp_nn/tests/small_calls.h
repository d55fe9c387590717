// One random call each of sums, pools, softmax, lookup and copy; whether its output is the oracle's. What TFLite has is
// compared with the reference kernels, too.
#ifndef TINSMITH_KERNELS_PULP_NN_TESTS_SMALL_CALLS_H_
#define TINSMITH_KERNELS_PULP_NN_TESTS_SMALL_CALLS_H_

#include "tests/random_data.h"

bool call_add(random_t *random, uint32_t max_cores);
bool call_add_by_tables(random_t *random, uint32_t max_cores);
bool call_max_pool(random_t *random, uint32_t max_cores);
bool call_average_pool(random_t *random, uint32_t max_cores);
bool call_softmax(random_t *random, uint32_t max_cores);
bool call_lookup(random_t *random, uint32_t max_cores);
bool call_copy(random_t *random, uint32_t max_cores);

#endif  // TINSMITH_KERNELS_PULP_NN_TESTS_SMALL_CALLS_H_
