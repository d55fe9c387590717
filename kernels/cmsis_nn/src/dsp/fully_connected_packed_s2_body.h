/* Fully connected layer on arranged weights of two bits for the DSP extension.
 *
 * Weights as in two_bit_sums.h: a word holds four values of k for four channels. The input is unpacked on the way.
 */
#ifndef TINSMITH_NN_DSP_FULLY_CONNECTED_PACKED_S2_BODY_H
#define TINSMITH_NN_DSP_FULLY_CONNECTED_PACKED_S2_BODY_H

#include "include/tinsmith_nn_two_bits.h"
#include "src/internal/implementation.h"

#if TINSMITH_NN_DSP

#include "src/dsp/fully_connected_stage.h"
#include "src/dsp/two_bit_lanes.h"
#include "src/internal/arguments.h"
#include "src/internal/clamp.h"
#include "src/internal/compiler.h"
#include "src/internal/dsp.h"
#include "src/internal/sum_s8.h"

/** Sums for the channel pairs (a, b) and (c, d). */
typedef struct {
  int32_t both[2];
  int32_t bottom[2];
} sums;

/** The bottom channels' sums are those of all that is in `both`. */
TINSMITH_ALWAYS_INLINE void keep_bottoms(sums *acc) {
  acc->bottom[0] += tinsmith_two_bit_growth(acc->both[0], acc->bottom[0]);
  acc->bottom[1] += tinsmith_two_bit_growth(acc->both[1], acc->bottom[1]);
}

/** Of `word` turned to the right, the weights of two channels in each lane. */
static inline uint32_t turned(uint32_t word, int32_t right) {
  return (word >> right | word << (32 - right)) & TINSMITH_TWO_BIT_LANES;
}

/** acc + the last 1 to 3 values of k, one word of weights. */
TINSMITH_NOINLINE static sums add_rest(sums acc, const int8_t *x, int32_t count, const tinsmith_lanes *weights) {
  const uint32_t word = tinsmith_load_bytes(x, count);
  const uint32_t lanes0 = tinsmith_sxtb16(word);
  const uint32_t lanes1 = tinsmith_sxtb16_ror8(word);
  acc.both[0] = tinsmith_smlad(lanes0, *weights & TINSMITH_TWO_BIT_LANES, acc.both[0]);
  acc.both[1] = tinsmith_smlad(lanes0, turned(*weights, 4), acc.both[1]);
  acc.both[0] = tinsmith_smlad(lanes1, turned(*weights, 8), acc.both[0]);
  acc.both[1] = tinsmith_smlad(lanes1, turned(*weights, 12), acc.both[1]);
  keep_bottoms(&acc);
  return acc;
}

/** both += `words` times 4 values of k, at least once. In assembly, or compilers reload what they spill. */
TINSMITH_NEEDS_MOST void add_words(sums *acc, const int8_t *x, const tinsmith_lanes *weights, int32_t words) {
  const int8_t *end = x + 4 * words;
  uint32_t word = (uint32_t)words;
  uint32_t lanes, w, t;
  /* clang-format off */
#define TINSMITH_PAIR(sum, turn)                          \
      "and    %[t], %[m], %[w]" turn "\n"                 \
      "smlad  %[" sum "], %[lanes], %[t], %[" sum "]\n"
#define TINSMITH_WORD                                     \
      "ldr    %[word], [%[x]], #4\n"                      \
      "ldr    %[w], [%[p]], #4\n"                         \
      "sxtb16 %[lanes], %[word]\n"                        \
      TINSMITH_PAIR("s0", "")                             \
      TINSMITH_PAIR("s1", ", ror #4")                     \
      "sxtb16 %[lanes], %[word], ror #8\n"                \
      TINSMITH_PAIR("s0", ", ror #8")                     \
      TINSMITH_PAIR("s1", ", ror #12")
  __asm__ volatile(
      "tst    %[word], #1\n" /* an odd number of words: enter the loop in its middle */
      "bne    2f\n"
      "1:\n"
      TINSMITH_WORD
      "2:\n"
      TINSMITH_WORD
      "cmp    %[x], %[end]\n"
      "bne    1b\n"
      : [s0] "+&r"(acc->both[0]), [s1] "+&r"(acc->both[1]), [x] "+&r"(x), [p] "+&r"(weights), [word] "+&r"(word),
        [lanes] "=&r"(lanes), [w] "=&r"(w), [t] "=&r"(t)
      : [m] "r"(TINSMITH_TWO_BIT_LANES), [end] "r"(end)
      : "cc", "memory");
#undef TINSMITH_WORD
#undef TINSMITH_PAIR
  /* clang-format on */
}

/** Sum of the top channel of a pair. */
static inline int32_t top(const sums *acc, int32_t pair, const int32_t *bias) {
  return tinsmith_two_bit_top(acc->both[pair], acc->bottom[pair]) + bias[2 * pair + 1];
}

/** One input vector times the whole matrix. added: to weights of bottom channels. */
TINSMITH_NOINLINE static void multiply_vector(output_stage stage, const int32_t *bias, int32_t added, const int8_t *x,
                                              const tinsmith_lanes *weights, int32_t depth, int32_t channels,
                                              int8_t *output) {
  const int32_t words = depth / 4;
  const int32_t run = tinsmith_two_bit_run(added);
  const int32_t term = -added * tinsmith_sum_s8(x, depth);
  TINSMITH_NO_UNROLL
  for (; channels > 0; channels -= kChannels) {
    sums acc = {{bias[0], bias[2]}, {bias[0], bias[2]}};
    int32_t done = 0;
    TINSMITH_NO_UNROLL
    while (done < words) {
      const int32_t count = words - done < run ? words - done : run;
      add_words(&acc, x + 4 * done, weights, count);
      keep_bottoms(&acc);
      weights += count;
      done += count;
    }
    if (depth % 4 != 0) {
      acc = add_rest(acc, x + 4 * words, depth % 4, weights);
      weights += 1;
    }
    const int32_t value0 = acc.bottom[0] + term;
    const int32_t value1 = top(&acc, 0, bias);
    const int32_t value2 = acc.bottom[1] + term;
    const int32_t value3 = top(&acc, 1, bias);
    finish_group(&stage, value0, value1, value2, value3, channels, output);
    bias += kChannels;
    output += kChannels;
  }
}

arm_cmsis_nn_status tinsmith_fully_connected_packed_s2(const cmsis_nn_context *ctx, const cmsis_nn_fc_params *fc_params,
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
  const int32_t added = bias_data[(channels + 3) / 4 * 4];
  for (int32_t n = 0; n < input_dims->n; ++n) {
    multiply_vector(stage, bias_data, added, input_data + n * depth, weights, depth, channels,
                    output_data + n * channels);
  }
  tinsmith_apply_activation(&fc_params->activation, output_data, input_dims->n * channels);
  return ARM_CMSIS_NN_SUCCESS;
}

#endif /* TINSMITH_NN_DSP */

#endif /* TINSMITH_NN_DSP_FULLY_CONNECTED_PACKED_S2_BODY_H */
