/* Weights of four bits that become bytes before they are read (tinsmith_depthwise_packed_s4()). */
#ifndef TINSMITH_NN_INTERNAL_WIDEN_S4_H
#define TINSMITH_NN_INTERNAL_WIDEN_S4_H

#include "include/arm_nn_types.h"

/** Widen the weights of a depthwise convolution to the front of its scratch. Returns the scratch behind them, of no
 * buffer if there is not enough for them. */
cmsis_nn_context tinsmith_widen_depthwise_s4(const cmsis_nn_context *ctx, const cmsis_nn_dims *filter_dims,
                                             const int8_t *filter_data);

#endif /* TINSMITH_NN_INTERNAL_WIDEN_S4_H */
