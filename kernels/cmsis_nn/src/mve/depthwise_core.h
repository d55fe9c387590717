/* Depthwise convolution with one output per input channel; the public functions prepare its arguments. */
#ifndef TINSMITH_NN_MVE_DEPTHWISE_CORE_H
#define TINSMITH_NN_MVE_DEPTHWISE_CORE_H

#include "src/mve/requantize.h"
#include "src/mve/scratch.h"

/** The constant side of a depthwise convolution. */
typedef struct {
  const int8_t *filter; /**< [HK][WK][channels] */
  const int32_t *bias;  /**< [channels], or NULL for zeros. */
  bool folded;          /**< Whether bias contains input_offset * (sum of the channel's weights). */
  int32_t channels;
  int32_t input_offset;
  mve_output_scale scale;
} mve_depthwise;

/**
 * By dot products; only if mve_plan_patches() finds a plan.
 *
 * @param[in]  layer   Weights and quantization.
 * @param[in]  axes    Geometry of mve_depthwise_axes(), dilation 1.
 * @param[in]  input   int8, one batch.
 * @param[out] output  int8, one batch.
 * @param      scratch mve_patches_bytes(), 4-byte aligned.
 */
void tinsmith_mve_depthwise_patches_s8(const mve_depthwise *layer, const mve_axes *axes, const int8_t *input,
                                       int8_t *output, void *scratch);

/** The same for 3x3 taps and axes of mve_3x3_axes(); scratch: mve_3x3_bytes(). */
void tinsmith_mve_depthwise_3x3_s8(const mve_depthwise *layer, const mve_axes *axes, const int8_t *input,
                                   int8_t *output, void *scratch);

/** The same for any filter, slower; scratch: mve_lines_bytes(). */
void tinsmith_mve_depthwise_lines_s8(const mve_depthwise *layer, const mve_axes *axes, const int8_t *input,
                                     int8_t *output, void *scratch);

#endif /* TINSMITH_NN_MVE_DEPTHWISE_CORE_H */
