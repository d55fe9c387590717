// Depthwise 3 x 3 and 5 x 5 over a padded plane of bytes, in strips of one or two columns of outputs from top to
// bottom: a line of input is loaded once for all the outputs that need it.
#ifndef TINSMITH_KERNELS_PULP_NN_STRIPS_H_
#define TINSMITH_KERNELS_PULP_NN_STRIPS_H_

#include "area.h"
#include "tinsmith_pulp_nn.h"

// All outputs of `count` channels.
typedef void (*strips_t)(const area_t *area, const channel_t *channels, uint32_t count);

// Functions by kernel, kinds of input and output, and stride, which is the same in both directions. Of TFLite's stage
// they do the rounding: outputs are clamped to int8, whatever min and max are, shifts are in [1, 22] and multipliers
// are not 0.
#define DECLARE_STRIPS(NAME)                                                                 \
  void strips_3x3_##NAME##_1(const area_t *area, const channel_t *channels, uint32_t count); \
  void strips_3x3_##NAME##_2(const area_t *area, const channel_t *channels, uint32_t count); \
  void strips_5x5_##NAME(const area_t *area, const channel_t *channels, uint32_t count);
DECLARE_STRIPS(u8_u8)
DECLARE_STRIPS(u8_s8)
DECLARE_STRIPS(s8_u8)
DECLARE_STRIPS(s8_s8)
DECLARE_STRIPS(tflite)
DECLARE_STRIPS(high)

#endif  // TINSMITH_KERNELS_PULP_NN_STRIPS_H_
