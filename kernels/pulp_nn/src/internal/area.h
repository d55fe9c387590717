// What the loops of depthwise layers work on: a part of the output, and a channel.
#ifndef TINSMITH_KERNELS_PULP_NN_AREA_H_
#define TINSMITH_KERNELS_PULP_NN_AREA_H_

#include <stdint.h>

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

#endif  // TINSMITH_KERNELS_PULP_NN_AREA_H_
