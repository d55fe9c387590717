/* Depthwise convolution pixel by pixel (internal/depthwise_block.h) for the DSP extension: four channels at a time. */
#ifndef TINSMITH_NN_DSP_DEPTHWISE_BLOCK_BODY_H
#define TINSMITH_NN_DSP_DEPTHWISE_BLOCK_BODY_H

#include <stdbool.h>
#include <stddef.h>

#include "src/internal/clamp.h"
#include "src/internal/compiler.h"
#include "src/internal/depthwise_block.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"

#if TINSMITH_NN_DSP

#include "src/internal/dsp.h"

/** Channels that are summed together, and sums that are scaled at once: two passes, so that neither has more live
 * values than there are registers. */
enum { kTogether = 4, kSums = 32 };

/** Sums of four channels. */
typedef struct {
  int32_t of[kTogether];
} four_sums;

/** of_one: all four output channels are of the input channel at x. */
TINSMITH_ALWAYS_INLINE void add_tap(four_sums *sums, const int8_t *x, const int8_t *w, uint32_t offsets, bool of_one) {
  const uint32_t inputs = of_one ? tinsmith_sxtab16(offsets, (uint8_t)*x) : tinsmith_load_word(x);
  const uint32_t weights = tinsmith_load_word(w);
  const uint32_t x02 = of_one ? inputs : tinsmith_sxtab16(offsets, inputs);
  const uint32_t w02 = tinsmith_sxtb16(weights);
  sums->of[0] = tinsmith_smlabb(x02, w02, sums->of[0]);
  sums->of[2] = of_one ? tinsmith_smlabt(x02, w02, sums->of[2]) : tinsmith_smlatt(x02, w02, sums->of[2]);
  const uint32_t x13 = of_one ? inputs : tinsmith_sxtab16_ror8(offsets, inputs);
  const uint32_t w13 = tinsmith_sxtb16_ror8(weights);
  sums->of[1] = tinsmith_smlabb(x13, w13, sums->of[1]);
  sums->of[3] = of_one ? tinsmith_smlabt(x13, w13, sums->of[3]) : tinsmith_smlatt(x13, w13, sums->of[3]);
}

/** Taps of a window, and what is added to their inputs, in both halves. */
typedef struct {
  const tinsmith_depthwise_tap *first;
  int32_t count;
  uint32_t offsets;
} tap_list;

/** Sums of four channels, the first of them at x, on top of `from`, or of zeros. */
TINSMITH_ALWAYS_INLINE void sum_four(int32_t *sums, const int32_t *from, const tap_list *taps, const int8_t *x,
                                     const int8_t *w, bool of_one) {
  four_sums acc = {{0}};
  if (from != NULL) {
    acc = (four_sums){{from[0], from[1], from[2], from[3]}};
  }
  const uint32_t offsets = taps->offsets;
  const tinsmith_depthwise_tap *tap = taps->first;
  int32_t left = taps->count;
  if (left > 0) {
    do {
      const tinsmith_depthwise_tap at = *tap++;
      add_tap(&acc, x + at.input, w + at.filter, offsets, of_one);
    } while (--left != 0);
  }
  sums[0] = acc.of[0];
  sums[1] = acc.of[1];
  sums[2] = acc.of[2];
  sums[3] = acc.of[3];
}

/* Not inlined: each needs every register. */

/** Channels of one output each; count: a multiple of four. */
TINSMITH_NOINLINE static void sum_fours(int32_t *sums, const int32_t *from, const tap_list *taps, const int8_t *x,
                                        const int8_t *w, int32_t count) {
  TINSMITH_NO_UNROLL
  for (; count > 0; count -= kTogether) {
    sum_four(sums, from, taps, x, w, false);
    sums += kTogether;
    from += from == NULL ? 0 : kTogether;
    x += kTogether;
    w += kTogether;
  }
}

/** Four outputs of the channel at x. */
TINSMITH_NOINLINE static void sum_four_of_one(int32_t *sums, const int32_t *from, const tap_list *taps, const int8_t *x,
                                              const int8_t *w) {
  sum_four(sums, from, taps, x, w, true);
}

TINSMITH_NOINLINE static int32_t sum_one(int32_t sum, const tap_list *taps, const int8_t *x, const int8_t *w) {
  const int32_t offset = (int16_t)taps->offsets;
  const tinsmith_depthwise_tap *tap = taps->first;
  TINSMITH_NO_UNROLL
  for (int32_t left = taps->count; left != 0; --left) {
    sum += (x[tap->input] + offset) * w[tap->filter];
    ++tap;
  }
  return sum;
}

/** Sums of the output channels [first, first + count) on top of `from`, or of zeros. */
TINSMITH_ALWAYS_INLINE void sum_channels(int32_t *sums, const int32_t *from, const tinsmith_depthwise_block *block,
                                         const tap_list *list, const tinsmith_depthwise_taps *taps, int32_t first,
                                         int32_t count) {
  const int32_t per_input = block->per_input;
  const int8_t *w = taps->filter + first;
  int32_t done = 0;
  if (per_input == 1) {
    done = count & -kTogether;
    sum_fours(sums, from, list, taps->input + first, w, done);
  } else {
    TINSMITH_NO_UNROLL
    for (; done < count; done += kTogether) {
      sum_four_of_one(sums + done, from == NULL ? NULL : from + done, list, taps->input + (first + done) / per_input,
                      w + done);
    }
  }
  TINSMITH_NO_UNROLL
  for (; done < count; ++done) {
    sums[done] = sum_one(from == NULL ? 0 : from[done], list, taps->input + first + done, w + done);
  }
}

/** Outputs of the channels [first, first + count); output: of channel `first`. */
static void scale_sums(const int32_t *sums, const tinsmith_depthwise_block *block, int32_t first, int32_t count,
                       int8_t *output) {
  const int32_t *multiplier = block->multiplier + first;
  const int32_t *shift = block->shift + first;
  const int32_t zero_point = block->params->output_offset;
  int8_t *next = output;
  TINSMITH_KEEP_ORDER(multiplier); /* else compilers count one index up and add it to each */
  TINSMITH_KEEP_ORDER(shift);
  TINSMITH_KEEP_ORDER(next);
  const cmsis_nn_activation range = block->params->activation;
  const bool narrow = tinsmith_is_narrow(&range);
  TINSMITH_NO_UNROLL
  for (int32_t left = count; left != 0; --left) {
    const int32_t value = tinsmith_requantize_to(*sums++, *multiplier++, *shift++, zero_point);
    *next++ = narrow ? (int8_t)tinsmith_clamp(value, range.min, range.max) : tinsmith_saturate_s8(value);
  }
}

/** Column by column, so that a window with fewer columns has the same list, but shorter. */
static void list_taps(tinsmith_depthwise_taps *taps) {
  const int32_t x_step = taps->input_row;
  const int32_t w_step = taps->filter_row;
  tinsmith_depthwise_tap top = {0, 0};
  tinsmith_depthwise_tap *tap = taps->list;
  TINSMITH_NO_UNROLL
  for (int32_t columns = taps->columns; columns > 0; --columns) {
    tinsmith_depthwise_tap at = top;
    TINSMITH_NO_UNROLL
    for (int32_t rows = taps->rows; rows != 0; --rows) {
      *tap++ = at;
      at.input += x_step;
      at.filter += w_step;
    }
    top.input += taps->input_column;
    top.filter += taps->filter_column;
  }
}

static tap_list list_of(const tinsmith_depthwise_block *block, const tinsmith_depthwise_taps *taps) {
  const int32_t offset = block->params->input_offset;
  return (tap_list){taps->list, taps->rows * taps->columns, tinsmith_pack_bottoms((uint32_t)offset, (uint32_t)offset)};
}

/** As sum_channels(), on top of the bias; of more taps than can be listed, some rows at a time. */
TINSMITH_NOINLINE static void sum_large_window(int32_t *sums, const tinsmith_depthwise_block *block,
                                               const tinsmith_depthwise_taps *taps, int32_t first, int32_t count) {
  const int32_t *from = block->bias == NULL ? NULL : block->bias + first;
  tinsmith_depthwise_taps part = *taps;
  const int32_t together = kListedTaps / taps->columns;
  TINSMITH_NO_UNROLL
  for (int32_t left = taps->rows; left > 0; left -= part.rows) {
    part.rows = left < together ? left : together;
    list_taps(&part);
    const tap_list list = list_of(block, &part);
    sum_channels(sums, from, block, &list, &part, first, count);
    from = sums;
    part.input += part.rows * part.input_row;
    part.filter += part.rows * part.filter_row;
  }
}

/** Outputs of the channels [first, first + count), count <= kSums. */
TINSMITH_ALWAYS_INLINE void convolve_channels(const tinsmith_depthwise_block *block, tinsmith_depthwise_taps *taps,
                                              int32_t first, int32_t count, int8_t *output) {
  int32_t sums[kSums];
  const tap_list list = list_of(block, taps);
  if (list.count > kListedTaps) {
    sum_large_window(sums, block, taps, first, count);
  } else {
    if (taps->rows != taps->listed_rows || taps->columns > taps->listed_columns) {
      list_taps(taps);
      taps->listed_rows = taps->rows;
      taps->listed_columns = taps->columns;
    }
    sum_channels(sums, block->bias == NULL ? NULL : block->bias + first, block, &list, taps, first, count);
  }
  scale_sums(sums, block, first, count, output + first);
}

static void convolve_pixel(const tinsmith_depthwise_block *block, tinsmith_depthwise_taps *taps, int8_t *output) {
  convolve_channels(block, taps, 0, block->inputs * block->per_input, output);
}

/** Of more channels. */
static void convolve_pixel_by_parts(const tinsmith_depthwise_block *block, tinsmith_depthwise_taps *taps,
                                    int8_t *output) {
  const int32_t channels = block->inputs * block->per_input;
  TINSMITH_NO_UNROLL
  for (int32_t first = 0; first < channels; first += kSums) {
    const int32_t count = channels - first < kSums ? channels - first : kSums;
    convolve_channels(block, taps, first, count, output);
  }
}

tinsmith_depthwise_pixel *tinsmith_depthwise_pixel_for(const tinsmith_depthwise_block *block, int32_t filter_w) {
  const bool by_fours = block->per_input == 1 ? block->inputs >= kTogether : block->per_input % kTogether == 0;
  if (!by_fours || filter_w > kListedTaps) {
    return tinsmith_depthwise_pixel_singly;
  }
  return block->inputs * block->per_input <= kSums ? convolve_pixel : convolve_pixel_by_parts;
}

#endif /* TINSMITH_NN_DSP */

#endif /* TINSMITH_NN_DSP_DEPTHWISE_BLOCK_BODY_H */
