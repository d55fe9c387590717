/* Fully connected layer on arranged weights of four bits with multipliers of blocks, on MVE.
 *
 * A byte holds the weights of two channels, as in fully_connected_packed_s4.c. At the end of a block the sums of eight
 * channels become lanes of two vectors, which are multiplied and added there.
 */
#ifndef TINSMITH_NN_MVE_BLOCKWISE_PACKED_S4_BODY_H
#define TINSMITH_NN_MVE_BLOCKWISE_PACKED_S4_BODY_H

#include "src/internal/implementation.h"

#if TINSMITH_NN_MVE

#include "include/tinsmith_nn_blockwise.h"
#include "src/internal/arguments.h"
#include "src/internal/compiler.h"
#include "src/mve/requantize.h"

/** Channels that are summed together, and channels between sums and outputs. */
enum { kPairs = 4, kTogether = 2 * kPairs, kChannelsAtOnce = 18 * kTogether };

/** Values of k of a block that has a loop of its own, and bytes of the weights of 16. */
enum { kBlock = 2 * kByteLanes, kChunkBytes = kPairs * kByteLanes };

/** Sums of the first channels of four pairs, and 16 times those of the second ones. */
typedef struct {
  int32x4_t first;
  int32x4_t second_16;
} pair_sums;

/** sums += the block's multipliers times its sums, as `both` has them of both channels, `first_16` 16 times of the
 * first. */
static inline void add_block(pair_sums *sums, int32x4_t both, int32x4_t first_16, const int8_t *multipliers) {
  const int32x4_t first = vshrq_n_s32(first_16, 4);
  const int32x4_t of_first = (int32x4_t)vldrbq_u32((const uint8_t *)multipliers);
  const int32x4_t of_second = (int32x4_t)vldrbq_u32((const uint8_t *)multipliers + kPairs);
  sums->first = vaddq_s32(sums->first, vmulq_s32(first, of_first));
  sums->second_16 = vaddq_s32(sums->second_16, vmulq_s32(vsubq_s32(both, first), of_second));
}

/** The sums of four pairs over 32 values of k. In assembly, as compilers keep all eight until the end, where only every
 * other register takes one. weights: behind the multipliers. */
static inline void sum_pairs(const int8_t *row, const int8_t *weights, int32x4_t *both, int32x4_t *first_16) {
  const int8x16_t x0 = vldrbq_s8(row);
  const int8x16_t x1 = vldrbq_s8(row + kByteLanes);
  int32x4_t two, one_16;
  int8x16_t w;
  int32_t b0, b1, f0, f1;
  /* clang-format off */
#define TINSMITH_PAIR(both, first, offset, next)             \
      "vldrb.u8    %q[w], [%[weights], #" offset "]\n"       \
      "vmladav.s8  %[" both "], %q[x0], %q[w]\n"             \
      "vshl.i8     %q[w], %q[w], #4\n"                       \
      "vmladav.s8  %[" first "], %q[x0], %q[w]\n"            \
      "vldrb.u8    %q[w], [%[weights], #" next "]\n"         \
      "vmladava.s8 %[" both "], %q[x1], %q[w]\n"             \
      "vshl.i8     %q[w], %q[w], #4\n"                       \
      "vmladava.s8 %[" first "], %q[x1], %q[w]\n"
  __asm__(
      TINSMITH_PAIR("b0", "f0", "0", "64")
      TINSMITH_PAIR("b1", "f1", "32", "96")
      "vmov        %q[two][2], %q[two][0], %[b0], %[b1]\n"
      "vmov        %q[one][2], %q[one][0], %[f0], %[f1]\n"
      TINSMITH_PAIR("b0", "f0", "16", "80")
      TINSMITH_PAIR("b1", "f1", "48", "112")
      "vmov        %q[two][3], %q[two][1], %[b0], %[b1]\n"
      "vmov        %q[one][3], %q[one][1], %[f0], %[f1]\n"
      : [two] "=&w"(two), [one] "=&w"(one_16), [w] "=&w"(w), [b0] "=&Te"(b0), [b1] "=&Te"(b1), [f0] "=&Te"(f0),
        [f1] "=&Te"(f1)
      : [x0] "w"(x0), [x1] "w"(x1), [weights] "r"(weights)
      : "memory");
#undef TINSMITH_PAIR
  /* clang-format on */
  *both = two;
  *first_16 = one_16;
}

/** sums += the first `blocks` blocks of 32. Returns what follows their weights. */
static inline const int8_t *add_blocks(pair_sums *sums, const int8_t *row, int32_t blocks, const int8_t *weights) {
  pair_sums acc = *sums;
  TINSMITH_NO_UNROLL
  for (; blocks > 0; --blocks) {
    int32x4_t both, first_16;
    sum_pairs(row, weights + kTogether, &both, &first_16);
    add_block(&acc, both, first_16, weights);
    row += kBlock;
    weights += kTogether + 2 * kChunkBytes;
  }
  *sums = acc;
  return weights;
}

/** sums += a block of any size. Returns what follows its weights. */
TINSMITH_NOINLINE static const int8_t *add_any_block(pair_sums *sums, const int8_t *row, int32_t count,
                                                     const int8_t *weights) {
  const int8_t *multipliers = weights;
  int32_t both[kPairs] = {0};
  int32_t first_16[kPairs] = {0};
  weights += kTogether;
  TINSMITH_NO_UNROLL
  for (; count > 0; count -= kByteLanes) {
    const mve_pred16_t p = vctp8q((uint32_t)count);
    const int8x16_t x = vldrbq_z_s8(row, p);
    for (int32_t pair = 0; pair < kPairs; ++pair) {
      const int8x16_t w = vldrbq_s8(weights + pair * kByteLanes);
      both[pair] = vmladavaq_s8(both[pair], x, w);
      first_16[pair] = vmladavaq_s8(first_16[pair], x, vshlq_n_s8(w, 4));
    }
    row += kByteLanes;
    weights += kChunkBytes;
  }
  add_block(sums, vldrwq_s32(both), vldrwq_s32(first_16), multipliers);
  return weights;
}

/** Sums of one row and kTogether channels. Returns what follows their weights. */
static const int8_t *sum_group(const int8_t *row, int32_t depth, int32_t block, const int8_t *weights,
                               const int32_t *bias, int32_t *sums) {
  pair_sums acc = {vldrwq_s32(bias), vldrwq_s32(bias + kPairs)};
  int32_t done = 0;
  if (block == kBlock && depth >= kBlock) {
    weights = add_blocks(&acc, row, depth / kBlock, weights);
    done = depth / kBlock * kBlock;
  }
  TINSMITH_NO_UNROLL
  for (; done < depth; done += block) {
    weights = add_any_block(&acc, row + done, depth - done < block ? depth - done : block, weights);
  }
  const int32x4x2_t both = {{acc.first, vshrq_n_s32(acc.second_16, 4)}};
  vst2q_s32(sums, both);
  return weights;
}

static void multiply_row(const mve_output_scale *scale, const cmsis_nn_dims *filter_dims, int32_t block,
                         const int8_t *row, const int8_t *weights, const int32_t *bias, int8_t *output) {
  for (int32_t first = 0; first < filter_dims->c; first += kChannelsAtOnce) {
    const int32_t rest = filter_dims->c - first;
    const int32_t count = rest < kChannelsAtOnce ? rest : kChannelsAtOnce;
    int32_t sums[kChannelsAtOnce];
    for (int32_t channel = 0; channel < count; channel += kTogether) {
      weights = sum_group(row, filter_dims->n, block, weights, bias + first + channel, sums + channel);
    }
    tinsmith_mve_store_row(scale, first, sums, count, output + first);
  }
}

arm_cmsis_nn_status tinsmith_blockwise_fully_connected_packed_s4(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const int32_t *bias_data, int32_t block, const cmsis_nn_dims *output_dims,
    int8_t *output_data) {
  (void)ctx;
  const arm_cmsis_nn_status status = tinsmith_check_fully_connected_packed(fc_params, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const mve_output_scale scale = mve_scale_of_rows(fc_params, quant_params);
  for (int32_t batch = 0; batch < input_dims->n; ++batch) {
    multiply_row(&scale, filter_dims, block, input_data, filter_data, bias_data, output_data);
    input_data += filter_dims->n;
    output_data += filter_dims->c;
  }
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_MVE */

#endif /* TINSMITH_NN_MVE_BLOCKWISE_PACKED_S4_BODY_H */
