/* Products of one input vector with rows of a matrix (internal/rows.h): four rows share what is done to the input. */

#include "src/internal/rows.h"

#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"

#if !TINSMITH_NN_MVE

#if TINSMITH_NN_DSP
#include "src/internal/dsp.h"
#endif

enum { kRows = 4 };

/** acc[r] += sum over k of (x[k] + offset) * w[r][k] for four rows `depth` apart. */
TINSMITH_NOINLINE static void add_rows(int32_t acc[kRows], const int8_t *x, int32_t offset, const int8_t *weights,
                                       int32_t depth) {
  const int8_t *w0 = weights;
  const int8_t *w1 = w0 + depth;
  const int8_t *w2 = w1 + depth;
  const int8_t *w3 = w2 + depth;
  int32_t acc0 = acc[0], acc1 = acc[1], acc2 = acc[2], acc3 = acc[3];
  int32_t k = 0;
#if TINSMITH_NN_DSP
  const uint32_t offsets = tinsmith_pack_bottoms((uint32_t)offset, (uint32_t)offset);
  TINSMITH_NO_UNROLL
  for (; k + 4 <= depth; k += 4) {
    /* lanes (k, k + 2) and (k + 1, k + 3) */
    const uint32_t bytes = tinsmith_load_word(x + k);
    const uint32_t even = tinsmith_add_lanes(tinsmith_sxtb16(bytes), offsets);
    const uint32_t odd = tinsmith_add_lanes(tinsmith_sxtb16_ror8(bytes), offsets);
    const uint32_t row0 = tinsmith_load_word(w0 + k);
    acc0 = tinsmith_smlad(odd, tinsmith_sxtb16_ror8(row0), tinsmith_smlad(even, tinsmith_sxtb16(row0), acc0));
    const uint32_t row1 = tinsmith_load_word(w1 + k);
    acc1 = tinsmith_smlad(odd, tinsmith_sxtb16_ror8(row1), tinsmith_smlad(even, tinsmith_sxtb16(row1), acc1));
    const uint32_t row2 = tinsmith_load_word(w2 + k);
    acc2 = tinsmith_smlad(odd, tinsmith_sxtb16_ror8(row2), tinsmith_smlad(even, tinsmith_sxtb16(row2), acc2));
    const uint32_t row3 = tinsmith_load_word(w3 + k);
    acc3 = tinsmith_smlad(odd, tinsmith_sxtb16_ror8(row3), tinsmith_smlad(even, tinsmith_sxtb16(row3), acc3));
  }
#endif
  TINSMITH_NO_UNROLL
  for (; k < depth; ++k) {
    const int32_t value = x[k] + offset;
    acc0 += value * w0[k];
    acc1 += value * w1[k];
    acc2 += value * w2[k];
    acc3 += value * w3[k];
  }
  acc[0] = acc0;
  acc[1] = acc1;
  acc[2] = acc2;
  acc[3] = acc3;
}

static int32_t sum_of(const int8_t *x, int32_t offset, int32_t depth) {
  int32_t sum = offset * depth;
  TINSMITH_NO_UNROLL
  for (int32_t k = 0; k < depth; ++k) {
    sum += x[k];
  }
  return sum;
}

void tinsmith_multiply_rows(const tinsmith_rows *rows, const int8_t *x, int8_t *output) {
  const int32_t depth = rows->depth;
  const int32_t extra = rows->weights_offset == 0 ? 0 : rows->weights_offset * sum_of(x, rows->x_offset, depth);
  for (int32_t first = 0; first < rows->rows; first += kRows) {
    const int32_t left = rows->rows - first;
    const int32_t count = left < kRows ? left : kRows;
    /* The last rows are multiplied together with the ones before them; a matrix of fewer than four, one by one. */
    const int32_t start = left < kRows && rows->rows >= kRows ? rows->rows - kRows : first;
    int32_t acc[kRows] = {0, 0, 0, 0};
    if (rows->rows >= kRows) {
      add_rows(acc, x, rows->x_offset, rows->weights + start * depth, depth);
    } else {
      for (int32_t r = 0; r < count; ++r) {
        for (int32_t k = 0; k < depth; ++k) {
          acc[r] += (x[k] + rows->x_offset) * rows->weights[(start + r) * depth + k];
        }
      }
    }
    TINSMITH_NO_UNROLL
    for (int32_t r = first; r < first + count; ++r) {
      const int32_t bias = rows->bias == NULL ? extra : rows->bias[r] + extra;
      const int32_t i = r * rows->stage_step;
      const int32_t value = tinsmith_requantize(acc[r - start] + bias, rows->multiplier[i], rows->shift[i]);
      output[r] = (int8_t)tinsmith_clamp(value + rows->zero_point, rows->activation.min, rows->activation.max);
    }
  }
}

#endif /* !TINSMITH_NN_MVE */
