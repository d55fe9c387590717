/* Convolutions of weights of four bits on MVE: some channels at a time, whose weights are widened to bytes once for all
 * windows (internal/convolve_s4.h).
 */
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "include/arm_nnfunctions.h"
#include "src/internal/convolve_s4.h"
#include "src/internal/dots.h"
#include "src/internal/rows_s4.h"
#include "src/mve/convolve_core.h"
#include "src/mve/scratch.h"

/** Channels whose bias is folded or whose sums are collected at a time, on the stack. */
enum { kChannelsAtOnce = 64 };

/** Weights of one vector of bytes. */
enum { kNibbles = 2 * kByteLanes };

/** widened: up to kNibbles - 1 more than `count` are written. */
static void widen(const int8_t *nibbles, int32_t count, int8_t *widened) {
  for (int32_t left = (count + 1) / 2; left > 0; left -= kByteLanes) {
    const int8x16_t bytes = vldrbq_z_s8(nibbles, vctp8q((uint32_t)left));
    // By a name: the store is a macro of gcc's, for which commas between braces part arguments.
    const int8x16x2_t halves = {{vshrq_n_s8(vshlq_n_s8(bytes, 4), 4), vshrq_n_s8(bytes, 4)}};
    vst2q_s8(widened, halves);
    nibbles += kByteLanes;
    widened += kNibbles;
  }
}

/** Channels that are widened together: a multiple of four, so that they begin and end with whole bytes. */
static int32_t channels_at_once(int32_t depth) {
  const int32_t fitting = kWidenedBytes / depth / kWordLanes * kWordLanes;
  return fitting < kChannelsAtOnce ? fitting : kChannelsAtOnce;
}

void tinsmith_convolve_widened_s4(const cmsis_nn_conv_params *params, const cmsis_nn_per_channel_quant_params *quant,
                                  const cmsis_nn_dims *input_dims, const int8_t *input,
                                  const cmsis_nn_dims *filter_dims, const int8_t *filter, const int32_t *bias,
                                  const cmsis_nn_dims *output_dims, int8_t *output, int8_t *fields) {
  int8_t widened[kWidenedBytes + kNibbles];
  int32_t folded_bias[kChannelsAtOnce];
  const int32_t depth = filter_dims->h * filter_dims->w * filter_dims->c;
  const int32_t at_once = channels_at_once(depth);
  mve_matrix part = {
      .weights = widened,
      .depth = depth,
      .bias = folded_bias,
      .scale = {.multiplier = quant->multiplier,
                .shift = quant->shift,
                .per_channel = true,
                .shifts_right = tinsmith_mve_shifts_right(quant->shift, output_dims->c),
                .range = {params->output_offset, params->activation.min, params->activation.max}},
  };
  for (int32_t left = output_dims->c; left > 0; left -= part.channels) {
    part.channels = left < at_once ? left : at_once;
    widen(filter, part.channels * depth, widened);
    arm_vector_sum_s8(folded_bias, depth, part.channels, widened, params->input_offset, 0, bias);
    tinsmith_mve_convolve_s8(params, &part, input_dims, input, filter_dims, output_dims, output, fields,
                             mve_fields_at_once(depth));
    filter += part.channels * depth / 2;
    part.scale.multiplier += part.channels;
    part.scale.shift += part.channels;
    bias = bias == NULL ? NULL : bias + part.channels;
    output += part.channels;
  }
}

void tinsmith_multiply_rows_s4(const tinsmith_rows_s4 *rows, const int8_t *x, int8_t *output) {
  const bool per_channel = rows->stage_step != 0;
  const mve_output_scale scale = {
      .multiplier = rows->multiplier,
      .shift = rows->shift,
      .per_channel = per_channel,
      .range = {rows->zero_point, rows->activation.min, rows->activation.max},
  };
  for (int32_t first = 0; first < rows->rows; first += kChannelsAtOnce) {
    const int32_t left = rows->rows - first;
    const int32_t count = left < kChannelsAtOnce ? left : kChannelsAtOnce;
    int32_t sums[kChannelsAtOnce];
    if (rows->bias == NULL) {
      memset(sums, 0, (size_t)count * sizeof *sums);
    } else {
      memcpy(sums, rows->bias + first, (size_t)count * sizeof *sums);
    }
    tinsmith_dots_s4(sums, x, rows->x_offset, rows->weights, first * rows->depth, rows->depth, count);
    tinsmith_mve_store_row(&scale, first, sums, count, output + first);
  }
}

#endif /* TINSMITH_NN_MVE */
