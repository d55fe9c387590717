// Cycles of what a core of the cluster does for a job, for test_driver.py: each for the second time in a run.

#include "tinsmith/neureka.h"
#include "tinsmith_harness.h"

#define SIDE 6u
#define CHANNELS 32u
#define PIXELS (SIDE * SIDE)
#define WORD_BYTES 32u
#define TURNS 2u

enum { kEncode, kPlace, kStart, kWait, kWaitAgain, kWhole, kTimes };

static _Alignas(16) struct {
  uint32_t cycles[kTimes];
  int8_t input[PIXELS * CHANNELS];
  uint8_t weights[CHANNELS * WORD_BYTES];
  uint32_t scales[CHANNELS];
  int32_t biases[CHANNELS];
  int8_t output[PIXELS * CHANNELS];
  tinsmith_neureka_job_t job;
} near_memory TINSMITH_HARNESS_MEMORY("l1");
static const tinsmith_harness_memory_t memories[] = {{&near_memory, sizeof near_memory, 0u}};
static const tinsmith_harness_tensor_t outputs[] = {{0u, sizeof near_memory.cycles, 0u}};

static inline uint32_t now(void) {
  uint32_t cycles;
  __asm__ volatile("csrr %0, mcycle" : "=r"(cycles) : : "memory");
  return cycles;
}

static void measure(const tinsmith_neureka_layer_t *layer) {
  uint32_t *const cycles = near_memory.cycles;
  const uint32_t empty_begin = now();
  const uint32_t empty = now() - empty_begin;
  uint32_t begin = now();
  (void)tinsmith_neureka_encode(layer, &near_memory.job);
  cycles[kEncode] = now() - begin - empty;
  begin = now();
  tinsmith_neureka_place(&near_memory.job, &layer->places);
  cycles[kPlace] = now() - begin - empty;
  const uint32_t whole = now();
  begin = now();
  const uint32_t number = tinsmith_neureka_start(&near_memory.job);
  cycles[kStart] = now() - begin - empty;
  begin = now();
  tinsmith_neureka_wait(number);
  cycles[kWait] = now() - begin - empty;
  cycles[kWhole] = now() - whole - empty;
  begin = now();
  tinsmith_neureka_wait(number);
  cycles[kWaitAgain] = now() - begin - empty;
}

static int run(void *argument) {
  (void)argument;
  const tinsmith_neureka_layer_t layer = {
      .mode = kTinsmithNeureka1x1,
      .input_height = SIDE,
      .input_width = SIDE,
      .input_channels = CHANNELS,
      .output_height = SIDE,
      .output_width = SIDE,
      .output_channels = CHANNELS,
      .input_row_bytes = SIDE * CHANNELS,
      .input_pixel_bytes = CHANNELS,
      .output_row_bytes = SIDE * CHANNELS,
      .output_pixel_bytes = CHANNELS,
      .input_is_signed = true,
      .weight_bits = 8u,
      .weight_offset = -128,
      .scale_bits = 32u,
      .shift = 8u,
      .output_bits = 8u,
      .places = {near_memory.input, near_memory.weights, near_memory.scales, near_memory.biases, near_memory.output},
  };
  for (uint32_t turn = 0u; turn < TURNS; ++turn) {
    measure(&layer);
  }
  return 0;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "costs",
    .output_count = 1u,
    .outputs = outputs,
    .run = run,
    .memory_count = 1u,
    .memories = memories,
};
