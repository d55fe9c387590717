// Depthwise 3 x 3 over a padded plane of bytes, in strips of one or two columns of outputs from top to bottom: a line
// of input is loaded once for all the outputs that need it.
#ifndef TINSMITH_KERNELS_PULP_NN_STRIPS_H_
#define TINSMITH_KERNELS_PULP_NN_STRIPS_H_

#include "include/tinsmith_pulp_nn.h"
#include "src/internal/corev.h"

// The outputs of channels side by side in a band. Steps in bytes.
typedef struct {
  const uint8_t *plane;     // the first output's window in the first channel's plane
  uint8_t *output;          // the first channel's
  uint32_t plane_bytes;     // from plane to plane; from channel to channel of the output it is 1
  uint32_t lines, columns;  // of outputs, one or more; a plane's lines lie along the columns
  uint32_t pitch;           // of a plane, from line to line
  uint32_t column_step;     // of the output, from column to column
  uint32_t line_step;       // of the output, from line to line
} area_t;

// A channel's taps, a word for each line of the kernel, its fourth byte 0, and its output stage.
// addend: lambda with the bias inside, or TFLite's bias.
typedef struct {
  uint32_t taps[3];
  int32_t multiplier, addend, shift, zero_point;
} channel_t;

// All outputs of `count` channels.
typedef void (*strips_t)(const area_t *area, const channel_t *channels, uint32_t count);

// The function for strides of 1 or 2 in both directions. Of TFLite's stage it does the rounding: outputs are clamped to
// int8, whatever min and max are, shifts are in [1, 31] and multipliers are not 0.
strips_t strips_3x3(tinsmith_pulp_stage_kind_t kind, bool input_is_signed, uint32_t stride);

#endif  // TINSMITH_KERNELS_PULP_NN_STRIPS_H_
