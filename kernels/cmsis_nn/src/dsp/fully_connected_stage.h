/* Outputs of a fully connected layer on weights of few bits for the DSP extension, four channels at a time, of scales
 * of any size.
 */
#ifndef TINSMITH_NN_DSP_FULLY_CONNECTED_STAGE_H
#define TINSMITH_NN_DSP_FULLY_CONNECTED_STAGE_H

#include <stdint.h>

#include "include/arm_nn_types.h"
#include "src/internal/compiler.h"
#include "src/internal/requantize.h"

enum { kChannels = 4 };

/** Scaling of outputs; a step of 0 means one multiplier and shift for all. */
typedef struct {
  const int32_t *multiplier;
  const int32_t *shift;
  int32_t step;
  int32_t zero_point;
} output_stage;

/** That of a layer's first channels. */
static inline output_stage first_stage(const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant_params) {
  return (output_stage){quant_params->multiplier, quant_params->shift, quant_params->is_per_channel ? 1 : 0,
                        fc_params->output_offset};
}

static inline int8_t scale(int32_t acc, int32_t multiplier, int32_t shift, int32_t zero_point) {
  return tinsmith_saturate_s8(tinsmith_requantize_folded_any(acc, multiplier, shift, zero_point));
}

/** Outputs of the first `count` channels of a group, of any stage. */
TINSMITH_NOINLINE static void finish_any(const output_stage *stage, const int32_t *values, int32_t count,
                                         int8_t *output) {
  /* Copies, as an output might be a part of the stage for all that compilers know. */
  const int32_t *multiplier = stage->multiplier;
  const int32_t *shift = stage->shift;
  const int32_t step = stage->step;
  const int32_t zero_point = stage->zero_point;
  TINSMITH_NO_UNROLL
  for (int32_t c = 0; c < count; ++c) {
    output[c] = scale(values[c], *multiplier, *shift, zero_point);
    multiplier += step;
    shift += step;
  }
}

/** Outputs of a group, of whose channels `left` exist; the stage goes on to the next one. */
TINSMITH_ALWAYS_INLINE void finish_group(output_stage *stage, int32_t value0, int32_t value1, int32_t value2,
                                         int32_t value3, int32_t left, int8_t *output) {
  if (left >= kChannels && stage->step == 0) {
    const int32_t multiplier = *stage->multiplier;
    const int32_t shift = *stage->shift;
    output[0] = scale(value0, multiplier, shift, stage->zero_point);
    output[1] = scale(value1, multiplier, shift, stage->zero_point);
    output[2] = scale(value2, multiplier, shift, stage->zero_point);
    output[3] = scale(value3, multiplier, shift, stage->zero_point);
  } else {
    const int32_t values[kChannels] = {value0, value1, value2, value3};
    finish_any(stage, values, left < kChannels ? left : kChannels, output);
  }
  stage->multiplier += kChannels * stage->step;
  stage->shift += kChannels * stage->step;
}

#endif /* TINSMITH_NN_DSP_FULLY_CONNECTED_STAGE_H */
