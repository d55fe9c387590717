/* Depthwise convolution by dot products: a filter of up to 4x4 taps, or of up to 16 on a line.
 *
 * VMLADAV multiplies sixteen pairs and adds them up, but NHWC has the taps of a channel far apart. So a block of
 * sixteen channels is transposed in two steps of interleaving stores (VST4): four lines of the input become columns, in
 * which each channel has its four values together; four columns become a patch, in which it has all sixteen. The filter
 * goes the same way, once per place it can take in a patch: four places for 3x3 with stride 1. One load of a patch and
 * one multiplication per place then give as many outputs.
 */
#ifndef TINSMITH_NN_MVE_DEPTHWISE_PATCHES_BODY_H
#define TINSMITH_NN_MVE_DEPTHWISE_PATCHES_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <stddef.h>

#include "src/mve/copy.h"
#include "src/mve/depthwise_core.h"

/** Values of a patch; of a column and of a patch of each of sixteen channels; of a column of four channels. */
enum { kPatch = 16, kColumn = 4 * kDepthwiseBlock, kPlace = kPatch * kDepthwiseBlock, kQuad = 16 };

/** Patches that are summed before their sums are requantized, and their sums: up to four outputs of each, on one line
 * of outputs or half of them on the next, which has its sums from kSecondLine on. */
enum { kPatchesAtOnce = 16, kSumsAtOnce = 4 * kPatchesAtOnce, kSecondLine = 2 * kPatchesAtOnce };

/** A line of a strip. */
typedef struct {
  const int8_t *column0; /**< Position of column 0. */
  int32_t pitch;         /**< From column to column; 0 for a line of padding. */
  int32_t first;         /**< Columns [first, end) lie inside the input. */
  int32_t end;
} strip_line;

/** Everything about the block of channels at hand. */
typedef struct {
  const mve_axes *axes;
  mve_patch_plan plan;
  int32_t channel;  /**< First. */
  int32_t channels; /**< [1, kDepthwiseBlock] */
  int8_t *weights;  /**< [places][channels of the block][kPatch] */
  int8_t *columns;  /**< [columns of a strip][channels of the block][lines] */
  int32_t bias[kDepthwiseBlock];
  int8_t padding[kDepthwiseBlock]; /**< What a position of padding reads as. */
} channel_block;

/** Turn four columns of four channels, `pitch` bytes apart, into one patch per channel. */
static inline void make_patches(const int8_t *columns, int32_t pitch, int8_t *patches) {
  const int32x4x4_t words = {{
      vldrwq_s32((const void *)columns),
      vldrwq_s32((const void *)(columns + pitch)),
      vldrwq_s32((const void *)(columns + 2 * pitch)),
      vldrwq_s32((const void *)(columns + 3 * pitch)),
  }};
  vst4q_s32((int32_t *)(void *)patches, words);
}

/** Lay the filter out as the positions of one patch, column by column, with zeros where the patch is greater. */
static void lay_out_filter(const mve_depthwise *layer, const channel_block *block, int8_t *positions) {
  const mve_axis *along = &block->axes->along;
  const mve_axis *across = &block->axes->across;
  const mve_pred16_t present = vctp8q((uint32_t)block->channels);
  const int8_t *filter = layer->filter + block->channel;
  for (int32_t position = 0; position < kPatch; ++position) {
    const int32_t line = block->plan.flat ? 0 : position % 4;
    const int32_t column = block->plan.flat ? position : position / 4;
    const bool exists = line < across->taps && column < along->taps;
    const int8_t *tap = filter + line * across->filter_pitch + column * along->filter_pitch;
    vstrbq_s8(positions + position * kDepthwiseBlock, exists ? vldrbq_z_s8(tap, present) : vdupq_n_s8(0));
  }
}

/** Make the weights of every place. A place is the first one moved on, by one value per line and four per column; what
 * comes in from below is the end of the channel before, which is zeros, since the filter fits there when moved. */
static void make_weights(const mve_depthwise *layer, const channel_block *block) {
  const mve_patch_plan *plan = &block->plan;
  int32_t first_words[(1 + kDepthwiseBlock) * kPatch / 4];
  int8_t *first = (int8_t *)first_words + kPatch;
  vstrbq_s8(first - kPatch, vdupq_n_s8(0));
  lay_out_filter(layer, block, block->weights);
  for (int32_t column = 0; column < 4; ++column) {
    const int8_t *lines = block->weights + column * kColumn;
    const int8x16x4_t values = {{
        vldrbq_s8(lines),
        vldrbq_s8(lines + kDepthwiseBlock),
        vldrbq_s8(lines + 2 * kDepthwiseBlock),
        vldrbq_s8(lines + 3 * kDepthwiseBlock),
    }};
    vst4q_s8(block->columns + column * kColumn, values);
  }
  for (int32_t quad = 0; quad < 4; ++quad) {
    make_patches(block->columns + quad * kQuad, kColumn, first + quad * 4 * kPatch);
  }
  int8_t *to = block->weights;
  for (int32_t line = 0; line < plan->lines; ++line) {
    for (int32_t output = 0; output < plan->outputs; ++output) {
      const int32_t by_output = output * block->axes->along.stride * (plan->flat ? 1 : 4);
      mve_copy(to, first - line * block->axes->across.stride - by_output, kPlace);
      to += kPlace;
    }
  }
}

/** Copy the block's bias, folding the input's offset into it if that is not done yet. */
static void load_bias(const mve_depthwise *layer, channel_block *block) {
  for (int32_t i = 0; i < block->channels; ++i) {
    int32_t bias = layer->bias != NULL ? layer->bias[block->channel + i] : 0;
    if (!layer->folded) {
      bias += layer->input_offset * vaddvq_s8(vldrbq_s8(block->weights + i * kPatch));
    }
    block->bias[i] = bias;
  }
}

/** An address that may lie before the input, where pointers may not be moved to; nothing is read there. */
static inline const int8_t *at_offset(const int8_t *input, int32_t bytes) {
  return (const int8_t *)((uintptr_t)input + (uintptr_t)bytes);
}

/** A line `index` lines, or if flat positions, after the top of the padding. */
static strip_line line_at(const channel_block *block, const int8_t *input, int32_t index) {
  const mve_axis *along = &block->axes->along;
  const mve_axis *across = &block->axes->across;
  if (block->plan.flat) { /* Position 4 * column + index; rounding up as the dividends may be negative. */
    const int32_t first = index < along->padding ? (along->padding - index + 3) / 4 : 0;
    const int32_t end = along->input + along->padding - index + 3;
    const strip_line line = {
        .column0 = at_offset(input, (index - along->padding) * along->input_pitch),
        .pitch = 4 * along->input_pitch,
        .first = first,
        .end = end > 0 ? end / 4 : 0,
    };
    return line;
  }
  const int32_t position = index - across->padding;
  if (position < 0 || position >= across->input) {
    const strip_line line = {.column0 = block->padding, .pitch = 0, .first = 0, .end = block->plan.columns};
    return line;
  }
  const strip_line line = {
      .column0 = at_offset(input, position * across->input_pitch - along->padding * along->input_pitch),
      .pitch = along->input_pitch,
      .first = along->padding,
      .end = along->padding + along->input,
  };
  return line;
}

/** Columns [column, end) of a strip, some positions of which may lie outside the input. */
static void make_clipped_columns(const channel_block *block, const strip_line lines[4], int32_t column, int32_t end) {
  const mve_pred16_t present = vctp8q((uint32_t)block->channels);
  for (; column < end; ++column) {
    int8x16x4_t values;
    for (int32_t i = 0; i < 4; ++i) {
      const bool inside = column >= lines[i].first && column < lines[i].end;
      const int8_t *from = inside ? lines[i].column0 + column * lines[i].pitch : block->padding;
      values.val[i] = vldrbq_z_s8(from, present);
    }
    vst4q_s8(block->columns + column * kColumn, values);
  }
}

/** Columns [column, end) of a strip, all inside the input. */
static void make_inner_columns(const channel_block *block, const strip_line lines[4], int32_t column, int32_t end) {
  const mve_pred16_t present = vctp8q((uint32_t)block->channels);
  const int8_t *from0 = lines[0].column0 + column * lines[0].pitch;
  const int8_t *from1 = lines[1].column0 + column * lines[1].pitch;
  const int8_t *from2 = lines[2].column0 + column * lines[2].pitch;
  const int8_t *from3 = lines[3].column0 + column * lines[3].pitch;
  int8_t *to = block->columns + column * kColumn;
  for (; column < end; ++column) {
    const int8x16x4_t values = {{
        vldrbq_z_s8(from0, present),
        vldrbq_z_s8(from1, present),
        vldrbq_z_s8(from2, present),
        vldrbq_z_s8(from3, present),
    }};
    vst4q_s8(to, values);
    from0 += lines[0].pitch;
    from1 += lines[1].pitch;
    from2 += lines[2].pitch;
    from3 += lines[3].pitch;
    to += kColumn;
  }
}

/** Transpose the strip whose first line is `top` lines after the top of the padding. */
static void make_columns(const channel_block *block, const int8_t *input, int32_t top) {
  const int32_t columns = block->plan.columns;
  strip_line lines[4];
  int32_t first = 0;
  int32_t end = columns;
  for (int32_t i = 0; i < 4; ++i) {
    lines[i] = line_at(block, input, top + i);
    first = lines[i].first > first ? lines[i].first : first;
    end = lines[i].end < end ? lines[i].end : end;
  }
  first = first < columns ? first : columns;
  end = end > first ? end : first;
  make_clipped_columns(block, lines, 0, first);
  make_inner_columns(block, lines, first, end);
  make_clipped_columns(block, lines, end, columns);
}

/** Sums of four channels for `count` patches, lines x outputs: 1x1, 1x2, 1x4, 2x1 or 2x2. */
static inline void sum_patches(const int8_t *patches, int32_t count, const int8_t *weights, int32_t lines,
                               int32_t outputs, mve_sums *sums) {
  const int32_t places = lines * outputs;
  for (int32_t channel = 0; channel < 4; ++channel) {
    const int8x16_t w0 = vldrbq_s8(weights);
    const int8x16_t w1 = places > 1 ? vldrbq_s8(weights + kPlace) : w0;
    const int8x16_t w2 = places > 2 ? vldrbq_s8(weights + 2 * kPlace) : w0;
    const int8x16_t w3 = places > 2 ? vldrbq_s8(weights + 3 * kPlace) : w0;
    int32_t *sum0 = &sums[0][channel];
    int32_t *sum1 = outputs > 1 ? sum0 + kWordLanes : &sums[kSecondLine][channel];
    int32_t *sum2 = outputs > 2 ? sum0 + 2 * kWordLanes : &sums[kSecondLine][channel];
    int32_t *sum3 = sum2 + kWordLanes;
    for (int32_t i = 0; i < count; ++i) {
      const int8x16_t patch = vldrbq_s8(patches + i * 4 * kPatch);
      sum0[i * outputs * kWordLanes] = vmladavq_s8(patch, w0);
      if (places > 1) {
        sum1[i * outputs * kWordLanes] = vmladavq_s8(patch, w1);
      }
      if (places > 2) {
        sum2[i * outputs * kWordLanes] = vmladavq_s8(patch, w2);
        sum3[i * outputs * kWordLanes] = vmladavq_s8(patch, w3);
      }
    }
    patches += kPatch;
    weights += kPatch;
  }
}

/** Patches [first, first + count) of channels [channel, channel + 4) of the block, for `lines` lines of outputs. */
static void convolve_patches(const mve_depthwise *layer, const channel_block *block, int32_t channel, int32_t first,
                             int32_t count, int32_t lines, int8_t *output) {
  const mve_patch_plan *plan = &block->plan;
  const mve_axes *axes = block->axes;
  int32_t patches_of_words[kPatchesAtOnce * kPatch];
  int8_t *patches = (int8_t *)patches_of_words;
  const int8_t *column = block->columns + first * plan->column_step * kColumn + channel * 4;
  for (int32_t i = 0; i < count; ++i) {
    make_patches(column, kColumn, patches + i * 4 * kPatch);
    column += plan->column_step * kColumn;
  }
  const int8_t *weights = block->weights + channel * kPatch;
  mve_sums sums[kSumsAtOnce];
  if (plan->lines == 2) {
    if (plan->outputs == 2) {
      sum_patches(patches, count, weights, 2, 2, sums);
    } else {
      sum_patches(patches, count, weights, 2, 1, sums);
    }
  } else if (plan->outputs == 4) {
    sum_patches(patches, count, weights, 1, 4, sums);
  } else if (plan->outputs == 2) {
    sum_patches(patches, count, weights, 1, 2, sums);
  } else {
    sum_patches(patches, count, weights, 1, 1, sums);
  }
  const int32_t position = first * plan->outputs;
  const int32_t rest = axes->along.output - position;
  const mve_pred16_t present = vctp32q((uint32_t)(block->channels - channel));
  const int32x4_t bias = vldrwq_s32(block->bias + channel);
  for (int32_t line = 0; line < lines; ++line) {
    tinsmith_mve_store_sums(&layer->scale, block->channel + channel, present, bias, sums + line * kSecondLine,
                            rest < count * plan->outputs ? rest : count * plan->outputs,
                            output + line * axes->across.output_pitch + position * axes->along.output_pitch,
                            axes->along.output_pitch);
  }
}

/** One strip's outputs, of which there are `lines` lines. */
static void convolve_strip(const mve_depthwise *layer, const channel_block *block, int32_t lines, int8_t *output) {
  for (int32_t channel = 0; channel < block->channels; channel += kWordLanes) {
    for (int32_t first = 0; first < block->plan.patches; first += kPatchesAtOnce) {
      const int32_t rest = block->plan.patches - first;
      convolve_patches(layer, block, channel, first, rest < kPatchesAtOnce ? rest : kPatchesAtOnce, lines,
                       output + channel);
    }
  }
}

void tinsmith_mve_depthwise_patches_s8(const mve_depthwise *layer, const mve_axes *axes, const int8_t *input,
                                       int8_t *output, void *scratch) {
  const mve_axis *across = &axes->across;
  channel_block block = {.axes = axes, .plan = mve_plan_patches(axes), .weights = scratch};
  const int32_t places = block.plan.lines * block.plan.outputs;
  block.columns = block.weights + places * kPlace;
  vstrbq_s8(block.padding, vdupq_n_s8((int8_t)-layer->input_offset));
  for (block.channel = 0; block.channel < layer->channels; block.channel += kDepthwiseBlock) {
    const int32_t rest = layer->channels - block.channel;
    block.channels = rest < kDepthwiseBlock ? rest : kDepthwiseBlock;
    make_weights(layer, &block);
    load_bias(layer, &block);
    for (int32_t line = 0; line < across->output; line += block.plan.lines) {
      const int32_t lines = across->output - line < block.plan.lines ? across->output - line : block.plan.lines;
      make_columns(&block, input + block.channel, line * across->stride);
      convolve_strip(layer, &block, lines, output + line * across->output_pitch + block.channel);
    }
  }
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_DEPTHWISE_PATCHES_BODY_H */
