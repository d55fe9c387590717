/* Depthwise convolution of int8, output pixel by output pixel, on the NHWC input: what the public functions without
 * scratch are, and those whose weights of four bits become bytes block by block.
 */
#ifndef TINSMITH_NN_INTERNAL_DEPTHWISE_BLOCK_H
#define TINSMITH_NN_INTERNAL_DEPTHWISE_BLOCK_H

#include <stdint.h>

#include "include/arm_nn_types.h"
#include "src/internal/implementation.h"
#include "src/internal/rounding.h"

/** Neighbouring channels of a layer. Pointers are to the first of them. */
typedef struct {
  const cmsis_nn_dw_conv_params *params;
  const int8_t *filter; /* [HK][WK][filter_pitch] */
  int32_t filter_pitch;
  const int32_t *bias; /* or NULL for zeros */
  const int32_t *multiplier;
  const int32_t *shift;
  int32_t inputs;    /* channels of the input */
  int32_t per_input; /* output channels of each; all of params->ch_mult, unless inputs is 1 */
} tinsmith_depthwise_block;

/** Compute the outputs of the block's channels. input and output: of the block's first channels in the first pixel.
 * input_dims->c and params->ch_mult say how far pixels are apart. */
void tinsmith_depthwise_block_s8(const tinsmith_depthwise_block *block, const cmsis_nn_dims *input_dims,
                                 const int8_t *input, const cmsis_nn_dims *filter_dims,
                                 const cmsis_nn_dims *output_dims, int8_t *output);

#if TINSMITH_NN_DSP
/** Bytes from the first tap that lies inside the input. */
typedef struct {
  int32_t input;
  int32_t filter;
} tinsmith_depthwise_tap;

enum { kListedTaps = 64 };
#endif

/** The taps of one window that lie inside the input. */
typedef struct {
  const int8_t *input;  /* first inside tap, first channel of the block */
  const int8_t *filter; /* the same */
  int32_t rows;
  int32_t columns;
  int32_t input_row; /* bytes from tap to tap, in rows and columns, of both */
  int32_t input_column;
  int32_t filter_row;
  int32_t filter_column;
#if TINSMITH_NN_DSP
  int32_t listed_rows; /* what `list` was written for, from pixel to pixel; 0 at first */
  int32_t listed_columns;
  tinsmith_depthwise_tap list[kListedTaps];
#endif
} tinsmith_depthwise_taps;

/** The outputs of the block's channels at one pixel. */
typedef void tinsmith_depthwise_pixel(const tinsmith_depthwise_block *block, tinsmith_depthwise_taps *taps,
                                      int8_t *output);

/** What the implementations do differently: the best for a layer. filter_w: taps of a row. */
tinsmith_depthwise_pixel *tinsmith_depthwise_pixel_for(const tinsmith_depthwise_block *block, int32_t filter_w);

/** Channel by channel. */
tinsmith_depthwise_pixel tinsmith_depthwise_pixel_singly;

#endif /* TINSMITH_NN_INTERNAL_DEPTHWISE_BLOCK_H */
