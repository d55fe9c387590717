/* Clamps of int8 values in place: activations, and the public ReLUs. */

#include "src/internal/clamp.h"

#include "include/arm_nnfunctions.h"
#include "src/internal/implementation.h"

#if !TINSMITH_NN_MVE

void tinsmith_clamp_s8(const cmsis_nn_activation *activation, int8_t *values, int32_t count) {
  const int32_t min = activation->min;
  const int32_t max = activation->max;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t raised = values[i] < min ? min : values[i];
    values[i] = (int8_t)(raised > max ? max : raised);
  }
}

void arm_relu_q7(int8_t *data, uint16_t size) {
  const cmsis_nn_activation relu = {0, INT8_MAX};
  tinsmith_clamp_s8(&relu, data, size);
}

void arm_relu6_s8(int8_t *data, uint16_t size) {
  const cmsis_nn_activation relu6 = {0, 6};
  tinsmith_clamp_s8(&relu6, data, size);
}

#endif /* !TINSMITH_NN_MVE */
