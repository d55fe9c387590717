// Layers with weights by the names of pulp-nn-mixed.
#include "pulp_nn_kernels.h"

#include "internal/named_layers.h"

LAYERS(uint8_t, uint8_t, u8_u8, int32_t, )
LAYERS(uint8_t, int8_t, u8_i8, int32_t, )
LAYERS(int8_t, uint8_t, i8_u8, int32_t, )
LAYERS(int8_t, int8_t, i8_i8, int32_t, )

static void linear_raw(const void *input, bool is_signed, const void *bias, void *output, const int8_t *weights,
                       uint16_t inputs, uint16_t outputs) {
  const tinsmith_pulp_linear_t layer = {
      .input = input,
      .weights = weights,
      .output = output,
      .inputs = inputs,
      .outputs = outputs,
      .input_is_signed = is_signed,
      .stage = {.kind = TINSMITH_PULP_RAW_S32, .bias = bias},
  };
  run_linear(&layer);
}

void pulp_nn_linear_u8_i32_i8(uint8_t *pIn, int8_t *pBias, int32_t *pOut, int8_t *pWeight, uint16_t dim_vec,
                              uint16_t num_o_neurons) {
  linear_raw(pIn, false, pBias, pOut, pWeight, dim_vec, num_o_neurons);
}

void pulp_nn_linear_i8_i32_i8(int8_t *pIn, int8_t *pBias, int8_t *pOut, int8_t *pWeight, uint16_t dim_vec,
                              uint16_t num_o_neurons) {
  linear_raw(pIn, true, pBias, pOut, pWeight, dim_vec, num_o_neurons);
}
