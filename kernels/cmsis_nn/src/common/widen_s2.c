/* Weights of two bits that become bytes before they are read: sixteen at a time, by words, or with MVE 64. */
#include "src/internal/widen_s2.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "include/tinsmith_nn_two_bits.h"
#include "src/internal/compiler.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include <arm_mve.h>

enum { kQuarter = 16 };

void tinsmith_widen_s2(const int8_t *packed, int32_t count, int8_t *widened) {
  for (; count > 0; count -= 4 * kQuarter) {
    const int8x16_t four = vldrbq_s8(packed);
    vstrbq_s8(widened, vshrq_n_s8(vshlq_n_s8(four, 6), 6));
    vstrbq_s8(widened + kQuarter, vshrq_n_s8(vshlq_n_s8(four, 4), 6));
    vstrbq_s8(widened + 2 * kQuarter, vshrq_n_s8(vshlq_n_s8(four, 2), 6));
    vstrbq_s8(widened + 3 * kQuarter, vshrq_n_s8(four, 6));
    packed += kQuarter;
    widened += 4 * kQuarter;
  }
}

#else

enum { kWeightsOfWord = 16 };

/** Four bytes from 0 to 3, each less 2: 126 more they are 2 less than 128 more, without a carry. */
static inline uint32_t less_2(uint32_t bytes) {
  return (bytes + 0x7e7e7e7eU) ^ 0x80808080U;
}

void tinsmith_widen_s2(const int8_t *packed, int32_t count, int8_t *widened) {
  const uint32_t lowest = 0x03030303U;
  TINSMITH_NO_UNROLL
  for (; count > 0; count -= kWeightsOfWord) {
    uint32_t word;
    memcpy(&word, packed, sizeof word);
    const uint32_t words[4] = {less_2(word & lowest), less_2((word >> 2) & lowest), less_2((word >> 4) & lowest),
                               less_2((word >> 6) & lowest)};
    memcpy(widened, words, sizeof words);
    packed += sizeof word;
    widened += sizeof words;
  }
}

#endif

cmsis_nn_context tinsmith_widen_all_s2(const cmsis_nn_context *ctx, int32_t count, const int8_t *packed) {
  cmsis_nn_context rest = {NULL, 0};
  const int32_t taken = tinsmith_packed_s2_get_weights_size(count);
  if (ctx->buf == NULL || ctx->size < taken) {
    return rest;
  }
  tinsmith_widen_s2(packed, count, ctx->buf);
  rest.buf = (int8_t *)ctx->buf + taken;
  rest.size = ctx->size - taken;
  return rest;
}
