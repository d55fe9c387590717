/* Fully connected layer on arranged weights of four bits with multipliers of blocks, for the DSP extension.
 *
 * Weights as in four_bit_sums.h. Sums of a block start with -8 times that of its inputs, and are taken apart at its
 * end. In blocks of 32 each fits 16 bits, so that one instruction multiplies and adds it.
 */
#ifndef TINSMITH_NN_DSP_BLOCKWISE_PACKED_S4_BODY_H
#define TINSMITH_NN_DSP_BLOCKWISE_PACKED_S4_BODY_H

#include "include/tinsmith_nn_blockwise.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_DSP

#include "src/dsp/four_bit_sums.h"
#include "src/dsp/fully_connected_stage.h"
#include "src/internal/arguments.h"
#include "src/internal/block_sums.h"
#include "src/internal/clamp.h"
#include "src/internal/compiler.h"

/** Values of k of a block that has a loop of its own, and its words of weights and multipliers. */
enum { kBlock = 32, kBlockWords = kBlock / 2 + 1 };

/** acc += the first `blocks` blocks of 32, at least one. In assembly, as registers are just enough. */
TINSMITH_NEEDS_MOST void add_blocks(int32_t *acc, const int8_t *x, const tinsmith_lanes *weights, const int32_t *starts,
                                    int32_t blocks) {
  const int8_t *end = x + kBlock * blocks;
  int32_t s0, s1, s2, s3;
  uint32_t word, lanes, w0, w1;
  /* clang-format off */
  __asm__ volatile(
      "1:\n"
      "ldr     %[s3], [%[starts]], #4\n"
      "add     %[s2], %[s3], %[s3], lsl #4\n"
      "add     %[s1], %[s2], %[s3], lsl #8\n"
      "mov     %[s0], %[s1]\n"
      TINSMITH_FOUR_BITS_STEP TINSMITH_FOUR_BITS_STEP TINSMITH_FOUR_BITS_STEP TINSMITH_FOUR_BITS_STEP
      TINSMITH_FOUR_BITS_STEP TINSMITH_FOUR_BITS_STEP TINSMITH_FOUR_BITS_STEP TINSMITH_FOUR_BITS_STEP
      "ldr     %[word], [%[w]], #4\n"
      "sub     %[s0], %[s0], %[s1]\n"
      "sub     %[s1], %[s1], %[s2]\n"
      "sub     %[s2], %[s2], %[s3]\n"
      "uxtb16  %[lanes], %[word]\n"
      "uxtb16  %[word], %[word], ror #8\n"
      "ldrd    %[w0], %[w1], [%[acc]]\n"
      "asr     %[s2], %[s2], #4\n"
      "smlabb  %[w0], %[s3], %[lanes], %[w0]\n"
      "smlabb  %[w1], %[s2], %[word], %[w1]\n"
      "strd    %[w0], %[w1], [%[acc]]\n"
      "ldrd    %[w0], %[w1], [%[acc], #8]\n"
      "asr     %[s1], %[s1], #8\n"
      "asr     %[s0], %[s0], #12\n"
      "smlabt  %[w0], %[s1], %[lanes], %[w0]\n"
      "smlabt  %[w1], %[s0], %[word], %[w1]\n"
      "strd    %[w0], %[w1], [%[acc], #8]\n"
      "cmp     %[x], %[end]\n"
      "bne     1b\n"
      : [s0] "=&r"(s0), [s1] "=&r"(s1), [s2] "=&r"(s2), [s3] "=&r"(s3), [x] "+&r"(x), [w] "+&r"(weights),
        [starts] "+&r"(starts), [word] "=&r"(word), [lanes] "=&r"(lanes), [w0] "=&r"(w0), [w1] "=&r"(w1)
      : [acc] "r"(acc), [end] "r"(end)
      : "cc", "memory");
  /* clang-format on */
}

static inline int32_t apart(int32_t more, int32_t fewer, int32_t place) {
  return (int32_t)((uint32_t)more - (uint32_t)fewer) >> place;
}

/** acc += a block of any size. Returns what follows its weights. */
TINSMITH_NOINLINE static const tinsmith_lanes *add_any_block(int32_t *acc, const int8_t *x, int32_t count,
                                                             const tinsmith_lanes *weights, int32_t start) {
  const int32_t steps = count / 4;
  const int32_t two = start * (1 + 16);
  const int32_t three = start * (1 + 16 + 256);
  sums block = {{three, three, two, start}};
  if (steps > 0) {
    add_steps(&block, x, weights, steps);
    weights += 2 * steps;
  }
  if (count % 4 != 0) {
    block = add_rest(block, x + 4 * steps, count % 4, weights);
    weights += 2;
  }
  const uint32_t multipliers = *weights++;
  acc[0] += (int32_t)(multipliers & 0xff) * block.first[3];
  acc[1] += (int32_t)(multipliers >> 8 & 0xff) * apart(block.first[2], block.first[3], 4);
  acc[2] += (int32_t)(multipliers >> 16 & 0xff) * apart(block.first[1], block.first[2], 8);
  acc[3] += (int32_t)(multipliers >> 24) * apart(block.first[0], block.first[1], 12);
  return weights;
}

/** One input vector times the whole matrix. */
TINSMITH_NOINLINE static void multiply_vector(output_stage stage, const int32_t *bias, const int8_t *x,
                                              const tinsmith_lanes *weights, const int32_t *starts, int32_t depth,
                                              int32_t block, int32_t channels, int8_t *output) {
  const int32_t blocks = block == kBlock ? depth / kBlock : 0;
  TINSMITH_NO_UNROLL
  for (; channels > 0; channels -= kChannels) {
    int32_t acc[kChannels] = {bias[0], bias[1], bias[2], bias[3]};
    if (blocks > 0) {
      add_blocks(acc, x, weights, starts, blocks);
      weights += kBlockWords * blocks;
    }
    const int32_t *start = starts + blocks;
    TINSMITH_NO_UNROLL
    for (int32_t k = kBlock * blocks; k < depth; k += block) {
      weights = add_any_block(acc, x + k, depth - k < block ? depth - k : block, weights, *start++);
    }
    finish_group(&stage, acc[0], acc[1], acc[2], acc[3], channels, output);
    bias += kChannels;
    output += kChannels;
  }
}

arm_cmsis_nn_status tinsmith_blockwise_fully_connected_packed_s4(
    const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params, const cmsis_nn_quant_params *quant_params,
    const cmsis_nn_dims *input_dims, const int8_t *input_data, const cmsis_nn_dims *filter_dims,
    const int8_t *filter_data, const int32_t *bias_data, int32_t block, const cmsis_nn_dims *output_dims,
    int8_t *output_data) {
  const arm_cmsis_nn_status status = tinsmith_check_fully_connected_packed(fc_params, filter_dims, output_dims);
  int32_t *starts = tinsmith_block_starts(ctx, filter_dims, block);
  if (status != ARM_CMSIS_NN_SUCCESS || starts == NULL) {
    return ARM_CMSIS_NN_ARG_ERROR;
  }
  const output_stage stage = first_stage(fc_params, quant_params);
  const tinsmith_lanes *weights = (const void *)filter_data;
  const int32_t depth = filter_dims->n;
  const int32_t channels = output_dims->c;
  for (int32_t n = 0; n < input_dims->n; ++n) {
    const int8_t *x = input_data + n * depth;
    tinsmith_start_blocks(x, depth, block, starts);
    multiply_vector(stage, bias_data, x, weights, starts, depth, block, channels, output_data + n * channels);
  }
  tinsmith_apply_activation(&fc_params->activation, output_data, input_dims->n * channels);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_DSP */

#endif /* TINSMITH_NN_DSP_BLOCKWISE_PACKED_S4_BODY_H */
