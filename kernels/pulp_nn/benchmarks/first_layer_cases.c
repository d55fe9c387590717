#include "benchmarks/first_layer_cases.h"

#include "benchmarks/buffers.h"

#if defined(TINSMITH_PULP_ORACLE)
#include "tests/oracle.h"
#endif

#define CORES 8u
#define MAX_WEIGHTS (64u * 40u)

typedef struct {
  const char *kernel;
  const char *shape;
  bool is_tflite;
  uint16_t height, width, inputs, outputs, kernel_height, kernel_width, stride_height, stride_width;
} case_t;

// Visual wake words, keyword spotting, image classification, and a line of sound.
static const case_t kCases[] = {
    {"conv-4x4-truncating", "96x96x3-8 3x3 stride 2", false, 96, 96, 3, 8, 3, 3, 2, 2},
    {"conv-4x4-tflite", "96x96x3-8 3x3 stride 2", true, 96, 96, 3, 8, 3, 3, 2, 2},
    {"conv-4x4-truncating", "49x10x1-64 10x4 stride 2", false, 49, 10, 1, 64, 10, 4, 2, 2},
    {"conv-4x4-tflite", "49x10x1-64 10x4 stride 2", true, 49, 10, 1, 64, 10, 4, 2, 2},
    {"conv-4x4-truncating", "32x32x3-16 3x3", false, 32, 32, 3, 16, 3, 3, 1, 1},
    {"conv-4x4-tflite", "32x32x3-16 3x3", true, 32, 32, 3, 16, 3, 3, 1, 1},
    {"conv-4x4-truncating", "1x1024x1-16 1x10 stride 2", false, 1, 1024, 1, 16, 1, 10, 1, 2},
    {"conv-4x4-tflite", "1x1024x1-16 1x10 stride 2", true, 1, 1024, 1, 16, 1, 10, 1, 2},
};

static L1 tinsmith_pulp_conv2d_t layer;
static int8_t plain_weights[MAX_WEIGHTS];

static void run(void *argument, tinsmith_pulp_core_t core) {
  tinsmith_pulp_conv2d(argument, core);
}

uint32_t first_layer_count(void) {
  return sizeof kCases / sizeof *kCases;
}

benchmark_t first_layer_case(uint32_t index) {
  const case_t *c = &kCases[index];
  const uint16_t output_height = (uint16_t)((c->height + c->stride_height - 1) / c->stride_height);
  const uint16_t output_width = (uint16_t)((c->width + c->stride_width - 1) / c->stride_width);
  const uint32_t columns = (uint32_t)c->kernel_height * c->kernel_width * c->inputs;
  layer = (tinsmith_pulp_conv2d_t){
      .input = input,
      .weights = weights,
      .output = output,
      .scratch = scratch,
      .input_height = c->height,
      .input_width = c->width,
      .input_channels = c->inputs,
      .output_height = output_height,
      .output_width = output_width,
      .output_channels = c->outputs,
      .kernel_height = c->kernel_height,
      .kernel_width = c->kernel_width,
      .pad_top = (uint16_t)(((output_height - 1) * c->stride_height + c->kernel_height - c->height) / 2),
      .pad_left = (uint16_t)(((output_width - 1) * c->stride_width + c->kernel_width - c->width) / 2),
      .stride_height = c->stride_height,
      .stride_width = c->stride_width,
      .pad_value = 0x85u,
      .input_is_signed = true,
      .weights_are_packed = true,
      .stage = stage_of(c->is_tflite, 9),
  };
  fill(plain_weights, c->outputs * columns, 7u);
  tinsmith_pulp_pack_weights(plain_weights, c->outputs, columns, weights);
  fill(input, (uint32_t)c->height * c->width * c->inputs, 1u);
  const uint32_t count = (uint32_t)output_height * output_width * c->outputs;
  return (benchmark_t){c->kernel, c->shape, CORES, columns * count, run, &layer, output, count};
}

#if defined(TINSMITH_PULP_ORACLE)

void first_layer_expect(uint32_t index) {
  (void)first_layer_case(index);
  oracle_conv2d(&layer, plain_weights, output);
}

#endif
