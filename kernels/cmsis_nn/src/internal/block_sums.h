/* Sums of inputs block by block, for weights of four bits that are 8 more than they are. */
#ifndef TINSMITH_NN_INTERNAL_BLOCK_SUMS_H
#define TINSMITH_NN_INTERNAL_BLOCK_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "include/arm_nn_types.h"
#include "include/tinsmith_nn_blockwise.h"
#include "src/internal/sum_s8.h"

/** Scratch for starts of blocks, NULL if there is not enough of it. */
static inline int32_t *tinsmith_block_starts(const cmsis_nn_context *ctx, const cmsis_nn_dims *filter_dims,
                                             int32_t block) {
  const int32_t wanted = tinsmith_blockwise_fully_connected_packed_s4_get_buffer_size(filter_dims, block);
  return ctx->size < wanted ? NULL : ctx->buf;
}

/** starts[b] = -8 times the sum of block b of x: what its sums have to start with. */
static inline void tinsmith_start_blocks(const int8_t *x, int32_t depth, int32_t block, int32_t *starts) {
  TINSMITH_NO_UNROLL
  for (; depth > 0; depth -= block) {
    *starts++ = -8 * tinsmith_sum_s8(x, depth < block ? depth : block);
    x += block;
  }
}

#endif /* TINSMITH_NN_INTERNAL_BLOCK_SUMS_H */
