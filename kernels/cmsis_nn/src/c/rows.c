/* Products of one input vector with rows of a matrix (internal/rows.h): several rows share what is done to the input.
 */

#include "src/internal/rows.h"

#include "src/internal/compiler.h"
#include "src/internal/implementation.h"
#include "src/internal/requantize.h"

#if !TINSMITH_NN_MVE

#if TINSMITH_NN_DSP
#include "src/internal/dsp.h"
#endif

#if TINSMITH_NN_DSP
enum { kRows = 2 };

/** acc[r] += sum over k of (x[k] + offset) * w[r][k] for two rows `depth` apart. */
TINSMITH_NOINLINE static void add_rows(int32_t acc[kRows], const int8_t *x, int32_t offset, const int8_t *weights,
                                       int32_t depth) {
  const uint32_t offsets = tinsmith_pack_bottoms((uint32_t)offset, (uint32_t)offset);
  const int8_t *end = x + (depth & ~3);
  const int8_t *w0 = weights;
  const int8_t *w1 = weights + depth;
  int32_t acc0 = acc[0], acc1 = acc[1];
  TINSMITH_NO_UNROLL
  while (x != end) {
    /* lanes (k, k + 2) and (k + 1, k + 3) */
    const uint32_t bytes = tinsmith_load_word(x);
    const uint32_t row0 = tinsmith_load_word(w0);
    const uint32_t row1 = tinsmith_load_word(w1);
    const uint32_t even = tinsmith_sxtab16(offsets, bytes);
    const uint32_t odd = tinsmith_sxtab16_ror8(offsets, bytes);
    acc0 = tinsmith_smlad(odd, tinsmith_sxtb16_ror8(row0), tinsmith_smlad(even, tinsmith_sxtb16(row0), acc0));
    acc1 = tinsmith_smlad(odd, tinsmith_sxtb16_ror8(row1), tinsmith_smlad(even, tinsmith_sxtb16(row1), acc1));
    x += 4;
    w0 += 4;
    w1 += 4;
  }
  TINSMITH_NO_UNROLL
  for (int32_t left = depth & 3; left > 0; --left) {
    const int32_t value = *x++ + offset;
    acc0 += value * *w0++;
    acc1 += value * *w1++;
  }
  acc[0] = acc0;
  acc[1] = acc1;
}
#else
enum { kRows = 4 };

/** acc[r] += sum over k of (x[k] + offset) * w[r][k] for four rows `depth` apart. */
TINSMITH_NOINLINE static void add_rows(int32_t acc[kRows], const int8_t *x, int32_t offset, const int8_t *weights,
                                       int32_t depth) {
  const int8_t *w0 = weights;
  const int8_t *w1 = w0 + depth;
  const int8_t *w2 = w1 + depth;
  const int8_t *w3 = w2 + depth;
  int32_t acc0 = acc[0], acc1 = acc[1], acc2 = acc[2], acc3 = acc[3];
  TINSMITH_NO_UNROLL
  for (; depth > 0; --depth) {
    const int32_t value = *x++ + offset;
    acc0 += value * *w0++;
    acc1 += value * *w1++;
    acc2 += value * *w2++;
    acc3 += value * *w3++;
  }
  acc[0] = acc0;
  acc[1] = acc1;
  acc[2] = acc2;
  acc[3] = acc3;
}
#endif

static int32_t sum_of(const int8_t *x, int32_t offset, int32_t depth) {
  int32_t sum = offset * depth;
  TINSMITH_NO_UNROLL
  for (int32_t k = 0; k < depth; ++k) {
    sum += x[k];
  }
  return sum;
}

/** acc[r] += the same for `count` rows, one after the other. */
static void add_few_rows(int32_t *acc, const int8_t *x, int32_t offset, const int8_t *weights, int32_t depth,
                         int32_t count) {
  TINSMITH_NO_UNROLL
  for (int32_t r = 0; r < count; ++r) {
    int32_t sum = acc[r];
    TINSMITH_NO_UNROLL
    for (int32_t k = 0; k < depth; ++k) {
      sum += (x[k] + offset) * *weights++;
    }
    acc[r] = sum;
  }
}

/** Outputs [first, first + count) from their sums. */
static void finish_rows(const tinsmith_rows *rows, const int32_t *acc, int32_t first, int32_t count, int8_t *output) {
  const tinsmith_rows m = *rows; /* a copy that no store to the output can change */
  TINSMITH_NO_UNROLL
  for (int32_t r = 0; r < count; ++r) {
    const int32_t i = (first + r) * m.stage_step;
    const int32_t value = tinsmith_requantize(acc[r], m.multiplier[i], m.shift[i]) + m.zero_point;
    output[first + r] = (int8_t)tinsmith_clamp(value, m.activation.min, m.activation.max);
  }
}

void tinsmith_multiply_rows(const tinsmith_rows *rows, const int8_t *x, int8_t *output) {
  const int32_t depth = rows->depth;
  const int32_t extra = rows->weights_offset == 0 ? 0 : rows->weights_offset * sum_of(x, rows->x_offset, depth);
  const int8_t *weights = rows->weights;
  for (int32_t first = 0; first < rows->rows; first += kRows) {
    const int32_t left = rows->rows - first;
    const int32_t count = left < kRows ? left : kRows;
    int32_t acc[kRows];
    for (int32_t r = 0; r < count; ++r) {
      acc[r] = rows->bias == NULL ? extra : rows->bias[first + r] + extra;
    }
    if (count == kRows) {
      add_rows(acc, x, rows->x_offset, weights, depth);
    } else {
      add_few_rows(acc, x, rows->x_offset, weights, depth, count);
    }
    finish_rows(rows, acc, first, count, output);
    weights += kRows * depth;
  }
}

#endif /* !TINSMITH_NN_MVE */
