// What the loops of depthwise layers work on: a part of the output, and a channel.
#ifndef TINSMITH_KERNELS_PULP_NN_AREA_H_
#define TINSMITH_KERNELS_PULP_NN_AREA_H_

#include "tinsmith_pulp_nn.h"

// The outputs of a band. Steps in bytes.
typedef struct {
  uint32_t lines, columns;  // of outputs, one or more; a plane's lines lie along the columns
  uint32_t pitch;           // of a plane, from line to line
  uint32_t column_step;     // of the output, from column to column
  uint32_t line_step;       // of the output, from line to line
} area_t;

// A channel: the window of its first output, that output, taps of a 3 x 3 kernel (a word for each line, the fourth byte
// 0) or of a 5 x 5 one (a word for each line, then the lines' fifth bytes) and output stage. addend: lambda with the
// bias inside, or TFLite's bias; for a wide stage the bias alone. Of SCALE_HIGH_S8 addend is the bias, zero_point the
// addend.
typedef struct {
  const uint8_t *plane;
  uint8_t *output;
  uint32_t taps[10];
  int32_t multiplier, addend, shift, zero_point;
  const tinsmith_pulp_stage_t *stage;  // of a wide stage the layer's, which has the other parameters of channel `index`
  uint32_t index;
} channel_t;

#endif  // TINSMITH_KERNELS_PULP_NN_AREA_H_
