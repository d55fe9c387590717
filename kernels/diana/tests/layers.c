// Carries out the starts, waits and copies that its input lists, for the tests beside it. All arrays but weights lie in
// one image in the accelerators' memory, where it is copied before and whence it is copied behind: whatever a layer
// touches shows in the output, but what pixels touch in other banks than the first one.

#include <string.h>

#include "tinsmith/diana.h"
#include "tinsmith_diana_digital.h"
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
#define IMAGE_BYTES 0xa000u
#define WEIGHT_BYTES 0x12000u
#define NONE 0xffffffffu

enum {
  kEncode = 1,
  kStart = 2,
  kWait = 3,
  kCopyIn = 4,
  kCopyOut = 5,
  kWaitForCopy = 6,
  kTouch = 7,
  kCopyOutOfBanks = 8,
  kTryCopyIn = 9,
  kTryCopyOut = 10
};

// An array of the image, or of the weights: where it begins, and how many bytes a layer may touch from there on.
typedef struct {
  uint32_t offset;
  uint32_t bytes;
} array_t;

// slot: which of several records and numbers the step is about. A copy is one of `far` of the image in the second-level
// memory to or from `input` of that in the accelerators', or `rows` of so many banks from there; a touch is of the
// former; a wait for a copy is for so many starts behind it.
typedef struct {
  uint32_t kind;
  uint32_t slot;
  uint32_t far;
  uint32_t mode;
  uint32_t input_height, input_width, input_channels;
  uint32_t output_height, output_width, output_channels;
  uint32_t kernel_height, kernel_width, stride;
  uint32_t pad_top, pad_bottom, pad_width;
  uint32_t shift, is_rectified, gives_pixels, features;
  uint32_t rows, banks;
  array_t weights, input, operand, output;
} step_t;

typedef struct {
  step_t steps[STEPS];
  _Alignas(16) int8_t weights[WEIGHT_BYTES];
  _Alignas(16) uint8_t image[IMAGE_BYTES];
} far_t;

#if defined(__riscv)
// Where the board has it, and not from its beginning.
#define NEAR ((uint8_t *)0x10000400u)
#else
static _Alignas(16) uint8_t near_memory[(TINSMITH_DIANA_BANKS - 1u) * TINSMITH_DIANA_BANK_BYTES + IMAGE_BYTES];
#define NEAR near_memory
#endif

static _Alignas(16) far_t far TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t inputs[] = {{0u, sizeof(far_t), 0u}};
static const tinsmith_harness_tensor_t outputs[] = {{offsetof(far_t, image), IMAGE_BYTES, 0u}};

static tinsmith_diana_record_t records[STEPS];
static uint32_t numbers[STEPS];

static int8_t *place(array_t array) {
  return array.offset == NONE ? NULL : (int8_t *)NEAR + array.offset;
}

static int encode(const step_t *step) {
  const tinsmith_diana_layer_t layer = {
      .mode = (tinsmith_diana_mode_t)step->mode,
      .input_height = step->input_height,
      .input_width = step->input_width,
      .input_channels = step->input_channels,
      .output_height = step->output_height,
      .output_width = step->output_width,
      .output_channels = step->output_channels,
      .kernel_height = step->kernel_height,
      .kernel_width = step->kernel_width,
      .stride = step->stride,
      .pad_top = step->pad_top,
      .pad_bottom = step->pad_bottom,
      .pad_width = step->pad_width,
      .shift = step->shift,
      .is_rectified = step->is_rectified != 0u,
      .gives_pixels = step->gives_pixels != 0u,
      .features = step->features,
  };
  return (int)tinsmith_diana_digital_encode(&layer, &records[step->slot]);
}

static void start(const step_t *step) {
  const int8_t *const weights = step->weights.offset == NONE ? NULL : far.weights + step->weights.offset;
  const tinsmith_diana_record_t *const record = &records[step->slot];
  const bool is_joined = tinsmith_diana_is_joined(record);
  (is_joined ? tinsmith_diana_digital_joined_start : tinsmith_diana_digital_start)(
      (const int8_t *)record, weights, place(step->input), place(step->operand), place(step->output), step->slot);
}

static int take(const step_t *step) {
  switch (step->kind) {
    case kEncode:
      return encode(step);
    case kStart:
      start(step);
      return 0;
    case kWait:
      tinsmith_diana_digital_wait(step->slot);
      return 0;
    case kCopyIn:
      return (int)tinsmith_diana_copy_in(place(step->input), far.image + step->far, step->input.bytes,
                                         &numbers[step->slot]);
    case kCopyOut:
      return (int)tinsmith_diana_copy_out(far.image + step->far, place(step->input), step->input.bytes,
                                          &numbers[step->slot]);
    case kTryCopyIn:
      return (int)tinsmith_diana_try_copy_in(place(step->input), far.image + step->far, step->input.bytes,
                                             &numbers[step->slot]);
    case kTryCopyOut:
      return (int)tinsmith_diana_try_copy_out(far.image + step->far, place(step->input), step->input.bytes,
                                              &numbers[step->slot]);
    case kCopyOutOfBanks:
      return (int)tinsmith_diana_copy_out_of_banks(far.image + step->far, place(step->input), step->rows, step->banks,
                                                   &numbers[step->slot]);
    case kWaitForCopy:
      tinsmith_diana_wait(numbers[step->slot] + step->far);
      return 0;
    case kTouch:
      *(volatile uint8_t *)(far.image + step->far) ^= 0xffu;
      return 0;
    default:
      return 0;
  }
}

static void allow(const void *memory, array_t array) {
  if (array.offset != NONE) {
    UNPOISON((const uint8_t *)memory + array.offset, array.bytes);
  }
}

// Under sanitizers nothing of image and weights but the arrays of the steps may be touched meanwhile.
static void allow_arrays_alone(void) {
  POISON(NEAR, IMAGE_BYTES);
  POISON(far.weights, WEIGHT_BYTES);
  for (const step_t *step = far.steps; step < far.steps + STEPS; ++step) {
    if (step->kind != 0u) {
      allow(far.weights, step->weights);
      allow(NEAR, step->input);
      allow(NEAR, step->operand);
      allow(NEAR, step->output);
    }
  }
}

static int take_all(void) {
  for (uint32_t i = 0u; i < STEPS; ++i) {
    const int status = take(&far.steps[i]);
    if (status != 0) {
      return status;
    }
  }
  return 0;
}

// Copies of a whole image, alone if there are others among the steps.
static int run(void *argument) {
  (void)argument;
  uint32_t number = 0u;
  int status = (int)tinsmith_diana_copy_in(NEAR, far.image, IMAGE_BYTES, &number);
  tinsmith_diana_wait(number);
  allow_arrays_alone();
  status = status != 0 ? status : take_all();
  UNPOISON(NEAR, IMAGE_BYTES);
  UNPOISON(far.weights, WEIGHT_BYTES);
  if (status == 0) {
    status = (int)tinsmith_diana_copy_out(far.image, NEAR, IMAGE_BYTES, &number);
    tinsmith_diana_wait(number);
  }
  return status;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "layers",
    .arena = (uint8_t *)&far,
    .arena_bytes = sizeof far,
    .input_count = 1u,
    .inputs = inputs,
    .output_count = 1u,
    .outputs = outputs,
    .run = run,
};
