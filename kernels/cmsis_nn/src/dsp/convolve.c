/* arm_convolve_s8 for the DSP extension: two pixels, unpacked once, times two rows of the filter per step.
 */

#include "include/arm_nnfunctions.h"
#include "src/internal/compiler.h"
#include "src/internal/im2col.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"
#include "src/internal/shapes.h"

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
TINSMITH_NOINLINE static void unpack(uint32_t *column, const int8_t *bytes, int32_t depth, int32_t offset) {
  const uint32_t offsets = tinsmith_pack_bottoms((uint32_t)offset, (uint32_t)offset);
  TINSMITH_NO_UNROLL
  for (; depth > 0; depth -= 4) {
    const uint32_t word = depth < 4 ? tinsmith_load_bytes(bytes, depth) : tinsmith_load_word(bytes);
    column[0] = tinsmith_add_lanes(tinsmith_sxtb16(word), offsets);
    column[kPixels] = tinsmith_add_lanes(tinsmith_sxtb16_ror8(word), offsets);
    column += 2 * kPixels;
    bytes += 4;
  }
}

/** acc[r][p] += four products of rows 0 and 1 with pixels 0 and 1. */
TINSMITH_ALWAYS_INLINE void add_block(int32_t acc[kRows][kPixels], const uint32_t *columns, uint32_t row0,
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
TINSMITH_NOINLINE static void multiply(int32_t acc[kRows][kPixels], const uint32_t *columns, const int8_t *row0,
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

static inline int8_t finish(const filter_rows *rows, int32_t row, int32_t acc) {
  const int32_t value = tinsmith_requantize(acc, rows->multiplier[row], rows->shift[row]) + rows->zero_point;
  return (int8_t)tinsmith_clamp(value, rows->activation.min, rows->activation.max);
}

/** For a single pixel give output1 = output0: pixel 0 is written last. */
static void multiply_columns(const filter_rows *rows, const uint32_t *columns, int8_t *output0, int8_t *output1) {
  for (int32_t r = 0; r < rows->count; r += kRows) {
    const int32_t second = r + 1 < rows->count ? r + 1 : r; /* an odd last row is done twice */
    const int32_t bias0 = rows->bias == NULL ? 0 : rows->bias[r];
    const int32_t bias1 = rows->bias == NULL ? 0 : rows->bias[second];
    int32_t acc[kRows][kPixels] = {{bias0, bias0}, {bias1, bias1}};
    multiply(acc, columns, rows->weights + r * rows->depth, rows->weights + second * rows->depth, rows->depth);
    output1[r] = finish(rows, r, acc[0][1]);
    output1[second] = finish(rows, second, acc[1][1]);
    output0[r] = finish(rows, r, acc[0][0]);
    output0[second] = finish(rows, second, acc[1][0]);
  }
}

arm_cmsis_nn_status arm_convolve_s8(const cmsis_nn_context *ctx, const cmsis_nn_conv_params *conv_params,
                                    const cmsis_nn_per_channel_quant_params *quant_params,
                                    const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                    const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                    const cmsis_nn_dims *bias_dims, const int32_t *bias_data,
                                    const cmsis_nn_dims *upscale_dims, const cmsis_nn_dims *output_dims,
                                    int8_t *output_data) {
  (void)bias_dims;
  if (upscale_dims != NULL && (upscale_dims->h > 1 || upscale_dims->w > 1)) {
    return ARM_CMSIS_NN_NO_IMPL_ERROR;
  }
  if (ctx->buf == NULL || filter_dims->c < 1 || input_dims->c % filter_dims->c != 0 ||
      output_dims->c % (input_dims->c / filter_dims->c) != 0) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const int32_t groups = input_dims->c / filter_dims->c;
  const tinsmith_windows windows = tinsmith_windows_of(conv_params, input_dims, input_data, filter_dims, output_dims);
  const tinsmith_convolution kind = tinsmith_convolution_of(conv_params, input_dims, filter_dims);
  const bool in_place = kind == kConvolution1x1 || kind == kConvolution1x1Fast;
  const int32_t depth = filter_dims->h * filter_dims->w * filter_dims->c;
  const int32_t channels = output_dims->c / groups;
  /* Scratch: two columns of int16, then, unless windows are pixels of the input, one window as bytes. */
  uint32_t *columns = (uint32_t *)ctx->buf;
  int8_t *bytes = (int8_t *)(columns + (depth + 3) / 4 * 4);

  tinsmith_window window = tinsmith_first_window(&windows);
  for (int32_t left = output_dims->n * output_dims->h * output_dims->w; left > 0; left -= kPixels) {
    const int32_t pixels = left < kPixels ? left : kPixels;
    tinsmith_window next = window;
    for (int32_t group = 0; group < groups; ++group) {
      const int32_t first = group * channels;
      const filter_rows rows = {
          .weights = filter_data + first * depth,
          .bias = bias_data == NULL ? NULL : bias_data + first,
          .multiplier = quant_params->multiplier + first,
          .shift = quant_params->shift + first,
          .count = channels,
          .depth = depth,
          .zero_point = conv_params->output_offset,
          .activation = conv_params->activation,
      };
      next = window;
      for (int32_t p = 0; p < pixels; ++p) {
        const int8_t *source = bytes;
        if (in_place) {
          source = tinsmith_window_pixel(&windows, &next);
        } else {
          tinsmith_copy_window(&windows, &next, group * filter_dims->c, bytes);
        }
        unpack(columns + p, source, depth, conv_params->input_offset);
        tinsmith_next_window(&windows, &next);
      }
      int8_t *output = output_data + first;
      multiply_columns(&rows, columns, output, pixels > 1 ? output + output_dims->c : output);
    }
    window = next;
    output_data += pixels * output_dims->c;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_DSP */
