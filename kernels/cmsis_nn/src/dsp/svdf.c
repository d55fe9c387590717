/* SVDF in two functions (tinsmith_nn_recurrent.h) with the DSP extension: words at any address, two products an
 * instruction. */
#include "src/internal/implementation.h"

#if TINSMITH_NN_DSP

#include "src/internal/dsp.h"
#include "src/internal/svdf_scale.h"

static inline int32_t dot_s8(int32_t sum, const int8_t *x, const int8_t *w, int32_t depth) {
  TINSMITH_NO_UNROLL
  for (; depth > 3; depth -= 4) {
    const uint32_t values = tinsmith_load_word(x);
    const uint32_t row = tinsmith_load_word(w);
    sum = tinsmith_smlad(tinsmith_sxtb16(values), tinsmith_sxtb16(row), sum);
    sum = tinsmith_smlad(tinsmith_sxtb16_ror8(values), tinsmith_sxtb16_ror8(row), sum);
    x += 4;
    w += 4;
  }
  TINSMITH_NO_UNROLL
  for (; depth > 0; --depth) {
    sum = tinsmith_smlabb((uint32_t)*x++, (uint32_t)*w++, sum);
  }
  return sum;
}

static inline int32_t dot_s16(int32_t sum, const int16_t *x, const int16_t *w, int32_t depth) {
  TINSMITH_NO_UNROLL
  for (; depth > 3; depth -= 4) {
    sum = tinsmith_smlad(tinsmith_load_word(x), tinsmith_load_word(w), sum);
    sum = tinsmith_smlad(tinsmith_load_word(x + 2), tinsmith_load_word(w + 2), sum);
    x += 4;
    w += 4;
  }
  if (depth & 2) {
    sum = tinsmith_smlad(tinsmith_load_word(x), tinsmith_load_word(w), sum);
    x += 2;
    w += 2;
  }
  return depth & 1 ? tinsmith_smlabb((uint32_t)*x, (uint32_t)*w, sum) : sum;
}

#include "src/common/svdf_halves.h"

#endif /* TINSMITH_NN_DSP */
