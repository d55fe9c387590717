// Plain loops straight from the definitions, for comparison: bytes one by one, gemmlowp's arithmetic as gemmlowp writes
// it.
#ifndef TINSMITH_KERNELS_PULP_NN_TESTS_ORACLE_H_
#define TINSMITH_KERNELS_PULP_NN_TESTS_ORACLE_H_

#include "include/tinsmith_pulp_nn.h"

/** An output element, as a value, of a sum without bias. */
int32_t oracle_stage(const tinsmith_pulp_stage_t *stage, uint32_t channel, int32_t acc);

/** The layer with plain weights, whatever layer->weights and layer->weights_are_packed say. */
void oracle_conv2d(const tinsmith_pulp_conv2d_t *layer, const int8_t *weights, uint8_t *output);

void oracle_linear(const tinsmith_pulp_linear_t *layer, const int8_t *weights, void *output);

void oracle_depthwise(const tinsmith_pulp_depthwise_t *layer, uint8_t *output);

void oracle_add(const tinsmith_pulp_add_t *layer, uint8_t *output);

void oracle_pool(const tinsmith_pulp_pool_t *layer, uint8_t *output);

#endif  // TINSMITH_KERNELS_PULP_NN_TESTS_ORACLE_H_
