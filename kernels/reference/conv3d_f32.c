// Float convolution over volumes, one output element after the other, in a fixed order of additions.
#include <stdbool.h>
#include <stddef.h>

#include "arithmetic.h"
#include "float_rules.h"
#include "tinsmith/volumes.h"

// An input place, or the first tap of a window there.
typedef struct {
  int32_t z;
  int32_t y;
  int32_t x;
} place;

static bool is_inside(const tinsmith_conv3d_shape *shape, place at) {
  return at.z >= 0 && at.z < shape->input_depth && at.y >= 0 && at.y < shape->input_height && at.x >= 0 &&
         at.x < shape->input_width;
}

// Sum of products of one output element. weights: those of its channel, output_channels apart.
static float accumulate(const tinsmith_conv3d_shape *shape, place first, const float *input, const float *weights) {
  const int32_t depth = shape->input_channels;
  float acc = 0.0f;
  for (int32_t kz = 0; kz < shape->kernel_depth; ++kz) {
    for (int32_t ky = 0; ky < shape->kernel_height; ++ky) {
      for (int32_t kx = 0; kx < shape->kernel_width; ++kx) {
        const place at = {first.z + kz * shape->dilation_depth, first.y + ky * shape->dilation_height,
                          first.x + kx * shape->dilation_width};
        if (!is_inside(shape, at)) {
          continue;
        }
        const float *voxel = input + ((at.z * shape->input_height + at.y) * shape->input_width + at.x) * depth;
        const int32_t tap = (kz * shape->kernel_height + ky) * shape->kernel_width + kx;
        for (int32_t c = 0; c < depth; ++c) {
          acc += voxel[c] * weights[(tap * depth + c) * shape->output_channels];
        }
      }
    }
  }
  return acc;
}

// All channels of one output voxel.
static void convolve(const tinsmith_conv3d_shape *shape, const tinsmith_clamp_f32 *clamp, place first,
                     const float *input, const float *weights, const float *bias, float *output) {
  for (int32_t oc = 0; oc < shape->output_channels; ++oc) {
    const float acc = accumulate(shape, first, input, weights + oc);
    output[oc] = clamp_f32(bias == NULL ? acc : acc + bias[oc], clamp->min, clamp->max);
  }
}

void tinsmith_conv3d_f32(const tinsmith_conv3d_shape *shape, const tinsmith_clamp_f32 *clamp, const float *input,
                         const float *weights, const float *bias, float *output) {
  for (int32_t n = 0; n < shape->batches; ++n) {
    for (int32_t oz = 0; oz < shape->output_depth; ++oz) {
      for (int32_t oy = 0; oy < shape->output_height; ++oy) {
        for (int32_t ox = 0; ox < shape->output_width; ++ox) {
          const place first = {oz * shape->stride_depth - shape->padding_front,
                               oy * shape->stride_height - shape->padding_top,
                               ox * shape->stride_width - shape->padding_left};
          convolve(shape, clamp, first, input, weights, bias, output);
          output += shape->output_channels;
        }
      }
    }
    input += shape->input_depth * shape->input_height * shape->input_width * shape->input_channels;
  }
}
