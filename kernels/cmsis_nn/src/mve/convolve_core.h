/* Convolution of any shape on a folded bias; the public functions prepare its arguments. */
#ifndef TINSMITH_NN_MVE_CONVOLVE_CORE_H
#define TINSMITH_NN_MVE_CONVOLVE_CORE_H

#include "include/arm_nn_types.h"
#include "src/mve/matrix_product.h"

/**
 * @param[in]  params      Stride, padding and dilation; the input's offset is what padding reads as (negated).
 * @param[in]  matrix      channels = C_OUT (or some of them), depth = HK * WK * CK, bias folded.
 * @param[in]  input_dims  [N, H, W, C_IN]
 * @param[in]  input       int8
 * @param[in]  filter_dims [C_OUT, HK, WK, CK], CK divides C_IN.
 * @param[in]  output_dims [N, H, W, C_OUT]
 * @param[out] output      int8
 * @param      fields      Scratch of mve_fields_bytes(); may be NULL if mve_fields_in_place().
 */
void tinsmith_mve_convolve_s8(const cmsis_nn_conv_params *params, const mve_matrix *matrix,
                              const cmsis_nn_dims *input_dims, const int8_t *input, const cmsis_nn_dims *filter_dims,
                              const cmsis_nn_dims *output_dims, int8_t *output, int8_t *fields);

#endif /* TINSMITH_NN_MVE_CONVOLVE_CORE_H */
