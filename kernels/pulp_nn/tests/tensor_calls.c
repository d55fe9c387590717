#include "tests/tensor_calls.h"

#include <string.h>

#include "include/tinsmith_pulp_tensors.h"
#include "tests/buffers.h"
#include "tests/team.h"
#include "tinsmith/pooling.h"
#include "tinsmith/reduction.h"

#define ELEMENTS_PER_OPERAND (BUFFER_BYTES / 2u)

static uint32_t random_cores(random_t *random, uint32_t max_cores) {
  return (uint32_t)random_between(random, 1, (int32_t)max_cores);
}

static bool random_flag(random_t *random) {
  return random_between(random, 0, 1) != 0;
}

// Rows of two tensors, each operand whole, the same in each row, one element a row, or one element at all.
static tinsmith_pulp_pairs_t random_pairs(random_t *random) {
  tinsmith_pulp_pairs_t pairs = {.output = (int8_t *)output};
  pairs.rows = (uint32_t)random_between(random, 1, random_flag(random) ? 3 : 20);
  pairs.columns = (uint32_t)random_between(random, 1, random_flag(random) ? 9 : 150);
  uint32_t *const steps[] = {&pairs.lhs_step, &pairs.rhs_step};
  uint32_t *const row_steps[] = {&pairs.lhs_row_step, &pairs.rhs_row_step};
  for (uint32_t i = 0u; i < 2u; ++i) {
    *steps[i] = random_between(random, 0, 3) != 0 ? 1u : 0u;
    *row_steps[i] = random_flag(random) ? 0u : *steps[i] != 0u ? pairs.columns : 1u;
  }
  const uint32_t bytes = (pairs.rows - 1u) * pairs.lhs_row_step + (pairs.columns - 1u) * pairs.lhs_step + 1u;
  pairs.lhs = (const int8_t *)random_input(random, bytes);
  pairs.rhs = weights;
  random_bytes(random, weights, ELEMENTS_PER_OPERAND);
  clear_output(pairs.rows * pairs.columns);
  return pairs;
}

typedef int32_t (*function_t)(const void *layer, int8_t lhs, int8_t rhs);

static bool pairs_are_right(const tinsmith_pulp_pairs_t *pairs, function_t function, const void *layer) {
  for (uint32_t row = 0u; row < pairs->rows; ++row) {
    for (uint32_t i = 0u; i < pairs->columns; ++i) {
      const int8_t lhs = pairs->lhs[row * pairs->lhs_row_step + i * pairs->lhs_step];
      const int8_t rhs = pairs->rhs[row * pairs->rhs_row_step + i * pairs->rhs_step];
      expected[row * pairs->columns + i] = (uint8_t)function(layer, lhs, rhs);
    }
  }
  return output_is_right(pairs->rows * pairs->columns);
}

static int32_t clamped(int64_t value, int32_t min, int32_t max) {
  return value < min ? min : value > max ? max : (int32_t)value;
}

// The nearest integer, halves away from zero.
static int64_t divided(int64_t value, int32_t shift) {
  const int64_t half = INT64_C(1) << (shift - 1);
  return value < 0 ? -((-value + half) >> shift) : (value + half) >> shift;
}

// Of all 30 bits of the multiplier; the first rounding brings halves up.
static int64_t product_of(const tinsmith_pulp_mul_t *layer, int8_t lhs, int8_t rhs) {
  const int64_t product = (int64_t)(lhs + layer->lhs_offset) * (rhs + layer->rhs_offset);
  return product * ((int64_t)layer->high * (1 << 15) + layer->low);
}

static int32_t expected_tflite(const void *argument, int8_t lhs, int8_t rhs) {
  const tinsmith_pulp_mul_t *layer = argument;
  const int64_t rounded = (product_of(layer, lhs, rhs) + (1 << 29)) >> 30;
  return clamped(divided(rounded, layer->shift) + layer->addend, layer->min, layer->max);
}

static int32_t expected_scaled(const void *argument, int8_t lhs, int8_t rhs) {
  const tinsmith_pulp_mul_t *layer = argument;
  const int64_t sum = (product_of(layer, lhs, rhs) >> 15) + layer->addend;
  return clamped(sum >> layer->shift, layer->min, layer->max);
}

static void run_mul_tflite(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_mul_tflite_s8(argument, core);
}

static void run_mul_scaled(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_mul_scaled_s8(argument, core);
}

bool call_mul(random_t *random, uint32_t max_cores) {
  const bool is_tflite = random_flag(random);
  tinsmith_pulp_mul_t layer = {.pairs = random_pairs(random)};
  layer.lhs_offset = random_between(random, -127, 128);
  layer.rhs_offset = random_between(random, -127, 128);
  layer.high = random_between(random, is_tflite ? 1 << 14 : 0, is_tflite ? 1 << 15 : 1 << 14);
  layer.low = layer.high == 1 << 15 ? 0 : random_between(random, 0, (1 << 15) - 1);
  layer.shift = random_between(random, is_tflite ? 1 : 0, is_tflite ? 12 : 26);
  layer.addend = is_tflite ? random_between(random, -128, 127) : random_between(random, -(1 << 29), 1 << 29);
  layer.min = random_flag(random) ? -128 : random_between(random, -128, 0);
  layer.max = random_flag(random) ? 127 : random_between(random, 0, 127);
  team_run(random_cores(random, max_cores), is_tflite ? run_mul_tflite : run_mul_scaled, &layer);
  return pairs_are_right(&layer.pairs, is_tflite ? expected_tflite : expected_scaled, &layer);
}

static int32_t expected_sum(const void *argument, int8_t lhs, int8_t rhs) {
  const tinsmith_pulp_sum_t *layer = argument;
  const int64_t sum = (int64_t)layer->lhs_table[(uint8_t)lhs] + layer->rhs_table[(uint8_t)rhs];
  return clamped(sum >> layer->shift, layer->min, layer->max);
}

static void run_sum(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_sum_by_tables(argument, core);
}

bool call_sum_by_tables(random_t *random, uint32_t max_cores) {
  static L1 int32_t tables[2][256];
  tinsmith_pulp_sum_t layer = {.pairs = random_pairs(random), .lhs_table = tables[0], .rhs_table = tables[1]};
  layer.shift = (uint32_t)random_between(random, 0, 22);
  for (uint32_t i = 0u; i < 512u; ++i) {
    tables[i / 256u][i % 256u] = random_between(random, -(100 << layer.shift), 100 << layer.shift);
  }
  layer.min = random_flag(random) ? -128 : random_between(random, -128, 0);
  layer.max = random_flag(random) ? 127 : random_between(random, 0, 127);
  team_run(random_cores(random, max_cores), run_sum, &layer);
  return pairs_are_right(&layer.pairs, expected_sum, &layer);
}

static int32_t expected_smaller(const void *argument, int8_t lhs, int8_t rhs) {
  (void)argument;
  return lhs < rhs ? lhs : rhs;
}

static int32_t expected_larger(const void *argument, int8_t lhs, int8_t rhs) {
  (void)argument;
  return lhs > rhs ? lhs : rhs;
}

static void run_minimum(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_minimum_s8(argument, core);
}

static void run_maximum(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_maximum_s8(argument, core);
}

bool call_extremum(random_t *random, uint32_t max_cores) {
  tinsmith_pulp_pairs_t pairs = random_pairs(random);
  const bool is_minimum = random_flag(random);
  team_run(random_cores(random, max_cores), is_minimum ? run_minimum : run_maximum, &pairs);
  return pairs_are_right(&pairs, is_minimum ? expected_smaller : expected_larger, NULL);
}

static void run_mean(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_mean_s8(argument, core);
}

// Rounded once; what rounds twice is compared with the reference kernel.
static void expect_mean(const tinsmith_pulp_mean_t *layer) {
  for (uint32_t i = 0u; i < layer->outer * layer->inner; ++i) {
    const int8_t *from = layer->input + i / layer->inner * layer->count * layer->inner + i % layer->inner;
    int64_t acc = 0;
    for (uint32_t k = 0u; k < layer->count; ++k) {
      acc += from[k * layer->inner] - layer->input_zero_point;
    }
    const int64_t scaled = (acc * layer->multiplier + layer->addend) >> (31 + layer->shift);
    expected[i] = (uint8_t)clamped(scaled + layer->output_zero_point, layer->min, layer->max);
  }
}

static void expect_reference_mean(const tinsmith_pulp_mean_t *layer) {
  const int32_t outer = (int32_t)layer->outer, count = (int32_t)layer->count, inner = (int32_t)layer->inner;
  const tinsmith_mean_shape shape = {
      .kept_rank = 2,
      .kept_shape = {outer, inner},
      .kept_strides = {count * inner, 1},
      .reduced_rank = 1,
      .reduced_shape = {count},
      .reduced_strides = {inner},
      .count = count,
  };
  const tinsmith_mean_parameters parameters = {
      .input_zero_point = layer->input_zero_point,
      .output_offset = layer->output_zero_point,
      .scale = {layer->multiplier, -layer->shift},
      .clamp_min = layer->min,
      .clamp_max = layer->max,
  };
  tinsmith_mean_s8(&shape, &parameters, layer->input, (int8_t *)expected);
}

bool call_mean(random_t *random, uint32_t max_cores) {
  tinsmith_pulp_mean_t layer = {.output = (int8_t *)output};
  layer.outer = (uint32_t)random_between(random, 1, 3);
  layer.count = (uint32_t)random_between(random, 1, 40);
  layer.inner = (uint32_t)random_between(random, 1, random_flag(random) ? 5 : 60);
  layer.input = (const int8_t *)random_input(random, layer.outer * layer.count * layer.inner);
  layer.input_zero_point = random_between(random, -128, 127);
  layer.is_tflite = random_flag(random);
  layer.multiplier = random_between(random, 1 << 30, INT32_MAX);
  layer.shift = random_between(random, -1, 7);
  layer.addend = random_flag(random) ? INT64_C(1) << (30 + layer.shift) : 0;
  layer.output_zero_point = random_between(random, -128, 127);
  layer.min = random_flag(random) ? -128 : random_between(random, -128, 0);
  layer.max = random_flag(random) ? 127 : random_between(random, 0, 127);
  clear_output(layer.outer * layer.inner);
  team_run(random_cores(random, max_cores), run_mean, &layer);
  if (layer.is_tflite) {
    expect_reference_mean(&layer);
  } else {
    expect_mean(&layer);
  }
  return output_is_right(layer.outer * layer.inner);
}

static void run_move(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_move(argument, core);
}

// Dense in the input, but for an axis along which elements are repeated, and with the output's axes in another order.
static tinsmith_pulp_box_t random_box(random_t *random, uint32_t to) {
  tinsmith_pulp_box_t box = {.input = (uint32_t)random_between(random, 0, 1), .to = to};
  uint32_t from_step = 1u, to_step = 1u;
  const uint32_t turn = random_flag(random) ? 0u : (uint32_t)random_between(random, 1, 3);
  for (uint32_t i = 0u; i < TINSMITH_PULP_BOX_AXES; ++i) {
    const int32_t most = i == 0u ? 40 : 5;
    const uint32_t from_axis = TINSMITH_PULP_BOX_AXES - 1u - i;
    box.sizes[from_axis] = (uint32_t)random_between(random, 1, most);
    box.from_steps[from_axis] = random_between(random, 0, 9) == 0 ? 0u : from_step;
    from_step *= box.sizes[from_axis];
  }
  for (uint32_t i = 0u; i < TINSMITH_PULP_BOX_AXES; ++i) {
    const uint32_t axis = (TINSMITH_PULP_BOX_AXES - 1u - i + turn) % TINSMITH_PULP_BOX_AXES;
    box.to_steps[axis] = to_step;
    to_step *= box.sizes[axis];
    to_step += axis == 3u && turn == 0u ? 3u : 0u;
  }
  return box;
}

static uint32_t place(const uint32_t *steps, const uint32_t *at) {
  return steps[0] * at[0] + steps[1] * at[1] + steps[2] * at[2] + steps[3] * at[3];
}

static uint32_t last_of(const tinsmith_pulp_box_t *box, const uint32_t *steps) {
  const uint32_t at[] = {box->sizes[0] - 1u, box->sizes[1] - 1u, box->sizes[2] - 1u, box->sizes[3] - 1u};
  return place(steps, at);
}

static void expect_box(const tinsmith_pulp_box_t *box, const uint8_t *from) {
  uint32_t at[4];
  for (at[0] = 0u; at[0] < box->sizes[0]; ++at[0]) {
    for (at[1] = 0u; at[1] < box->sizes[1]; ++at[1]) {
      for (at[2] = 0u; at[2] < box->sizes[2]; ++at[2]) {
        for (at[3] = 0u; at[3] < box->sizes[3]; ++at[3]) {
          expected[box->to + place(box->to_steps, at)] = from[box->from + place(box->from_steps, at)];
        }
      }
    }
  }
}

bool call_move(random_t *random, uint32_t max_cores) {
  static L1 tinsmith_pulp_box_t boxes[2];
  static L1 const void *inputs[2];
  tinsmith_pulp_move_t layer = {inputs, output, boxes, (uint32_t)random_between(random, 1, 2)};
  uint32_t end = 0u;
  for (uint32_t i = 0u; i < layer.count; ++i) {
    boxes[i] = random_box(random, end);
    boxes[i].from = (uint32_t)random_between(random, 0, 2);
    const uint32_t bytes = last_of(&boxes[i], boxes[i].to_steps) + 1u;
    if (end + bytes > BUFFER_BYTES || boxes[i].from + last_of(&boxes[i], boxes[i].from_steps) >= BUFFER_BYTES) {
      return true;
    }
    end += bytes;
  }
  inputs[0] = weights;
  random_bytes(random, weights, BUFFER_BYTES);
  inputs[1] = random_input(random, BUFFER_BYTES);
  clear_output(end);
  memset(expected, MARGIN_VALUE, end);
  for (uint32_t i = 0u; i < layer.count; ++i) {
    expect_box(&boxes[i], inputs[boxes[i].input]);
  }
  team_run(random_cores(random, max_cores), run_move, &layer);
  return output_is_right(end);
}
