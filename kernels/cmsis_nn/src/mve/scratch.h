/* How much scratch the MVE kernels want, in plain C: host tools plan with the same formulas that the kernels use. */
#ifndef TINSMITH_NN_MVE_SCRATCH_H
#define TINSMITH_NN_MVE_SCRATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "include/arm_nn_types.h"

/** Rows of a matrix product that are summed before their sums are requantized: many, so that preparing that counts
 * little, and a multiple of three, because rows are summed by threes where there are enough. */
enum { kRowsAtOnce = 24 };

/** Copied fields of a convolution may take this much, if that is room for two. */
enum { kFieldBudgetBytes = 3072 };

/** Channels of a depthwise convolution that are done together: one int8 vector. */
enum { kDepthwiseBlock = 16 };

/** What the depthwise core wants of its scratch's address. */
enum { kScratchAlignment = 16 };

/** How many fields of `depth` values are copied before they are multiplied: in [2, kRowsAtOnce], with none left over
 * that could not be summed along with others. */
static inline int32_t mve_fields_fitting(int32_t depth, int32_t budget_bytes) {
  const int32_t fitting = budget_bytes / depth;
  if (fitting <= 2) {
    return 2;
  }
  if (fitting >= kRowsAtOnce) {
    return kRowsAtOnce;
  }
  return fitting % 3 == 1 ? fitting - 1 : fitting;
}

static inline int32_t mve_fields_at_once(int32_t depth) {
  return mve_fields_fitting(depth, kFieldBudgetBytes);
}

/** Whether every receptive field lies inside the input and contiguous, so that none needs copying. */
static inline bool mve_fields_in_place(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input,
                                       const cmsis_nn_dims *filter, const cmsis_nn_dims *output) {
  const bool one_group = filter->c == input->c;
  const bool row_contiguous = filter->w == 1 || params->dilation.w == 1;
  const bool rows_contiguous = filter->h == 1 || (params->dilation.h == 1 && filter->w == input->w);
  const int32_t last_y = (output->h - 1) * params->stride.h + (filter->h - 1) * params->dilation.h;
  const int32_t last_x = (output->w - 1) * params->stride.w + (filter->w - 1) * params->dilation.w;
  const bool inside = params->padding.w == 0 && params->padding.h == 0 && last_y < input->h && last_x < input->w;
  return one_group && row_contiguous && rows_contiguous && inside;
}

/** Pixels of a 1x1 convolution are copied where outputs lie over them, this many at least, if that takes no more than
 * this part of what it saves. */
enum { kLeastPixels = 12, kPartForPixels = 4 };

/** How many of them at once, a multiple of three; 0 if outputs may not lie over them. */
static inline int32_t mve_pixels_at_once(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input,
                                         const cmsis_nn_dims *filter, const cmsis_nn_dims *output) {
  const bool is_dense = filter->h == 1 && filter->w == 1 && params->stride.h == 1 && params->stride.w == 1;
  if (!is_dense || !mve_fields_in_place(params, input, filter, output)) {
    return 0;
  }
  const int32_t least = input->c < output->c ? input->c : output->c;
  const int32_t pixels = input->n * output->h * output->w * least / (kPartForPixels * input->c);
  if (pixels < kLeastPixels) {
    return 0;
  }
  return pixels < kRowsAtOnce ? pixels / 3 * 3 : kRowsAtOnce;
}

/** Bytes of copied fields. */
static inline int32_t mve_fields_bytes(const cmsis_nn_dims *filter) {
  const int32_t depth = filter->h * filter->w * filter->c;
  return mve_fields_at_once(depth) * depth;
}

/** Scratch of tinsmith_convolve_packed_s8(). */
static inline int32_t mve_convolve_packed_bytes(const cmsis_nn_conv_params *params, const cmsis_nn_dims *input,
                                                const cmsis_nn_dims *filter, const cmsis_nn_dims *output) {
  if (mve_fields_in_place(params, input, filter, output)) {
    return mve_pixels_at_once(params, input, filter, output) * input->c;
  }
  return mve_fields_bytes(filter);
}

/** Widened weights of tinsmith_convolve_packed_s4() may take this much, if that is room for four channels. */
enum { kWidenedBudgetBytes = 9216 };

/** Channels whose weights it widens at once: all, or a multiple of four. */
static inline int32_t mve_widened_channels(const cmsis_nn_dims *filter) {
  const int32_t fitting = kWidenedBudgetBytes / (4 * filter->h * filter->w * filter->c) * 4;
  const int32_t least = fitting > 4 ? fitting : 4;
  return filter->n < least ? filter->n : least;
}

/** Bytes of them: four channels at a time, of which each may write 31 more. */
static inline int32_t mve_widened_bytes(const cmsis_nn_dims *filter) {
  const int32_t channels = (mve_widened_channels(filter) + 3) / 4 * 4;
  return (channels * filter->h * filter->w * filter->c + 31) / 16 * 16 + 16;
}

/** Scratch of the public convolution: fields of a single group, as its size functions know no other; with more groups,
 * more fields fit. */
static inline int32_t mve_convolve_bytes(const cmsis_nn_dims *input, const cmsis_nn_dims *filter) {
  const cmsis_nn_dims one_group = {.h = filter->h, .w = filter->w, .c = input->c};
  return mve_fields_bytes(&one_group);
}

/** One axis of a depthwise convolution: rows and columns are alike to it. */
typedef struct {
  int32_t input; /**< Extents. */
  int32_t output;
  int32_t taps;
  int32_t stride;
  int32_t padding;
  int32_t dilation;
  int32_t input_pitch; /**< Values from one position to the next. */
  int32_t output_pitch;
  int32_t filter_pitch;
} mve_axis;

/** The two axes of a depthwise convolution: `along` its lines and `across` them. */
typedef struct {
  mve_axis along;
  mve_axis across;
  int32_t channels;
} mve_axes;

/** Rows become the lines, unless columns are longer: what is done once per line then counts less. Inputs decide where
 * outputs are the same: a filter as tall as the input slides along nothing, but has its taps in columns. */
static inline mve_axes mve_axes_from(const cmsis_nn_dw_conv_params *params, const cmsis_nn_dims *input,
                                     const cmsis_nn_dims *filter, const cmsis_nn_dims *output, int32_t long_line) {
  const mve_axis x = {
      .input = input->w,
      .output = output->w,
      .taps = filter->w,
      .stride = params->stride.w,
      .padding = params->padding.w,
      .dilation = params->dilation.w,
      .input_pitch = input->c,
      .output_pitch = output->c,
      .filter_pitch = output->c,
  };
  const mve_axis y = {
      .input = input->h,
      .output = output->h,
      .taps = filter->h,
      .stride = params->stride.h,
      .padding = params->padding.h,
      .dilation = params->dilation.h,
      .input_pitch = input->w * input->c,
      .output_pitch = output->w * output->c,
      .filter_pitch = filter->w * output->c,
  };
  const mve_axes by_rows = {.along = x, .across = y, .channels = output->c};
  const mve_axes by_columns = {.along = y, .across = x, .channels = output->c};
  const bool is_longer = x.output == y.output ? x.input >= y.input : x.output > y.output;
  return is_longer || x.output >= long_line ? by_rows : by_columns;
}

static inline mve_axes mve_depthwise_axes(const cmsis_nn_dw_conv_params *params, const cmsis_nn_dims *input,
                                          const cmsis_nn_dims *filter, const cmsis_nn_dims *output) {
  return mve_axes_from(params, input, filter, output, INT32_MAX);
}

/** Outputs of a line from which on what is done once per line counts little where taps are 3x3. */
enum { kLongLine = 4 };

/** For mve/depthwise_3x3.c: rows that are long enough, as shorter lines want less scratch. */
static inline mve_axes mve_3x3_axes(const cmsis_nn_dw_conv_params *params, const cmsis_nn_dims *input,
                                    const cmsis_nn_dims *filter, const cmsis_nn_dims *output) {
  return mve_axes_from(params, input, filter, output, kLongLine);
}

/** Positions of a padded line that belong to one phase, that is, whose index has one remainder modulo the stride. */
static inline int32_t mve_phase_length(const mve_axis *along) {
  return along->output + (along->taps - 1) * along->dilation / along->stride;
}

/** Lines under a filter, from the first to the last. */
static inline int32_t mve_lines_at_once(const mve_axis *across) {
  return (across->taps - 1) * across->dilation + 1;
}

/** Bytes of one padded line of a block of channels. */
static inline int32_t mve_line_bytes(const mve_axis *along) {
  return mve_phase_length(along) * along->stride * kDepthwiseBlock;
}

/** How depthwise_patches.c covers a layer. A strip is four lines of the input, a column is one position of each, and a
 * patch is four columns: the sixteen values of a channel that one multiplication sees. */
typedef struct {
  bool flat;           /**< One line only: its positions are dealt out to the four lines of the strip in turn. */
  int32_t lines;       /**< Lines of outputs per strip: 1 or 2. */
  int32_t outputs;     /**< Neighbouring outputs of a line per patch: 1, 2, or 4 if flat. */
  int32_t column_step; /**< Columns from one patch to the next. */
  int32_t patches;     /**< Per strip. */
  int32_t columns;     /**< Per strip. */
} mve_patch_plan;

/** Outputs whose filters, `stride` apart, fit a window: the greatest power of two up to `most`; 0 if not even one. */
static inline int32_t mve_outputs_fitting(int32_t window, int32_t taps, int32_t stride, int32_t most) {
  int32_t outputs = most;
  while (outputs > 0 && taps + (outputs - 1) * stride > window) {
    outputs /= 2;
  }
  return outputs;
}

/** The plan for a layer; outputs is 0 if patches cannot cover it. */
static inline mve_patch_plan mve_plan_patches(const mve_axes *axes) {
  const mve_axis *along = &axes->along;
  const mve_axis *across = &axes->across;
  mve_patch_plan plan = {.flat = across->input == 1 && across->taps == 1 && across->output == 1};
  if (plan.flat) {
    /* Patches begin at multiples of four positions, so as many outputs must fit as lie between two of them. */
    const int32_t wanted = along->output == 1 ? 1 : 4 / along->stride;
    const bool fits = along->output == 1 || 4 % along->stride == 0;
    plan.lines = 1;
    plan.outputs = fits && mve_outputs_fitting(16, along->taps, along->stride, wanted) == wanted ? wanted : 0;
    plan.column_step = 1;
  } else {
    plan.lines = mve_outputs_fitting(4, across->taps, across->stride, 2);
    plan.outputs = plan.lines > 0 ? mve_outputs_fitting(4, along->taps, along->stride, 2) : 0;
    plan.column_step = plan.outputs * along->stride;
  }
  if (plan.outputs > 0) {
    plan.patches = (along->output + plan.outputs - 1) / plan.outputs;
    plan.columns = (plan.patches - 1) * plan.column_step + 4;
  }
  return plan;
}

/** One block's weights for up to four outputs of a patch, and a strip. */
static inline int32_t mve_patches_bytes(const mve_patch_plan *plan) {
  return plan->lines * plan->outputs * 16 * kDepthwiseBlock + plan->columns * 4 * kDepthwiseBlock;
}

/** Lines, one block's weights, and a pointer per tap (4 bytes on the target): for filters that patches cannot cover. */
static inline int32_t mve_lines_bytes(const mve_axes *axes) {
  const int32_t taps = axes->along.taps * axes->across.taps;
  return mve_lines_at_once(&axes->across) * mve_line_bytes(&axes->along) + taps * (kDepthwiseBlock + 4);
}

/** Whether a vector of 3x3 taps has two outputs of a block of so many channels. */
static inline bool mve_has_pairs_of_outputs(const mve_axis *along, int32_t channels) {
  return along->stride == 1 && channels <= kDepthwiseBlock / 2;
}

/** Bytes of one padded line of so many channels, up to kDepthwiseBlock, in the ring of depthwise_3x3.c. */
static inline int32_t mve_3x3_line_bytes(const mve_axis *along, int32_t channels) {
  if (mve_has_pairs_of_outputs(along, channels)) {
    return (along->output + 1) / 2 * kDepthwiseBlock + kDepthwiseBlock;
  }
  return ((along->output - 1) * along->stride + 3) * kDepthwiseBlock;
}

/** Three lines. */
static inline int32_t mve_3x3_bytes(const mve_axes *axes) {
  const int32_t channels = axes->channels < kDepthwiseBlock ? axes->channels : kDepthwiseBlock;
  return 3 * mve_3x3_line_bytes(&axes->along, channels);
}

static inline int32_t mve_depthwise_bytes(const mve_axes *axes) {
  const mve_patch_plan plan = mve_plan_patches(axes);
  return plan.outputs > 0 ? mve_patches_bytes(&plan) : mve_lines_bytes(axes);
}

/** Scratch that the public depthwise functions ask for: their size functions know neither stride nor padding nor
 * output. Enough if padding is at most a filter less one on either side and strides are no longer than the filter;
 * other layers are done without scratch. */
static inline int32_t mve_depthwise_most_bytes(int32_t input, int32_t taps, int32_t taps_across) {
  /* Up to four places of a filter, and columns: the last output begins at most input + taps - 2 after the first. */
  const int32_t patches = 4 * 16 * kDepthwiseBlock + (input + taps + 2) * 4 * kDepthwiseBlock;
  if (taps <= 4 && taps_across <= 4) {
    return patches;
  }
  const int32_t line = (input + 3 * taps - 3) * kDepthwiseBlock;
  const int32_t lines = taps_across * line + taps * taps_across * (kDepthwiseBlock + 4);
  return taps_across == 1 && patches > lines ? patches : lines;
}

/** The same whichever axis the lines are along, wherever the scratch begins. */
static inline int32_t mve_public_depthwise_bytes(const cmsis_nn_dims *input, const cmsis_nn_dims *filter) {
  const int32_t rows = mve_depthwise_most_bytes(input->w, filter->w, filter->h);
  const int32_t columns = mve_depthwise_most_bytes(input->h, filter->h, filter->w);
  return (rows > columns ? rows : columns) + kScratchAlignment;
}

#endif /* TINSMITH_NN_MVE_SCRATCH_H */
