// Float depthwise convolution, one output element after the other, in a fixed order of additions.
#include <stddef.h>

#include "arithmetic.h"
#include "float_rules.h"
#include "tinsmith/convolution.h"

// Sum of products of one output element; (top, left) is the input place of the first tap; input and weights already
// point at the channel.
static float accumulate(const tinsmith_conv2d_shape *shape, int32_t top, int32_t left, const float *input,
                        const float *weights) {
  float acc = 0.0f;
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
      const float value = input[(y * shape->input_width + x) * shape->input_channels];
      acc += value * weights[(ky * shape->kernel_width + kx) * shape->output_channels];
    }
  }
  return acc;
}

void tinsmith_depthwise_conv2d_f32(const tinsmith_conv2d_shape *shape, const tinsmith_clamp_f32 *clamp,
                                   const float *input, const float *weights, const float *bias, float *output) {
  const int32_t multiplier = shape->output_channels / shape->input_channels;
  for (int32_t n = 0; n < shape->batches; ++n) {
    for (int32_t oy = 0; oy < shape->output_height; ++oy) {
      const int32_t top = oy * shape->stride_height - shape->padding_top;
      for (int32_t ox = 0; ox < shape->output_width; ++ox) {
        const int32_t left = ox * shape->stride_width - shape->padding_left;
        for (int32_t oc = 0; oc < shape->output_channels; ++oc) {
          const float acc = accumulate(shape, top, left, input + oc / multiplier, weights + oc);
          *output++ = clamp_f32(bias == NULL ? acc : acc + bias[oc], clamp->min, clamp->max);
        }
      }
    }
    input += shape->input_height * shape->input_width * shape->input_channels;
  }
}
