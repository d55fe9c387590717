/* A depthwise convolution with one output per input channel, by the better of the two cores for any filter. */
#ifndef TINSMITH_NN_MVE_DEPTHWISE_LAYER_H
#define TINSMITH_NN_MVE_DEPTHWISE_LAYER_H

#include "include/arm_nn_types.h"
#include "src/internal/compiler.h"
#include "src/mve/depthwise_core.h"

/** What the cores know of a layer. */
TINSMITH_ALWAYS_INLINE mve_depthwise mve_depthwise_of(const cmsis_nn_dw_conv_params *params,
                                                      const cmsis_nn_per_channel_quant_params *quant,
                                                      const int8_t *filter, const int32_t *bias, bool folded,
                                                      const cmsis_nn_dims *output_dims) {
  return (mve_depthwise){
      .filter = filter,
      .bias = bias,
      .folded = folded,
      .channels = output_dims->c,
      .input_offset = params->input_offset,
      .scale = {.multiplier = quant->multiplier,
                .shift = quant->shift,
                .per_channel = true,
                .shifts_right = tinsmith_mve_shifts_right(quant->shift, output_dims->c),
                .range = {params->output_offset, params->activation.min, params->activation.max}},
  };
}

/** by_lines: not by patches, even if there is a plan for them. */
TINSMITH_ALWAYS_INLINE void mve_convolve_depthwise(void *scratch, bool by_lines, const cmsis_nn_dw_conv_params *params,
                                                   const cmsis_nn_per_channel_quant_params *quant,
                                                   const cmsis_nn_dims *input_dims, const int8_t *input,
                                                   const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                                   const int32_t *bias, bool folded, const cmsis_nn_dims *output_dims,
                                                   int8_t *output) {
  const mve_depthwise layer = mve_depthwise_of(params, quant, filter, bias, folded, output_dims);
  const mve_axes axes = mve_depthwise_axes(params, input_dims, filter_dims, output_dims);
  for (int32_t batch = 0; batch < input_dims->n; ++batch) {
    if (!by_lines && mve_plan_patches(&axes).outputs > 0) {
      tinsmith_mve_depthwise_patches_s8(&layer, &axes, input, output, scratch);
    } else {
      tinsmith_mve_depthwise_lines_s8(&layer, &axes, input, output, scratch);
    }
    input += input_dims->h * input_dims->w * input_dims->c;
    output += output_dims->h * output_dims->w * output_dims->c;
  }
}

#endif /* TINSMITH_NN_MVE_DEPTHWISE_LAYER_H */
