/* Depthwise convolution in plain C: planes of bytes (internal/planes.h), windows summed with the weights in registers.
 */

#include "src/internal/compiler.h"
#include "src/internal/depthwise.h"

#if TINSMITH_NN_C

void tinsmith_copy_to_planes(const tinsmith_plane_copy *copy) {
  const int32_t step = copy->input_step;
  TINSMITH_NO_UNROLL
  for (int32_t r = 0; r < copy->rows; ++r) {
    int8_t *element = copy->planes[0] + r * copy->pitch;
    const int8_t *input = copy->input + r * copy->input_row;
    const int8_t *end = element + copy->count;
    TINSMITH_NO_UNROLL
    for (; element + 4 <= end; element += 4) {
      element[0] = *input;
      input += step;
      element[1] = *input;
      input += step;
      element[2] = *input;
      input += step;
      element[3] = *input;
      input += step;
    }
    TINSMITH_NO_UNROLL
    for (; element < end; ++element, input += step) {
      *element = *input;
    }
  }
}

/** sums[i] = 3x3 window at x + i * stride, for `count` of them, a multiple of 2. stride is a constant. */
TINSMITH_ALWAYS_INLINE void sum_run_3x3(int32_t *sums, const int8_t *x, int32_t pitch, int32_t count, const int8_t *w,
                                        int32_t stride) {
  const int32_t w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3], w4 = w[4], w5 = w[5], w6 = w[6], w7 = w[7], w8 = w[8];
  const int8_t *y = x + pitch;
  const int8_t *z = y + pitch;
  const int32_t s = stride;
  TINSMITH_NO_UNROLL
  for (const int32_t *end = sums + count; sums != end; sums += 2) {
    sums[0] = x[0] * w0 + x[1] * w1 + x[2] * w2 + y[0] * w3 + y[1] * w4 + y[2] * w5 + z[0] * w6 + z[1] * w7 + z[2] * w8;
    sums[1] = x[s] * w0 + x[s + 1] * w1 + x[s + 2] * w2 + y[s] * w3 + y[s + 1] * w4 + y[s + 2] * w5 + z[s] * w6 +
              z[s + 1] * w7 + z[s + 2] * w8;
    x += 2 * s;
    y += 2 * s;
    z += 2 * s;
  }
}

/** sums[i] += (or =, to start) the first four taps of `weights`, of which `taps` exist, at x + i * stride. */
static inline void add_4_taps(int32_t *sums, const int8_t *x, int32_t count, int32_t stride, const int8_t *weights,
                              int32_t taps, bool start) {
  const int32_t w0 = weights[0];
  const int32_t w1 = taps > 1 ? weights[1] : 0;
  const int32_t w2 = taps > 2 ? weights[2] : 0;
  const int32_t w3 = taps > 3 ? weights[3] : 0;
  TINSMITH_NO_UNROLL
  for (const int32_t *end = sums + count; sums != end; ++sums) {
    *sums = (start ? 0 : *sums) + x[0] * w0 + x[1] * w1 + x[2] * w2 + x[3] * w3;
    x += stride;
  }
}

TINSMITH_NOINLINE static void sum_3x3(int32_t *sums, const int8_t *plane, const tinsmith_plane_axes *axes,
                                      int32_t pitch, int32_t outputs, const int8_t *weights) {
  if (axes->row.stride == 1) {
    const int32_t run = (outputs - 1) * pitch + axes->row.output;
    sum_run_3x3(sums, plane, pitch, (run + 1) / 2 * 2, weights, 1);
    return;
  }
  const int32_t run = (axes->row.output + 1) / 2 * 2;
  TINSMITH_NO_UNROLL
  for (int32_t r = 0; r < outputs; ++r) {
    sum_run_3x3(sums + r * pitch, plane + 2 * r * pitch, pitch, run, weights, 2);
  }
}

TINSMITH_NOINLINE static void sum_any(int32_t *sums, const int8_t *plane, const tinsmith_plane_axes *axes,
                                      int32_t pitch, int32_t outputs, const int8_t *weights) {
  const bool one_run = tinsmith_is_one_run(axes);
  const int32_t run = one_run ? (outputs - 1) * pitch + axes->row.output : axes->row.output;
  const int32_t rows = one_run ? 1 : outputs;
  for (int32_t ky = 0; ky < axes->column.kernel; ++ky) {
    for (int32_t kx = 0; kx < axes->row.kernel; kx += 4) {
      TINSMITH_NO_UNROLL
      for (int32_t r = 0; r < rows; ++r) {
        add_4_taps(sums + r * pitch, plane + (ky + r * axes->column.stride) * pitch + kx, run, axes->row.stride,
                   weights + ky * axes->row.kernel + kx, axes->row.kernel - kx, (ky | kx) == 0);
      }
    }
  }
}

void tinsmith_sum_windows(int32_t *sums, const int8_t *plane, const tinsmith_plane_axes *axes, int32_t pitch,
                          int32_t outputs, const int8_t *weights) {
  if (tinsmith_is_3x3(axes)) {
    sum_3x3(sums, plane, axes, pitch, outputs, weights);
  } else {
    sum_any(sums, plane, axes, pitch, outputs, weights);
  }
}

#endif /* TINSMITH_NN_C */
