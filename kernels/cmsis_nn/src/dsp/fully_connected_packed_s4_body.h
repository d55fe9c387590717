/* Fully connected layer on arranged weights of four bits for the DSP extension.
 *
 * Weights as in convolve_columns.h: a word holds two values of k for four channels. The input is unpacked on the way.
 */
#ifndef TINSMITH_NN_DSP_FULLY_CONNECTED_PACKED_S4_BODY_H
#define TINSMITH_NN_DSP_FULLY_CONNECTED_PACKED_S4_BODY_H

#include "include/tinsmith_nn.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_DSP

#include "src/dsp/fully_connected_stage.h"
#include "src/internal/arguments.h"
#include "src/internal/clamp.h"
#include "src/internal/compiler.h"
#include "src/internal/dsp.h"
#include "src/internal/sum_s8.h"

/** Sums of four channels, of three, of two, of one. */
typedef struct {
  int32_t first[kChannels];
} sums;

static inline void add_lanes(sums *acc, uint32_t x, uint32_t w) {
  acc->first[0] = tinsmith_smlad(x, w, acc->first[0]);
  acc->first[1] = tinsmith_smlad(x, w & ~UINT32_C(0xf000f000), acc->first[1]);
  acc->first[2] = tinsmith_smlad(x, w & UINT32_C(0x00ff00ff), acc->first[2]);
  acc->first[3] = tinsmith_smlad(x, w & UINT32_C(0x000f000f), acc->first[3]);
}

/** acc + the last 1 to 3 values of k, one 8-byte block of weights. */
TINSMITH_NOINLINE static sums add_rest(sums acc, const int8_t *x, int32_t count, const tinsmith_lanes *weights) {
  const uint32_t word = tinsmith_load_bytes(x, count);
  add_lanes(&acc, tinsmith_sxtb16(word), weights[0]);
  add_lanes(&acc, tinsmith_sxtb16_ror8(word), weights[1]);
  return acc;
}

/** acc += the first `blocks` blocks of 4 values of k, at least one. In assembly, or compilers reload what they spill.
 */
static inline void add_blocks(sums *acc, const int8_t *x, const tinsmith_lanes *weights, int32_t blocks) {
  const int8_t *end = x + 4 * blocks;
  uint32_t word = (uint32_t)blocks;
  uint32_t lanes, w0, w1;
  /* clang-format off */
#define TINSMITH_HALF_BLOCK(w)                          \
      "smlad  %[s0], %[lanes], %[" w "], %[s0]\n"       \
      "bic    %[" w "], %[" w "], #0xf000f000\n"        \
      "smlad  %[s1], %[lanes], %[" w "], %[s1]\n"       \
      "bic    %[" w "], %[" w "], #0x0f000f00\n"        \
      "smlad  %[s2], %[lanes], %[" w "], %[s2]\n"       \
      "bic    %[" w "], %[" w "], #0x00f000f0\n"        \
      "smlad  %[s3], %[lanes], %[" w "], %[s3]\n"
#define TINSMITH_BLOCK                            \
      "ldr    %[word], [%[x]], #4\n"              \
      "ldrd   %[w0], %[w1], [%[w]], #8\n"         \
      "sxtb16 %[lanes], %[word]\n"                \
      TINSMITH_HALF_BLOCK("w0")                   \
      "sxtb16 %[lanes], %[word], ror #8\n"        \
      TINSMITH_HALF_BLOCK("w1")
  __asm__ volatile(
      "tst    %[word], #1\n" /* an odd number of blocks: enter the loop in its middle */
      "bne    2f\n"
      "1:\n"
      TINSMITH_BLOCK
      "2:\n"
      TINSMITH_BLOCK
      "cmp    %[x], %[end]\n"
      "bne    1b\n"
      : [s0] "+&r"(acc->first[0]), [s1] "+&r"(acc->first[1]), [s2] "+&r"(acc->first[2]), [s3] "+&r"(acc->first[3]),
        [x] "+&r"(x), [w] "+&r"(weights), [word] "+&r"(word), [lanes] "=&r"(lanes), [w0] "=&r"(w0), [w1] "=&r"(w1)
      : [end] "r"(end)
      : "cc", "memory");
#undef TINSMITH_BLOCK
#undef TINSMITH_HALF_BLOCK
  /* clang-format on */
}

/** One input vector times the whole matrix. */
TINSMITH_NOINLINE static void multiply_vector(output_stage stage, const int32_t *bias, const int8_t *x,
                                              const tinsmith_lanes *weights, int32_t depth, int32_t channels,
                                              int8_t *output) {
  const int32_t blocks = depth / 4;
  const int32_t group_words = (depth + 3) / 4 * 2;
  const int32_t term = -8 * tinsmith_sum_s8(x, depth);
  TINSMITH_NO_UNROLL
  for (; channels > 0; channels -= kChannels) {
    sums acc = {{bias[0], bias[1], bias[2], bias[3]}};
    if (blocks > 0) {
      add_blocks(&acc, x, weights, blocks);
    }
    if (depth % 4 != 0) {
      acc = add_rest(acc, x + 4 * blocks, depth % 4, weights + 2 * blocks);
    }
    const int32_t value0 = acc.first[3] + term;
    const int32_t value1 = ((acc.first[2] - acc.first[3]) >> 4) + term;
    const int32_t value2 = ((acc.first[1] - acc.first[2]) >> 8) + term;
    const int32_t value3 = (acc.first[0] - acc.first[1]) >> 12;
    finish_group(&stage, value0, value1, value2, value3, channels, output);
    weights += group_words;
    bias += kChannels;
    output += kChannels;
  }
}

arm_cmsis_nn_status tinsmith_fully_connected_packed_s4(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
                                                       const cmsis_nn_quant_params *quant_params,
                                                       const cmsis_nn_dims *input_dims, const int8_t *input_data,
                                                       const cmsis_nn_dims *filter_dims, const int8_t *filter_data,
                                                       const int32_t *bias_data, const cmsis_nn_dims *output_dims,
                                                       int8_t *output_data) {
  (void)ctx;
  const arm_cmsis_nn_status status = tinsmith_check_fully_connected_packed(fc_params, filter_dims, output_dims);
  if (status != ARM_CMSIS_NN_SUCCESS) {
    return status;
  }
  const output_stage stage = first_stage(fc_params, quant_params);
  const tinsmith_lanes *weights = (const void *)filter_data;
  const int32_t depth = filter_dims->n;
  const int32_t channels = output_dims->c;
  for (int32_t n = 0; n < input_dims->n; ++n) {
    multiply_vector(stage, bias_data, input_data + n * depth, weights, depth, channels, output_data + n * channels);
  }
  tinsmith_apply_activation(&fc_params->activation, output_data, input_dims->n * channels);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_DSP */

#endif /* TINSMITH_NN_DSP_FULLY_CONNECTED_PACKED_S4_BODY_H */
