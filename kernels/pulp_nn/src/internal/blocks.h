// Depthwise with any kernel and any strides over a padded plane of bytes: four neighbouring outputs of a line at a
// time.
#ifndef TINSMITH_KERNELS_PULP_NN_BLOCKS_H_
#define TINSMITH_KERNELS_PULP_NN_BLOCKS_H_

#include "area.h"
#include "tinsmith_pulp_nn.h"

// What a block reads beyond the last output of a line that is shorter must be there.
#define BLOCK_OUTPUTS 4u

typedef struct {
  uint32_t lines, words;                // of taps; a line is filled with zeros to whole words
  uint32_t line_stride, column_stride;  // of the plane
  const uint32_t *taps;                 // the first words of all lines, then the second ones, ...
} window_t;

// All outputs of a channel; the window's taps are its own.
typedef void (*blocks_t)(const area_t *area, const window_t *window, const channel_t *channel);

// Of TFLite's stage it does the rounding: outputs are clamped to int8, whatever min and max are.
blocks_t blocks_of_four(tinsmith_pulp_stage_kind_t kind, bool input_is_signed);

// All of these functions, by kinds of input and output.
#define DECLARE_BLOCKS(NAME) void blocks_##NAME(const area_t *area, const window_t *window, const channel_t *channel);
DECLARE_BLOCKS(u8_u8)
DECLARE_BLOCKS(u8_s8)
DECLARE_BLOCKS(s8_u8)
DECLARE_BLOCKS(s8_s8)
DECLARE_BLOCKS(tflite)
DECLARE_BLOCKS(high)
DECLARE_BLOCKS(u8_wide)
DECLARE_BLOCKS(s8_wide)

#endif  // TINSMITH_KERNELS_PULP_NN_BLOCKS_H_
