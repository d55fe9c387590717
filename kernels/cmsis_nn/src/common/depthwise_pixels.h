/* Depthwise convolution on arranged weights, output pixel by output pixel, on the input where it lies: for a few
 * windows, or windows far apart, whose planes (common/depthwise_strips.h) would cost more than the sums.
 *
 * A window is a list of taps, those inside the input first. It stays the same from pixel to pixel wherever the same
 * taps are inside, so that it is seldom written. For the files that include it, one of each implementation.
 */
#ifndef TINSMITH_NN_COMMON_DEPTHWISE_PIXELS_H
#define TINSMITH_NN_COMMON_DEPTHWISE_PIXELS_H

#include <stdbool.h>
#include <stdint.h>

#include "include/arm_nn_types.h"
#include "src/internal/arguments.h"
#include "src/internal/clamp.h"
#include "src/internal/compiler.h"
#include "src/internal/requantize.h"

/** Where a tap reads, in bytes from the window's first tap, and its weights, in bytes from the block's first ones.
 */
typedef struct {
  int32_t input;
  int32_t weights;
} tap;

/** In a block of channels. */
static inline const int16_t *weights_of(const int16_t *block, const tap *t) {
  return (const int16_t *)(const void *)((const char *)block + t->weights);
}

/** What does not change within a layer. */
typedef struct {
  const int16_t *weights; /* of a block of channels, tap by tap; then of the next block */
  const int32_t *bias;
  const int32_t *multiplier;
  const int32_t *shift;
  cmsis_nn_activation activation;
  int32_t zero_point; /* of the output */
  int32_t padding;    /* what taps outside the input read */
  int32_t channels;
  int32_t count; /* of taps */
  const tap *taps;
  int32_t *sums;     /* of a pixel, channel by channel; not of MVE */
  bool shifts_right; /* all of them do; not of MVE */
} layer;

/** Of the file that includes this: all channels of one output pixel, of whose taps `inside` are inside the input.
 * Channels that are missing to a block at the end may be made up by ones that were done. */
static void convolve_pixel(const layer *l, const int8_t *window, int32_t inside, int8_t *output);

#if !TINSMITH_NN_MVE
/** Of sums, bias included, to outputs: a pass of its own, so that neither has more live values than there are
 * registers.
 */
TINSMITH_ALWAYS_INLINE void scale_sums(const layer *l, int8_t *output, bool of_any) {
  const int32_t *sums = l->sums;
  const int32_t *multiplier = l->multiplier;
  const int32_t *shift = l->shift;
  const int32_t zero_point = l->zero_point;
  TINSMITH_NO_UNROLL
  for (const int32_t *end = sums + l->channels; sums != end; ++sums) {
    const int32_t right = *shift++;
    const int32_t value = of_any ? tinsmith_requantize_folded_any(*sums, *multiplier++, right, zero_point)
                                 : tinsmith_requantize_folded(*sums, *multiplier++, right,
                                                              tinsmith_half_and_zero_point(right, zero_point));
    *output++ = tinsmith_saturate_s8(value);
  }
}

TINSMITH_NOINLINE static void finish_pixel(const layer *l, int8_t *output) {
  if (l->shifts_right) {
    scale_sums(l, output, false);
  } else {
    scale_sums(l, output, true);
  }
  tinsmith_apply_activation(&l->activation, output, l->channels);
}

static bool all_shift_right(const int32_t *shift, int32_t count) {
  int32_t least = 1;
  TINSMITH_NO_UNROLL
  for (; count > 0; --count, ++shift) {
    least = *shift < least ? *shift : least;
  }
  return least > 0;
}
#endif

/** Taps [first, end) of one axis. */
typedef struct {
  int32_t first;
  int32_t end;
} tap_range;

/** Those inside the input, of taps at start, start + dilation, ... */
static tap_range range_inside(int32_t start, int32_t dilation, int32_t count, int32_t extent) {
  tap_range range = {0, count};
  TINSMITH_NO_UNROLL
  while (range.first < count && start + range.first * dilation < 0) {
    ++range.first;
  }
  TINSMITH_NO_UNROLL
  while (range.end > range.first && start + (range.end - 1) * dilation >= extent) {
    --range.end;
  }
  return range;
}

static bool is_same(const tap_range *a, const tap_range *b) {
  return a->first == b->first && a->end == b->end;
}

/** What taps are listed by. */
typedef struct {
  int32_t rows;
  int32_t columns;
  int32_t input_row; /* bytes from tap to tap */
  int32_t input_column;
  int32_t weights; /* from tap to tap, row after row */
} window_shape;

/** Write the list; returns how many taps are inside. */
static int32_t list_taps(const window_shape *shape, const tap_range *y, const tap_range *x, tap *taps) {
  tap *inside = taps;
  tap *outside = taps + shape->rows * shape->columns;
  int32_t weights = 0;
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < shape->rows; ++i) {
    TINSMITH_NO_UNROLL
    for (int32_t j = 0; j < shape->columns; ++j) {
      const bool is_inside = i >= y->first && i < y->end && j >= x->first && j < x->end;
      tap *next = is_inside ? inside++ : --outside;
      next->input = i * shape->input_row + j * shape->input_column;
      next->weights = weights;
      weights += shape->weights;
    }
  }
  return (int32_t)(inside - taps);
}

/** The whole layer, as tinsmith_depthwise_pixels_s8(). together: channels of a block.
 * least_channels: as few as the implementation can do. */
TINSMITH_ALWAYS_INLINE arm_cmsis_nn_status convolve_pixels(const cmsis_nn_context *ctx,
                                                           const cmsis_nn_dw_conv_params *params,
                                                           const cmsis_nn_per_channel_quant_params *quant_params,
                                                           const cmsis_nn_dims *input_dims, const int8_t *input,
                                                           const cmsis_nn_dims *filter_dims, const int8_t *filter,
                                                           const int32_t *bias, const cmsis_nn_dims *output_dims,
                                                           int8_t *output, int32_t together, int32_t least_channels) {
  const int32_t channels = input_dims->c;
  if (tinsmith_check_depthwise_pixels(ctx, params, least_channels, input_dims, output_dims) != ARM_CMSIS_NN_SUCCESS) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  tap *taps = ctx->buf;
  const layer l = {
      .weights = (const int16_t *)(const void *)filter,
      .bias = bias,
      .multiplier = quant_params->multiplier,
      .shift = quant_params->shift,
      .activation = params->activation,
      .zero_point = params->output_offset,
      .padding = -params->input_offset,
      .channels = channels,
      .count = filter_dims->h * filter_dims->w,
      .taps = taps,
#if !TINSMITH_NN_MVE
      .sums = (int32_t *)(taps + filter_dims->h * filter_dims->w),
      .shifts_right = all_shift_right(quant_params->shift, channels),
#endif
  };
  const int32_t row = input_dims->w * channels;
  const window_shape shape = {filter_dims->h, filter_dims->w, params->dilation.h * row, params->dilation.w * channels,
                              together * (int32_t)sizeof(int16_t)};
  tap_range listed_y = {-1, -1}; /* nothing is */
  tap_range listed_x = {-1, -1};
  int32_t inside = 0;
  TINSMITH_NO_UNROLL
  for (int32_t n = 0; n < input_dims->n; ++n) {
    TINSMITH_NO_UNROLL
    for (int32_t oy = 0; oy < output_dims->h; ++oy) {
      const int32_t y = oy * params->stride.h - params->padding.h;
      const tap_range rows = range_inside(y, params->dilation.h, filter_dims->h, input_dims->h);
      TINSMITH_NO_UNROLL
      for (int32_t ox = 0; ox < output_dims->w; ++ox) {
        const int32_t x = ox * params->stride.w - params->padding.w;
        const tap_range columns = range_inside(x, params->dilation.w, filter_dims->w, input_dims->w);
        if (!is_same(&rows, &listed_y) || !is_same(&columns, &listed_x)) {
          inside = list_taps(&shape, &rows, &columns, taps);
          listed_y = rows;
          listed_x = columns;
        }
        /* As a number: with padding the first tap lies before the input. */
        const intptr_t window = (intptr_t)input + (y * row + x * channels);
        convolve_pixel(&l, (const int8_t *)window, inside, output);
        output += channels;
      }
    }
    input += input_dims->h * row;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_COMMON_DEPTHWISE_PIXELS_H */
