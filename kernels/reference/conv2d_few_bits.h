// Quantized convolution of int8 by weights that share bytes, depthwise or not, one output element after the other. For
// a file that says before how many weights and inputs are multiplied: dot(weights, first, count, input, input_offset).
#include <stddef.h>
#include <stdint.h>

#include "sum_ending.h"

// Where weights are: those of an output channel begin `channel` behind those of the one before, those of a tap `tap`.
typedef struct {
  int32_t channel;
  int32_t tap;
} filter_steps;

static filter_steps steps_of_conv2d(const tinsmith_conv2d_shape *shape) {
  const int32_t depth = shape->input_channels / shape->groups;
  const filter_steps steps = {shape->kernel_height * shape->kernel_width * depth, depth};
  return steps;
}

static filter_steps steps_of_depthwise(const tinsmith_conv2d_shape *shape) {
  const filter_steps steps = {1, shape->output_channels};
  return steps;
}

// Sum of products of one output element; (top, left) is the input place of the first tap, `first` the first weight.
static int32_t accumulate(const tinsmith_conv2d_shape *shape, int32_t input_offset, int32_t top, int32_t left,
                          const int8_t *input, const uint8_t *weights, int32_t first, int32_t tap_step) {
  const int32_t depth = shape->input_channels / shape->groups;
  int32_t acc = 0;
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
      const int8_t *pixel = input + (y * shape->input_width + x) * shape->input_channels;
      const int32_t tap = first + (ky * shape->kernel_width + kx) * tap_step;
      acc += dot(weights, tap, depth, pixel, input_offset);
    }
  }
  return acc;
}

// All output elements: of int8, ended as `ending` says, or sums. One for all kernels: each of its own would be 400
// bytes more, and unpacking takes longer than to choose.
static void convolve(const tinsmith_conv2d_shape *shape, filter_steps steps, const sum_ending *ending,
                     const int8_t *input, const uint8_t *weights, const int32_t *bias, void *output) {
  const int32_t group_inputs = shape->input_channels / shape->groups;
  const int32_t group_outputs = shape->output_channels / shape->groups;
  int32_t index = 0;
  for (int32_t n = 0; n < shape->batches; ++n) {
    for (int32_t oy = 0; oy < shape->output_height; ++oy) {
      const int32_t top = oy * shape->stride_height - shape->padding_top;
      for (int32_t ox = 0; ox < shape->output_width; ++ox) {
        const int32_t left = ox * shape->stride_width - shape->padding_left;
        for (int32_t oc = 0; oc < shape->output_channels; ++oc) {
          const int8_t *group = input + (oc / group_outputs) * group_inputs;
          const int32_t sum =
              accumulate(shape, ending->input_offset, top, left, group, weights, oc * steps.channel, steps.tap);
          store_sum(ending, sum + (bias == NULL ? 0 : bias[oc]), oc, output, index++);
        }
      }
    }
    input += shape->input_height * shape->input_width * shape->input_channels;
  }
}

#define DEFINE_KERNELS(kernel, steps)                                                                                \
  void kernel(const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage, const int8_t *input,           \
              const uint8_t *weights, const int32_t *bias, int8_t *output) {                                         \
    const sum_ending ending = {kAsTflite, stage->input_offset, stage};                                               \
    convolve(shape, steps(shape), &ending, input, weights, bias, output);                                            \
  }                                                                                                                  \
  void kernel##_nearest(const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage, const int8_t *input, \
                        const uint8_t *weights, const int32_t *bias, int8_t *output) {                               \
    const sum_ending ending = {kNearest, stage->input_offset, stage};                                                \
    convolve(shape, steps(shape), &ending, input, weights, bias, output);                                            \
  }                                                                                                                  \
  void kernel##_floor(const tinsmith_conv2d_shape *shape, const tinsmith_output_stage *stage, const int8_t *input,   \
                      const uint8_t *weights, const int32_t *bias, int8_t *output) {                                 \
    const sum_ending ending = {kFloor, stage->input_offset, stage};                                                  \
    convolve(shape, steps(shape), &ending, input, weights, bias, output);                                            \
  }                                                                                                                  \
  void kernel##_s32(const tinsmith_conv2d_shape *shape, int32_t input_offset, const int8_t *input,                   \
                    const uint8_t *weights, const int32_t *bias, int32_t *output) {                                  \
    const sum_ending ending = {kSums, input_offset, NULL};                                                           \
    convolve(shape, steps(shape), &ending, input, weights, bias, output);                                            \
  }
