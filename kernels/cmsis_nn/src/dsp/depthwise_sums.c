/* Depthwise convolution for the DSP extension: planes of int16 (internal/planes.h), where one smlad multiplies two
 * neighbouring taps.
 */

#include <string.h>

#include "src/internal/compiler.h"
#include "src/internal/depthwise.h"

#if TINSMITH_NN_DSP

#include "src/internal/dsp.h"

/** Copy `count` elements of two adjacent channels, `step` bytes apart, to one row of each plane (int16 elements). */
static inline void copy_row(int16_t *row0, int16_t *row1, const int8_t *input, int32_t step, int32_t count) {
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

void tinsmith_copy_to_planes(const tinsmith_plane_copy *copy) {
  TINSMITH_NO_UNROLL
  for (int32_t r = 0; r < copy->rows; ++r) {
    copy_row(copy->planes[0] + r * copy->pitch, copy->planes[1] + r * copy->pitch, copy->input + r * copy->input_row,
             copy->input_step, copy->count);
  }
}

/** Taps of a part of a kernel row, for words X[j] = (x[2 j], x[2 j + 1]): an output at an even position meets them as
 * even[j] = (w[2 j], w[2 j + 1]), one at an odd position as odd[j] = (w[2 j - 1], w[2 j]). Outside the row w is 0. */
enum { kPartTaps = 16, kPartWords = kPartTaps / 2 + 1 };

typedef struct {
  uint32_t even;
  uint32_t odd;
} tap_pair;

/** Returns how many pairs `taps` taps, at most kPartTaps, make. */
static int32_t pair_taps(tap_pair *pairs, const int8_t *weights, int32_t taps) {
  const int32_t words = taps / 2 + 1;
  uint32_t before = 0;
  TINSMITH_NO_UNROLL
  for (int32_t j = 0; j < words; ++j) {
    const uint32_t first = 2 * j < taps ? (uint32_t)weights[2 * j] : 0;
    const uint32_t second = 2 * j + 1 < taps ? (uint32_t)weights[2 * j + 1] : 0;
    pairs[j].even = tinsmith_pack_bottoms(first, second);
    pairs[j].odd = tinsmith_pack_bottoms(before, first);
    before = second;
  }
  return words;
}

/* The functions add to the sums, or start them when `start` says so. */

/** sums[i] += sum over k of w[k] * x[i + k] for `count` sums, rounded up to a multiple of 4 (stride 1). */
static void add_taps(int32_t *sums, const tinsmith_lanes *x, int32_t count, const tap_pair *pairs, int32_t words,
                     bool start) {
  TINSMITH_NO_UNROLL
  for (; count > 0; count -= 4, sums += 4, x += 2) {
    int32_t sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    if (!start) {
      sum0 = sums[0];
      sum1 = sums[1];
      sum2 = sums[2];
      sum3 = sums[3];
    }
    uint32_t x01 = x[0];
    TINSMITH_NO_UNROLL
    for (int32_t j = 0; j < words; ++j) {
      const uint32_t x23 = x[j + 1];
      const uint32_t even = pairs[j].even;
      const uint32_t odd = pairs[j].odd;
      sum0 = tinsmith_smlad(x01, even, sum0);
      sum1 = tinsmith_smlad(x01, odd, sum1);
      sum2 = tinsmith_smlad(x23, even, sum2);
      sum3 = tinsmith_smlad(x23, odd, sum3);
      x01 = x23;
    }
    sums[0] = sum0;
    sums[1] = sum1;
    sums[2] = sum2;
    sums[3] = sum3;
  }
}

/** sums[i] += w0 x[2 i] + w1 x[2 i + 1] + w2 x[2 i + 2] + w3 x[2 i + 3] for `count` sums (stride 2). */
static void add_taps_stride_2(int32_t *sums, const tinsmith_lanes *x, int32_t count, uint32_t w01, uint32_t w23,
                              bool start) {
  uint32_t x01 = *x++;
  TINSMITH_NO_UNROLL
  for (; count > 0; --count) {
    const uint32_t x23 = *x++;
    *sums = tinsmith_smlad(x23, w23, tinsmith_smlad(x01, w01, start ? 0 : *sums));
    x01 = x23;
    ++sums;
  }
}

/** The same for any stride, tap by tap. */
static void add_taps_any_stride(int32_t *sums, const int16_t *x, int32_t count, int32_t stride, const int8_t *weights,
                                int32_t taps, bool start) {
  TINSMITH_NO_UNROLL
  for (; count > 0; --count) {
    int32_t sum = start ? 0 : *sums;
    TINSMITH_NO_UNROLL
    for (int32_t k = 0; k < taps; ++k) {
      sum += weights[k] * x[k];
    }
    *sums++ = sum;
    x += stride;
  }
}

/** Add one row of the kernel to a run of `count` sums. */
static void add_kernel_row(int32_t *sums, const tinsmith_lanes *x, int32_t count, int32_t stride, const int8_t *weights,
                           int32_t taps, bool start) {
  if (stride > 2) {
    add_taps_any_stride(sums, (const int16_t *)x, count, stride, weights, taps, start);
    return;
  }
  const int32_t part = stride == 1 ? kPartTaps : 4;
  TINSMITH_NO_UNROLL
  for (; taps > 0; taps -= part, weights += part, x += part / 2) {
    tap_pair pairs[kPartWords];
    const int32_t words = pair_taps(pairs, weights, taps < part ? taps : part);
    if (stride == 1) {
      add_taps(sums, x, count, pairs, words, start);
    } else {
      add_taps_stride_2(sums, x, count, pairs[0].even, words > 1 ? pairs[1].even : 0, start);
    }
    start = false;
  }
}

/** Any kernel and stride. */
TINSMITH_NOINLINE static void sum_any(int32_t *sums, const tinsmith_lanes *plane, const tinsmith_plane_axes *axes,
                                      int32_t pitch, int32_t outputs, const int8_t *weights) {
  const bool one_run = tinsmith_is_one_run(axes);
  const int32_t run = one_run ? (outputs - 1) * pitch + axes->row.output : axes->row.output;
  const int32_t rows = one_run ? 1 : outputs;
  TINSMITH_NO_UNROLL
  for (int32_t ky = 0; ky < axes->column.kernel; ++ky) {
    TINSMITH_NO_UNROLL
    for (int32_t r = 0; r < rows; ++r) {
      add_kernel_row(sums + r * pitch, plane + (ky + r * axes->column.stride) * pitch / 2, run, axes->row.stride,
                     weights + ky * axes->row.kernel, axes->row.kernel, ky == 0);
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
 * on the stack (as in convolve_packed.c). x walks down three rows and back; xa = (x0, x1), xb = (x2, x3). */
/* clang-format off */
#define TINSMITH_OPERANDS_3X3                                                                                \
      [w0] "r"(kernel->w01[0]), [v0] "r"(kernel->w12[0]), [w1] "r"(kernel->w01[1]), [v1] "r"(kernel->w12[1]), \
      [w2] "r"(kernel->w01[2]), [v2] "r"(kernel->w12[2]), [pitch] "r"(pitch_bytes)
#define TINSMITH_BEGIN "str    %[xa], [sp, #-4]!\n"
#define TINSMITH_NEXT_ROW "add    %[x], %[x], %[pitch]\n"
#define TINSMITH_NEXT_STEP                    \
      "sub    %[x], %[x], %[pitch], lsl #1\n" \
      "ldr    %[xa], [sp]\n"                 \
      "cmp    %[s], %[xa]\n"                 \
      "bne    1b\n"                          \
      "add    sp, #4\n"

/** sums[i] = 3x3 window at plane element i, for `count` of them, a multiple of 2 above 0. */
TINSMITH_NEEDS_MOST void sum_3x3_stride_1(int32_t *sums, const tinsmith_lanes *plane, int32_t pitch_bytes,
                                          int32_t count, const kernel_3x3 *kernel) {
  uint32_t xa = (uint32_t)(uintptr_t)(sums + count); /* the end */
  uint32_t xb;
  int32_t even, odd;
#define TINSMITH_ROW(w, v)                      \
      "smlad  %[e], %[xa], %[" w "], %[e]\n"    \
      "smlatb %[o], %[xa], %[" w "], %[o]\n"    \
      "smlabt %[e], %[xb], %[" v "], %[e]\n"    \
      "smlad  %[o], %[xb], %[" v "], %[o]\n"
  __asm__ volatile(
      TINSMITH_BEGIN
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
      : [s] "+&r"(sums), [x] "+&r"(plane), [xa] "+&r"(xa), [xb] "=&r"(xb), [e] "=&r"(even), [o] "=&r"(odd)
      : TINSMITH_OPERANDS_3X3
      : "cc", "memory");
#undef TINSMITH_ROW
}

/** sums[i] = 3x3 window at plane element 2 i, for `count` of them, above 0. */
TINSMITH_NEEDS_MOST void sum_3x3_stride_2(int32_t *sums, const tinsmith_lanes *plane, int32_t pitch_bytes,
                                          int32_t count, const kernel_3x3 *kernel) {
  uint32_t xa = (uint32_t)(uintptr_t)(sums + count); /* the end */
  uint32_t xb;
  int32_t sum;
#define TINSMITH_ROW(w, v)                      \
      "smlad  %[e], %[xa], %[" w "], %[e]\n"    \
      "smlabt %[e], %[xb], %[" v "], %[e]\n"
  __asm__ volatile(
      TINSMITH_BEGIN
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
      : [s] "+&r"(sums), [x] "+&r"(plane), [xa] "+&r"(xa), [xb] "=&r"(xb), [e] "=&r"(sum)
      : TINSMITH_OPERANDS_3X3
      : "cc", "memory");
#undef TINSMITH_ROW
}
#undef TINSMITH_OPERANDS_3X3
#undef TINSMITH_BEGIN
#undef TINSMITH_NEXT_ROW
#undef TINSMITH_NEXT_STEP
/* clang-format on */

/** 3x3 kernels of stride 1 or 2 along both axes. */
TINSMITH_NOINLINE static void sum_3x3(int32_t *sums, const tinsmith_lanes *plane, const tinsmith_plane_axes *axes,
                                      int32_t pitch, int32_t outputs, const int8_t *weights) {
  const kernel_3x3 kernel = pair_3x3(weights);
  const int32_t pitch_bytes = pitch * (int32_t)sizeof(int16_t);
  if (axes->row.stride == 1) {
    const int32_t run = (outputs - 1) * pitch + axes->row.output;
    sum_3x3_stride_1(sums, plane, pitch_bytes, (run + 1) / 2 * 2, &kernel);
    return;
  }
  for (int32_t r = 0; r < outputs; ++r) {
    sum_3x3_stride_2(sums + r * pitch, plane + r * pitch, pitch_bytes, axes->row.output, &kernel);
  }
}

void tinsmith_sum_windows(int32_t *sums, const int16_t *plane, const tinsmith_plane_axes *axes, int32_t pitch,
                          int32_t outputs, const int8_t *weights) {
  const tinsmith_lanes *words = (const void *)plane;
  if (tinsmith_is_3x3(axes)) {
    sum_3x3(sums, words, axes, pitch, outputs, weights);
  } else {
    sum_any(sums, words, axes, pitch, outputs, weights);
  }
}

#endif /* TINSMITH_NN_DSP */
