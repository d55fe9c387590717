// Quantized convolution, one output element after the other: what the files of each element type share. They define
// ELEMENT, the type of input and result, and ACCUMULATOR, that of the sums, first.
#ifndef TINSMITH_KERNELS_REFERENCE_CONV2D_INTEGER_H_
#define TINSMITH_KERNELS_REFERENCE_CONV2D_INTEGER_H_

#include <stddef.h>

#include "arithmetic.h"
#include "tinsmith/convolution.h"
#include "tinsmith/rounding.h"

#if !defined(ELEMENT) || !defined(ACCUMULATOR)
#error "expected ELEMENT and ACCUMULATOR"
#endif

// Sum of products of one output element; (top, left) is the input place of the first tap.
INLINE_IN_EACH_KERNEL ACCUMULATOR accumulate(const tinsmith_conv2d_shape *shape, int32_t input_offset,
                                             int32_t weights_offset, int32_t top, int32_t left, const ELEMENT *input,
                                             const int8_t *weights) {
  const int32_t depth = shape->input_channels / shape->groups;
  ACCUMULATOR acc = 0;
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
      const ELEMENT *pixel = input + (y * shape->input_width + x) * shape->input_channels;
      const int8_t *tap = weights + (ky * shape->kernel_width + kx) * depth;
      for (int32_t c = 0; c < depth; ++c) {
        acc += (pixel[c] + input_offset) * (tap[c] + weights_offset);
      }
    }
  }
  return acc;
}

// One kernel: `store` is the output element of `acc`, the sum with bias of channel `oc`; `zero` the input's offset,
// `weights_zero` that of the weights; the last arguments are the
// parameters in front of the operands.
#define DEFINE_KERNEL(kernel, zero, weights_zero, result, store, ...)                                               \
  void kernel(const tinsmith_conv2d_shape *shape, __VA_ARGS__, const ELEMENT *input, const int8_t *weights,         \
              const int32_t *bias, result *output) {                                                                \
    const int32_t group_inputs = shape->input_channels / shape->groups;                                             \
    const int32_t group_outputs = shape->output_channels / shape->groups;                                           \
    const int32_t filter = shape->kernel_height * shape->kernel_width * group_inputs;                               \
    for (int32_t n = 0; n < shape->batches; ++n) {                                                                  \
      for (int32_t oy = 0; oy < shape->output_height; ++oy) {                                                       \
        const int32_t top = oy * shape->stride_height - shape->padding_top;                                         \
        for (int32_t ox = 0; ox < shape->output_width; ++ox) {                                                      \
          const int32_t left = ox * shape->stride_width - shape->padding_left;                                      \
          for (int32_t oc = 0; oc < shape->output_channels; ++oc) {                                                 \
            const ELEMENT *group = input + (oc / group_outputs) * group_inputs;                                     \
            const ACCUMULATOR sum = accumulate(shape, zero, weights_zero, top, left, group, weights + oc * filter); \
            const ACCUMULATOR acc = sum + (bias == NULL ? 0 : bias[oc]);                                            \
            *output++ = (result)(store);                                                                            \
          }                                                                                                         \
        }                                                                                                           \
      }                                                                                                             \
      input += shape->input_height * shape->input_width * shape->input_channels;                                    \
    }                                                                                                               \
  }

#endif  // TINSMITH_KERNELS_REFERENCE_CONV2D_INTEGER_H_
