#include "tests/few_bit_calls.h"

#include <stddef.h>
#include <string.h>

#include "include/tinsmith_pulp_few_bits.h"
#include "tests/buffers.h"
#include "tests/oracle.h"
#include "tests/team.h"

#define MOST_NUMBERS 200
#define MOST_SIXTEENS 400

#define RUN(NAME, FUNCTION)                                           \
  static void run_##NAME(void *argument, tinsmith_pulp_core_t core) { \
    tinsmith_pulp_##FUNCTION(argument, core);                         \
  }

RUN(widen_s4, widen_s4)
RUN(widen_s2, widen_s2)
RUN(widen_s4_by_16, widen_s4_by_16)
RUN(widen_s2_by_64, widen_s2_by_64)
RUN(linear_s4, arranged_linear_s4)
RUN(linear_s2, arranged_linear_s2)
RUN(linear_s4_scaled, arranged_linear_s4_scaled)
RUN(linear_s2_scaled, arranged_linear_s2_scaled)
RUN(linear_s4_scaled_high, arranged_linear_s4_scaled_high)
RUN(linear_s2_scaled_high, arranged_linear_s2_scaled_high)
RUN(blocks, arranged_linear_blocks_s4)
RUN(blocks_scaled, arranged_linear_blocks_s4_scaled)
RUN(blocks_scaled_high, arranged_linear_blocks_s4_scaled_high)

// Bits of a byte from `place` on, as an int8.
static uint8_t signed_field(uint8_t fields, uint32_t place, uint32_t bits) {
  const int32_t value = fields >> place & ((1 << bits) - 1);
  return (uint8_t)(value < 1 << (bits - 1u) ? value : value - (1 << bits));
}

// runs: of weights as they are, and of those that are moved to the highest bits of a byte.
static bool call_widen(random_t *random, uint32_t max_cores, uint32_t bits, const team_work_t *runs) {
  const uint32_t cores = (uint32_t)random_between(random, 1, (int32_t)max_cores);
  const uint32_t numbers = (uint32_t)random_between(random, 0, MOST_NUMBERS);
  const uint32_t sixteens = (uint32_t)random_between(random, 0, random_between(random, 0, 1) == 0 ? 12 : MOST_SIXTEENS);
  const uint32_t bytes = 4u * numbers + 16u * sixteens;
  const tinsmith_pulp_widen_t call = {
      .packed = weights,
      .widened = output,
      .numbers = numbers,
      .numbers_share = (numbers + cores - 1u) / cores,
      .sixteens = sixteens,
      .sixteens_share = ((sixteens + cores - 1u) / cores) | 1u,
  };
  random_bytes(random, weights, 4u * numbers + 2u * bits * sixteens);
  memcpy(expected, weights, 4u * numbers);
  const uint8_t *fields = (const uint8_t *)weights + 4u * numbers;
  const bool is_raised = random_between(random, 0, 1) == 1;
  const uint32_t of_word = 32u / bits;
  for (uint32_t i = 0u; i < 16u * sixteens; ++i) {
    const uint8_t weight = signed_field(fields[i / of_word * 4u + i % 4u], i % of_word / 4u * bits, bits);
    expected[4u * numbers + i] = (uint8_t)(is_raised ? weight << (8u - bits) : weight);
  }
  clear_output(bytes);
  team_run(cores, runs[is_raised ? 1 : 0], (void *)&call);
  return output_is_right(bytes);
}

bool call_widen_s4(random_t *random, uint32_t max_cores) {
  static const team_work_t kRuns[] = {run_widen_s4, run_widen_s4_by_16};
  return call_widen(random, max_cores, 4u, kRuns);
}

bool call_widen_s2(random_t *random, uint32_t max_cores) {
  static const team_work_t kRuns[] = {run_widen_s2, run_widen_s2_by_64};
  return call_widen(random, max_cores, 2u, kRuns);
}

static int32_t *append(int32_t *to, const void *from, uint32_t words) {
  memcpy(to, from, words * sizeof *to);
  return to + words;
}

static int32_t *append_bias(int32_t *to, const tinsmith_pulp_stage_t *stage, uint32_t channels) {
  for (uint32_t i = 0u; i < channels; ++i) {
    *to++ = stage->bias != NULL ? stage->bias[i] : stage->bias_s8 != NULL ? stage->bias_s8[i] : 0;
  }
  return to;
}

// What the stage has of each channel, in the order of tinsmith_pulp_arranged.h. Scales of low words have the bias in
// their addends, so the stage has none then.
static int32_t *append_stage(int32_t *to, tinsmith_pulp_stage_t *stage, uint32_t channels) {
  switch (stage->kind) {
    case TINSMITH_PULP_TFLITE_S8:
      to = append_bias(to, stage, channels);
      to = append(to, stage->multipliers, channels);
      return append(to, stage->shifts, channels);
    case TINSMITH_PULP_SCALE_HIGH_S8:
      to = append_bias(to, stage, channels);
      return append(to, stage->scales, 3u * channels);
    default:
      stage->bias = NULL;
      stage->bias_s8 = NULL;
      return append(to, stage->scales, 3u * channels);
  }
}

// Row `row` of column `column`, and the rows before it that share its byte, as that byte has them.
static int32_t byte_of(const tinsmith_pulp_linear_t *layer, uint32_t row, uint32_t column, uint32_t bits) {
  int32_t sum = 0;
  for (uint32_t i = row - row % (8u / bits); i <= row; ++i) {
    const int32_t weight = i < layer->outputs ? weights[i * layer->inputs + column] : 0;
    sum += weight * (1 << bits * (i % (8u / bits)));
  }
  return sum;
}

// Weights of so many bits, but for those that no byte holds with the rows before.
static void random_weights(random_t *random, const tinsmith_pulp_linear_t *layer, uint32_t bits) {
  const int32_t end = 1 << (bits - 1u);
  for (uint32_t i = 0u; i < (uint32_t)layer->outputs * layer->inputs; ++i) {
    const uint32_t row = i / layer->inputs;
    const bool is_first = row % (8u / bits) == 0u;
    const bool fits = is_first || byte_of(layer, row - 1u, i % layer->inputs, bits) >= 0;
    const int32_t lowest = fits ? -end : 1 - end;
    weights[i] = (int8_t)(random_between(random, 0, 6) == 0 ? lowest : random_between(random, lowest, end - 1));
  }
}

// Of four rows, the columns from `first` to `end`.
static int8_t *append_words(int8_t *to, const tinsmith_pulp_linear_t *layer, uint32_t bits, uint32_t row,
                            uint32_t first, uint32_t end) {
  const uint32_t rows = 8u / bits;
  for (uint32_t word = first; word < end; word += 4u) {
    for (uint32_t i = 0u; i < 16u / rows; ++i) {
      *to++ = (int8_t)byte_of(layer, row + i / 4u * rows + rows - 1u, word + i % 4u, bits);
    }
  }
  return to;
}

static void append_weights(int8_t *to, const tinsmith_pulp_linear_t *layer, uint32_t bits) {
  for (uint32_t row = 0u; row < layer->outputs; row += 4u) {
    to = append_words(to, layer, bits, row, 0u, layer->inputs);
  }
}

static const tinsmith_pulp_stage_kind_t kKinds[] = {TINSMITH_PULP_TFLITE_S8, TINSMITH_PULP_SCALE_S8,
                                                    TINSMITH_PULP_SCALE_HIGH_S8};

static tinsmith_pulp_linear_numbers_t numbers_of(const tinsmith_pulp_linear_t *layer) {
  const tinsmith_pulp_stage_t *stage = &layer->stage;
  return (tinsmith_pulp_linear_numbers_t){layer->inputs, layer->outputs, {stage->zero_point, stage->min, stage->max}};
}

static bool call_linear(random_t *random, uint32_t max_cores, uint32_t bits, const team_work_t *runs) {
  const uint32_t cores = (uint32_t)random_between(random, 1, (int32_t)max_cores);
  const uint32_t kind = (uint32_t)random_between(random, 0, 2);
  tinsmith_pulp_linear_t layer = {.output = output, .input_is_signed = true};
  layer.inputs = (uint16_t)(4 * random_between(random, 1, 30));
  layer.outputs = (uint16_t)random_between(random, 1, 60);
  layer.stage = random_stage(random, kKinds[kind], 12);
  layer.input = random_input(random, layer.inputs);
  random_weights(random, &layer, bits);
  append_weights((int8_t *)append_stage((int32_t *)scratch, &layer.stage, layer.outputs), &layer, bits);
  const tinsmith_pulp_linear_numbers_t numbers = numbers_of(&layer);
  const tinsmith_pulp_call_t call = {layer.input, &numbers, scratch, output, NULL};
  clear_output(layer.outputs);
  team_run(cores, runs[kind], (void *)&call);
  oracle_linear(&layer, weights, expected);
  return output_is_right(layer.outputs);
}

bool call_linear_s4(random_t *random, uint32_t max_cores) {
  static const team_work_t kRuns[] = {run_linear_s4, run_linear_s4_scaled, run_linear_s4_scaled_high};
  return call_linear(random, max_cores, 4u, kRuns);
}

bool call_linear_s2(random_t *random, uint32_t max_cores) {
  static const team_work_t kRuns[] = {run_linear_s2, run_linear_s2_scaled, run_linear_s2_scaled_high};
  return call_linear(random, max_cores, 2u, kRuns);
}

#define MOST_ROWS 3u

typedef struct {
  tinsmith_pulp_linear_t linear;
  uint32_t words_of_block;
  uint32_t blocks;
  uint8_t multipliers[64 * 16];  // of each output's blocks
} blocks_layer_t;

static uint8_t multiplier_or_0(const blocks_layer_t *layer, uint32_t row, uint32_t block) {
  return row < layer->linear.outputs ? layer->multipliers[row * layer->blocks + block] : 0u;
}

static void append_blocks(int8_t *to, const blocks_layer_t *layer) {
  const uint32_t columns = 4u * layer->words_of_block;
  for (uint32_t row = 0u; row < layer->linear.outputs; row += 4u) {
    for (uint32_t block = 0u; block < layer->blocks; ++block) {
      const uint32_t first = block * columns;
      const uint32_t end = first + columns < layer->linear.inputs ? first + columns : layer->linear.inputs;
      to = append_words(to, &layer->linear, 4u, row, first, end);
      for (uint32_t i = 0u; i < 4u; ++i) {
        *to++ = (int8_t)multiplier_or_0(layer, row + i, block);
      }
    }
  }
}

static void oracle_blocks(const blocks_layer_t *layer, const uint8_t *input, uint8_t *result) {
  const tinsmith_pulp_linear_t *linear = &layer->linear;
  for (uint32_t row = 0u; row < linear->outputs; ++row) {
    int32_t sum = 0;
    for (uint32_t i = 0u; i < linear->inputs; ++i) {
      const int32_t multiplier = layer->multipliers[row * layer->blocks + i / 4u / layer->words_of_block];
      sum += multiplier * (int8_t)input[i] * weights[row * linear->inputs + i];
    }
    result[row] = (uint8_t)oracle_stage(&linear->stage, row, sum);
  }
}

bool call_linear_blocks_s4(random_t *random, uint32_t max_cores) {
  static const team_work_t kRuns[] = {run_blocks, run_blocks_scaled, run_blocks_scaled_high};
  const uint32_t cores = (uint32_t)random_between(random, 1, (int32_t)max_cores);
  const uint32_t kind = (uint32_t)random_between(random, 0, 2);
  const uint32_t rows = (uint32_t)random_between(random, 1, MOST_ROWS);
  static blocks_layer_t layer;
  layer.linear = (tinsmith_pulp_linear_t){.output = output, .input_is_signed = true};
  layer.linear.inputs = (uint16_t)(4 * random_between(random, 1, 16));
  layer.linear.outputs = (uint16_t)random_between(random, 1, 60);
  layer.words_of_block = (uint32_t)random_between(random, 1, layer.linear.inputs / 4);
  layer.blocks = (layer.linear.inputs / 4u + layer.words_of_block - 1u) / layer.words_of_block;
  layer.linear.stage = random_stage(random, kKinds[kind], 18);
  const uint8_t *input = random_input(random, rows * layer.linear.inputs);
  random_bytes(random, layer.multipliers, layer.linear.outputs * layer.blocks);
  random_weights(random, &layer.linear, 4u);
  append_blocks((int8_t *)append_stage((int32_t *)scratch, &layer.linear.stage, layer.linear.outputs), &layer);
  const tinsmith_pulp_linear_blocks_numbers_t numbers = {numbers_of(&layer.linear), (uint16_t)rows,
                                                         (uint16_t)layer.words_of_block};
  const tinsmith_pulp_call_t call = {input, &numbers, scratch, output, NULL};
  clear_output(rows * layer.linear.outputs);
  team_run(cores, kRuns[kind], (void *)&call);
  for (uint32_t row = 0u; row < rows; ++row) {
    oracle_blocks(&layer, input + row * layer.linear.inputs, expected + row * layer.linear.outputs);
  }
  return output_is_right(rows * layer.linear.outputs);
}
