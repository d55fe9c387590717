/* Convolution of any shape, group by group, on a folded bias; the public functions prepare its arguments. */
#ifndef TINSMITH_NN_MVE_CONVOLVE_CORE_H
#define TINSMITH_NN_MVE_CONVOLVE_CORE_H

#include "include/arm_nn_types.h"
#include "src/mve/matrix_product.h"

/**
 * @param[in]  params         Stride, padding and dilation; the input's offset is what padding reads as (negated).
 * @param[in]  matrix         channels: of one group, all or some; depth = HK * WK * CK; bias folded.
 * @param[in]  input_dims     [N, H, W, C_IN]
 * @param[in]  input          int8, beginning with the group's first channel.
 * @param[in]  filter_dims    [., HK, WK, CK]: n is not read; CK divides C_IN.
 * @param[in]  output_dims    [., H, W, C_OUT]: n is not read.
 * @param[out] output         int8, beginning with the first of the matrix' channels.
 * @param      fields         Scratch for fields_at_once fields; may be NULL if mve_fields_in_place().
 * @param[in]  fields_at_once >= 1
 */
void tinsmith_mve_convolve_s8(const cmsis_nn_conv_params *params, const mve_matrix *matrix,
                              const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims,
                              const cmsis_nn_dims *output_dims, int8_t *output, int8_t *fields, int32_t fields_at_once);

/** All channels of a layer without groups. */
static inline mve_matrix mve_matrix_of(const cmsis_nn_conv_params *params,
                                       const cmsis_nn_per_channel_quant_params *quant, const cmsis_nn_dims *filter_dims,
                                       const int8_t *filter, int32_t channels, const int32_t *folded_bias) {
  const mve_matrix matrix = {
      .weights = filter,
      .channels = channels,
      .depth = filter_dims->h * filter_dims->w * filter_dims->c,
      .bias = folded_bias,
      .scale = {.multiplier = quant->multiplier,
                .shift = quant->shift,
                .per_channel = true,
                .shifts_right = tinsmith_mve_shifts_right(quant->shift, channels),
                .range = {params->output_offset, params->activation.min, params->activation.max}},
  };
  return matrix;
}

#endif /* TINSMITH_NN_MVE_CONVOLVE_CORE_H */
