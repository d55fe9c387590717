/* Convolutions whose weights have four bits, by those of int8 on weights that are widened for all windows together.
 */
#ifndef TINSMITH_NN_INTERNAL_CONVOLVE_S4_H
#define TINSMITH_NN_INTERNAL_CONVOLVE_S4_H

#include <stdbool.h>
#include <stdint.h>

#include "include/arm_nn_types.h"

/** Widened weights take this much of the stack, which must be enough for four channels. */
enum { kWidenedBytes = 2048, kWidenedBytesDsp = 1024 };

/** Whether a convolution of so many products per output is done so. */
static inline bool tinsmith_widens(int32_t depth) {
  return 4 * depth <= kWidenedBytes;
}

/**
 * A convolution with MVE.
 *
 * @param[in]  filter_dims [., HK, WK, C_IN], of which tinsmith_widens().
 * @param[in]  filter      Two weights to a byte.
 * @param      fields      Scratch of mve_fields_bytes(filter_dims); may be NULL if mve_fields_in_place().
 */
void tinsmith_convolve_widened_s4(const cmsis_nn_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
                                  const cmsis_nn_dims *input_dims, const int8_t *input,
                                  const cmsis_nn_dims *filter_dims, const int8_t *filter, const int32_t *bias,
                                  const cmsis_nn_dims *output_dims, int8_t *output, int8_t *fields);

/** DSP extension: the same of windows that are pixels; at most kWidenedBytesDsp / 4 channels of the input. */
void tinsmith_convolve_pixels_widened_s4(const cmsis_nn_conv_params *params,
                                         const cmsis_nn_per_channel_quant_params *quant,
                                         const cmsis_nn_dims *input_dims, const int8_t *input,
                                         const cmsis_nn_dims *filter_dims, const int8_t *filter, const int32_t *bias,
                                         const cmsis_nn_dims *output_dims, int8_t *output);

#endif /* TINSMITH_NN_INTERNAL_CONVOLVE_S4_H */
