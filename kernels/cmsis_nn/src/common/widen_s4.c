/* Weights of four bits that become bytes before they are read: eight at a time, by words. */
#include "src/internal/widen_s4.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "include/tinsmith_nn.h"
#include "src/internal/compiler.h"

enum { kWeightsOfWord = 8 };

/** Four bytes from 0 to 15, each less 8: 120 more they are 8 less than 128 more, without a carry. */
static inline uint32_t less_8(uint32_t bytes) {
  return (bytes + 0x78787878U) ^ 0x80808080U;
}

/** widened: `count` bytes, rounded up to a multiple of 8. */
static void widen(const int8_t *nibbles, int32_t count, int8_t *widened) {
  const uint32_t low_nibbles = 0x0f0f0f0fU;
  TINSMITH_NO_UNROLL
  for (; count > 0; count -= kWeightsOfWord) {
    uint32_t word;
    memcpy(&word, nibbles, sizeof word);
    const uint32_t words[2] = {less_8(word & low_nibbles), less_8((word >> 4) & low_nibbles)};
    memcpy(widened, words, sizeof words);
    nibbles += sizeof word;
    widened += sizeof words;
  }
}

cmsis_nn_context tinsmith_widen_depthwise_s4(const cmsis_nn_context *ctx, const cmsis_nn_dims *filter_dims,
                                             const int8_t *filter_data) {
  cmsis_nn_context rest = {NULL, 0};
  const int32_t taken = tinsmith_packed_s4_get_weights_size(filter_dims);
  if (ctx->buf == NULL || ctx->size < taken) {
    return rest;
  }
  widen(filter_data, filter_dims->h * filter_dims->w * filter_dims->c, ctx->buf);
  rest.buf = (int8_t *)ctx->buf + taken;
  rest.size = ctx->size - taken;
  return rest;
}
