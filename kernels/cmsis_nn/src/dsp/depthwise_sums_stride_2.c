/* Depthwise convolution of stride 2 for the DSP extension, any kernel: taps are paired once for all rows of a strip,
 * and six at a time meet three words of the plane, of which one is new for each output.
 *
 * A file of its own, as are the functions that call it: 3x3 kernels have loops of their own in depthwise_sums.c.
 */

#include "src/internal/compiler.h"
#include "src/internal/depthwise.h"

#if TINSMITH_NN_DSP

#include "src/internal/dsp.h"

enum { kStride2Words = 3 };

/** sums[i] += sum over k < 6 of w[k] * x[2 i + k] for `count` sums, or starts them. */
static void add_taps_stride_2(int32_t *sums, const tinsmith_lanes *x, int32_t count, const uint32_t w[kStride2Words],
                              bool start) {
  uint32_t x01 = *x++;
  uint32_t x23 = *x++;
  TINSMITH_NO_UNROLL
  for (; count > 0; --count) {
    const uint32_t x45 = *x++;
    const int32_t sum = tinsmith_smlad(x01, w[0], start ? 0 : *sums);
    *sums++ = tinsmith_smlad(x45, w[2], tinsmith_smlad(x23, w[1], sum));
    x01 = x23;
    x23 = x45;
  }
}

/** Any kernel of stride 2 along the row, six taps at a time, which are paired once for all rows. */
static void sum_stride_2(int32_t *sums, const tinsmith_lanes *plane, const tinsmith_plane_axes *axes, int32_t pitch,
                         int32_t outputs, const int8_t *weights) {
  const int32_t row_words = axes->column.stride * pitch / 2;
  bool start = true;
  TINSMITH_NO_UNROLL
  for (int32_t ky = 0; ky < axes->column.kernel; ++ky, plane += pitch / 2) {
    const tinsmith_lanes *part = plane;
    TINSMITH_NO_UNROLL
    for (int32_t taps = axes->row.kernel; taps > 0; part += kStride2Words) {
      uint32_t w[kStride2Words];
      for (int32_t j = 0; j < kStride2Words; ++j, taps -= 2) {
        const uint32_t first = taps > 0 ? (uint32_t)*weights++ : 0;
        w[j] = tinsmith_pack_bottoms(first, taps > 1 ? (uint32_t)*weights++ : 0);
      }
      TINSMITH_NO_UNROLL
      for (int32_t r = 0; r < outputs; ++r) {
        add_taps_stride_2(sums + r * pitch, part + r * row_words, axes->row.output, w, start);
      }
      start = false;
    }
  }
}

void tinsmith_sum_windows_any(int32_t *sums, const int16_t *plane, const tinsmith_plane_axes *axes, int32_t pitch,
                              int32_t outputs, const int8_t *weights) {
  if (axes->row.stride == 2 && !tinsmith_is_3x3(axes)) {
    sum_stride_2(sums, (const void *)plane, axes, pitch, outputs, weights);
  } else {
    tinsmith_sum_windows(sums, plane, axes, pitch, outputs, weights);
  }
}

#endif /* TINSMITH_NN_DSP */
