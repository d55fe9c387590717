/* Weights of two bits that become bytes before they are read (tinsmith_nn_two_bits.h). */
#ifndef TINSMITH_NN_INTERNAL_WIDEN_S2_H
#define TINSMITH_NN_INTERNAL_WIDEN_S2_H

#include "include/arm_nn_types.h"

/** Widen `count` weights, of which `packed` has 16 in each word, or with MVE 64 in a vector, to bytes; of both whole
 * words or vectors are read and written. */
void tinsmith_widen_s2(const int8_t *packed, int32_t count, int8_t *widened);

/** The same to the front of scratch. Returns the scratch behind them, of no buffer if there is not enough for them. */
cmsis_nn_context tinsmith_widen_all_s2(const cmsis_nn_context *ctx, int32_t count, const int8_t *packed);

#endif /* TINSMITH_NN_INTERNAL_WIDEN_S2_H */
