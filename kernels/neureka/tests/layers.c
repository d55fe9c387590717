// Carries out the starts and waits that its input lists, for the tests beside it. All arrays lie in one image in the
// cluster's memory, which is its output: whatever a job touches shows there.

#include <string.h>

#include "tinsmith/neureka.h"
#include "tinsmith_harness.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define POISON(address, bytes) ASAN_POISON_MEMORY_REGION(address, bytes)
#define UNPOISON(address, bytes) ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#else
#define POISON(address, bytes) ((void)(address), (void)(bytes))
#define UNPOISON(address, bytes) ((void)(address), (void)(bytes))
#endif

#define STEPS 8u
#define IMAGE_BYTES 0x1c000u
#define NONE 0xffffffffu

enum { kEncode = 1, kPlace = 2, kStart = 3, kWait = 4, kTouch = 5, kCopy = 6 };

// An array of the image: where it begins, and how many bytes a job may touch from there on.
typedef struct {
  uint32_t offset;
  uint32_t bytes;
} array_t;

// job: which of several records and numbers the step is about. at: of the image, to touch. A copy is one of `input` to
// `output`, by the core.
typedef struct {
  uint32_t kind;
  uint32_t job;
  uint32_t at;
  int32_t mode;
  uint32_t input_height, input_width, input_channels;
  uint32_t output_height, output_width, output_channels;
  uint32_t input_row_bytes, input_pixel_bytes, output_row_bytes, output_pixel_bytes;
  uint32_t pad_top, pad_right, pad_bottom, pad_left;
  int32_t pad_value;
  uint32_t input_is_signed;
  uint32_t weight_bits;
  int32_t weight_offset;
  uint32_t in_weight_memory, prefetches;
  uint32_t scale_bits, shift, is_rectified, output_bits;
  array_t input, weights, scales, biases, output;
} step_t;

typedef struct {
  step_t steps[STEPS];
  uint8_t image[IMAGE_BYTES];
} far_t;

static _Alignas(16) uint8_t far_memory[sizeof(far_t)] TINSMITH_HARNESS_MEMORY("l2");
static _Alignas(16) uint8_t image[IMAGE_BYTES] TINSMITH_HARNESS_MEMORY("l1");
static const tinsmith_harness_memory_t memories[] = {
    {far_memory, sizeof(far_t), 0u},
    {image, IMAGE_BYTES, 0u},
};
static const tinsmith_harness_tensor_t inputs[] = {{0u, sizeof(far_t), 0u}};
static const tinsmith_harness_tensor_t outputs[] = {{0u, IMAGE_BYTES, 1u}};

static tinsmith_neureka_job_t jobs[STEPS];
static uint32_t numbers[STEPS];

static void *place(array_t array) {
  return array.offset == NONE ? NULL : image + array.offset;
}

static tinsmith_neureka_places_t places_of(const step_t *step) {
  const tinsmith_neureka_places_t places = {
      .input = place(step->input),
      .weights = place(step->weights),
      .scales = place(step->scales),
      .biases = place(step->biases),
      .output = place(step->output),
  };
  return places;
}

static tinsmith_neureka_layer_t layer_of(const step_t *step) {
  const tinsmith_neureka_layer_t layer = {
      .mode = (tinsmith_neureka_mode_t)step->mode,
      .input_height = step->input_height,
      .input_width = step->input_width,
      .input_channels = step->input_channels,
      .output_height = step->output_height,
      .output_width = step->output_width,
      .output_channels = step->output_channels,
      .input_row_bytes = step->input_row_bytes,
      .input_pixel_bytes = step->input_pixel_bytes,
      .output_row_bytes = step->output_row_bytes,
      .output_pixel_bytes = step->output_pixel_bytes,
      .pad_top = step->pad_top,
      .pad_right = step->pad_right,
      .pad_bottom = step->pad_bottom,
      .pad_left = step->pad_left,
      .pad_value = step->pad_value,
      .input_is_signed = step->input_is_signed != 0u,
      .weight_bits = step->weight_bits,
      .weight_offset = step->weight_offset,
      .in_weight_memory = step->in_weight_memory != 0u,
      .prefetches = step->prefetches != 0u,
      .scale_bits = step->scale_bits,
      .shift = step->shift,
      .is_rectified = step->is_rectified != 0u,
      .output_bits = step->output_bits,
      .places = places_of(step),
  };
  return layer;
}

// Under sanitizers nothing of the image but the arrays of the steps may be touched while jobs run.
static void allow_arrays_alone(const step_t *steps) {
  POISON(image, sizeof image);
  for (uint32_t i = 0u; i < STEPS; ++i) {
    const array_t arrays[] = {steps[i].input, steps[i].weights, steps[i].scales, steps[i].biases, steps[i].output};
    for (uint32_t k = 0u; k < sizeof arrays / sizeof arrays[0]; ++k) {
      if (steps[i].kind != 0u && arrays[k].offset != NONE) {
        UNPOISON(image + arrays[k].offset, arrays[k].bytes);
      }
    }
  }
}

static int encode(const step_t *step) {
  const tinsmith_neureka_layer_t layer = layer_of(step);
  return (int)tinsmith_neureka_encode(&layer, &jobs[step->job]);
}

static void move(const step_t *step) {
  const tinsmith_neureka_places_t places = places_of(step);
  tinsmith_neureka_place(&jobs[step->job], &places);
}

static int take(const step_t *step) {
  switch (step->kind) {
    case kEncode:
      return encode(step);
    case kPlace:
      move(step);
      return 0;
    case kStart:
      numbers[step->job] = tinsmith_neureka_start(&jobs[step->job]);
      return 0;
    case kWait:
      tinsmith_neureka_wait(numbers[step->job]);
      return 0;
    case kTouch:
      *(volatile uint8_t *)(image + step->at) ^= 0xffu;
      return 0;
    case kCopy:
      memcpy(place(step->output), place(step->input), step->input.bytes);
      return 0;
    default:
      return 0;
  }
}

static int run(void *argument) {
  (void)argument;
  const far_t *const far = (const far_t *)(const void *)far_memory;
  memcpy(image, far->image, sizeof image);
  allow_arrays_alone(far->steps);
  for (uint32_t i = 0u; i < STEPS; ++i) {
    const int status = take(&far->steps[i]);
    if (status != 0) {
      return status;
    }
  }
  UNPOISON(image, sizeof image);
  return 0;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "layers",
    .input_count = 1u,
    .inputs = inputs,
    .output_count = 1u,
    .outputs = outputs,
    .run = run,
    .memory_count = 2u,
    .memories = memories,
};
