#include "benchmarks/cases.h"

#include <stddef.h>
#include <string.h>

#include "benchmarks/buffers.h"
#include "benchmarks/depthwise_cases.h"
#include "benchmarks/first_layer_cases.h"
#include "benchmarks/small_cases.h"
#include "src/internal/sums.h"

#if defined(TINSMITH_PULP_ORACLE)
#include "tests/oracle.h"
#endif

#define CORES 8u
#define LOOP_COLUMNS 1024u
// From pixel to pixel, and from row to row of plain weights: not a multiple of what the banks of the memory repeat by.
#define LOOP_PITCH (LOOP_COLUMNS + 4u)
#define LOOP_BLOCKS 4u
#define MAX_CHANNELS 128u
#define WIDE_BITS 25

typedef enum { kLoop, kConvolution, kEqualConvolution, kWideConvolution, kLinear } family_t;

typedef struct {
  const char *kernel;
  const char *shape;
  family_t family;
  uint16_t cores;
  bool is_packed;
  bool is_tflite;
  uint16_t height, width, inputs, outputs, kernel_size;
} case_t;

static const case_t kCases[] = {
    {"loop-4x2", "k1024 16 channels", kLoop, 8, false, false, 0, 0, LOOP_PITCH, 0, 0},
    {"loop-4x2", "k1024 rows in one bank", kLoop, 8, false, false, 0, 0, LOOP_COLUMNS, 0, 0},
    {"loop-4x4", "k1024 16 channels", kLoop, 8, true, false, 0, 0, LOOP_COLUMNS, 0, 0},
    {"conv-4x2-truncating", "16x16x64-64 3x3", kConvolution, 8, false, false, 16, 16, 64, 64, 3},
    {"conv-4x2-tflite", "16x16x64-64 3x3", kConvolution, 8, false, true, 16, 16, 64, 64, 3},
    {"conv-4x4-truncating", "16x16x64-64 3x3", kConvolution, 8, true, false, 16, 16, 64, 64, 3},
    {"conv-4x4-tflite", "16x16x64-64 3x3", kConvolution, 8, true, true, 16, 16, 64, 64, 3},
    {"conv-4x4-truncating", "16x16x64-64 3x3", kConvolution, 1, true, false, 16, 16, 64, 64, 3},
    {"conv-4x4-tflite", "16x16x64-64 3x3", kConvolution, 1, true, true, 16, 16, 64, 64, 3},
    {"pointwise-4x2-truncating", "25x5x64-64", kConvolution, 8, false, false, 25, 5, 64, 64, 1},
    {"pointwise-4x2-tflite", "25x5x64-64", kConvolution, 8, false, true, 25, 5, 64, 64, 1},
    {"pointwise-4x4-truncating", "25x5x64-64", kConvolution, 8, true, false, 25, 5, 64, 64, 1},
    {"pointwise-4x4-tflite", "25x5x64-64", kConvolution, 8, true, true, 25, 5, 64, 64, 1},
    {"pointwise-4x2-truncating", "6x6x128-128", kConvolution, 8, false, false, 6, 6, 128, 128, 1},
    {"pointwise-4x2-tflite", "6x6x128-128", kConvolution, 8, false, true, 6, 6, 128, 128, 1},
    {"pointwise-4x4-truncating", "6x6x128-128", kConvolution, 8, true, false, 6, 6, 128, 128, 1},
    {"pointwise-4x4-tflite", "6x6x128-128", kConvolution, 8, true, true, 6, 6, 128, 128, 1},
    {"conv-4x4-wide", "16x16x64-64 3x3", kWideConvolution, 8, true, false, 16, 16, 64, 64, 3},
    {"pointwise-4x4-wide", "25x5x64-64", kWideConvolution, 8, true, false, 25, 5, 64, 64, 1},
    {"conv-4x2-one-scale", "16x16x64-64 3x3", kEqualConvolution, 8, false, false, 16, 16, 64, 64, 3},
    {"pointwise-4x2-one-scale", "16x16x64-64", kEqualConvolution, 8, false, false, 16, 16, 64, 64, 1},
    {"linear-plain-truncating", "640-128", kLinear, 8, false, false, 0, 0, 640, 128, 0},
    {"linear-packed-truncating", "640-128", kLinear, 8, true, false, 0, 0, 640, 128, 0},
    {"linear-packed-tflite", "640-128", kLinear, 8, true, true, 0, 0, 640, 128, 0},
};

L1 uint8_t input[INPUT_BYTES];
L1 int8_t weights[WEIGHT_BYTES];
L1 uint8_t output[OUTPUT_BYTES];
L1 uint8_t scratch[SCRATCH_BYTES];
static L1 int32_t bias[MAX_CHANNELS];
static L1 int32_t multipliers[MAX_CHANNELS];
static L1 int32_t addends[MAX_CHANNELS];
static L1 int32_t shifts[MAX_CHANNELS];
static L1 int64_t wide_multipliers[MAX_CHANNELS];
static L1 int64_t wide_addends[MAX_CHANNELS];
static int8_t plain_weights[WEIGHT_BYTES];

static L1 tinsmith_pulp_conv2d_t convolution;
static L1 tinsmith_pulp_linear_t linear;

uint32_t checksum(const uint8_t *bytes, uint32_t count) {
  uint32_t hash = 2166136261u;
  for (uint32_t i = 0u; i < count; ++i) {
    hash = (hash ^ bytes[i]) * 16777619u;
  }
  return hash;
}

void fill(void *bytes, uint32_t count, uint32_t state) {
  for (uint32_t i = 0u; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    ((uint8_t *)bytes)[i] = (uint8_t)(state >> 24);
  }
}

tinsmith_pulp_stage_t stage_of(bool is_tflite, int32_t shift) {
  for (uint32_t i = 0u; i < MAX_CHANNELS; ++i) {
    bias[i] = (int32_t)(i * 37u) - 2000;
    multipliers[i] = is_tflite ? (1 << 30) + (int32_t)(i * 7654321u) : 9 + (int32_t)i % 7;
    addends[i] = (int32_t)(i * 1001u) - 50000;
    shifts[i] = shift;
  }
  return (tinsmith_pulp_stage_t){
      .kind = is_tflite ? TINSMITH_PULP_TFLITE_S8 : TINSMITH_PULP_TRUNCATE_S8,
      .bias = is_tflite ? bias : NULL,
      .multipliers = multipliers,
      .addends = addends,
      .shifts = shifts,
      .shift = shift + 3,
      .zero_point = -5,
      .min = -128,
      .max = 127,
  };
}

// The truncating stage of a layer without numbers of its channels but a bias: PULP-NN's without batch normalization.
static tinsmith_pulp_stage_t equal_stage_of(int32_t shift) {
  static L1 int8_t small_bias[MAX_CHANNELS];
  tinsmith_pulp_stage_t stage = stage_of(false, shift);
  fill(small_bias, sizeof small_bias, 5u);
  stage.bias_s8 = small_bias;
  stage.multipliers = stage.addends = NULL;
  stage.multiplier = 11;
  return stage;
}

// The truncating stage with 64-bit numbers that give the same outputs.
static tinsmith_pulp_stage_t wide_stage_of(int32_t shift) {
  tinsmith_pulp_stage_t stage = stage_of(false, shift);
  for (uint32_t i = 0u; i < MAX_CHANNELS; ++i) {
    wide_multipliers[i] = multipliers[i] * (INT64_C(1) << WIDE_BITS);
    wide_addends[i] = addends[i] * (INT64_C(1) << WIDE_BITS);
  }
  stage.kind = TINSMITH_PULP_TRUNCATE_WIDE_S8;
  stage.wide_multipliers = wide_multipliers;
  stage.wide_addends = wide_addends;
  stage.shift += WIDE_BITS;
  return stage;
}

static tinsmith_pulp_stage_t stage_of_case(const case_t *c, int32_t shift) {
  switch (c->family) {
    case kEqualConvolution:
      return equal_stage_of(shift);
    case kWideConvolution:
      return wide_stage_of(shift);
    default:
      return stage_of(c->is_tflite, shift);
  }
}

// Weights in first-level memory, packed or not.
static const int8_t *weights_of(const case_t *c, uint32_t rows, uint32_t columns) {
  fill(plain_weights, rows * columns, 7u);
  if (c->is_packed) {
    tinsmith_pulp_pack_weights(plain_weights, rows, columns, weights);
  } else {
    memcpy(weights, plain_weights, rows * columns);
  }
  return weights;
}

// The bare loops over a few blocks of channels, all into the same sums: each core has four (two) pixels of its own, and
// all cores have the weights in common. Rows of plain weights whose length is a multiple of all banks begin in the same
// one: then it is chance, by where code and data lie, how long cores wait for each other.
static void run_loop(void *argument, tinsmith_pulp_core_t core) {
  const case_t *c = argument;
  int32_t acc[STAGE_CHANNELS * PIXELS_PACKED] = {0};
  const uint32_t pixels = c->is_packed ? PIXELS_PACKED : PIXELS_PLAIN;
  const uint8_t *first = scratch + core.core * pixels * LOOP_PITCH;
  for (uint32_t block = 0u; block < LOOP_BLOCKS; ++block) {
    const int8_t *rows = weights + block * STAGE_CHANNELS * c->inputs;
    if (c->is_packed) {
      (void)sums_4x4(rows, first, LOOP_PITCH, LOOP_COLUMNS / 4u, acc, true);
    } else {
      sums_4x2_words(rows, c->inputs, first, LOOP_PITCH, LOOP_COLUMNS / 4u, acc, true);
    }
  }
  memcpy(output + core.core * sizeof acc, acc, sizeof acc);
}

static void run_convolution(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_conv2d(argument, core);
}

static void run_linear(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_linear(argument, core);
}

static benchmark_t prepare_loop(const case_t *c) {
  const uint32_t pixels = c->is_packed ? PIXELS_PACKED : PIXELS_PLAIN;
  weights_of(c, LOOP_BLOCKS * STAGE_CHANNELS, c->inputs);
  fill(scratch, CORES * pixels * LOOP_PITCH, 3u);
  const uint32_t macs = CORES * pixels * LOOP_BLOCKS * STAGE_CHANNELS * LOOP_COLUMNS;
  return (benchmark_t){c->kernel, c->shape, c->cores, macs, run_loop, (void *)c, output, CORES * 64u};
}

static benchmark_t prepare_convolution(const case_t *c) {
  const int32_t shift = c->kernel_size == 1u ? 10 : 11;
  const uint32_t columns = (uint32_t)c->kernel_size * c->kernel_size * c->inputs;
  const uint32_t pixels = (uint32_t)c->height * c->width;
  convolution = (tinsmith_pulp_conv2d_t){
      .input = input,
      .weights = weights_of(c, c->outputs, columns),
      .output = output,
      .scratch = scratch,
      .input_height = c->height,
      .input_width = c->width,
      .input_channels = c->inputs,
      .output_height = c->height,
      .output_width = c->width,
      .output_channels = c->outputs,
      .kernel_height = c->kernel_size,
      .kernel_width = c->kernel_size,
      .pad_top = c->kernel_size / 2u,
      .pad_left = c->kernel_size / 2u,
      .stride_height = 1u,
      .stride_width = 1u,
      .input_is_signed = true,
      .weights_are_packed = c->is_packed,
      .stage = stage_of_case(c, shift),
  };
  fill(input, pixels * c->inputs, 1u);
  const uint32_t macs = pixels * columns * c->outputs;
  return (benchmark_t){c->kernel, c->shape, c->cores, macs, run_convolution, &convolution, output, pixels * c->outputs};
}

static benchmark_t prepare_linear(const case_t *c) {
  linear = (tinsmith_pulp_linear_t){
      .input = input,
      .weights = weights_of(c, c->outputs, c->inputs),
      .output = output,
      .inputs = c->inputs,
      .outputs = c->outputs,
      .input_is_signed = true,
      .weights_are_packed = c->is_packed,
      .stage = stage_of(c->is_tflite, 11),
  };
  fill(input, c->inputs, 1u);
  const uint32_t macs = (uint32_t)c->inputs * c->outputs;
  return (benchmark_t){c->kernel, c->shape, c->cores, macs, run_linear, &linear, output, c->outputs};
}

#define LAYERS (sizeof kCases / sizeof *kCases)

uint32_t benchmark_count(void) {
  return LAYERS + depthwise_count() + small_count() + first_layer_count();
}

benchmark_t benchmark_case(uint32_t index) {
  memset(output, 0, sizeof output);
  if (index >= LAYERS + depthwise_count() + small_count()) {
    return first_layer_case(index - LAYERS - depthwise_count() - small_count());
  }
  if (index >= LAYERS + depthwise_count()) {
    return small_case(index - LAYERS - depthwise_count());
  }
  if (index >= LAYERS) {
    return depthwise_case(index - LAYERS);
  }
  const case_t *c = &kCases[index];
  switch (c->family) {
    case kLoop:
      return prepare_loop(c);
    case kConvolution:
    case kEqualConvolution:
    case kWideConvolution:
      return prepare_convolution(c);
    default:
      return prepare_linear(c);
  }
}

#if defined(TINSMITH_PULP_ORACLE)

static void expect_loop(const case_t *c) {
  const uint32_t pixels = c->is_packed ? PIXELS_PACKED : PIXELS_PLAIN;
  for (uint32_t i = 0u; i < CORES * pixels; ++i) {
    for (uint32_t row = 0u; row < STAGE_CHANNELS; ++row) {
      int32_t sum = 0;
      for (uint32_t k = 0u; k < LOOP_BLOCKS * LOOP_COLUMNS; ++k) {
        const uint32_t weight = (k / LOOP_COLUMNS * STAGE_CHANNELS + row) * c->inputs + k % LOOP_COLUMNS;
        sum += (int8_t)scratch[i * LOOP_PITCH + k % LOOP_COLUMNS] * plain_weights[weight];
      }
      const uint32_t place = i / pixels * 16u + i % pixels * STAGE_CHANNELS + row;
      memcpy(output + sizeof sum * place, &sum, sizeof sum);
    }
  }
}

void benchmark_expect(uint32_t index) {
  if (index >= LAYERS + depthwise_count() + small_count()) {
    first_layer_expect(index - LAYERS - depthwise_count() - small_count());
    return;
  }
  if (index >= LAYERS + depthwise_count()) {
    small_expect(index - LAYERS - depthwise_count());
    return;
  }
  if (index >= LAYERS) {
    depthwise_expect(index - LAYERS);
    return;
  }
  const case_t *c = &kCases[index];
  (void)benchmark_case(index);
  switch (c->family) {
    case kLoop:
      expect_loop(c);
      break;
    case kConvolution:
    case kEqualConvolution:
    case kWideConvolution:
      oracle_conv2d(&convolution, plain_weights, output);
      break;
    default:
      oracle_linear(&linear, plain_weights, output);
      break;
  }
}

#endif
