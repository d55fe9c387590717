/* Convolution on arranged weights for the DSP extension: 4 output channels x 2 pixels per step, or x 1 in half the
 * scratch (TINSMITH_NN_SINGLE).
 *
 * One 16-bit lane carries the weights of two channels as b + 256 * t ("bottom" and "top" channel). With x the input,
 *     both   += x * (b + 256 t)        smlad with the word as it lies in memory
 *     bottom += x * b                  smlad with the sign-extended low bytes
 * so that top = (both - bottom) / 256, exact modulo 2^24; the arranger has proved |top| < 2^23. That is one sxtb16 per
 * four weights instead of two, and nothing else in exchange but two instructions per pair of outputs.
 *
 * Weights of four bits (TINSMITH_NN_FOUR_BITS): a lane carries those of four channels, three of them with 8 added, so
 * that they are not negative, as a + 16 b + 256 c + 4096 d. smlad takes the word as it is, then with d cleared, then c,
 * then b; differences of two sums that follow each other are those of one channel, times a power of two. As many
 * instructions as above, on half of the bytes; what the 8s add is 8 times the window's sum.
 *
 * Weights of two bits (TINSMITH_NN_TWO_BITS): two_bit_sums.h.
 *
 * For the files that include it, each with a copy for its shifts and weights: any_shift and has_offset are constants
 * wherever they are handed on. Weights that have an offset need a term more for each pixel: it times the window's sum.
 */
#ifndef TINSMITH_NN_DSP_CONVOLVE_COLUMNS_H
#define TINSMITH_NN_DSP_CONVOLVE_COLUMNS_H

#include "include/arm_nn_types.h"
#include "src/internal/arguments.h"
#include "src/internal/clamp.h"
#include "src/internal/compiler.h"
#include "src/internal/dsp.h"
#include "src/internal/im2col.h"
#include "src/internal/narrow.h"
#include "src/internal/requantize.h"

#ifndef TINSMITH_NN_FOUR_BITS
#define TINSMITH_NN_FOUR_BITS 0
#endif

#ifndef TINSMITH_NN_TWO_BITS
#define TINSMITH_NN_TWO_BITS 0
#endif

#ifndef TINSMITH_NN_SINGLE
#define TINSMITH_NN_SINGLE 0
#endif

/** Whether something was added to weights, which counts at the end. */
#define TINSMITH_NN_MOVED (TINSMITH_NN_FOUR_BITS || TINSMITH_NN_TWO_BITS)

#if TINSMITH_NN_SINGLE
enum { kChannels = 4, kPixels = 1 };
#else
enum { kChannels = 4, kPixels = 2 };
#endif

#if TINSMITH_NN_TWO_BITS

#include "src/dsp/two_bit_sums.h"

#elif TINSMITH_NN_FOUR_BITS

/** Sums of each pixel: of all channels (a, b, c, d), of three, of two, of a alone. Each starts at the group's bias,
 * arranged so that differences contain those of single channels. */
typedef struct {
  int32_t first[kPixels][kChannels];
} sums;

TINSMITH_ALWAYS_INLINE void start_sums(sums *acc, int32_t p, const int32_t *bias) {
  for (int32_t c = 0; c < kChannels; ++c) {
    acc->first[p][c] = TINSMITH_NN_NARROW ? 0 : bias[c]; /* of narrow multipliers a part of what is added later */
  }
}

TINSMITH_ALWAYS_INLINE void end_sums(const sums *acc, int32_t p, int32_t term, int32_t *values) {
  const int32_t *first = acc->first[p];
  values[0] = first[3] + term;
  values[1] = ((first[2] - first[3]) >> 4) + term;
  values[2] = ((first[1] - first[2]) >> 8) + term;
  values[3] = (first[0] - first[1]) >> 12;
}

#else

/** Sums of each pixel for the channel pairs (a, b) and (c, d). */
typedef struct {
  int32_t both[kPixels][2];
  int32_t bottom[kPixels][2];
} sums;

#endif

#if TINSMITH_NN_TWO_BITS

/* two_bit_sums.h */

#elif TINSMITH_NN_FOUR_BITS

/** Add depth / 4 blocks of 4 values of k, each 8 bytes of weights; columns as below. Returns the end of the weights
 * read. */
TINSMITH_NEEDS_ALL const int8_t *multiply(sums *acc, const tinsmith_lanes *columns, const int8_t *weights,
                                          int32_t depth) {
  uint32_t x0 = (uint32_t)depth;
  uint32_t x1 = (uint32_t)(uintptr_t)(columns + depth);
  uint32_t w;
  /* clang-format off */
#define TINSMITH_BOTH_PIXELS(n)                    \
      "smlad  %[s0" n "], %[x0], %[w], %[s0" n "]\n" \
      "smlad  %[s1" n "], %[x1], %[w], %[s1" n "]\n"
#define TINSMITH_HALF_BLOCK                 \
      "ldrd   %[x0], %[x1], [%[c]], #8\n"   \
      "ldr    %[w], [%[p]], #4\n"           \
      TINSMITH_BOTH_PIXELS("0")             \
      "bic    %[w], %[w], #0xf000f000\n"    \
      TINSMITH_BOTH_PIXELS("1")             \
      "bic    %[w], %[w], #0x0f000f00\n"    \
      TINSMITH_BOTH_PIXELS("2")             \
      "bic    %[w], %[w], #0x00f000f0\n"    \
      TINSMITH_BOTH_PIXELS("3")
  __asm__ volatile(
      "str    %[x1], [sp, #-4]!\n"
      "tst    %[x0], #4\n" /* an odd number of blocks: enter the loop in its middle */
      "bne    2f\n"
      "1:\n"
      TINSMITH_HALF_BLOCK TINSMITH_HALF_BLOCK
      "2:\n"
      TINSMITH_HALF_BLOCK TINSMITH_HALF_BLOCK
      "ldr    %[w], [sp]\n"
      "cmp    %[c], %[w]\n"
      "bne    1b\n"
      "add    sp, #4\n"
      : [s00] "+r"(acc->first[0][0]), [s01] "+r"(acc->first[0][1]), [s02] "+r"(acc->first[0][2]),
        [s03] "+r"(acc->first[0][3]), [s10] "+r"(acc->first[1][0]), [s11] "+r"(acc->first[1][1]),
        [s12] "+r"(acc->first[1][2]), [s13] "+r"(acc->first[1][3]), [c] "+r"(columns), [p] "+r"(weights),
        [x0] "+&r"(x0), [x1] "+&r"(x1), [w] "=&r"(w)
      :
      : "cc", "memory");
#undef TINSMITH_HALF_BLOCK
#undef TINSMITH_BOTH_PIXELS
  /* clang-format on */
  return weights;
}

#elif TINSMITH_NN_SINGLE

/** Add depth / 4 blocks of 4 values of k. column: lanes (k, k + 2), then (k + 1, k + 3). Returns the end of the weights
 * read. In assembly because compilers copy sums from register to register. */
TINSMITH_NEEDS_MOST const int8_t *multiply(sums *acc, const tinsmith_lanes *column, const int8_t *weights,
                                           int32_t depth) {
  uint32_t x, w;
  /* clang-format off */
#define TINSMITH_HALF_BLOCK                 \
      "ldr    %[x], [%[c]], #4\n"           \
      "ldr    %[w], [%[p]], #4\n"           \
      "smlad  %[s0], %[x], %[w], %[s0]\n"   \
      "sxtb16 %[w], %[w]\n"                 \
      "smlad  %[b0], %[x], %[w], %[b0]\n"   \
      "ldr    %[w], [%[p]], #4\n"           \
      "smlad  %[s1], %[x], %[w], %[s1]\n"   \
      "sxtb16 %[w], %[w]\n"                 \
      "smlad  %[b1], %[x], %[w], %[b1]\n"
  __asm__ volatile(
      "1:\n"
      TINSMITH_HALF_BLOCK TINSMITH_HALF_BLOCK
      "cmp    %[c], %[end]\n"
      "bne    1b\n"
      : [s0] "+r"(acc->both[0][0]), [s1] "+r"(acc->both[0][1]), [b0] "+r"(acc->bottom[0][0]),
        [b1] "+r"(acc->bottom[0][1]), [c] "+r"(column), [p] "+r"(weights), [x] "=&r"(x), [w] "=&r"(w)
      : [end] "r"(column + depth / 2)
      : "cc", "memory");
#undef TINSMITH_HALF_BLOCK
  /* clang-format on */
  return weights;
}

#else

/** Add depth / 4 blocks of 4 values of k. columns: lanes (k, k + 2) of pixel 0 and 1, then (k + 1, k + 3) of both.
 * Returns the end of the weights read.
 * Written in assembly because 13 values live at once and compilers spill; the loop's end waits on the stack, where no
 * register has to point at it: with a frame pointer, 13 are all there are. */
TINSMITH_NEEDS_MOST const int8_t *multiply(sums *acc, const tinsmith_lanes *columns, const int8_t *weights,
                                           int32_t depth) {
  uint32_t x0 = (uint32_t)depth;
  uint32_t x1 = (uint32_t)(uintptr_t)(columns + depth);
  uint32_t w;
  /* clang-format off */
#define TINSMITH_HALF_BLOCK                \
      "ldrd   %[x0], %[x1], [%[c]], #8\n"  \
      "ldr    %[w], [%[p]], #4\n"          \
      "smlad  %[s00], %[x0], %[w], %[s00]\n" \
      "smlad  %[s10], %[x1], %[w], %[s10]\n" \
      "sxtb16 %[w], %[w]\n"                \
      "smlad  %[b00], %[x0], %[w], %[b00]\n" \
      "smlad  %[b10], %[x1], %[w], %[b10]\n" \
      "ldr    %[w], [%[p]], #4\n"          \
      "smlad  %[s01], %[x0], %[w], %[s01]\n" \
      "smlad  %[s11], %[x1], %[w], %[s11]\n" \
      "sxtb16 %[w], %[w]\n"                \
      "smlad  %[b01], %[x0], %[w], %[b01]\n" \
      "smlad  %[b11], %[x1], %[w], %[b11]\n"
  __asm__ volatile(
      "str    %[x1], [sp, #-4]!\n"
      "tst    %[x0], #4\n" /* an odd number of blocks: enter the loop in its middle */
      "bne    2f\n"
      "1:\n"
      TINSMITH_HALF_BLOCK TINSMITH_HALF_BLOCK
      "2:\n"
      TINSMITH_HALF_BLOCK TINSMITH_HALF_BLOCK
      "ldr    %[w], [sp]\n"
      "cmp    %[c], %[w]\n"
      "bne    1b\n"
      "add    sp, #4\n"
      : [s00] "+r"(acc->both[0][0]), [s01] "+r"(acc->both[0][1]), [s10] "+r"(acc->both[1][0]),
        [s11] "+r"(acc->both[1][1]), [b00] "+r"(acc->bottom[0][0]), [b01] "+r"(acc->bottom[0][1]),
        [b10] "+r"(acc->bottom[1][0]), [b11] "+r"(acc->bottom[1][1]), [c] "+r"(columns), [p] "+r"(weights),
        [x0] "+&r"(x0), [x1] "+&r"(x1), [w] "=&r"(w)
      :
      : "cc", "memory");
#undef TINSMITH_HALF_BLOCK
  /* clang-format on */
  return weights;
}

#endif /* TINSMITH_NN_TWO_BITS, TINSMITH_NN_FOUR_BITS, TINSMITH_NN_SINGLE */

/** One block of 4 values of one pixel as lanes (k, k + 2), (k + 1, k + 3). */
static inline void store_lanes(tinsmith_lanes *words, uint32_t bytes) {
  words[0] = tinsmith_sxtb16(bytes);
  words[kPixels] = tinsmith_sxtb16_ror8(bytes);
}

/** `count` values of one pixel into every second word; what is missing to a multiple of 4 becomes 0. */
TINSMITH_ALWAYS_INLINE void *append_lanes(void *column, const int8_t *bytes, int32_t count) {
  tinsmith_lanes *words = column;
  const int8_t *end = bytes + (count & ~7);
  TINSMITH_NO_UNROLL
  while (bytes != end) {
    store_lanes(words, tinsmith_load_word(bytes));
    store_lanes(words + 2 * kPixels, tinsmith_load_word(bytes + 4));
    words += 4 * kPixels;
    bytes += 8;
  }
  if (count & 4) {
    store_lanes(words, tinsmith_load_word(bytes));
    words += 2 * kPixels;
    bytes += 4;
  }
  if (count & 3) {
    store_lanes(words, tinsmith_load_bytes(bytes, count & 3));
    words += 2 * kPixels;
  }
  return words;
}

/** The same of a constant. */
TINSMITH_ALWAYS_INLINE void *append_padding_lanes(void *column, int8_t zero_point, int32_t count) {
  const uint32_t lanes = tinsmith_pack_bottoms((uint32_t)zero_point, (uint32_t)zero_point);
  tinsmith_lanes *words = column;
  TINSMITH_NO_UNROLL
  for (; count > 0; count -= 4) {
    words[0] = lanes;
    words[kPixels] = lanes;
    words += 2 * kPixels;
  }
  return words;
}

TINSMITH_NOINLINE static void unpack(tinsmith_lanes *column, const int8_t *bytes, int32_t count) {
  append_lanes(column, bytes, count);
}

/** One window as lanes: straight from the input when its pieces are whole blocks of 4, as always where channels are,
 * else by way of `bytes`, which has room for `depth` rounded up to a multiple of 4. */
TINSMITH_NOINLINE static void unpack_window(const tinsmith_windows *windows, const tinsmith_window *window,
                                            tinsmith_lanes *column, int8_t *bytes, int32_t depth) {
  const tinsmith_inside inside = tinsmith_clip_window(windows, window);
  const int32_t channels = windows->channels;
  const bool dense = windows->dilation.w == 1;
  const int32_t ends = (inside.left | inside.right | windows->kernel_w) * channels;
  if (ends % 4 == 0 && (dense || channels % 4 == 0)) {
    tinsmith_walk_window(windows, window, inside, 0, column, append_lanes, append_padding_lanes);
  } else {
    tinsmith_copy_window(windows, window, 0, bytes);
    unpack(column, bytes, (depth + 3) & ~3); /* what lies behind meets weights of 0 */
  }
}

/** Scaling of a group's channels. */
typedef struct {
  const int32_t *bias;
  const int32_t *multiplier;
  const int32_t *shift;
  int32_t zero_point;
#if TINSMITH_NN_TWO_BITS
  int32_t added; /* to weights that share a lane, in its lower part */
#endif
} output_stage;

#if TINSMITH_NN_NARROW && !TINSMITH_NN_MOVED

/** Outputs of channel c of each pixel. The second sum of a pair is taken as it comes, times 256: bias is a part of it
 * already. */
TINSMITH_ALWAYS_INLINE void finish_channel(const output_stage *stage, const sums *acc, int32_t c, int8_t *output0,
                                           int8_t *output1) {
  const int32_t multiplier = stage->multiplier[c];
  const int32_t addend = stage->shift[c];
  int32_t scaled[kPixels];
  for (int32_t p = 0; p < kPixels; ++p) {
    const int32_t bottom = acc->bottom[p][c / 2];
    const int32_t both = acc->both[p][c / 2];
    const int32_t sum = c % 2 == 0 ? bottom : (int32_t)((uint32_t)both - (uint32_t)bottom);
    scaled[p] = tinsmith_scale_narrow_top(sum, multiplier, addend);
  }
  output1[c] = tinsmith_saturate_s8(scaled[kPixels - 1]);
  output0[c] = tinsmith_saturate_s8(scaled[0]);
}

/** Of a last group that is not complete. */
TINSMITH_NOINLINE static void finish_rest(const output_stage *stage, const sums *acc, int32_t channels, int8_t *output0,
                                          int8_t *output1) {
  TINSMITH_NO_UNROLL
  for (int32_t c = 0; c < channels; ++c) {
    finish_channel(stage, acc, c, output0, output1);
  }
}

/** Outputs of one group of each pixel, of which `channels` exist. */
TINSMITH_ALWAYS_INLINE void finish_group(const output_stage *stage, const sums *acc, int32_t channels, int8_t *output0,
                                         int8_t *output1, bool any_shift, const int32_t *terms) {
  (void)any_shift;
  (void)terms;
  if (channels != kChannels) {
    /* Copies, whose addresses are taken: what they are copies of stays in registers. */
    const output_stage stage_copy = *stage;
    const sums copy = *acc;
    finish_rest(&stage_copy, &copy, channels, output0, output1);
    return;
  }
  finish_channel(stage, acc, 0, output0, output1);
  finish_channel(stage, acc, 1, output0, output1);
  finish_channel(stage, acc, 2, output0, output1);
  finish_channel(stage, acc, 3, output0, output1);
}

#else

/** Outputs of one group of each pixel, of which `channels` exist. terms: of the pixels; NULL without an offset. */
TINSMITH_ALWAYS_INLINE void finish_group(const output_stage *stage, const sums *acc, int32_t channels, int8_t *output0,
                                         int8_t *output1, bool any_shift, const int32_t *terms) {
  int32_t values[kPixels][kChannels];
  for (int32_t p = 0; p < kPixels; ++p) {
#if TINSMITH_NN_TWO_BITS
    end_sums(acc, p, stage->bias, terms[p], values[p]);
#elif TINSMITH_NN_FOUR_BITS
    end_sums(acc, p, terms[p], values[p]);
#else
    for (int32_t pair = 0; pair < 2; ++pair) {
      const int32_t top = (acc->both[p][pair] - acc->bottom[p][pair]) >> 8;
      values[p][2 * pair] = acc->bottom[p][pair];
      values[p][2 * pair + 1] = stage->bias[2 * pair + 1] + top + (terms != NULL ? terms[p] : 0);
    }
#endif
  }
  for (int32_t c = 0; c < channels; ++c) {
    /* Loaded once for both pixels: for all the compiler knows, a store to the output changes the arrays. */
    const int32_t multiplier = stage->multiplier[c];
    const int32_t shift = stage->shift[c];
#if TINSMITH_NN_NARROW
    const int32_t addend = stage->bias[c];
#endif
    int32_t scaled[kPixels];
    for (int32_t p = 0; p < kPixels; ++p) {
      const int32_t value = values[p][c];
#if TINSMITH_NN_NARROW
      (void)any_shift;
      scaled[p] = tinsmith_scale_narrow(value, multiplier, shift, addend);
#else
      scaled[p] = any_shift ? tinsmith_requantize_folded_any(value, multiplier, shift, stage->zero_point)
                            : tinsmith_requantize_folded(value, multiplier, shift,
                                                         tinsmith_half_and_zero_point(shift, stage->zero_point));
#endif
    }
    output1[c] = tinsmith_saturate_s8(scaled[kPixels - 1]);
    output0[c] = tinsmith_saturate_s8(scaled[0]);
  }
}

#endif /* TINSMITH_NN_NARROW && !TINSMITH_NN_MOVED */

/** All channels of the pixels: output[p][o] = stage(bias[o] + sum over k of w[o][k] * x[p][k]).
 * Of a single pixel output1 is output0, which is written last. */
TINSMITH_NOINLINE static void multiply_columns(output_stage stage, const tinsmith_lanes *columns, const int8_t *weights,
                                               int32_t depth, int32_t channels, int8_t *output0, int8_t *output1,
                                               bool any_shift, const int32_t *terms) {
  for (; channels > 0; channels -= kChannels) {
    sums acc;
    for (int32_t p = 0; p < kPixels; ++p) {
#if TINSMITH_NN_MOVED
      start_sums(&acc, p, stage.bias); /* terms count at the end */
#elif TINSMITH_NN_NARROW
      acc.bottom[p][0] = stage.bias[0];
      acc.both[p][0] = stage.bias[1];
      acc.bottom[p][1] = stage.bias[2];
      acc.both[p][1] = stage.bias[3];
#else
      const int32_t term = terms != NULL ? terms[p] : 0;
      acc.both[p][0] = acc.bottom[p][0] = stage.bias[0] + term;
      acc.both[p][1] = acc.bottom[p][1] = stage.bias[2] + term;
#endif
    }
#if TINSMITH_NN_TWO_BITS
    weights = multiply(&acc, columns, weights, depth, stage.added);
#else
    weights = multiply(&acc, columns, weights, depth);
#endif
    if (channels >= kChannels) {
      finish_group(&stage, &acc, kChannels, output0, output1, any_shift, terms); /* unrolled */
    } else {
      finish_group(&stage, &acc, channels, output0, output1, any_shift, terms);
    }
    output0 += kChannels;
    output1 += kChannels;
    stage.bias += kChannels;
    stage.multiplier += kChannels;
    stage.shift += kChannels;
#if TINSMITH_NN_NARROW && !TINSMITH_NN_FOUR_BITS
    /* Pointers that move: of what they have in common clang makes indices, which every access adds up again. */
    TINSMITH_KEEP_ORDER(stage.bias);
    TINSMITH_KEEP_ORDER(stage.multiplier);
    TINSMITH_KEEP_ORDER(stage.shift);
    TINSMITH_KEEP_ORDER(output0);
    TINSMITH_KEEP_ORDER(output1);
#endif
  }
}

#if TINSMITH_NN_MOVED

/** totals[p] += the next 4 values of each pixel. */
TINSMITH_ALWAYS_INLINE void add_block(const tinsmith_lanes *columns, int32_t *totals) {
  const uint32_t ones = 0x00010001;
  for (int32_t p = 0; p < kPixels; ++p) {
    totals[p] = tinsmith_smlad(columns[p], ones, totals[p]);
    totals[p] = tinsmith_smlad(columns[kPixels + p], ones, totals[p]);
  }
}

/** terms[p] = what is added to the sums of each pixel: its `depth` values times -added. */
TINSMITH_ALWAYS_INLINE void sum_columns(const tinsmith_lanes *columns, int32_t depth, int32_t added, int32_t *terms) {
  const tinsmith_lanes *end = columns + depth / 2 * kPixels;
  int32_t totals[kPixels] = {0};
  if (depth & 4) {
    add_block(columns, totals);
    columns += 2 * kPixels;
  }
  TINSMITH_NO_UNROLL
  while (columns != end) {
    add_block(columns, totals);
    add_block(columns + 2 * kPixels, totals);
    columns += 4 * kPixels;
  }
  for (int32_t p = 0; p < kPixels; ++p) {
    terms[p] = -added * totals[p];
  }
}

#else

/** Of `words` words of one pixel. */
TINSMITH_ALWAYS_INLINE int32_t sum_column(const tinsmith_lanes *column, int32_t words) {
  const uint32_t ones = 0x00010001;
  int32_t sum = 0;
  TINSMITH_NO_UNROLL
  for (; words > 0; words -= 2) {
    sum = tinsmith_smlad(column[0], ones, sum);
    sum = tinsmith_smlad(column[kPixels], ones, sum);
    column += 2 * kPixels;
  }
  return sum;
}

#endif

/** The whole layer, as tinsmith_convolve_packed_s8(). any_shift: quant_params are those of its sister for any shift.
 * has_offset: the weights have one, behind the bias, or those of four bits their own; of two bits what was added. */
TINSMITH_ALWAYS_INLINE arm_cmsis_nn_status convolve_columns(const cmsis_nn_context *ctx,
                                                            const cmsis_nn_conv_params *conv_params,
                                                            const cmsis_nn_per_channel_quant_params *quant_params,
                                                            const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                            const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                            const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                            int8_t *output_data, bool any_shift, bool has_offset) {
  const arm_cmsis_nn_status status = tinsmith_check_convolve_packed(ctx, false, input_dims, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const tinsmith_windows windows = tinsmith_windows_of(conv_params, input_dims, input_data, filter_dims, output_dims);
  const bool in_place = tinsmith_windows_are_pixels(&windows);
  const int32_t depth = filter_dims->h * filter_dims->w * filter_dims->c;
  const int32_t blocks_depth = (depth + 3) / 4 * 4;
  const int32_t channels = output_dims->c;
  const int32_t pixels = output_dims->n * output_dims->h * output_dims->w;
#if TINSMITH_NN_FOUR_BITS
  const int32_t offset = 8;
#else
  const int32_t offset = has_offset ? bias_data[(channels + 3) / 4 * 4] : 0;
#endif
  const output_stage stage = {
      bias_data, quant_params->multiplier, quant_params->shift, conv_params->output_offset,
#if TINSMITH_NN_TWO_BITS
      offset,
#endif
  };
  /* Scratch: columns of kPixels pixels as int16, then one window as bytes if some are copied there first. */
  tinsmith_lanes *columns = ctx->buf;
  int8_t *bytes = (int8_t *)(columns + blocks_depth / 2 * kPixels);

  int32_t terms[kPixels] = {0};
  if (has_offset && depth % 4 != 0 && !in_place) {
    memset(bytes, 0, (size_t)blocks_depth); /* what lies behind a window counts in its sum */
  }
  tinsmith_window window = tinsmith_first_window(&windows);
  int8_t *output = output_data;
  for (int32_t left = pixels; left > 0; left -= kPixels) {
    const int32_t count = left < kPixels ? left : kPixels;
    for (int32_t p = 0; p < count; ++p) {
      if (in_place) {
        unpack(columns + p, tinsmith_window_pixel(&windows, &window), depth);
      } else {
        unpack_window(&windows, &window, columns + p, bytes, depth);
      }
      tinsmith_next_window(&windows, &window);
#if !TINSMITH_NN_MOVED
      if (has_offset) {
        terms[p] = offset * sum_column(columns + p, blocks_depth / 2);
      }
#endif
    }
#if TINSMITH_NN_MOVED
    sum_columns(columns, blocks_depth, offset, terms); /* of a pixel that is missing, too: nobody reads it */
#endif
    int8_t *output1 = count > 1 ? output + channels : output;
    multiply_columns(stage, columns, filter_data, blocks_depth, channels, output, output1, any_shift,
                     has_offset ? terms : NULL);
    output += count * channels;
  }
  tinsmith_apply_activation(&conv_params->activation, output_data, pixels * channels);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_DSP_CONVOLVE_COLUMNS_H */
