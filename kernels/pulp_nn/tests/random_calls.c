#include "tests/random_calls.h"

#include <stddef.h>

#include "src/internal/stage.h"
#include "tests/buffers.h"
#include "tests/few_bit_calls.h"
#include "tests/oracle.h"
#include "tests/random_data.h"
#include "tests/report.h"
#include "tests/small_calls.h"
#include "tests/team.h"
#include "tests/tensor_calls.h"

static L1 int8_t packed[BUFFER_BYTES];

typedef struct {
  const char *name;
  bool (*call)(random_t *random, uint32_t max_cores);
} kernel_t;

static int8_t *weights_for(bool is_packed, uint32_t rows, uint32_t columns) {
  if (!is_packed) {
    return weights;
  }
  tinsmith_pulp_pack_weights(weights, rows, columns, packed);
  return packed;
}

static tinsmith_pulp_stage_kind_t random_kind(random_t *random, bool is_signed, bool raw) {
  if (random_between(random, 0, 5) == 0) {
    return random_between(random, 0, 1) == 0 ? TINSMITH_PULP_TRUNCATE_WIDE_U8 : TINSMITH_PULP_TRUNCATE_WIDE_S8;
  }
  switch (random_between(random, 0, is_signed ? 5 : 1)) {
    case 0:
      return raw && random_between(random, 0, 1) == 0 ? TINSMITH_PULP_RAW_S32 : TINSMITH_PULP_TRUNCATE_U8;
    case 1:
      return TINSMITH_PULP_TRUNCATE_S8;
    case 2:
      return TINSMITH_PULP_SCALE_S8;
    case 3:
      return TINSMITH_PULP_SCALE_HIGH_S8;
    default:
      return TINSMITH_PULP_TFLITE_S8;
  }
}

// About how many bits the sum of `products` products of bytes has.
static int32_t bits_of_sum(uint32_t products) {
  int32_t bits = 13;
  for (; products > 1u; products /= 4u) {
    ++bits;
  }
  return bits;
}

// A core's share by a function of the interface.
#define RUN(NAME)                                                     \
  static void run_##NAME(void *argument, tinsmith_pulp_core_t core) { \
    tinsmith_pulp_##NAME(argument, core);                             \
  }

RUN(conv2d)
RUN(conv2d_packed_tflite_s8)
RUN(conv2d_packed_truncate_s8)
RUN(conv2d_packed_scale_s8)
RUN(conv2d_packed_scale_high_s8)
RUN(linear)
RUN(linear_packed_tflite_s8)
RUN(linear_packed_truncate_s8)
RUN(linear_packed_scale_s8)
RUN(linear_packed_scale_high_s8)
RUN(depthwise)
RUN(depthwise_tflite_s8)
RUN(depthwise_truncate_s8)
RUN(depthwise_scale_s8)
RUN(depthwise_scale_high_s8)
RUN(depthwise_3x3_tflite_s8)
RUN(depthwise_3x3_truncate_s8)
RUN(depthwise_3x3_scale_s8)
RUN(depthwise_3x3_scale_high_s8)

// The functions of a layer: for any kind, and for one alone.
typedef struct {
  team_work_t general, tflite, truncating, scale, scale_high;
} functions_t;

#define FUNCTIONS(GENERAL, TYPED)                                                             \
  {run_##GENERAL, run_##TYPED##_tflite_s8, run_##TYPED##_truncate_s8, run_##TYPED##_scale_s8, \
   run_##TYPED##_scale_high_s8}

static const functions_t kConv2d = FUNCTIONS(conv2d, conv2d_packed);
static const functions_t kLinear = FUNCTIONS(linear, linear_packed);
static const functions_t kDepthwise = FUNCTIONS(depthwise, depthwise);
static const functions_t kDepthwise3x3 = FUNCTIONS(depthwise, depthwise_3x3);

// Every other time the function for a layer's kind alone, where there is one.
static team_work_t general_or_typed(random_t *random, const tinsmith_pulp_stage_t *stage, bool has_typed,
                                    const functions_t *functions) {
  if (!has_typed || random_between(random, 0, 1) == 0) {
    return functions->general;
  }
  switch (stage->kind) {
    case TINSMITH_PULP_TFLITE_S8:
      return functions->tflite;
    case TINSMITH_PULP_TRUNCATE_S8:
      return functions->truncating;
    case TINSMITH_PULP_SCALE_S8:
      return functions->scale;
    case TINSMITH_PULP_SCALE_HIGH_S8:
      return functions->scale_high;
    default:
      return functions->general;
  }
}

static uint16_t output_size(uint16_t size, uint16_t kernel, uint16_t stride, uint16_t padding) {
  return (uint16_t)((size + padding - kernel) / stride + 1);
}

static bool fits(const tinsmith_pulp_conv2d_t *layer, uint32_t cores) {
  const uint32_t columns = (uint32_t)layer->kernel_height * layer->kernel_width * layer->input_channels;
  return (uint32_t)layer->input_height * layer->input_width * layer->input_channels <= BUFFER_BYTES &&
         tinsmith_pulp_packed_bytes(layer->output_channels, columns) <= BUFFER_BYTES &&
         (uint32_t)layer->output_height * layer->output_width * layer->output_channels <= BUFFER_BYTES &&
         tinsmith_pulp_conv2d_scratch_bytes(layer, cores) <= BUFFER_BYTES;
}

static void random_sizes(random_t *random, tinsmith_pulp_conv2d_t *layer, bool pointwise) {
  const int32_t kernel = pointwise ? 1 : 5;
  layer->kernel_height = (uint16_t)random_between(random, 1, kernel);
  layer->kernel_width = (uint16_t)random_between(random, 1, kernel);
  layer->stride_height = (uint16_t)random_between(random, 1, pointwise ? 1 : 3);
  layer->stride_width = (uint16_t)random_between(random, 1, pointwise ? 1 : 3);
  layer->input_height = (uint16_t)random_between(random, layer->kernel_height, 12);
  layer->input_width = (uint16_t)random_between(random, layer->kernel_width, 12);
  layer->input_channels = (uint16_t)random_between(random, 1, random_between(random, 0, 3) == 0 ? 40 : 9);
  layer->output_channels = (uint16_t)random_between(random, 1, random_between(random, 0, 3) == 0 ? 40 : 9);
  const uint16_t bottom = (uint16_t)random_between(random, 0, layer->kernel_height - 1);
  const uint16_t right = (uint16_t)random_between(random, 0, layer->kernel_width - 1);
  layer->pad_top = (uint16_t)random_between(random, 0, layer->kernel_height - 1);
  layer->pad_left = (uint16_t)random_between(random, 0, layer->kernel_width - 1);
  layer->output_height =
      output_size(layer->input_height, layer->kernel_height, layer->stride_height, (uint16_t)(layer->pad_top + bottom));
  layer->output_width =
      output_size(layer->input_width, layer->kernel_width, layer->stride_width, (uint16_t)(layer->pad_left + right));
}

// A side of a first layer: an input that may be smaller than the kernel, paddings that may be wider, and an output that
// need not take in all of the input.
static void random_first_side(random_t *random, uint16_t *input_size, uint16_t *kernel, uint16_t *stride, uint16_t *pad,
                              uint16_t *output) {
  *kernel = (uint16_t)random_between(random, 1, random_between(random, 0, 2) == 0 ? 11 : 4);
  *stride = (uint16_t)random_between(random, 1, 4);
  *input_size = (uint16_t)random_between(random, 1, 40);
  *pad = (uint16_t)random_between(random, 0, *kernel + 1);
  const int32_t missing = *kernel - *input_size - *pad;
  const int32_t behind = random_between(random, missing > 0 ? missing : 0, *kernel + 1);
  *output = output_size(*input_size, *kernel, *stride, (uint16_t)(*pad + behind));
  if (random_between(random, 0, 3) == 0) {
    *output = (uint16_t)random_between(random, 1, *output);
  }
}

static void random_first_sizes(random_t *random, tinsmith_pulp_conv2d_t *layer) {
  random_first_side(random, &layer->input_height, &layer->kernel_height, &layer->stride_height, &layer->pad_top,
                    &layer->output_height);
  random_first_side(random, &layer->input_width, &layer->kernel_width, &layer->stride_width, &layer->pad_left,
                    &layer->output_width);
  layer->input_channels = (uint16_t)random_between(random, 1, 4);
  layer->output_channels = (uint16_t)random_between(random, 1, 16);
}

typedef enum { kAnyLayer, kPointwiseLayer, kFirstLayer } layer_kind_t;

static bool call_conv2d_layer(random_t *random, uint32_t max_cores, layer_kind_t kind) {
  tinsmith_pulp_conv2d_t layer = {.output = output, .scratch = scratch};
  const uint32_t cores = (uint32_t)random_between(random, 1, (int32_t)max_cores);
  layer.weights_are_packed = random_between(random, 0, 1) == 1;
  // Channels that fill words and blocks, as most layers have them, every other time.
  const bool is_regular = random_between(random, 0, 1) == 0;
  do {
    if (kind == kFirstLayer) {
      random_first_sizes(random, &layer);
      continue;
    }
    random_sizes(random, &layer, kind == kPointwiseLayer);
    if (is_regular) {
      layer.input_channels = (uint16_t)(4 * random_between(random, 1, 8));
      layer.output_channels = (uint16_t)random_between(random, 4, 24);
    }
  } while (!fits(&layer, cores));
  const uint32_t columns = (uint32_t)layer.kernel_height * layer.kernel_width * layer.input_channels;
  const uint32_t bytes = (uint32_t)layer.output_height * layer.output_width * layer.output_channels;
  layer.input_is_signed = random_between(random, 0, 1) == 1;
  layer.pad_value = (uint8_t)random_between(random, 0, 255);
  layer.split = (tinsmith_pulp_split_t)random_between(random, 0, TINSMITH_PULP_SPLIT_CHANNELS);
  layer.stage = random_stage(random, random_kind(random, layer.input_is_signed, false), bits_of_sum(columns));
  layer.input = random_input(random, (uint32_t)layer.input_height * layer.input_width * layer.input_channels);
  random_bytes(random, weights, layer.output_channels * columns);
  layer.weights = weights_for(layer.weights_are_packed, layer.output_channels, columns);
  clear_output(bytes);
  const bool has_typed = layer.weights_are_packed && layer.input_is_signed;
  team_run(cores, general_or_typed(random, &layer.stage, has_typed, &kConv2d), &layer);
  oracle_conv2d(&layer, weights, expected);
  return output_is_right(bytes);
}

static bool call_conv2d(random_t *random, uint32_t max_cores) {
  return call_conv2d_layer(random, max_cores, kAnyLayer);
}

static bool call_pointwise(random_t *random, uint32_t max_cores) {
  return call_conv2d_layer(random, max_cores, kPointwiseLayer);
}

static bool call_first_layer(random_t *random, uint32_t max_cores) {
  return call_conv2d_layer(random, max_cores, kFirstLayer);
}

static bool call_linear(random_t *random, uint32_t max_cores) {
  tinsmith_pulp_linear_t layer = {.output = output};
  const uint32_t cores = (uint32_t)random_between(random, 1, (int32_t)max_cores);
  layer.inputs = (uint16_t)random_between(random, 1, 120);
  layer.outputs = (uint16_t)random_between(random, 1, 60);
  layer.weights_are_packed = random_between(random, 0, 1) == 1;
  layer.input_is_signed = random_between(random, 0, 1) == 1;
  layer.stage = random_stage(random, random_kind(random, layer.input_is_signed, true), bits_of_sum(layer.inputs));
  const uint32_t bytes = layer.outputs * (layer.stage.kind == TINSMITH_PULP_RAW_S32 ? 4u : 1u);
  layer.input = random_input(random, layer.weights_are_packed ? (layer.inputs + 3u) & ~3u : layer.inputs);
  random_bytes(random, weights, (uint32_t)layer.outputs * layer.inputs);
  layer.weights = weights_for(layer.weights_are_packed, layer.outputs, layer.inputs);
  clear_output(bytes);
  const bool has_typed = layer.weights_are_packed && layer.input_is_signed;
  team_run(cores, general_or_typed(random, &layer.stage, has_typed, &kLinear), &layer);
  oracle_linear(&layer, weights, expected);
  return output_is_right(bytes);
}

// One side of a kernel: lines of any length, short ones often, and paddings that may differ.
static void random_side(random_t *random, uint16_t kernel, uint16_t stride, uint16_t *input_size, uint16_t *pad,
                        uint16_t *output) {
  const int32_t widest_pad = kernel - 1;
  *input_size = (uint16_t)random_between(random, 1, random_between(random, 0, 1) == 0 ? 9 : 26);
  *pad = (uint16_t)random_between(random, 0, widest_pad);
  const int32_t missing = kernel - *input_size - *pad;
  const uint16_t behind = (uint16_t)random_between(random, missing > 0 ? missing : 0, widest_pad);
  *output = output_size(*input_size, kernel, stride, (uint16_t)(*pad + behind));
}

// Sides like those of a convolution; two times of three a square kernel of 3 or 5 with strides that are the same.
static void random_depthwise_sizes(random_t *random, tinsmith_pulp_depthwise_t *layer) {
  tinsmith_pulp_conv2d_t sizes = {.output_channels = 1};
  random_sizes(random, &sizes, false);
  const int32_t choice = random_between(random, 0, 2);
  if (choice != 0) {
    const uint16_t kernel = choice == 1 ? 3u : 5u;
    const uint16_t stride = (uint16_t)random_between(random, 1, choice == 1 ? 2 : 1);
    sizes.kernel_height = sizes.kernel_width = kernel;
    sizes.stride_height = sizes.stride_width = stride;
    random_side(random, kernel, stride, &sizes.input_height, &sizes.pad_top, &sizes.output_height);
    random_side(random, kernel, stride, &sizes.input_width, &sizes.pad_left, &sizes.output_width);
  }
  layer->input_height = sizes.input_height;
  layer->input_width = sizes.input_width;
  layer->channels = sizes.input_channels;
  layer->output_height = sizes.output_height;
  layer->output_width = sizes.output_width;
  layer->kernel_height = sizes.kernel_height;
  layer->kernel_width = sizes.kernel_width;
  layer->stride_height = sizes.stride_height;
  layer->stride_width = sizes.stride_width;
  layer->pad_top = sizes.pad_top;
  layer->pad_left = sizes.pad_left;
}

// Whether the functions for 3 x 3 alone take a layer.
static bool is_for_3x3(const tinsmith_pulp_depthwise_t *layer) {
  bool is_fit = layer->kernel_height == 3 && layer->kernel_width == 3 && layer->stride_height <= 2 &&
                layer->stride_height == layer->stride_width;
  for (uint32_t i = 0u; i < layer->channels && layer->stage.kind == TINSMITH_PULP_TFLITE_S8; ++i) {
    const int32_t shift = layer->stage.shifts[i];
    is_fit = is_fit && layer->stage.multipliers[i] != 0 && shift >= 1 && shift <= LARGEST_SHIFT_BY_HALVES;
  }
  return is_fit;
}

static team_work_t depthwise_function(random_t *random, const tinsmith_pulp_depthwise_t *layer) {
  const bool has_typed = layer->input_is_signed && !layer->input_is_chw;
  const functions_t *functions = has_typed && is_for_3x3(layer) ? &kDepthwise3x3 : &kDepthwise;
  return general_or_typed(random, &layer->stage, has_typed, functions);
}

static bool call_depthwise(random_t *random, uint32_t max_cores) {
  tinsmith_pulp_depthwise_t layer = {.weights = weights, .output = output, .scratch = scratch};
  const uint32_t cores = (uint32_t)random_between(random, 1, (int32_t)max_cores);
  uint32_t input_bytes;
  uint32_t bytes;
  do {
    random_depthwise_sizes(random, &layer);
    input_bytes = (uint32_t)layer.input_height * layer.input_width * layer.channels;
    bytes = (uint32_t)layer.output_height * layer.output_width * layer.channels;
  } while (input_bytes > BUFFER_BYTES || bytes > BUFFER_BYTES ||
           tinsmith_pulp_depthwise_scratch_bytes(&layer, cores) > BUFFER_BYTES);
  layer.input_is_signed = random_between(random, 0, 1) == 1;
  layer.input_is_chw = random_between(random, 0, 1) == 1;
  if (tinsmith_pulp_depthwise_scratch_bytes(&layer, cores) > BUFFER_BYTES) {
    layer.input_is_chw = false;
  }
  layer.pad_value = (uint8_t)random_between(random, 0, 255);
  const uint32_t taps = (uint32_t)layer.kernel_height * layer.kernel_width;
  layer.stage = random_stage(random, random_kind(random, layer.input_is_signed, false), bits_of_sum(taps));
  layer.input = random_input(random, input_bytes);
  random_bytes(random, weights, layer.channels * taps);
  clear_output(bytes);
  team_run(cores, depthwise_function(random, &layer), &layer);
  oracle_depthwise(&layer, expected);
  return output_is_right(bytes);
}

// A number below 2**bits; bits in [1, 30], more than random_between() draws.
static int32_t number_of_bits(random_t *random, int32_t bits) {
  const int32_t upper = random_between(random, 0, 0x7fff);
  return (upper << 15 | random_between(random, 0, 0x7fff)) & ((1 << bits) - 1);
}

// Sums, multipliers and shifts of TFLite's stage; every other sum is near one whose scaled value is a tie.
static bool call_scale_by_halves(random_t *random, uint32_t max_cores) {
  (void)max_cores;
  bool is_right = true;
  for (uint32_t i = 0u; i < 1000u; ++i) {
    const int32_t above = number_of_bits(random, random_between(random, 0, 3) == 0 ? 2 : 30);
    const int32_t multiplier = random_between(random, 0, 3) == 0 ? INT32_MAX - above : (1 << 30) + above;
    const int32_t shift = random_between(random, 1, LARGEST_SHIFT_BY_HALVES);
    const int32_t zero_point = random_between(random, -128, 127);
    const int32_t magnitude = number_of_bits(random, random_between(random, 1, 30));
    int32_t acc = random_between(random, 0, 1) == 0 ? magnitude : -magnitude;
    if (random_between(random, 0, 1) == 0) {
      const int64_t tie = ((int64_t)acc >> 1 >> shift) * ((int64_t)1 << shift) + ((int64_t)1 << (shift - 1));
      const int64_t near = tie * ((int64_t)1 << 31) / multiplier + random_between(random, -1, 1);
      acc = near > -(1 << 30) && near < 1 << 30 ? (int32_t)near : acc;
    }
    const tinsmith_pulp_stage_t stage = {.kind = TINSMITH_PULP_TFLITE_S8,
                                         .multipliers = &multiplier,
                                         .shifts = &shift,
                                         .zero_point = zero_point,
                                         .min = INT32_MIN,
                                         .max = INT32_MAX};
    is_right = is_right && scale_by_halves(acc, multiplier, shift, zero_point) == oracle_stage(&stage, 0u, acc);
  }
  return is_right;
}

static const kernel_t kKernels[] = {
    {"scale by halves", call_scale_by_halves},
    {"conv2d", call_conv2d},
    {"pointwise", call_pointwise},
    {"conv2d of few channels", call_first_layer},
    {"linear", call_linear},
    {"depthwise", call_depthwise},
    {"add", call_add},
    {"add by tables", call_add_by_tables},
    {"max pool", call_max_pool},
    {"average pool", call_average_pool},
    {"softmax", call_softmax},
    {"lookup", call_lookup},
    {"copy", call_copy},
    {"product", call_mul},
    {"sum of rows", call_sum_by_tables},
    {"smaller or larger", call_extremum},
    {"mean", call_mean},
    {"move", call_move},
    {"widen four bits", call_widen_s4},
    {"linear of four bits", call_linear_s4},
    {"widen two bits", call_widen_s2},
    {"linear of two bits", call_linear_s2},
    {"linear of blocks of four bits", call_linear_blocks_s4},
};

uint32_t random_calls(uint32_t seed, uint32_t calls, uint32_t max_cores) {
  uint32_t all_failures = 0u;
  random_t random = {seed * 2654435761u + 1u};
  for (uint32_t kernel = 0u; kernel < sizeof kKernels / sizeof *kKernels; ++kernel) {
    uint32_t failures = 0u;
    for (uint32_t i = 0u; i < calls; ++i) {
      failures += kKernels[kernel].call(&random, max_cores) ? 0u : 1u;
    }
    report(kKernels[kernel].name, calls, failures);
    all_failures += failures;
  }
  return all_failures;
}
