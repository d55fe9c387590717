/* Depthwise convolution by 3x3 taps, sixteen lanes at a time: a block of sixteen channels of one output, or one of up
 * to eight channels of two neighbours.
 *
 * A block is copied line by line into a ring of three lines, with the padding written out. There all taps of a line lie
 * at constant distances from its first one, so that nothing but the sums is left to do in the loop, and an output line
 * may lie over the input lines that it is made of. What is prepared for a block is little, and lines are done one by
 * one, so that few of them cost no more each than many.
 *
 * Sums: see depthwise_lines_body.h.
 */
#ifndef TINSMITH_NN_MVE_DEPTHWISE_3X3_BODY_H
#define TINSMITH_NN_MVE_DEPTHWISE_3X3_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "src/internal/compiler.h"
#include "src/mve/channel_sums.h"
#include "src/mve/copy.h"
#include "src/mve/depthwise_core.h"

enum { kTaps = 9, kRing = 3 };

/** Everything about the block of channels at hand. */
typedef struct {
  const mve_axis *along;
  const mve_axis *across;
  int32_t channels; /**< In this block, [1, kDepthwiseBlock]. */
  int32_t pitch;    /**< Bytes of a position in the ring. */
  int32_t step;     /**< Bytes in the ring from the window of one vector of outputs to that of the next. */
  int32_t vectors;  /**< Of outputs, in a line. */
  int32_t line_bytes;
  int32_t before; /**< Positions of padding in front of a line, */
  int32_t inside; /**< and of the input behind them. */
  bool pairs_fit; /**< Two products always fit 16 bits: no weight is -128. */
  int8_t *ring;
  int8_t zero_point; /**< What padding reads as. */
  mve_channel_scales scales;
  int8_t weights[kTaps * kDepthwiseBlock];
} channel_block;

/** The block's weights beside each other, twice if its vectors have two outputs. */
static void load_weights(channel_block *block, const int8_t *filter) {
  const bool is_pair = block->pitch < kDepthwiseBlock;
  const mve_pred16_t present = vctp8q((uint32_t)block->channels);
  int8_t *to = block->weights;
  int8x16_t least = vdupq_n_s8(0);
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < 3; ++i) {
    const int8_t *from = filter + i * block->across->filter_pitch;
    TINSMITH_NO_UNROLL
    for (int32_t j = 0; j < 3; ++j) {
      const int8x16_t weights = vldrbq_z_s8(from, present);
      least = vminq_s8(least, weights);
      vstrbq_s8(to, weights);
      if (is_pair) {
        vstrbq_s16(to + block->pitch, vldrbq_s16(to));
      }
      from += block->along->filter_pitch;
      to += kDepthwiseBlock;
    }
  }
  block->pairs_fit = vminvq_s8(0, least) > INT8_MIN;
}

/** The block's bias, multipliers and shifts, likewise; the input's offset is folded into the bias if that is not done
 * yet. */
static void load_scales(channel_block *block, const mve_depthwise *layer, int32_t channel) {
  mve_channel_scales *scales = &block->scales;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < kDepthwiseBlock; i += kWordLanes) {
    const int32_t first = i % block->pitch;
    const mve_pred16_t p = first < block->channels ? vctp32q((uint32_t)(block->channels - first)) : 0;
    int32x4_t bias = vdupq_n_s32(0);
    if (layer->bias != NULL) {
      bias = vldrwq_z_s32(layer->bias + channel + first, p);
    }
    TINSMITH_NO_UNROLL
    for (int32_t tap = 0; tap < kTaps && !layer->folded; ++tap) {
      bias = vmlaq_n_s32(bias, vldrbq_s32(block->weights + tap * kDepthwiseBlock + i), layer->input_offset);
    }
    vstrwq_s32(scales->bias + i, bias);
    vstrwq_s32(scales->multiplier + i, vldrwq_z_s32(layer->scale.multiplier + channel + first, p));
    vstrwq_s32(scales->shift + i, vldrwq_z_s32(layer->scale.shift + channel + first, p));
  }
  mve_interleave(scales->bias);
  mve_interleave(scales->multiplier);
  mve_interleave(scales->shift);
}

/** Copy `count` positions of the input into the ring. */
static inline void copy_positions(const channel_block *block, int8_t *to, const int8_t *from, int32_t count) {
  const int32_t from_pitch = block->along->input_pitch;
  if (from_pitch == block->pitch && block->channels == block->pitch) { /* No other channels between them. */
    mve_copy(to, from, count * block->pitch);
    return;
  }
  if (block->pitch < kDepthwiseBlock) {
    const mve_pred16_t present = vctp16q((uint32_t)block->channels);
    for (; count > 0; --count) {
      vstrbq_s16(to, vldrbq_z_s16(from, present));
      to += block->pitch;
      from += from_pitch;
    }
    return;
  }
  const mve_pred16_t present = vctp8q((uint32_t)block->channels);
  for (; count > 0; --count) {
    vstrbq_s8(to, vldrbq_z_s8(from, present));
    to += kDepthwiseBlock;
    from += from_pitch;
  }
}

/** Copy input line `index`, counted from the first line of padding, to a line of the ring whose columns of padding are
 * written. */
TINSMITH_NOINLINE static void load_line(const channel_block *block, const int8_t *input, int32_t index, int8_t *line) {
  const int32_t y = index - block->across->padding;
  if (y < 0 || y >= block->across->input) {
    mve_fill(line, block->zero_point, block->line_bytes);
  } else {
    copy_positions(block, line + block->before * block->pitch, input + y * block->across->input_pitch, block->inside);
  }
}

/** Add the products of two taps, which fit 16 bits together. In assembly, as four sums leave four vectors for all else:
 * compilers that load as early as they can run out of them. So the second input is loaded once for its even lanes and
 * once for the odd ones. */
#define ADD_TWO_TAPS(line0, offset0, line1, offset1, weights) \
  "vldrb.u8 %q[x], [%[" line0 "], %[" offset0                 \
  "]]\n\t"                                                    \
  "vldrb.u8 %q[w], [%[weights], #" weights                    \
  "]\n\t"                                                     \
  "vmullb.s8 %q[even], %q[x], %q[w]\n\t"                      \
  "vmullt.s8 %q[odd], %q[x], %q[w]\n\t"                       \
  "vldrb.u8 %q[x], [%[" line1 "], %[" offset1                 \
  "]]\n\t"                                                    \
  "vldrb.u8 %q[w], [%[weights], #" weights                    \
  " + 16]\n\t"                                                \
  "vmullb.s8 %q[x], %q[x], %q[w]\n\t"                         \
  "vadd.i16 %q[even], %q[even], %q[x]\n\t"                    \
  "vldrb.u8 %q[x], [%[" line1 "], %[" offset1                 \
  "]]\n\t"                                                    \
  "vmullt.s8 %q[x], %q[x], %q[w]\n\t"                         \
  "vadd.i16 %q[odd], %q[odd], %q[x]\n\t" ADD_WIDE

#define ADD_WIDE                              \
  "vmovlb.s16 %q[x], %q[even]\n\t"            \
  "vadd.i32 %q[sum0], %q[sum0], %q[x]\n\t"    \
  "vmovlt.s16 %q[even], %q[even]\n\t"         \
  "vadd.i32 %q[sum2], %q[sum2], %q[even]\n\t" \
  "vmovlb.s16 %q[x], %q[odd]\n\t"             \
  "vadd.i32 %q[sum1], %q[sum1], %q[x]\n\t"    \
  "vmovlt.s16 %q[odd], %q[odd]\n\t"           \
  "vadd.i32 %q[sum3], %q[sum3], %q[odd]\n\t"

#ifdef __OPTIMIZE__

/** Sums of nine taps, `pitch` bytes apart in lines. */
TINSMITH_ALWAYS_INLINE mve_channel_sums sum_taps(const int8_t *const lines[kRing], const int8_t *weights,
                                                 const mve_channel_scales *scales, int32_t pitch) {
  mve_channel_sums sums = mve_sums_of_bias(scales);
  int8x16_t x;
  int8x16_t w;
  int8x16_t even;
  int8x16_t odd;
  __asm__(ADD_TWO_TAPS("line0", "first", "line0", "second", "-64")
              ADD_TWO_TAPS("line0", "third", "line1", "first", "-32")
                  ADD_TWO_TAPS("line1", "second", "line1", "third", "0")
                      ADD_TWO_TAPS("line2", "first", "line2", "second", "32")
          "vldrb.u8 %q[x], [%[line2], %[third]]\n\t"
          "vldrb.u8 %q[w], [%[weights], #64]\n\t"
          "vmullb.s8 %q[even], %q[x], %q[w]\n\t"
          "vmullt.s8 %q[odd], %q[x], %q[w]\n\t" ADD_WIDE
          : [sum0] "+w"(sums.lanes[0]), [sum1] "+w"(sums.lanes[1]), [sum2] "+w"(sums.lanes[2]),
            [sum3] "+w"(sums.lanes[3]), [x] "=&w"(x), [w] "=&w"(w), [even] "=&w"(even), [odd] "=&w"(odd)
          : [line0] "r"(lines[0]), [line1] "r"(lines[1]), [line2] "r"(lines[2]),
            [weights] "r"(weights + 4 * kDepthwiseBlock), [first] "i"(0), [second] "i"(pitch), [third] "i"(2 * pitch)
          : "memory");
  return sums;
}

#endif /* __OPTIMIZE__, without which no compiler knows that `pitch` is a constant */

/** The same for any weights. */
static inline mve_channel_sums sum_singly(const int8_t *const lines[kRing], const int8_t *weights,
                                          const mve_channel_scales *scales, int32_t pitch) {
  mve_channel_sums sums = mve_sums_of_bias(scales);
  TINSMITH_NO_UNROLL
  for (int32_t tap = 0; tap < kTaps; ++tap) {
    mve_add_one_tap(&sums, lines[tap / 3] + tap % 3 * pitch, weights + tap * kDepthwiseBlock);
  }
  return sums;
}

/** One line of outputs. in_pairs: products of two taps fit 16 bits. */
TINSMITH_ALWAYS_INLINE void convolve_line(const channel_block *block, const mve_output_scale *scale,
                                          const int8_t *line0, const int8_t *line1, const int8_t *line2, int8_t *output,
                                          int32_t pitch, bool in_pairs) {
  const mve_pred16_t first = vctp8q((uint32_t)block->channels);
  const mve_pred16_t second = (mve_pred16_t)(first << kDepthwiseBlock / 2);
  const int32_t output_pitch = block->along->output_pitch;
  const int32_t step = block->step;
  for (int32_t left = block->vectors; left > 0; --left) {
    const int8_t *const lines[kRing] = {line0, line1, line2};
#ifdef __OPTIMIZE__
    const mve_channel_sums sums = in_pairs ? sum_taps(lines, block->weights, &block->scales, pitch)
                                           : sum_singly(lines, block->weights, &block->scales, pitch);
#else
    (void)in_pairs;
    const mve_channel_sums sums = sum_singly(lines, block->weights, &block->scales, pitch);
#endif
    const int8x16_t values = mve_scale_sums(&sums, &block->scales, scale);
    vstrbq_p_s8(output, values, first);
    output += output_pitch;
    if (pitch < kDepthwiseBlock) {
      const bool is_missing = left == 1 && block->along->output % 2 == 1;
      vstrbq_p_s8(output - pitch, values, is_missing ? 0 : second);
      output += output_pitch;
    }
    line0 += step;
    line1 += step;
    line2 += step;
  }
}

/** All lines of outputs of a block. */
TINSMITH_ALWAYS_INLINE void convolve_block(const channel_block *block, const mve_output_scale *given,
                                           const int8_t *input, int8_t *output, int32_t pitch, bool in_pairs) {
  const mve_output_scale scale = *given; /* Stores cannot change it, so that it stays in registers. */
  const mve_axis *across = block->across;
  int8_t *line0 = block->ring;
  int8_t *line1 = line0 + block->line_bytes;
  int8_t *line2 = line1 + block->line_bytes;
  int32_t loaded = 0; /* Lines of padded input up to here are in the ring, or no longer needed. */
  int32_t top = 0;
  for (int32_t left = across->output; left > 0; --left) {
    for (loaded = loaded < top ? top : loaded; loaded < top + kRing; ++loaded) {
      int8_t *const freed = line0;
      line0 = line1;
      line1 = line2;
      line2 = freed;
      load_line(block, input, loaded, freed);
    }
    convolve_line(block, &scale, line0, line1, line2, output, pitch, in_pairs);
    top += across->stride;
    output += across->output_pitch;
  }
}

typedef void block_function(const channel_block *block, const mve_output_scale *scale, const int8_t *input,
                            int8_t *output);

static void convolve_whole(const channel_block *block, const mve_output_scale *scale, const int8_t *input,
                           int8_t *output) {
  convolve_block(block, scale, input, output, kDepthwiseBlock, true);
}

static void convolve_pairs(const channel_block *block, const mve_output_scale *scale, const int8_t *input,
                           int8_t *output) {
  convolve_block(block, scale, input, output, kDepthwiseBlock / 2, true);
}

static void convolve_singly(const channel_block *block, const mve_output_scale *scale, const int8_t *input,
                            int8_t *output) {
  convolve_block(block, scale, input, output, block->pitch, false);
}

/** Columns of padding. */
static void lay_out_line(channel_block *block, int32_t padding) {
  const mve_axis *along = block->along;
  const int32_t positions = (along->output - 1) * along->stride + 3;
  block->before = padding < positions ? padding : positions;
  const int32_t after_padding = positions - block->before;
  block->inside = along->input < after_padding ? along->input : after_padding;
}

static void prepare_block(channel_block *block, const mve_depthwise *layer, int32_t channel) {
  const int32_t rest = layer->channels - channel;
  const mve_axis *along = block->along;
  block->channels = rest < kDepthwiseBlock ? rest : kDepthwiseBlock;
  const bool is_pair = mve_has_pairs_of_outputs(along, block->channels);
  block->pitch = is_pair ? kDepthwiseBlock / 2 : kDepthwiseBlock;
  block->step = is_pair ? kDepthwiseBlock : along->stride * kDepthwiseBlock;
  block->vectors = is_pair ? (along->output + 1) / 2 : along->output;
  block->line_bytes = mve_3x3_line_bytes(along, block->channels);
  mve_fill(block->ring, block->zero_point, kRing * block->line_bytes);
  load_weights(block, layer->filter + channel);
  load_scales(block, layer, channel);
}

void tinsmith_mve_depthwise_3x3_s8(const mve_depthwise *layer, const mve_axes *axes, const int8_t *input,
                                   int8_t *output, void *scratch) {
  channel_block block = {
      .along = &axes->along, .across = &axes->across, .ring = scratch, .zero_point = (int8_t)-layer->input_offset};
  lay_out_line(&block, axes->along.padding);
  for (int32_t channel = 0; channel < layer->channels; channel += kDepthwiseBlock) {
    prepare_block(&block, layer, channel);
    block_function *const in_pairs = block.pitch < kDepthwiseBlock ? convolve_pairs : convolve_whole;
    block_function *const convolve = block.pairs_fit ? in_pairs : convolve_singly;
    convolve(&block, &layer->scale, input + channel, output + channel);
  }
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_DEPTHWISE_3X3_BODY_H */
