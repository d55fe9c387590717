// Numbers, bytes and output stages at random; the same on every machine.
#ifndef TINSMITH_KERNELS_PULP_NN_TESTS_RANDOM_DATA_H_
#define TINSMITH_KERNELS_PULP_NN_TESTS_RANDOM_DATA_H_

#include "include/tinsmith_pulp_nn.h"

#define MAX_CHANNELS 64u

typedef struct {
  uint32_t state;
} random_t;

/** A number in [low, high]. */
int32_t random_between(random_t *random, int32_t low, int32_t high);

/** Bytes of all values, every seventh an extreme one. */
void random_bytes(random_t *random, void *bytes, uint32_t count);

/** A stage whose results are mostly inside the output's range for sums of up to about sum_bits bits. Its arrays belong
 * to this file and last until the next call. */
tinsmith_pulp_stage_t random_stage(random_t *random, tinsmith_pulp_stage_kind_t kind, int32_t sum_bits);

#endif  // TINSMITH_KERNELS_PULP_NN_TESTS_RANDOM_DATA_H_
