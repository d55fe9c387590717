#include "tests/small_calls.h"

#include <string.h>

#include "tests/buffers.h"
#include "tests/oracle.h"
#include "tests/team.h"
#include "tinsmith/elementwise.h"
#include "tinsmith/pooling.h"
#include "tinsmith/softmax.h"

static uint32_t random_cores(random_t *random, uint32_t max_cores) {
  return (uint32_t)random_between(random, 1, (int32_t)max_cores);
}

static bool random_flag(random_t *random) {
  return random_between(random, 0, 1) == 1;
}

// Whether what the oracle expects is what the reference kernel computed.
static bool is_reference(const int8_t *reference, uint32_t bytes) {
  for (uint32_t i = 0u; i < bytes; ++i) {
    if ((uint8_t)reference[i] != expected[i]) {
      return false;
    }
  }
  return true;
}

static void run_add(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_add(argument, core);
}

static void run_add_tflite(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_add_tflite_s8(argument, core);
}

static void run_add_weighted(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_add_weighted_s8(argument, core);
}

static L1 int32_t lhs_table[256];
static L1 int32_t rhs_table[256];

static void random_tflite_add(random_t *random, tinsmith_pulp_add_t *layer) {
  layer->lhs_zero_point = random_between(random, -128, 127);
  layer->rhs_zero_point = random_between(random, -128, 127);
  layer->output_zero_point = random_between(random, -128, 127);
  // The input with the larger scale has a multiplier of one half.
  layer->lhs_multiplier = random_flag(random) ? 1 << 30 : random_between(random, 1 << 30, INT32_MAX);
  layer->rhs_multiplier = random_between(random, 1 << 30, INT32_MAX);
  layer->output_multiplier = random_between(random, 1 << 30, INT32_MAX);
  // TFLite divides the inputs' scales by twice the larger one, and the output by 2**20 times its own.
  layer->lhs_shift = random_between(random, 0, random_between(random, 0, 9) == 0 ? 31 : 4);
  layer->rhs_shift = random_between(random, 0, 4);
  layer->output_shift = random_between(random, 15, 21);
  if (random_between(random, 0, 9) == 0) {
    layer->output_shift = random_between(random, 0, 31);
  }
  layer->min = random_flag(random) ? -128 : layer->output_zero_point;
  layer->max = random_between(random, layer->min, 127);
}

static void random_truncating_add(random_t *random, tinsmith_pulp_add_t *layer) {
  layer->lhs_multiplier = random_between(random, -300, 300);
  layer->rhs_multiplier = random_between(random, -300, 300);
  layer->output_multiplier = random_between(random, -300, 300);
  layer->lhs_addend = random_between(random, -5000, 5000);
  layer->rhs_addend = random_between(random, -5000, 5000);
  layer->output_addend = random_between(random, -5000, 5000);
  layer->lhs_shift = random_between(random, 0, 10);
  layer->rhs_shift = random_between(random, 0, 10);
  layer->output_shift = random_between(random, 0, 10);
  const int32_t lowest = layer->output_is_signed ? -128 : 0;
  if (random_flag(random)) {
    layer->min = random_between(random, lowest, lowest + 255);
    layer->max = random_between(random, layer->min, lowest + 255);
  }
}

// Tables of any sums whatever.
static void random_tables(random_t *random, tinsmith_pulp_add_t *layer) {
  layer->table_shift = random_between(random, 0, 31);
  const int32_t largest =
      (int32_t)(INT64_C(0x3fffffff) < INT64_C(200) << layer->table_shift ? INT64_C(0x3fffffff)
                                                                         : INT64_C(200) << layer->table_shift);
  for (uint32_t i = 0u; i < 256u; ++i) {
    lhs_table[i] = random_between(random, -largest, largest);
    rhs_table[i] = random_between(random, -largest, largest);
  }
  layer->lhs_table = lhs_table;
  layer->rhs_table = rhs_table;
}

static void reference_add(const tinsmith_pulp_add_t *layer, int8_t *result) {
  const tinsmith_broadcast broadcast = {1, {(int32_t)layer->count}, {1}, {1}};
  const tinsmith_add_parameters parameters = {
      .lhs_offset = -layer->lhs_zero_point,
      .rhs_offset = -layer->rhs_zero_point,
      .output_offset = layer->output_zero_point,
      .left_shift = 20,
      .lhs = {layer->lhs_multiplier, -layer->lhs_shift},
      .rhs = {layer->rhs_multiplier, -layer->rhs_shift},
      .output = {layer->output_multiplier, -layer->output_shift},
      .clamp_min = layer->min,
      .clamp_max = layer->max,
  };
  tinsmith_add_s8(&broadcast, &parameters, layer->lhs, layer->rhs, result);
}

static tinsmith_pulp_add_t random_add(random_t *random, tinsmith_pulp_add_kind_t kind) {
  tinsmith_pulp_add_t layer = {.kind = kind, .rhs = weights, .output = output};
  layer.count = (uint32_t)random_between(random, 1, 300);
  layer.lhs_is_signed = random_flag(random);
  layer.rhs_is_signed = random_flag(random);
  layer.output_is_signed = random_flag(random);
  (kind == TINSMITH_PULP_ADD_TFLITE ? random_tflite_add : random_truncating_add)(random, &layer);
  layer.lhs = random_input(random, layer.count);
  random_bytes(random, weights, layer.count);
  clear_output(layer.count);
  return layer;
}

bool call_add(random_t *random, uint32_t max_cores) {
  static int8_t reference[BUFFER_BYTES];
  tinsmith_pulp_add_t layer = random_add(random, (tinsmith_pulp_add_kind_t)random_between(random, 0, 2));
  bool is_s8 = layer.kind == TINSMITH_PULP_ADD_WEIGHTED && random_flag(random);
  if (is_s8) {
    random_truncating_add(random, &layer);
    layer.lhs_is_signed = layer.rhs_is_signed = layer.output_is_signed = true;
    layer.min = layer.max == 0 ? 0 : -128;
    layer.max = layer.max == 0 ? 0 : random_between(random, -128, 127);
  }
  team_run(random_cores(random, max_cores), is_s8 ? run_add_weighted : run_add, &layer);
  oracle_add(&layer, expected);
  if (layer.kind == TINSMITH_PULP_ADD_TFLITE) {
    reference_add(&layer, reference);
    return output_is_right(layer.count) && is_reference(reference, layer.count);
  }
  return output_is_right(layer.count);
}

// Every other time tables that give TFLite's bytes, which all scales but those of no network have.
bool call_add_by_tables(random_t *random, uint32_t max_cores) {
  tinsmith_pulp_add_t layer = random_add(random, TINSMITH_PULP_ADD_TFLITE);
  if (random_flag(random)) {
    const tinsmith_pulp_add_t without = layer;
    const bool is_usual = layer.output_shift >= 15 && layer.output_shift <= 21;
    if (!tinsmith_pulp_add_tables(&layer, lhs_table, rhs_table)) {
      return !is_usual && layer.lhs_table == NULL;
    }
    oracle_add(&without, expected);
  } else {
    random_tables(random, &layer);
    oracle_add(&layer, expected);
  }
  team_run(random_cores(random, max_cores), random_flag(random) ? run_add : run_add_tflite, &layer);
  return output_is_right(layer.count);
}

static void run_pool(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_pool(argument, core);
}

static void run_max_pool(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_max_pool_s8(argument, core);
}

static void run_average_pool(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_average_pool_tflite_s8(argument, core);
}

static uint16_t output_size(uint16_t size, uint16_t padding, uint16_t kernel, uint16_t stride) {
  return (uint16_t)((size + 2 * padding - kernel) / stride + 1);
}

// Now and then one window over everything.
static void random_pool_sizes(random_t *random, tinsmith_pulp_pool_t *layer) {
  const bool is_global = random_between(random, 0, 4) == 0;
  do {
    layer->input_height = (uint16_t)random_between(random, 1, 14);
    layer->input_width = (uint16_t)random_between(random, 1, 14);
    layer->channels = (uint16_t)random_between(random, 1, random_flag(random) ? 40 : 9);
    layer->kernel_height = is_global ? layer->input_height : (uint16_t)random_between(random, 1, 5);
    layer->kernel_width = is_global ? layer->input_width : (uint16_t)random_between(random, 1, 5);
    layer->pad_top = (uint16_t)random_between(random, 0, (layer->kernel_height - 1) / 2);
    layer->pad_left = (uint16_t)random_between(random, 0, (layer->kernel_width - 1) / 2);
  } while (layer->kernel_height > layer->input_height || layer->kernel_width > layer->input_width);
  layer->stride_height = (uint16_t)random_between(random, 1, 3);
  layer->stride_width = (uint16_t)random_between(random, 1, 3);
  layer->output_height = output_size(layer->input_height, layer->pad_top, layer->kernel_height, layer->stride_height);
  layer->output_width = output_size(layer->input_width, layer->pad_left, layer->kernel_width, layer->stride_width);
}

static void reference_pool(const tinsmith_pulp_pool_t *layer, int8_t *result) {
  const tinsmith_pool_shape shape = {
      .batches = 1,
      .input_height = layer->input_height,
      .input_width = layer->input_width,
      .channels = layer->channels,
      .output_height = layer->output_height,
      .output_width = layer->output_width,
      .window_height = layer->kernel_height,
      .window_width = layer->kernel_width,
      .stride_height = layer->stride_height,
      .stride_width = layer->stride_width,
      .padding_top = layer->pad_top,
      .padding_left = layer->pad_left,
  };
  const tinsmith_clamp clamp = {layer->min, layer->max};
  if (layer->kind == TINSMITH_PULP_POOL_MAX) {
    tinsmith_max_pool2d_s8(&shape, &clamp, layer->input, result);
  } else {
    tinsmith_average_pool2d_s8(&shape, &clamp, layer->input, result);
  }
}

static bool call_pool(random_t *random, uint32_t max_cores, tinsmith_pulp_pool_kind_t kind) {
  tinsmith_pulp_pool_t layer = {.kind = kind, .output = output};
  static int8_t reference[BUFFER_BYTES];
  random_pool_sizes(random, &layer);
  layer.input = random_input(random, (uint32_t)layer.input_height * layer.input_width * layer.channels);
  layer.input_is_signed = kind != TINSMITH_PULP_POOL_AVERAGE_DIVIDED && random_flag(random);
  layer.output_is_signed = random_flag(random);
  layer.multiplier = random_between(random, 0, 300);
  layer.addend = random_between(random, -3000, 3000);
  layer.shift = random_between(random, 6, 12);
  const int32_t lowest = layer.input_is_signed ? -128 : 0;
  layer.min = random_flag(random) ? lowest : random_between(random, lowest, lowest + 127);
  layer.max = random_flag(random) ? lowest + 255 : random_between(random, layer.min, lowest + 255);
  const uint32_t bytes = (uint32_t)layer.output_height * layer.output_width * layer.channels;
  clear_output(bytes);
  const bool is_tflite = kind == TINSMITH_PULP_POOL_MAX || kind == TINSMITH_PULP_POOL_AVERAGE_TFLITE;
  const bool is_typed = is_tflite && layer.input_is_signed && random_flag(random);
  const team_work_t typed = kind == TINSMITH_PULP_POOL_MAX ? run_max_pool : run_average_pool;
  team_run(random_cores(random, max_cores), is_typed ? typed : run_pool, &layer);
  oracle_pool(&layer, expected);
  if (is_tflite && layer.input_is_signed) {
    reference_pool(&layer, reference);
    return output_is_right(bytes) && is_reference(reference, bytes);
  }
  return output_is_right(bytes);
}

bool call_max_pool(random_t *random, uint32_t max_cores) {
  return call_pool(random, max_cores, TINSMITH_PULP_POOL_MAX);
}

bool call_average_pool(random_t *random, uint32_t max_cores) {
  static const tinsmith_pulp_pool_kind_t kKinds[] = {
      TINSMITH_PULP_POOL_AVERAGE_SCALED, TINSMITH_PULP_POOL_AVERAGE_DIVIDED, TINSMITH_PULP_POOL_AVERAGE_PLAIN,
      TINSMITH_PULP_POOL_AVERAGE_TFLITE, TINSMITH_PULP_POOL_AVERAGE_TFLITE};
  return call_pool(random, max_cores, kKinds[random_between(random, 0, 4)]);
}

static void run_softmax(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_softmax(argument, core);
}

static void run_softmax_by_table(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_softmax_by_table(argument, core);
}

// The oracle is the reference kernel.
bool call_softmax(random_t *random, uint32_t max_cores) {
  static L1 int32_t exponentials[256];
  tinsmith_pulp_softmax_t layer = {.input = (int8_t *)input, .output = (int8_t *)output};
  layer.rows = (uint32_t)random_between(random, 1, 9);
  layer.columns = (uint32_t)random_between(random, 1, random_between(random, 0, 9) == 0 ? 511 : 20);
  layer.multiplier = random_between(random, 1 << 30, INT32_MAX);
  layer.shift = random_between(random, 18, 24);
  layer.smallest_difference = -(int32_t)(INT64_C(0x7c000000) >> layer.shift);
  const tinsmith_softmax_parameters parameters = {layer.multiplier, layer.shift, layer.smallest_difference};
  random_bytes(random, input, layer.rows * layer.columns);
  if (random_between(random, 0, 3) == 0) {
    memset(input, random_between(random, 0, 255), layer.rows * layer.columns);
  }
  clear_output(layer.rows * layer.columns);
  if (random_flag(random)) {
    tinsmith_pulp_softmax_exponentials(&layer, exponentials);
    layer.exponentials = exponentials;
  }
  const bool is_typed = layer.exponentials != NULL && random_flag(random);
  team_run(random_cores(random, max_cores), is_typed ? run_softmax_by_table : run_softmax, &layer);
  tinsmith_softmax_s8((int32_t)layer.rows, (int32_t)layer.columns, &parameters, layer.input, (int8_t *)expected);
  return output_is_right(layer.rows * layer.columns);
}

static void run_lookup(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_lookup(argument, core);
}

// Now and then in place.
bool call_lookup(random_t *random, uint32_t max_cores) {
  const uint32_t count = (uint32_t)random_between(random, 1, 300);
  const bool is_in_place = random_flag(random);
  const uint8_t *from = random_input(random, count);
  random_bytes(random, weights, 256u);
  clear_output(count);
  for (uint32_t i = 0u; i < count; ++i) {
    expected[i] = (uint8_t)weights[from[i]];
  }
  if (is_in_place) {
    memcpy(output, from, count);
  }
  tinsmith_pulp_lookup_t layer = {is_in_place ? output : from, output, weights, count};
  team_run(random_cores(random, max_cores), run_lookup, &layer);
  return output_is_right(count);
}

static void run_copy(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_copy(argument, core);
}

bool call_copy(random_t *random, uint32_t max_cores) {
  tinsmith_pulp_copy_t layer = {.output = output};
  layer.rows = (uint32_t)random_between(random, 1, random_flag(random) ? 4 : 20);
  layer.row_bytes = (uint32_t)random_between(random, 1, random_flag(random) ? 14 : 150);
  layer.input_step = layer.row_bytes + (uint32_t)random_between(random, 0, 9);
  layer.output_step = layer.row_bytes + (uint32_t)random_between(random, 0, 9);
  const uint32_t read = (layer.rows - 1u) * layer.input_step + layer.row_bytes;
  const uint32_t written = (layer.rows - 1u) * layer.output_step + layer.row_bytes;
  const uint8_t *from = random_input(random, read);
  layer.input = from;
  clear_output(written);
  memset(expected, MARGIN_VALUE, written);
  for (uint32_t row = 0u; row < layer.rows; ++row) {
    for (uint32_t i = 0u; i < layer.row_bytes; ++i) {
      expected[row * layer.output_step + i] = from[row * layer.input_step + i];
    }
  }
  team_run(random_cores(random, max_cores), run_copy, &layer);
  return output_is_right(written);
}
