// Fully connected layers with weights of four bits and a multiplier for each block of inputs: four outputs at a time, a
// core takes groups of four.
#include "internal/arranged.h"
#include "internal/halves.h"
#include "internal/stage.h"
#include "tinsmith_pulp_few_bits.h"

typedef struct {
  tinsmith_pulp_linear_t linear;
  uint32_t rows;
  uint32_t words_of_block;
  uint32_t whole_blocks;  // that one loop takes; blocks of a single word none does
} layer_t;

// What is summed of four rows of weights: of odd ones 16 times.
typedef struct {
  const int8_t *w;
  const uint8_t *p;
  int32_t acc[STAGE_CHANNELS];
} sums_t;

// The sums of a block, as sums_of_fields() has them, by its multipliers, which are behind its weights.
ALWAYS_INLINE void add_block(sums_t *sums, uint32_t words) {
  int32_t block[STAGE_CHANNELS] = {0, 0, 0, 0};
  sums_of_fields(sums->w, sums->p, words, block);
  sums->w += BLOCK_WORD_BYTES * words;
  sums->p += 4u * words;
  const uint8_t *multipliers = (const uint8_t *)sums->w;
  UNROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS; i += 2u) {
    const int32_t even = block[i] >> 4;
    sums->acc[i] += multipliers[i] * even;
    sums->acc[i + 1u] += multipliers[i + 1u] * (block[i + 1u] - even);
  }
  sums->w += STAGE_CHANNELS;
}

#if TINSMITH_COREV

// A word of four rows; the products of a block's first one are not added to anything.
#define WORD(DOT)                                                           \
  "cv.lw %[pair], (%[w]), 4\n\t"                                            \
  "cv.lw %[x], (%[p]), 4\n\t"                                               \
  "cv.lw %[other], (%[w]), 4\n\t"                                           \
  "cv.sll.sci.b %[low], %[pair], 4\n\t" DOT " %[b1], %[x], %[pair]\n\t" DOT \
  " %[b0], %[x], %[low]\n\t"                                                \
  "cv.sll.sci.b %[low], %[other], 4\n\t" DOT " %[b3], %[x], %[other]\n\t" DOT " %[b2], %[x], %[low]"

// Blocks of `words` words, at least two: nine instructions for the products of each, and 13 for the multipliers.
ALWAYS_INLINE void add_blocks(sums_t *sums, uint32_t blocks, uint32_t words) {
  const int8_t *w = sums->w;
  const uint8_t *p = sums->p;
  int32_t *acc = sums->acc;
  uint32_t x, pair, other, low;
  int32_t b0, b1, b2, b3;
  __asm__ volatile(COREV_OUTER_LOOP("%[n]")                                                            //
                   WORD("cv.dotsp.b") "\n\t" COREV_LOOP("%[more]") WORD("cv.sdotsp.b") COREV_LOOP_END  //
                   "cv.lbu %[x], (%[w]), 1\n\t"
                   "cv.lbu %[pair], (%[w]), 1\n\t"
                   "cv.lbu %[other], (%[w]), 1\n\t"
                   "cv.lbu %[low], (%[w]), 1\n\t"
                   "srai %[b0], %[b0], 4\n\t"
                   "srai %[b2], %[b2], 4\n\t"
                   "sub %[b1], %[b1], %[b0]\n\t"
                   "sub %[b3], %[b3], %[b2]\n\t"
                   "cv.mac %[a0], %[x], %[b0]\n\t"
                   "cv.mac %[a1], %[pair], %[b1]\n\t"
                   "cv.mac %[a2], %[other], %[b2]\n\t"
                   "cv.mac %[a3], %[low], %[b3]"  //
                   COREV_OUTER_LOOP_END
                   : [w] "+&r"(w), [p] "+&r"(p), [x] "=&r"(x), [pair] "=&r"(pair), [other] "=&r"(other),
                     [low] "=&r"(low), [b0] "=&r"(b0), [b1] "=&r"(b1), [b2] "=&r"(b2), [b3] "=&r"(b3),
                     [a0] "+&r"(acc[0]), [a1] "+&r"(acc[1]), [a2] "+&r"(acc[2]), [a3] "+&r"(acc[3])
                   : [n] "r"(blocks), [more] "r"(words - 1u)
                   : "memory");
  sums->w = w;
  sums->p = p;
}

#else

ALWAYS_INLINE void add_blocks(sums_t *sums, uint32_t blocks, uint32_t words) {
  for (uint32_t block = 0u; block < blocks; ++block) {
    add_block(sums, words);
  }
}

#endif

// acc: the sums of four outputs without biases. Returns the weights of the next four.
ALWAYS_INLINE const int8_t *group_sums(const layer_t *layer, const int8_t *weights, const uint8_t *input,
                                       int32_t *acc) {
  sums_t sums = {weights, input, {0, 0, 0, 0}};
  const uint32_t words = layer->words_of_block;
  if (layer->whole_blocks != 0u) {
    add_blocks(&sums, layer->whole_blocks, words);
  }
  for (uint32_t left = layer->linear.inputs / 4u - words * layer->whole_blocks; left != 0u;) {
    const uint32_t count = left < words ? left : words;
    add_block(&sums, count);
    left -= count;
  }
  UNROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS; i += 2u) {
    acc[i] = sums.acc[i];
    acc[i + 1u] = sums.acc[i + 1u] >> 4;
  }
  return sums.w;
}

// Bytes of the weights and multipliers of four outputs.
ALWAYS_INLINE uint32_t group_bytes(const layer_t *layer) {
  const uint32_t words = layer->linear.inputs / 4u;
  const uint32_t blocks = quotient(words + layer->words_of_block - 1u, layer->words_of_block);
  return BLOCK_WORD_BYTES * words + STAGE_CHANNELS * blocks;
}

ALWAYS_INLINE void one_row(const layer_t *layer, const uint8_t *input, uint8_t *output, uint32_t first, uint32_t end,
                           tinsmith_pulp_stage_kind_t kind) {
  const tinsmith_pulp_stage_t *stage = &layer->linear.stage;
  const int8_t *weights = layer->linear.weights + first / STAGE_CHANNELS * group_bytes(layer);
  int32_t acc[STAGE_CHANNELS];
  for (uint32_t channel = first; channel < end; channel += STAGE_CHANNELS) {
    weights = group_sums(layer, weights, input, acc);
    const uint32_t count = end - channel;
    UNROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS; ++i) {
      if (i < count) {
        acc[i] = (int32_t)((uint32_t)acc[i] + (uint32_t)stage_bias(stage, channel + i));
      }
    }
    if (count >= STAGE_CHANNELS) {
      stage_store(stage, kind, channel, acc, 1u, output + channel, 0u);
      continue;
    }
    UNROLLED for (uint32_t i = 0u; i < STAGE_CHANNELS - 1u; ++i) {
      if (i < count) {
        output[channel + i] = (uint8_t)stage_element(stage, kind, channel + i, acc[i]);
      }
    }
  }
}

ALWAYS_INLINE void linear_blocks_s4(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core,
                                    tinsmith_pulp_stage_kind_t kind) {
  const tinsmith_pulp_linear_blocks_numbers_t *numbers = call->numbers;
  const tinsmith_pulp_call_t linear = {call->input, &numbers->linear, call->constants, call->output, NULL};
  const uint32_t words = numbers->words_of_block;
  const layer_t layer = {linear_of(&linear, kind), numbers->rows, words,
                         words < 2u ? 0u : quotient(numbers->linear.inputs / 4u, words)};
  const uint32_t outputs = layer.linear.outputs;
  const uint32_t groups = (outputs + STAGE_CHANNELS - 1u) / STAGE_CHANNELS;
  const uint32_t first = STAGE_CHANNELS * quotient(groups * core.core, core.cores);
  const uint32_t end = STAGE_CHANNELS * quotient(groups * (core.core + 1u), core.cores);
  for (uint32_t row = 0u; row < layer.rows; ++row) {
    one_row(&layer, (const uint8_t *)call->input + row * layer.linear.inputs, (uint8_t *)call->output + row * outputs,
            first, end > outputs ? outputs : end, kind);
  }
}

#define ARRANGED(SUFFIX, KIND)                                                                                        \
  void tinsmith_pulp_arranged_linear_blocks_s4##SUFFIX(const tinsmith_pulp_call_t *call, tinsmith_pulp_core_t core) { \
    linear_blocks_s4(call, core, KIND);                                                                               \
  }

ARRANGED(, TINSMITH_PULP_TFLITE_S8)
ARRANGED(_scaled, TINSMITH_PULP_SCALE_S8)
ARRANGED(_scaled_high, TINSMITH_PULP_SCALE_HIGH_S8)
