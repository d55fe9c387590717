#include "tests/small_calls.h"

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

bool call_add(random_t *random, uint32_t max_cores) {
  tinsmith_pulp_add_t layer = {.rhs = weights, .output = output};
  static int8_t reference[BUFFER_BYTES];
  layer.kind = (tinsmith_pulp_add_kind_t)random_between(random, 0, 2);
  layer.count = (uint32_t)random_between(random, 1, 300);
  layer.lhs_is_signed = random_flag(random);
  layer.rhs_is_signed = random_flag(random);
  layer.output_is_signed = random_flag(random);
  (layer.kind == TINSMITH_PULP_ADD_TFLITE ? random_tflite_add : random_truncating_add)(random, &layer);
  layer.lhs = random_input(random, layer.count);
  random_bytes(random, weights, layer.count);
  clear_output(layer.count);
  team_run(random_cores(random, max_cores), run_add, &layer);
  oracle_add(&layer, expected);
  if (layer.kind == TINSMITH_PULP_ADD_TFLITE) {
    reference_add(&layer, reference);
    return output_is_right(layer.count) && is_reference(reference, layer.count);
  }
  return output_is_right(layer.count);
}

static void run_pool(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_pool(argument, core);
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
  team_run(random_cores(random, max_cores), run_pool, &layer);
  oracle_pool(&layer, expected);
  const bool is_tflite = kind == TINSMITH_PULP_POOL_MAX || kind == TINSMITH_PULP_POOL_AVERAGE_TFLITE;
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

// The oracle is the reference kernel.
bool call_softmax(random_t *random, uint32_t max_cores) {
  tinsmith_pulp_softmax_t layer = {.input = (int8_t *)input, .output = (int8_t *)output};
  layer.rows = (uint32_t)random_between(random, 1, 9);
  layer.columns = (uint32_t)random_between(random, 1, random_between(random, 0, 9) == 0 ? 511 : 20);
  layer.multiplier = random_between(random, 1 << 30, INT32_MAX);
  layer.shift = random_between(random, 18, 24);
  layer.smallest_difference = -(int32_t)(INT64_C(0x7c000000) >> layer.shift);
  const tinsmith_softmax_parameters parameters = {layer.multiplier, layer.shift, layer.smallest_difference};
  random_bytes(random, input, layer.rows * layer.columns);
  clear_output(layer.rows * layer.columns);
  team_run(random_cores(random, max_cores), run_softmax, &layer);
  tinsmith_softmax_s8((int32_t)layer.rows, (int32_t)layer.columns, &parameters, layer.input, (int8_t *)expected);
  return output_is_right(layer.rows * layer.columns);
}
