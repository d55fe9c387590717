/* One channel of the input as a padded plane, for depthwise convolution (plain C and DSP).
 *
 * NHWC puts a channel's neighbours C bytes apart. The depthwise kernels first copy a strip of a channel's rows, with
 * padding, next to each other; then windows slide over it without tests. The longer axis of the input is taken as the
 * row, so that 25x5 maps and 1-D signals along the height have long rows too.
 */
#ifndef TINSMITH_NN_INTERNAL_PLANES_H
#define TINSMITH_NN_INTERNAL_PLANES_H

#include <stdbool.h>
#include <stdint.h>

#include "include/arm_nn_types.h"

/** One axis of a depthwise convolution. */
typedef struct {
  int32_t input;       /* extent */
  int32_t output;      /* extent */
  int32_t kernel;      /* taps */
  int32_t stride;      /* of windows, in input elements */
  int32_t padding;     /* elements before the input */
  int32_t input_step;  /* bytes from one input element to the next */
  int32_t output_step; /* bytes from one output element to the next */
} tinsmith_axis;

/** The axis along the rows of a plane, and the one across them. */
typedef struct {
  tinsmith_axis row;
  tinsmith_axis column;
} tinsmith_plane_axes;

static inline tinsmith_plane_axes tinsmith_plane_axes_of(const cmsis_nn_dw_conv_params *params,
                                                         const cmsis_nn_dims *input_dims,
                                                         const cmsis_nn_dims *filter_dims,
                                                         const cmsis_nn_dims *output_dims) {
  const int32_t channels = input_dims->c;
  const tinsmith_axis width = {
      .input = input_dims->w,
      .output = output_dims->w,
      .kernel = filter_dims->w,
      .stride = params->stride.w,
      .padding = params->padding.w,
      .input_step = channels,
      .output_step = channels,
  };
  const tinsmith_axis height = {
      .input = input_dims->h,
      .output = output_dims->h,
      .kernel = filter_dims->h,
      .stride = params->stride.h,
      .padding = params->padding.h,
      .input_step = input_dims->w * channels,
      .output_step = output_dims->w * channels,
  };
  if (input_dims->h > input_dims->w) {
    return (tinsmith_plane_axes){.row = height, .column = width};
  }
  return (tinsmith_plane_axes){.row = width, .column = height};
}

/** How a strip of output rows lies in scratch. Rows are `pitch` elements apart in planes and in sums alike. */
typedef struct {
  int32_t pitch;          /* even; at least a row of sums rounded up to 4 */
  int32_t plane_elements; /* of one channel, a multiple of 4 */
  int32_t sums;           /* 32-bit sums of one channel, a multiple of 4 */
} tinsmith_strip;

enum {
  kStripMargin = 8 /* elements, besides a kernel row, that steps of several outputs read past the last row */
};

static inline tinsmith_strip tinsmith_strip_of(const tinsmith_plane_axes *axes, int32_t outputs) {
  const tinsmith_axis *row = &axes->row;
  const int32_t window = (row->output - 1) * row->stride + row->kernel;
  const int32_t sums = (row->output + 3) / 4 * 4;
  const int32_t pitch = window > sums ? (window + 1) / 2 * 2 : sums;
  const int32_t rows = (outputs - 1) * axes->column.stride + axes->column.kernel;
  return (tinsmith_strip){
      .pitch = pitch,
      .plane_elements = (rows * pitch + row->kernel + kStripMargin + 3) / 4 * 4,
      .sums = (outputs * pitch + 3) / 4 * 4,
  };
}

#endif /* TINSMITH_NN_INTERNAL_PLANES_H */
