/* Depthwise convolution, sixteen channels at a time, for the filters that depthwise_patches.c does not take: 5x5, say.
 *
 * A block of sixteen channels is copied line by line into a ring of as many lines as the filter spans, with the padding
 * written out, so that the sums need no conditions. A line keeps positions of one remainder modulo the stride together
 * (a "phase"): neighbouring outputs then read neighbouring positions, sixteen bytes apart, whatever the stride.
 *
 * Sums: int8 products of sixteen channels are two int16 vectors; two taps still fit 16 bits, so they are added there
 * before they are widened to the four int32 accumulators. (MVE has no vector multiply-accumulate to make that simpler.)
 */
#ifndef TINSMITH_NN_MVE_DEPTHWISE_LINES_BODY_H
#define TINSMITH_NN_MVE_DEPTHWISE_LINES_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "src/mve/channel_sums.h"
#include "src/mve/copy.h"
#include "src/mve/depthwise_core.h"

/** Everything about the block of channels at hand. */
typedef struct {
  const mve_axis *along;
  const mve_axis *across;
  int32_t channels;   /**< In this block, [1, kDepthwiseBlock]. */
  int8_t zero_point;  /**< What padding reads as. */
  bool pairs_fit;     /**< Two products always fit 16 bits: no weight is -128. */
  int8_t *ring;       /**< Lines. */
  int8_t *weights;    /**< [taps][kDepthwiseBlock] */
  const int8_t **tap; /**< Where each tap of the current line's first output reads. */
  mve_channel_scales scales;
} channel_block;

static void divide_scratch(channel_block *block, void *scratch) {
  const int32_t taps = block->along->taps * block->across->taps;
  block->tap = scratch;
  block->weights = (int8_t *)(block->tap + taps);
  block->ring = block->weights + taps * kDepthwiseBlock;
}

/** Copy the block's weights beside each other. */
static void load_weights(channel_block *block, const int8_t *filter) {
  const mve_pred16_t present = vctp8q((uint32_t)block->channels);
  int8_t *to = block->weights;
  int8_t least = 0;
  for (int32_t i = 0; i < block->across->taps; ++i) {
    const int8_t *from = filter + i * block->across->filter_pitch;
    for (int32_t j = 0; j < block->along->taps; ++j) {
      const int8x16_t weights = vldrbq_z_s8(from, present);
      least = vminvq_s8(least, weights);
      vstrbq_s8(to, weights);
      from += block->along->filter_pitch;
      to += kDepthwiseBlock;
    }
  }
  block->pairs_fit = least > INT8_MIN;
}

/** Copy the block's bias, multipliers and shifts; fold the input's offset into the bias if that is not done yet. */
static void load_scale(channel_block *block, const mve_depthwise *layer, int32_t channel) {
  const int32_t taps = block->along->taps * block->across->taps;
  for (int32_t i = 0; i < kDepthwiseBlock; i += kWordLanes) {
    const mve_pred16_t p = i < block->channels ? vctp32q((uint32_t)(block->channels - i)) : 0;
    int32x4_t bias = vdupq_n_s32(0);
    if (layer->bias != NULL) {
      bias = vldrwq_z_s32(layer->bias + channel + i, p);
    }
    for (int32_t tap = 0; tap < taps && !layer->folded; ++tap) {
      bias = vmlaq_n_s32(bias, vldrbq_s32(block->weights + tap * kDepthwiseBlock + i), layer->input_offset);
    }
    vstrwq_s32(block->scales.bias + i, bias);
    vstrwq_s32(block->scales.multiplier + i, vldrwq_z_s32(layer->scale.multiplier + channel + i, p));
    vstrwq_s32(block->scales.shift + i, vldrwq_z_s32(layer->scale.shift + channel + i, p));
  }
  mve_interleave(block->scales.bias);
  mve_interleave(block->scales.multiplier);
  mve_interleave(block->scales.shift);
}

/** Line `index` of the padded input in the ring. */
static int8_t *ring_line(const channel_block *block, int32_t index) {
  return block->ring + index % mve_lines_at_once(block->across) * mve_line_bytes(block->along);
}

/** Point every tap at its place for the line of outputs whose first input line is `top`. */
static void point_taps(const channel_block *block, int32_t top) {
  const mve_axis *along = block->along;
  const int8_t **tap = block->tap;
  for (int32_t i = 0; i < block->across->taps; ++i) {
    const int8_t *line = ring_line(block, top + i * block->across->dilation);
    for (int32_t j = 0; j < along->taps; ++j) {
      const int32_t x = j * along->dilation;
      *tap++ = line + (x % along->stride * mve_phase_length(along) + x / along->stride) * kDepthwiseBlock;
    }
  }
}

/** Copy input line `index`, counted from the first line of padding, into the ring. */
static void load_line(const channel_block *block, const int8_t *input, int32_t index) {
  const mve_axis *along = block->along;
  const int32_t y = index - block->across->padding;
  int8_t *line = ring_line(block, index);
  if (y < 0 || y >= block->across->input) {
    mve_fill(line, block->zero_point, mve_line_bytes(along));
    return;
  }
  const int8_t *from = input + y * block->across->input_pitch;
  const int32_t phase_bytes = mve_phase_length(along) * kDepthwiseBlock;
  const mve_pred16_t present = vctp8q((uint32_t)block->channels);
  const int8x16_t zero_point = vdupq_n_s8(block->zero_point);
  const int32_t last = (along->output - 1) * along->stride + (along->taps - 1) * along->dilation;
  for (int32_t phase = 0; phase < along->stride; ++phase) {
    int8_t *to = line + phase * phase_bytes;
    for (int32_t x = phase - along->padding; x <= last - along->padding; x += along->stride) {
      const bool inside = x >= 0 && x < along->input;
      vstrbq_s8(to, inside ? vldrbq_z_s8(from + x * along->input_pitch, present) : zero_point);
      to += kDepthwiseBlock;
    }
  }
}

/** One line of outputs. */
static void convolve_line(const channel_block *block, const mve_output_scale *scale, int8_t *output) {
  const int32_t taps = block->along->taps * block->across->taps;
  const mve_pred16_t present = vctp8q((uint32_t)block->channels);
  const int32_t in_pairs = block->pairs_fit ? taps - 1 : 0;
  for (int32_t position = 0; position < block->along->output; ++position) {
    const int32_t offset = position * kDepthwiseBlock;
    const int8_t *weights = block->weights;
    mve_channel_sums sums = mve_sums_of_bias(&block->scales);
    int32_t tap = 0;
    for (; tap < in_pairs; tap += 2) {
      mve_add_two_taps(&sums, block->tap[tap] + offset, block->tap[tap + 1] + offset, weights);
      weights += 2 * kDepthwiseBlock;
    }
    for (; tap < taps; ++tap) {
      mve_add_one_tap(&sums, block->tap[tap] + offset, weights);
      weights += kDepthwiseBlock;
    }
    vstrbq_p_s8(output, mve_scale_sums(&sums, &block->scales, scale), present);
    output += block->along->output_pitch;
  }
}

void tinsmith_mve_depthwise_lines_s8(const mve_depthwise *layer, const mve_axes *axes, const int8_t *input,
                                     int8_t *output, void *scratch) {
  const mve_axis *across = &axes->across;
  channel_block block = {.along = &axes->along, .across = across, .zero_point = (int8_t)-layer->input_offset};
  divide_scratch(&block, scratch);
  for (int32_t channel = 0; channel < layer->channels; channel += kDepthwiseBlock) {
    const int32_t rest = layer->channels - channel;
    block.channels = rest < kDepthwiseBlock ? rest : kDepthwiseBlock;
    load_weights(&block, layer->filter + channel);
    load_scale(&block, layer, channel);
    int32_t loaded = 0; /* Lines of padded input up to here are in the ring, or no longer needed. */
    for (int32_t y = 0; y < across->output; ++y) {
      const int32_t top = y * across->stride;
      for (loaded = loaded < top ? top : loaded; loaded < top + mve_lines_at_once(across); ++loaded) {
        load_line(&block, input + channel, loaded);
      }
      point_taps(&block, top);
      convolve_line(&block, &layer->scale, output + y * across->output_pitch + channel);
    }
  }
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_DEPTHWISE_LINES_BODY_H */
