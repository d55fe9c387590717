// Quantized convolution of int16, accumulated in int64, one output element after the other.
#include <stddef.h>

#include "arithmetic.h"
#include "tinsmith/convolution.h"
#include "tinsmith/rounding.h"

// Sum of products of one output element; (top, left) is the input place of the first tap.
INLINE_IN_EACH_KERNEL int64_t accumulate(const tinsmith_conv2d_shape *shape, int32_t input_offset, int32_t top,
                                         int32_t left, const int16_t *input, const int8_t *weights) {
  const int32_t depth = shape->input_channels / shape->groups;
  int64_t acc = 0;
  for (int32_t ky = 0; ky < shape->kernel_height; ++ky) {
    const int32_t y = top + ky * shape->dilation_height;
    if (y < 0 || y >= shape->input_height) {
      continue;
    }
    for (int32_t kx = 0; kx < shape->kernel_width; ++kx) {
      const int32_t x = left + kx * shape->dilation_width;
      if (x < 0 || x >= shape->input_width) {
        continue;
      }
      const int16_t *pixel = input + (y * shape->input_width + x) * shape->input_channels;
      const int8_t *tap = weights + (ky * shape->kernel_width + kx) * depth;
      for (int32_t c = 0; c < depth; ++c) {
        acc += (pixel[c] + input_offset) * tap[c];
      }
    }
  }
  return acc;
}

// One kernel: `store` is the output element of `acc`, the sum with bias of channel `oc`; `zero` the input's offset.
#define DEFINE_KERNEL(kernel, parameters, zero, result, store)                                             \
  void kernel(const tinsmith_conv2d_shape *shape, parameters, const int16_t *input, const int8_t *weights, \
              const int32_t *bias, result *output) {                                                       \
    const int32_t group_inputs = shape->input_channels / shape->groups;                                    \
    const int32_t group_outputs = shape->output_channels / shape->groups;                                  \
    const int32_t filter = shape->kernel_height * shape->kernel_width * group_inputs;                      \
    for (int32_t n = 0; n < shape->batches; ++n) {                                                         \
      for (int32_t oy = 0; oy < shape->output_height; ++oy) {                                              \
        const int32_t top = oy * shape->stride_height - shape->padding_top;                                \
        for (int32_t ox = 0; ox < shape->output_width; ++ox) {                                             \
          const int32_t left = ox * shape->stride_width - shape->padding_left;                             \
          for (int32_t oc = 0; oc < shape->output_channels; ++oc) {                                        \
            const int16_t *group = input + (oc / group_outputs) * group_inputs;                            \
            const int64_t sum = accumulate(shape, zero, top, left, group, weights + oc * filter);          \
            const int64_t acc = sum + (bias == NULL ? 0 : bias[oc]);                                       \
            *output++ = (result)(store);                                                                   \
          }                                                                                                \
        }                                                                                                  \
      }                                                                                                    \
      input += shape->input_height * shape->input_width * shape->input_channels;                           \
    }                                                                                                      \
  }

DEFINE_KERNEL(tinsmith_conv2d_s16, const tinsmith_output_stage *stage, stage->input_offset, int16_t,
              apply_stage_s64(stage, acc, oc))
DEFINE_KERNEL(tinsmith_conv2d_s16_nearest, const tinsmith_output_stage *stage, stage->input_offset, int16_t,
              apply_stage_nearest(stage, acc, oc))
DEFINE_KERNEL(tinsmith_conv2d_s16_floor, const tinsmith_output_stage *stage, stage->input_offset, int16_t,
              apply_stage_floor(stage, acc, oc))
DEFINE_KERNEL(tinsmith_conv2d_s16_s64, int32_t input_offset, input_offset, int64_t, acc)
