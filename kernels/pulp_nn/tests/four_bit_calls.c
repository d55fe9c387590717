#include "tests/four_bit_calls.h"

#include <stddef.h>
#include <string.h>

#include "include/tinsmith_pulp_four_bits.h"
#include "tests/buffers.h"
#include "tests/oracle.h"
#include "tests/team.h"

#define MOST_NUMBERS 200
#define MOST_SIXTEENS 400

static void run_widen(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_widen_s4(argument, core);
}

static void run_widen_by_16(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_widen_s4_by_16(argument, core);
}

// Four bits of a byte, as an int8.
static uint8_t signed_half(uint8_t halves, bool is_upper) {
  const int32_t value = is_upper ? halves >> 4 : halves & 15;
  return (uint8_t)(value < 8 ? value : value - 16);
}

bool call_widen_s4(random_t *random, uint32_t max_cores) {
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
  random_bytes(random, weights, 4u * numbers + 8u * sixteens);
  memcpy(expected, weights, 4u * numbers);
  const uint8_t *halves = (const uint8_t *)weights + 4u * numbers;
  const bool is_by_16 = random_between(random, 0, 1) == 1;
  for (uint32_t i = 0u; i < 16u * sixteens; ++i) {
    const uint8_t weight = signed_half(halves[i / 8u * 4u + i % 4u], i % 8u >= 4u);
    expected[4u * numbers + i] = (uint8_t)(is_by_16 ? 16u * weight : weight);
  }
  clear_output(bytes);
  team_run(cores, is_by_16 ? run_widen_by_16 : run_widen, (void *)&call);
  return output_is_right(bytes);
}

static void run_linear(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_arranged_linear_s4(argument, core);
}

static void run_linear_scaled(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_arranged_linear_s4_scaled(argument, core);
}

static void run_linear_scaled_high(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_arranged_linear_s4_scaled_high(argument, core);
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

// Weights of four bits, but for pairs of channels that no byte holds.
static void random_weights(random_t *random, uint32_t rows, uint32_t columns) {
  for (uint32_t i = 0u; i < rows * columns; ++i) {
    const bool is_odd = i / columns % 2u == 1u;
    const int32_t lowest = is_odd && weights[i - columns] < 0 ? -7 : -8;
    weights[i] = (int8_t)(random_between(random, 0, 6) == 0 ? lowest : random_between(random, lowest, 7));
  }
}

static int8_t weight_or_0(const tinsmith_pulp_linear_t *layer, uint32_t row, uint32_t column) {
  return row < layer->outputs ? weights[row * layer->inputs + column] : 0;
}

// Of four rows, the columns from `first` to `end`.
static int8_t *append_words(int8_t *to, const tinsmith_pulp_linear_t *layer, uint32_t row, uint32_t first,
                            uint32_t end) {
  for (uint32_t word = first; word < end; word += 4u) {
    for (uint32_t i = 0u; i < 8u; ++i) {
      const uint32_t even = row + i / 4u * 2u;
      const uint32_t column = word + i % 4u;
      *to++ = (int8_t)(weight_or_0(layer, even, column) + 16 * weight_or_0(layer, even + 1u, column));
    }
  }
  return to;
}

static void append_weights(int8_t *to, const tinsmith_pulp_linear_t *layer) {
  for (uint32_t row = 0u; row < layer->outputs; row += 4u) {
    to = append_words(to, layer, row, 0u, layer->inputs);
  }
}

bool call_linear_s4(random_t *random, uint32_t max_cores) {
  static const tinsmith_pulp_stage_kind_t kKinds[] = {TINSMITH_PULP_TFLITE_S8, TINSMITH_PULP_SCALE_S8,
                                                      TINSMITH_PULP_SCALE_HIGH_S8};
  static const team_work_t kRuns[] = {run_linear, run_linear_scaled, run_linear_scaled_high};
  const uint32_t cores = (uint32_t)random_between(random, 1, (int32_t)max_cores);
  const uint32_t kind = (uint32_t)random_between(random, 0, 2);
  tinsmith_pulp_linear_t layer = {.output = output, .input_is_signed = true};
  layer.inputs = (uint16_t)(4 * random_between(random, 1, 30));
  layer.outputs = (uint16_t)random_between(random, 1, 60);
  layer.stage = random_stage(random, kKinds[kind], 12);
  layer.input = random_input(random, layer.inputs);
  random_weights(random, layer.outputs, layer.inputs);
  append_weights((int8_t *)append_stage((int32_t *)scratch, &layer.stage, layer.outputs), &layer);
  const tinsmith_pulp_linear_numbers_t numbers = {
      layer.inputs, layer.outputs, {layer.stage.zero_point, layer.stage.min, layer.stage.max}};
  const tinsmith_pulp_call_t call = {layer.input, &numbers, scratch, output, NULL};
  clear_output(layer.outputs);
  team_run(cores, kRuns[kind], (void *)&call);
  oracle_linear(&layer, weights, expected);
  return output_is_right(layer.outputs);
}

static void run_blocks(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_arranged_linear_blocks_s4(argument, core);
}

static void run_blocks_scaled(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_arranged_linear_blocks_s4_scaled(argument, core);
}

static void run_blocks_scaled_high(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_arranged_linear_blocks_s4_scaled_high(argument, core);
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
      to = append_words(to, &layer->linear, row, first, end);
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
  static const tinsmith_pulp_stage_kind_t kKinds[] = {TINSMITH_PULP_TFLITE_S8, TINSMITH_PULP_SCALE_S8,
                                                      TINSMITH_PULP_SCALE_HIGH_S8};
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
  random_weights(random, layer.linear.outputs, layer.linear.inputs);
  append_blocks((int8_t *)append_stage((int32_t *)scratch, &layer.linear.stage, layer.linear.outputs), &layer);
  const tinsmith_pulp_linear_blocks_numbers_t numbers = {
      {layer.linear.inputs,
       layer.linear.outputs,
       {layer.linear.stage.zero_point, layer.linear.stage.min, layer.linear.stage.max}},
      (uint16_t)rows,
      (uint16_t)layer.words_of_block};
  const tinsmith_pulp_call_t call = {input, &numbers, scratch, output, NULL};
  clear_output(rows * layer.linear.outputs);
  team_run(cores, kRuns[kind], (void *)&call);
  for (uint32_t row = 0u; row < rows; ++row) {
    oracle_blocks(&layer, input + row * layer.linear.inputs, expected + row * layer.linear.outputs);
  }
  return output_is_right(rows * layer.linear.outputs);
}
