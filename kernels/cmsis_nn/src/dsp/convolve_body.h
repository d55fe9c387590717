/* The public convolutions for the DSP extension: two pixels, unpacked once, times two rows of the filter per step.
 */
#ifndef TINSMITH_NN_DSP_CONVOLVE_BODY_H
#define TINSMITH_NN_DSP_CONVOLVE_BODY_H

#include "src/internal/compiler.h"
#include "src/internal/convolve.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"

#if TINSMITH_NN_DSP

#include "src/internal/dsp.h"

enum { kPixels = 2, kRows = 2 };

/** The rows of one group of channels. */
typedef struct {
  const int8_t *weights; /* [count, depth] */
  const int32_t *bias;   /* or NULL */
  const int32_t *multiplier;
  const int32_t *shift;
  int32_t count;
  int32_t depth;
  int32_t zero_point;
  cmsis_nn_activation activation;
} filter_rows;

/** Bytes of one pixel plus offset, as int16 lanes (k, k + 2), (k + 1, k + 3), into every second word. */
TINSMITH_NOINLINE static void unpack(tinsmith_lanes *column, const int8_t *bytes, int32_t depth, int32_t offset) {
  const uint32_t offsets = tinsmith_pack_bottoms((uint32_t)offset, (uint32_t)offset);
  TINSMITH_NO_UNROLL
  for (const int8_t *end = bytes + (depth & ~3); bytes != end;) {
    const uint32_t word = tinsmith_load_word(bytes);
    bytes += 4;
    column[0] = tinsmith_sxtab16(offsets, word);
    column[kPixels] = tinsmith_sxtab16_ror8(offsets, word);
    column += 2 * kPixels;
  }
  if (depth & 3) {
    const uint32_t word = tinsmith_load_bytes(bytes, depth & 3);
    column[0] = tinsmith_sxtab16(offsets, word);
    column[kPixels] = tinsmith_sxtab16_ror8(offsets, word);
  }
}

/** acc[r][p] += four products of rows 0 and 1 with pixels 0 and 1. */
TINSMITH_ALWAYS_INLINE void add_block(int32_t acc[kRows][kPixels], const tinsmith_lanes *columns, uint32_t row0,
                                      uint32_t row1) {
  const uint32_t even0 = tinsmith_sxtb16(row0);
  const uint32_t even1 = tinsmith_sxtb16(row1);
  acc[0][0] = tinsmith_smlad(columns[0], even0, acc[0][0]);
  acc[0][1] = tinsmith_smlad(columns[1], even0, acc[0][1]);
  acc[1][0] = tinsmith_smlad(columns[0], even1, acc[1][0]);
  acc[1][1] = tinsmith_smlad(columns[1], even1, acc[1][1]);
  const uint32_t odd0 = tinsmith_sxtb16_ror8(row0);
  const uint32_t odd1 = tinsmith_sxtb16_ror8(row1);
  acc[0][0] = tinsmith_smlad(columns[2], odd0, acc[0][0]);
  acc[0][1] = tinsmith_smlad(columns[3], odd0, acc[0][1]);
  acc[1][0] = tinsmith_smlad(columns[2], odd1, acc[1][0]);
  acc[1][1] = tinsmith_smlad(columns[3], odd1, acc[1][1]);
}

/** acc[r][p] += sum over k of row[r][k] * (x[p][k] + offset). */
TINSMITH_NOINLINE static void multiply(int32_t acc[kRows][kPixels], const tinsmith_lanes *columns, const int8_t *row0,
                                       const int8_t *row1, int32_t depth) {
  int32_t sums[kRows][kPixels] = {{acc[0][0], acc[0][1]}, {acc[1][0], acc[1][1]}};
  const int8_t *end = row0 + (depth & ~3);
  TINSMITH_NO_UNROLL
  while (row0 != end) {
    add_block(sums, columns, tinsmith_load_word(row0), tinsmith_load_word(row1));
    columns += 2 * kPixels;
    row0 += 4;
    row1 += 4;
  }
  if (depth & 3) {
    add_block(sums, columns, tinsmith_load_bytes(row0, depth & 3), tinsmith_load_bytes(row1, depth & 3));
  }
  acc[0][0] = sums[0][0];
  acc[0][1] = sums[0][1];
  acc[1][0] = sums[1][0];
  acc[1][1] = sums[1][1];
}

/** acc[p] += four products of one row. */
TINSMITH_ALWAYS_INLINE void add_row_block(int32_t acc[kPixels], const tinsmith_lanes *columns, uint32_t row) {
  const uint32_t even = tinsmith_sxtb16(row);
  const uint32_t odd = tinsmith_sxtb16_ror8(row);
  acc[0] = tinsmith_smlad(columns[0], even, acc[0]);
  acc[1] = tinsmith_smlad(columns[1], even, acc[1]);
  acc[0] = tinsmith_smlad(columns[2], odd, acc[0]);
  acc[1] = tinsmith_smlad(columns[3], odd, acc[1]);
}

/** The same of one row. */
TINSMITH_NOINLINE static void multiply_row(int32_t acc[kPixels], const tinsmith_lanes *columns, const int8_t *row,
                                           int32_t depth) {
  int32_t sums[kPixels] = {acc[0], acc[1]};
  TINSMITH_NO_UNROLL
  for (const int8_t *end = row + (depth & ~3); row != end; row += 4) {
    add_row_block(sums, columns, tinsmith_load_word(row));
    columns += 2 * kPixels;
  }
  if (depth & 3) {
    add_row_block(sums, columns, tinsmith_load_bytes(row, depth & 3));
  }
  acc[0] = sums[0];
  acc[1] = sums[1];
}

/** Both pixels' sums of one row become outputs. */
static inline void finish(const filter_rows *rows, int32_t row, int32_t acc[kPixels]) {
  const int32_t multiplier = rows->multiplier[row];
  const int32_t shift = rows->shift[row];
  for (int32_t p = 0; p < kPixels; ++p) {
    const int32_t value = tinsmith_requantize_to(acc[p], multiplier, shift, rows->zero_point);
    acc[p] = tinsmith_clamp(value, rows->activation.min, rows->activation.max);
  }
}

/** For a single pixel give output1 = output0: pixel 0 is written last. */
static void multiply_columns(const filter_rows *rows, const tinsmith_lanes *columns, int8_t *output0, int8_t *output1) {
  const int8_t *weights = rows->weights;
  int32_t r = 0;
  for (; r + 1 < rows->count; r += kRows) {
    const int32_t bias0 = rows->bias == NULL ? 0 : rows->bias[r];
    const int32_t bias1 = rows->bias == NULL ? 0 : rows->bias[r + 1];
    int32_t acc[kRows][kPixels] = {{bias0, bias0}, {bias1, bias1}};
    multiply(acc, columns, weights, weights + rows->depth, rows->depth);
    weights += kRows * rows->depth;
    finish(rows, r, acc[0]);
    finish(rows, r + 1, acc[1]);
    output1[r] = (int8_t)acc[0][1];
    output1[r + 1] = (int8_t)acc[1][1];
    output0[r] = (int8_t)acc[0][0];
    output0[r + 1] = (int8_t)acc[1][0];
  }
  if (r < rows->count) {
    const int32_t bias = rows->bias == NULL ? 0 : rows->bias[r];
    int32_t acc[kPixels] = {bias, bias};
    multiply_row(acc, columns, weights, rows->depth);
    finish(rows, r, acc);
    output1[r] = (int8_t)acc[1];
    output0[r] = (int8_t)acc[0];
  }
}

void tinsmith_convolve_columns(const tinsmith_convolution_layer *layer, void *scratch, int8_t *output) {
  const tinsmith_windows *windows = &layer->windows;
  const int32_t groups = windows->input_dims.c / windows->channels;
  const bool in_place = tinsmith_layer_is_in_place(layer);
  const int32_t depth = windows->kernel_h * windows->kernel_w * windows->channels;
  const int32_t channels = layer->channels / groups;
  tinsmith_lanes *columns = scratch;
  int8_t *bytes = (int8_t *)(columns + (depth + 3) / 4 * 4);

  for (int32_t group = 0; group < groups; ++group) {
    const int32_t first = group * channels;
    const filter_rows rows = {
        .weights = layer->filter + first * depth,
        .bias = layer->bias == NULL ? NULL : layer->bias + first,
        .multiplier = layer->quant_params->multiplier + first,
        .shift = layer->quant_params->shift + first,
        .count = channels,
        .depth = depth,
        .zero_point = layer->params->output_offset,
        .activation = layer->params->activation,
    };
    tinsmith_window window = tinsmith_first_window(windows);
    int8_t *next = output + first;
    for (int32_t left = layer->pixels; left > 0; left -= kPixels) {
      const int32_t pixels = left < kPixels ? left : kPixels;
      for (int32_t p = 0; p < pixels; ++p) {
        const int8_t *source = bytes;
        if (in_place) {
          source = tinsmith_window_pixel(windows, &window);
        } else {
          tinsmith_copy_window(windows, &window, group * windows->channels, bytes);
        }
        unpack(columns + p, source, depth, layer->params->input_offset);
        tinsmith_next_window(windows, &window);
      }
      multiply_columns(&rows, columns, next, pixels > 1 ? next + layer->output_channels : next);
      next += pixels * layer->output_channels;
    }
  }
}

#endif /* TINSMITH_NN_DSP */

#endif /* TINSMITH_NN_DSP_CONVOLVE_BODY_H */
