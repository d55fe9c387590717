/* Activation clamps narrower than int8, after a kernel that saturates to int8 by itself. */
#ifndef TINSMITH_NN_INTERNAL_CLAMP_H
#define TINSMITH_NN_INTERNAL_CLAMP_H

#include <stdbool.h>
#include <stdint.h>

#include "include/arm_nn_types.h"

/** Clamp `count` values in place. */
void tinsmith_clamp_s8(const cmsis_nn_activation *activation, int8_t *values, int32_t count);

/** Whether some int8 values lie outside. */
static inline bool tinsmith_is_narrow(const cmsis_nn_activation *activation) {
  return activation->min > INT8_MIN || activation->max < INT8_MAX;
}

/** The same, mostly no more than a test: ReLU's lower end is mostly the zero point -128. */
static inline void tinsmith_apply_activation(const cmsis_nn_activation *activation, int8_t *values, int32_t count) {
  if (tinsmith_is_narrow(activation)) {
    tinsmith_clamp_s8(activation, values, count);
  }
}

#endif /* TINSMITH_NN_INTERNAL_CLAMP_H */
