/* Depthwise convolution on arranged weights for the DSP extension.
 *
 * Two channels at a time are copied into padded planes of int16 (internal/planes.h), where one smlad multiplies two
 * neighbouring taps. Sums of one channel collect in scratch and are scaled in a second pass, so that neither pass has
 * more live values than there are registers.
 */

#include "include/tinsmith_nn.h"
#include "src/internal/clamp.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/planes.h"

#if TINSMITH_NN_DSP

#include "src/internal/dsp.h"
#include "src/internal/requantize.h"

enum { kChannels = 2 };

/** Where planes and sums lie. */
typedef struct {
  uint32_t *planes[kChannels]; /* words of two elements */
  int32_t *sums;
} strip_memory;

TINSMITH_NOINLINE static void fill_words(uint32_t *words, uint32_t value, int32_t count) {
  TINSMITH_NO_UNROLL
  for (int32_t i = 0; i < count; i += 2) {
    words[i] = value;
    words[i + 1] = value;
  }
}

/** Copy `count` elements of two adjacent channels, `step` bytes apart, to one row of each plane (int16 elements). */
static void copy_row(int16_t *row0, int16_t *row1, const int8_t *input, int32_t step, int32_t count) {
  TINSMITH_NO_UNROLL
  for (; count >= 2; count -= 2) {
    uint16_t first, second; /* both channels of an element */
    memcpy(&first, input, sizeof first);
    memcpy(&second, input + step, sizeof second);
    const uint32_t elements = tinsmith_pack_bottoms(first, second);
    tinsmith_store_word(row0, tinsmith_sxtb16(elements));
    tinsmith_store_word(row1, tinsmith_sxtb16_ror8(elements));
    input += 2 * step;
    row0 += 2;
    row1 += 2;
  }
  if (count > 0) {
    *row0 = input[0];
    *row1 = input[1];
  }
}

/** sums[i] += w0 x[i] + w1 x[i + 1] + w2 x[i + 2] + w3 x[i + 3] for `count` sums, a multiple of 2 (stride 1), with
 * w01 = (w0, w1) and so on. Words X[j] = (x[2j], x[2j + 1]). */
static inline void add_taps(int32_t *sums, const uint32_t *x, int32_t count, uint32_t w01, uint32_t w23, bool four) {
  const uint32_t w12 = tinsmith_pack_bottoms(w01 >> 16, w23);
  uint32_t x01 = *x++;
  uint32_t x23 = *x++;
  TINSMITH_NO_UNROLL
  for (; count > 0; count -= 2) {
    const uint32_t x45 = *x++;
    sums[0] = tinsmith_smlad(x23, w23, tinsmith_smlad(x01, w01, sums[0]));
    const int32_t odd = tinsmith_smlad(x23, w12, tinsmith_smlatb(x01, w01, sums[1]));
    sums[1] = four ? tinsmith_smlabt(x45, w23, odd) : odd;
    x01 = x23;
    x23 = x45;
    sums += 2;
  }
}

/** sums[i] += w0 x[2 i] + w1 x[2 i + 1] + w2 x[2 i + 2] + w3 x[2 i + 3] for `count` sums (stride 2). */
static void add_taps_stride_2(int32_t *sums, const uint32_t *x, int32_t count, uint32_t w01, uint32_t w23) {
  uint32_t x01 = *x++;
  TINSMITH_NO_UNROLL
  for (; count > 0; --count) {
    const uint32_t x23 = *x++;
    *sums = tinsmith_smlad(x23, w23, tinsmith_smlad(x01, w01, *sums));
    x01 = x23;
    ++sums;
  }
}

/** The same for any stride, tap by tap. */
static void add_taps_any_stride(int32_t *sums, const int16_t *x, int32_t count, int32_t stride, const int8_t *weights,
                                int32_t taps) {
  TINSMITH_NO_UNROLL
  for (; count > 0; --count) {
    int32_t sum = *sums;
    TINSMITH_NO_UNROLL
    for (int32_t k = 0; k < taps; ++k) {
      sum += weights[k] * x[k];
    }
    *sums++ = sum;
    x += stride;
  }
}

static inline uint32_t pair_of_taps(const int8_t *weights, int32_t taps) {
  return tinsmith_pack_bottoms(taps > 0 ? (uint32_t)weights[0] : 0, taps > 1 ? (uint32_t)weights[1] : 0);
}

/** Add one row of the kernel to a run of `count` sums. */
static void add_kernel_row(int32_t *sums, const uint32_t *x, int32_t count, int32_t stride, const int8_t *weights,
                           int32_t taps) {
  if (stride > 2) {
    add_taps_any_stride(sums, (const int16_t *)x, count, stride, weights, taps);
    return;
  }
  TINSMITH_NO_UNROLL
  for (; taps > 0; taps -= 4, weights += 4, x += 2) {
    const uint32_t w01 = pair_of_taps(weights, taps);
    const uint32_t w23 = pair_of_taps(weights + 2, taps - 2);
    if (stride == 2) {
      add_taps_stride_2(sums, x, count, w01, w23);
    } else if (taps > 3) {
      add_taps(sums, x, count, w01, w23, true);
    } else {
      add_taps(sums, x, count, w01, w23, false);
    }
  }
}

/** sums[r][i] = windows of plane row r * column stride, for a strip of `outputs` rows. */
TINSMITH_NOINLINE static void sum_kernel(int32_t *sums, const uint32_t *plane, const tinsmith_plane_axes *axes,
                                         int32_t pitch, int32_t outputs, const int8_t *weights) {
  const int32_t count = (outputs * pitch + 1) / 2 * 2;
  fill_words((uint32_t *)sums, 0, count);
  const int32_t row_words = pitch / 2;
  const bool one_run = axes->row.stride == 1 && axes->column.stride == 1; /* rows follow each other as in the plane */
  const int32_t run = one_run ? count : axes->row.output;
  const int32_t rows = one_run ? 1 : outputs;
  for (int32_t ky = 0; ky < axes->column.kernel; ++ky) {
    TINSMITH_NO_UNROLL
    for (int32_t r = 0; r < rows; ++r) {
      add_kernel_row(sums + r * pitch, plane + (ky + r * axes->column.stride) * row_words, run, axes->row.stride,
                     weights + ky * axes->row.kernel, axes->row.kernel);
    }
  }
}

/** Weights of a 3x3 kernel as pairs: (w0, w1) and (w1, w2) of each row. */
typedef struct {
  uint32_t w01[3];
  uint32_t w12[3];
} kernel_3x3;

static inline kernel_3x3 pair_3x3(const int8_t *weights) {
  kernel_3x3 kernel;
  for (int32_t r = 0; r < 3; ++r, weights += 3) {
    kernel.w01[r] = tinsmith_pack_bottoms((uint32_t)weights[0], (uint32_t)weights[1]);
    kernel.w12[r] = tinsmith_pack_bottoms((uint32_t)weights[1], (uint32_t)weights[2]);
  }
  return kernel;
}

/* The loops over a 3x3 kernel are written in assembly because 13 values live at once and compilers spill; the end waits
 * in memory. x walks down three rows and back; xa = (x0, x1), xb = (x2, x3). */
/* clang-format off */
#define TINSMITH_OPERANDS_3X3                                                                                \
      [w0] "r"(kernel->w01[0]), [v0] "r"(kernel->w12[0]), [w1] "r"(kernel->w01[1]), [v1] "r"(kernel->w12[1]), \
      [w2] "r"(kernel->w01[2]), [v2] "r"(kernel->w12[2]), [pitch] "r"(pitch_bytes), [end] "m"(end)
#define TINSMITH_NEXT_ROW "add    %[x], %[x], %[pitch]\n"
#define TINSMITH_NEXT_STEP                    \
      "sub    %[x], %[x], %[pitch], lsl #1\n" \
      "ldr    %[xa], %[end]\n"                \
      "cmp    %[s], %[xa]\n"                  \
      "bne    1b\n"

/** sums[i] = 3x3 window at plane element i, for `count` of them, a multiple of 2 above 0. */
static inline void sum_3x3_stride_1(int32_t *sums, const uint32_t *plane, int32_t pitch_bytes, int32_t count,
                                    const kernel_3x3 *kernel) {
  const int32_t *end = sums + count;
  uint32_t xa, xb;
  int32_t even, odd;
#define TINSMITH_ROW(w, v)                      \
      "smlad  %[e], %[xa], %[" w "], %[e]\n"    \
      "smlatb %[o], %[xa], %[" w "], %[o]\n"    \
      "smlabt %[e], %[xb], %[" v "], %[e]\n"    \
      "smlad  %[o], %[xb], %[" v "], %[o]\n"
  __asm__ volatile(
      "1:\n"
      "ldrd   %[xa], %[xb], [%[x]]\n"
      "smuad  %[e], %[xa], %[w0]\n"
      "smultb %[o], %[xa], %[w0]\n"
      "smlabt %[e], %[xb], %[v0], %[e]\n"
      "smlad  %[o], %[xb], %[v0], %[o]\n"
      TINSMITH_NEXT_ROW
      "ldrd   %[xa], %[xb], [%[x]]\n"
      TINSMITH_ROW("w1", "v1") TINSMITH_NEXT_ROW
      "ldrd   %[xa], %[xb], [%[x]], #4\n"
      TINSMITH_ROW("w2", "v2")
      "strd   %[e], %[o], [%[s]], #8\n"
      TINSMITH_NEXT_STEP
      : [s] "+&r"(sums), [x] "+&r"(plane), [xa] "=&r"(xa), [xb] "=&r"(xb), [e] "=&r"(even), [o] "=&r"(odd)
      : TINSMITH_OPERANDS_3X3
      : "cc", "memory");
#undef TINSMITH_ROW
}

/** sums[i] = 3x3 window at plane element 2 i, for `count` of them, above 0. */
static inline void sum_3x3_stride_2(int32_t *sums, const uint32_t *plane, int32_t pitch_bytes, int32_t count,
                                    const kernel_3x3 *kernel) {
  const int32_t *end = sums + count;
  uint32_t xa, xb;
  int32_t sum;
#define TINSMITH_ROW(w, v)                      \
      "smlad  %[e], %[xa], %[" w "], %[e]\n"    \
      "smlabt %[e], %[xb], %[" v "], %[e]\n"
  __asm__ volatile(
      "1:\n"
      "ldrd   %[xa], %[xb], [%[x]]\n"
      "smuad  %[e], %[xa], %[w0]\n"
      "smlabt %[e], %[xb], %[v0], %[e]\n"
      TINSMITH_NEXT_ROW
      "ldrd   %[xa], %[xb], [%[x]]\n"
      TINSMITH_ROW("w1", "v1") TINSMITH_NEXT_ROW
      "ldrd   %[xa], %[xb], [%[x]], #4\n"
      TINSMITH_ROW("w2", "v2")
      "str    %[e], [%[s]], #4\n"
      TINSMITH_NEXT_STEP
      : [s] "+&r"(sums), [x] "+&r"(plane), [xa] "=&r"(xa), [xb] "=&r"(xb), [e] "=&r"(sum)
      : TINSMITH_OPERANDS_3X3
      : "cc", "memory");
#undef TINSMITH_ROW
}
#undef TINSMITH_OPERANDS_3X3
#undef TINSMITH_NEXT_ROW
#undef TINSMITH_NEXT_STEP
/* clang-format on */

/** sum_kernel() for 3x3 kernels of stride 1 or 2 along both axes. */
TINSMITH_NOINLINE static void sum_kernel_3x3(int32_t *sums, const uint32_t *plane, const tinsmith_plane_axes *axes,
                                             int32_t pitch, int32_t outputs, const int8_t *weights) {
  const kernel_3x3 kernel = pair_3x3(weights);
  const int32_t pitch_bytes = pitch * (int32_t)sizeof(int16_t);
  if (axes->row.stride == 1) {
    sum_3x3_stride_1(sums, plane, pitch_bytes, outputs * pitch, &kernel);
    return;
  }
  for (int32_t r = 0; r < outputs; ++r) {
    sum_3x3_stride_2(sums + r * pitch, plane + r * pitch, pitch_bytes, axes->row.output, &kernel);
  }
}

/** How the sums of a channel become outputs, and where the outputs lie. */
typedef struct {
  int32_t bias;
  int32_t multiplier;
  int32_t shift;
  int32_t half_and_zero_point;
  int32_t step; /* bytes from one output of a row to the next */
} output_stage;

/** Rows of `count` sums, `pitch` apart, into rows of bytes, `row_step` apart. */
TINSMITH_NOINLINE static void scale_rows(const output_stage *stage, int8_t *output, int32_t row_step,
                                         const int32_t *sums, int32_t pitch, int32_t rows, int32_t count) {
  const int32_t bias = stage->bias;
  const int32_t multiplier = stage->multiplier;
  const int32_t shift = stage->shift;
  const int32_t offset = stage->half_and_zero_point;
  const int32_t step = stage->step;
  TINSMITH_NO_UNROLL
  for (; rows > 0; --rows) {
    int8_t *out = output;
    const int32_t *sum = sums;
    TINSMITH_NO_UNROLL
    for (int32_t pairs = count / 2; pairs > 0; --pairs) {
      const int32_t value0 = tinsmith_requantize_folded(sum[0] + bias, multiplier, shift, offset);
      const int32_t value1 = tinsmith_requantize_folded(sum[1] + bias, multiplier, shift, offset);
      out[0] = tinsmith_saturate_s8(value0);
      out[step] = tinsmith_saturate_s8(value1);
      sum += 2;
      out += 2 * step;
    }
    if (count % 2 != 0) {
      *out = tinsmith_saturate_s8(tinsmith_requantize_folded(*sum + bias, multiplier, shift, offset));
    }
    output += row_step;
    sums += pitch;
  }
}

/** Where a strip begins: its first plane row lies `first_row` rows into the input (negative: padding). */
TINSMITH_NOINLINE static void copy_channels(const strip_memory *memory, const tinsmith_plane_axes *axes, int32_t pitch,
                                            const int8_t *input, int32_t first_row, int32_t rows) {
  const int32_t from = first_row < 0 ? -first_row : 0;
  const int32_t left = axes->column.input - first_row;
  const int32_t to = left < rows ? left : rows;
  for (int32_t r = from; r < to; ++r) {
    const int32_t start = r * pitch + axes->row.padding;
    copy_row((int16_t *)memory->planes[0] + start, (int16_t *)memory->planes[1] + start,
             input + (first_row + r) * axes->column.input_step, axes->row.input_step, axes->row.input);
  }
}

arm_cmsis_nn_status tinsmith_depthwise_packed_s8(const cmsis_nn_context *ctx,
                                                 const cmsis_nn_dw_conv_params *dw_conv_params,
                                                 const cmsis_nn_per_channel_quant_params *quant_params,
                                                 const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                 const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                 const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                 int8_t *output_data) {
  const int32_t channels = input_dims->c;
  if (ctx->buf == NULL || channels < kChannels || output_dims->c != channels || dw_conv_params->ch_mult != 1 ||
      dw_conv_params->dilation.h != 1 || dw_conv_params->dilation.w != 1) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const tinsmith_plane_axes axes = tinsmith_plane_axes_of(dw_conv_params, input_dims, filter_dims, output_dims);
  const tinsmith_strip strip = tinsmith_strip_of(&axes, kChannels * (int32_t)sizeof(int16_t));
  const int32_t plane_words = strip.plane_elements / 2;
  uint32_t *scratch = (uint32_t *)ctx->buf;
  const strip_memory memory = {{scratch, scratch + plane_words}, (int32_t *)(scratch + 2 * plane_words)};
  const uint32_t zero_point = (uint32_t)-dw_conv_params->input_offset;
  const uint32_t padding_word = tinsmith_pack_bottoms(zero_point, zero_point);
  const bool is_3x3 =
      filter_dims->h == 3 && filter_dims->w == 3 && axes.row.stride <= 2 && axes.row.stride == axes.column.stride;
  const int32_t taps = filter_dims->h * filter_dims->w;
  const int32_t input_bytes = input_dims->h * input_dims->w * channels;
  const int32_t output_bytes = output_dims->h * output_dims->w * channels;

  for (int32_t n = 0; n < input_dims->n; ++n) {
    const int8_t *input = input_data + n * input_bytes;
    int8_t *output = output_data + n * output_bytes;
    for (int32_t first = 0; first < axes.column.output; first += strip.outputs) {
      const int32_t left = axes.column.output - first;
      const int32_t outputs = left < strip.outputs ? left : strip.outputs;
      const int32_t rows = (outputs - 1) * axes.column.stride + axes.column.kernel;
      const int32_t first_row = first * axes.column.stride - axes.column.padding;
      /* Padding is written once per strip: no channel writes to it. */
      fill_words(scratch, padding_word, 2 * plane_words);
      for (int32_t c = 0; c < channels; c += kChannels) {
        /* An odd last channel is done together with the one before it, again. */
        const int32_t pair = c + kChannels <= channels ? c : channels - kChannels;
        copy_channels(&memory, &axes, strip.pitch, input + pair, first_row, rows);
        for (int32_t channel = pair; channel < pair + kChannels; ++channel) {
          const int32_t shift = quant_params->shift[channel];
          const int8_t *weights = filter_data + channel * taps;
          const uint32_t *plane = memory.planes[channel - pair];
          if (is_3x3) {
            sum_kernel_3x3(memory.sums, plane, &axes, strip.pitch, outputs, weights);
          } else {
            sum_kernel(memory.sums, plane, &axes, strip.pitch, outputs, weights);
          }
          const output_stage stage = {bias_data[channel], quant_params->multiplier[channel], shift,
                                      tinsmith_half_and_zero_point(shift, dw_conv_params->output_offset),
                                      axes.row.output_step};
          scale_rows(&stage, output + first * axes.column.output_step + channel, axes.column.output_step, memory.sums,
                     strip.pitch, outputs, axes.row.output);
        }
      }
    }
  }
  tinsmith_apply_activation(&dw_conv_params->activation, output_data, input_dims->n * output_bytes);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_DSP */
