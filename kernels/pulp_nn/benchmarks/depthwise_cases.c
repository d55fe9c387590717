#include "benchmarks/depthwise_cases.h"

#include "benchmarks/buffers.h"

#if defined(TINSMITH_PULP_ORACLE)
#include "tests/oracle.h"
#endif

#define CORES 8u

typedef struct {
  const char *kernel;
  const char *shape;
  bool is_tflite, is_chw;
  uint16_t height, width, channels, kernel_size, stride;
} case_t;

static const case_t kCases[] = {
    {"depthwise-truncating", "25x5x64 3x3", false, false, 25, 5, 64, 3, 1},
    {"depthwise-tflite", "25x5x64 3x3", true, false, 25, 5, 64, 3, 1},
    {"depthwise-truncating", "48x48x8 3x3", false, false, 48, 48, 8, 3, 1},
    {"depthwise-tflite", "48x48x8 3x3", true, false, 48, 48, 8, 3, 1},
    {"depthwise-truncating", "6x6x128 3x3", false, false, 6, 6, 128, 3, 1},
    {"depthwise-tflite", "6x6x128 3x3", true, false, 6, 6, 128, 3, 1},
    {"depthwise-chw-truncating", "25x5x64 3x3", false, true, 25, 5, 64, 3, 1},
    {"depthwise-chw-tflite", "25x5x64 3x3", true, true, 25, 5, 64, 3, 1},
    {"depthwise-truncating", "24x24x32 3x3 stride 2", false, false, 24, 24, 32, 3, 2},
    {"depthwise-tflite", "24x24x32 3x3 stride 2", true, false, 24, 24, 32, 3, 2},
    {"depthwise-truncating", "16x16x32 5x5", false, false, 16, 16, 32, 5, 1},
    {"depthwise-tflite", "16x16x32 5x5", true, false, 16, 16, 32, 5, 1},
};

static L1 tinsmith_pulp_depthwise_t layer;

static void run(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_depthwise(argument, core);
}

uint32_t depthwise_count(void) {
  return sizeof kCases / sizeof *kCases;
}

benchmark_t depthwise_case(uint32_t index) {
  const case_t *c = &kCases[index];
  const uint16_t output_height = (uint16_t)((c->height + c->stride - 1) / c->stride);
  const uint16_t output_width = (uint16_t)((c->width + c->stride - 1) / c->stride);
  const uint32_t taps = (uint32_t)c->kernel_size * c->kernel_size;
  layer = (tinsmith_pulp_depthwise_t){
      .input = input,
      .weights = weights,
      .output = output,
      .scratch = scratch,
      .input_height = c->height,
      .input_width = c->width,
      .channels = c->channels,
      .output_height = output_height,
      .output_width = output_width,
      .kernel_height = c->kernel_size,
      .kernel_width = c->kernel_size,
      .pad_top = (uint16_t)(((output_height - 1) * c->stride + c->kernel_size - c->height) / 2),
      .pad_left = (uint16_t)(((output_width - 1) * c->stride + c->kernel_size - c->width) / 2),
      .stride_height = c->stride,
      .stride_width = c->stride,
      .input_is_signed = true,
      .input_is_chw = c->is_chw,
      .stage = stage_of(c->is_tflite, c->kernel_size == 3u ? 8 : 9),
  };
  fill(weights, c->channels * taps, 7u);
  fill(input, (uint32_t)c->height * c->width * c->channels, 1u);
  const uint32_t count = (uint32_t)output_height * output_width * c->channels;
  return (benchmark_t){c->kernel, c->shape, CORES, taps * count, run, &layer, output, count};
}

#if defined(TINSMITH_PULP_ORACLE)

void depthwise_expect(uint32_t index) {
  (void)depthwise_case(index);
  oracle_depthwise(&layer, output);
}

#endif
