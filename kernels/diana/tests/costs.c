// Cycles of what the chip's core does for a layer or a copy, for driver_costs.py: each for the second time in a run.

#include <stddef.h>
#include <string.h>

#include "tinsmith/diana.h"
#include "tinsmith_diana_analog.h"
#include "tinsmith_harness.h"

#define CHANNELS 16u
#define SIDE 16u
#define INPUTS 64u
#define OUTPUTS 128u
#define COPIED 64u
#define TURNS 2u

// Places in the accelerators' memory.
#define INPUT 0x10001000u
#define OUTPUT 0x10008000u

enum {
  kEncode,
  kStart,      // of a convolution of one job
  kWaitAgain,  // for what has ended
  kConvolve,   // start and wait
  kStartCopy,
  kCopy,       // start and wait
  kDepthwise,  // start and wait, of CHANNELS jobs
  kConnect,    // the same of OUTPUTS / 16 jobs
  kAnalogEncode,
  kAnalogStart,     // with loads of weights
  kAnalogConvolve,  // start and wait, with these loads
  kAnalogAgain,     // the same without them
  kTimes,
};

static struct {
  uint32_t cycles[kTimes];
  _Alignas(16) int8_t weights[0x4000];
  _Alignas(16) uint8_t copied[COPIED];
} far_memory TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t outputs[] = {{0u, sizeof far_memory.cycles, 0u}};

static inline uint32_t now(void) {
  uint32_t cycles;
  __asm__ volatile("csrr %0, mcycle" : "=r"(cycles) : : "memory");
  return cycles;
}

static tinsmith_diana_layer_t image_layer(tinsmith_diana_mode_t mode) {
  const tinsmith_diana_layer_t layer = {
      .mode = mode,
      .input_height = SIDE,
      .input_width = SIDE,
      .input_channels = CHANNELS,
      .output_height = SIDE,
      .output_width = SIDE,
      .output_channels = CHANNELS,
      .kernel_height = 3u,
      .kernel_width = 3u,
      .stride = 1u,
      .pad_top = 1u,
      .pad_bottom = 1u,
      .pad_width = 1u,
      .shift = 4u,
  };
  return layer;
}

static tinsmith_diana_layer_t connected_layer(void) {
  const tinsmith_diana_layer_t layer = {
      .mode = kTinsmithDianaFullyConnected,
      .input_height = 1u,
      .input_width = 1u,
      .input_channels = INPUTS,
      .output_height = 1u,
      .output_width = 1u,
      .output_channels = OUTPUTS,
      .kernel_height = 1u,
      .kernel_width = 1u,
      .stride = 1u,
      .shift = 4u,
  };
  return layer;
}

static uint32_t start(const tinsmith_diana_record_t *record) {
  const tinsmith_diana_places_t places = {
      .weights = far_memory.weights,
      .input = (const int8_t *)INPUT,
      .output = (int8_t *)OUTPUT,
  };
  return tinsmith_diana_start(record, &places);
}

static uint32_t cycles_of(const tinsmith_diana_record_t *record) {
  const uint32_t begin = now();
  tinsmith_diana_wait(start(record));
  return now() - begin;
}

static int measure_layers(uint32_t empty) {
  uint32_t *const cycles = far_memory.cycles;
  const tinsmith_diana_layer_t layer = image_layer(kTinsmithDianaConvolution);
  static tinsmith_diana_record_t record;
  uint32_t begin = now();
  int status = (int)tinsmith_diana_digital_encode(&layer, &record);
  cycles[kEncode] = now() - begin - empty;
  begin = now();
  const uint32_t number = start(&record);
  cycles[kStart] = now() - begin - empty;
  tinsmith_diana_wait(number);
  begin = now();
  tinsmith_diana_wait(number);
  cycles[kWaitAgain] = now() - begin - empty;
  cycles[kConvolve] = cycles_of(&record) - empty;
  const tinsmith_diana_layer_t depthwise = image_layer(kTinsmithDianaDepthwise);
  status |= (int)tinsmith_diana_digital_encode(&depthwise, &record);
  cycles[kDepthwise] = cycles_of(&record) - empty;
  const tinsmith_diana_layer_t connected = connected_layer();
  status |= (int)tinsmith_diana_digital_encode(&connected, &record);
  cycles[kConnect] = cycles_of(&record) - empty;
  return status;
}

static uint32_t start_analog(const tinsmith_diana_analog_record_t *record, const int8_t *weights) {
  const tinsmith_diana_analog_places_t places = {
      .weights = weights,
      .input = (const int8_t *)INPUT,
      .output = (int8_t *)OUTPUT,
  };
  return tinsmith_diana_analog_start(record, &places);
}

static uint32_t analog_cycles_of(const tinsmith_diana_analog_record_t *record, const int8_t *weights) {
  const uint32_t begin = now();
  tinsmith_diana_analog_wait(start_analog(record, weights));
  return now() - begin;
}

static int measure_analog_layers(uint32_t empty) {
  uint32_t *const cycles = far_memory.cycles;
  const tinsmith_diana_analog_layer_t layer = {
      .input_height = SIDE,
      .input_width = SIDE,
      .input_channels = CHANNELS,
      .output_height = SIDE,
      .output_width = SIDE,
      .output_channels = CHANNELS,
      .kernel_height = 3u,
      .kernel_width = 3u,
      .stride = 1u,
      .pad_top = 1u,
      .pad_bottom = 1u,
      .pad_left = 1u,
      .pad_right = 1u,
      .unroll = 4u,
  };
  static tinsmith_diana_analog_record_t record;
  uint32_t begin = now();
  const int status = (int)tinsmith_diana_analog_encode(&layer, &record);
  cycles[kAnalogEncode] = now() - begin - empty;
  begin = now();
  const uint32_t number = start_analog(&record, far_memory.weights);
  cycles[kAnalogStart] = now() - begin - empty;
  tinsmith_diana_analog_wait(number);
  cycles[kAnalogConvolve] = analog_cycles_of(&record, far_memory.weights) - empty;
  cycles[kAnalogAgain] = analog_cycles_of(&record, NULL) - empty;
  return status;
}

static int measure_copy(uint32_t empty) {
  uint32_t *const cycles = far_memory.cycles;
  uint32_t number = 0u;
  const uint32_t begin = now();
  const int status = (int)tinsmith_diana_copy_in((void *)INPUT, far_memory.copied, COPIED, &number);
  cycles[kStartCopy] = now() - begin - empty;
  tinsmith_diana_wait(number);
  cycles[kCopy] = now() - begin - empty;
  return status;
}

static int run(void *argument) {
  (void)argument;
  // Any weights and inputs will do, but not all are some that the analog accelerator knows.
  memset(&far_memory, 0, sizeof far_memory);
  int status = 0;
  for (uint32_t turn = 0u; turn < TURNS; ++turn) {
    const uint32_t begin = now();
    const uint32_t empty = now() - begin;
    status |= measure_copy(empty) | measure_layers(empty) | measure_analog_layers(empty);
  }
  return status;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "costs",
    .arena = (uint8_t *)&far_memory,
    .arena_bytes = sizeof far_memory,
    .output_count = 1u,
    .outputs = outputs,
    .run = run,
};
