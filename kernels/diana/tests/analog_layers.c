// Carries out the layers and copies that its input lists, for the tests beside it. Images lie in four windows, one in
// each bank of the accelerators' memory, which are copied there before and back behind: whatever a layer touches shows
// in the output.

#include <stdbool.h>
#include <stddef.h>

#include "tinsmith_diana_analog.h"
#include "tinsmith_harness.h"

#define STEPS 8u
#define WINDOW_BYTES 0x3000u
#define WEIGHT_BYTES 0xa000u
#define SCALE_BYTES 0x400u
#define FAR_BYTES 0x1000u
#define NONE 0xffffffffu

enum { kLayer = 1, kCopyIn = 2, kCopyOut = 3 };

// Places are offsets: of weights and scales in theirs, of images in the window of the first bank; of a copy, `input`
// and from `far` on.
typedef struct {
  uint32_t kind;
  uint32_t far, rows, banks;
  tinsmith_diana_analog_layer_t layer;
  uint32_t weights, scales, input, partial, residual, output;
} step_t;

typedef struct {
  step_t steps[STEPS];
  _Alignas(16) int8_t weights[WEIGHT_BYTES];
  _Alignas(16) int8_t scales[SCALE_BYTES];
  _Alignas(16) uint8_t windows[TINSMITH_DIANA_BANKS][WINDOW_BYTES];
  _Alignas(16) uint8_t far[FAR_BYTES];
} far_t;

#if defined(__riscv)
// Where the board has it, and not from its beginning.
#define NEAR ((uint8_t *)0x10000400u)
#else
static _Alignas(16) uint8_t near_memory[TINSMITH_DIANA_BANKS * TINSMITH_DIANA_BANK_BYTES];
#define NEAR near_memory
#endif

static _Alignas(16) far_t far TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t inputs[] = {{0u, sizeof(far_t), 0u}};
static const tinsmith_harness_tensor_t outputs[] = {
    {offsetof(far_t, windows), sizeof(far_t) - offsetof(far_t, windows), 0u}};

static const int8_t *constant(const int8_t *from, uint32_t offset) {
  return offset == NONE ? NULL : from + offset;
}

static int8_t *place(uint32_t offset) {
  return offset == NONE ? NULL : (int8_t *)NEAR + offset;
}

static int compute(const step_t *step) {
  tinsmith_diana_analog_record_t record;
  const tinsmith_diana_status_t status = tinsmith_diana_analog_encode(&step->layer, &record);
  if (status != kTinsmithDianaOk) {
    return (int)status;
  }
  const tinsmith_diana_analog_places_t places = {
      .weights = constant(far.weights, step->weights),
      .scales = constant(far.scales, step->scales),
      .input = place(step->input),
      .partial = place(step->partial),
      .residual = place(step->residual),
      .output = place(step->output),
  };
  tinsmith_diana_analog_wait(tinsmith_diana_analog_start(&record, &places));
  return 0;
}

static int take(const step_t *step) {
  uint32_t number = 0u;
  int status = 0;
  switch (step->kind) {
    case kLayer:
      return compute(step);
    case kCopyIn:
      status =
          (int)tinsmith_diana_analog_copy_in(place(step->input), far.far + step->far, step->rows, step->banks, &number);
      break;
    case kCopyOut:
      status = (int)tinsmith_diana_analog_copy_out(far.far + step->far, place(step->input), step->rows, step->banks,
                                                   &number);
      break;
    default:
      return 0;
  }
  if (status == 0) {
    tinsmith_diana_analog_wait(number);
  }
  return status;
}

// Starts follow each other without a wait but for the last.
static void copy_windows(bool is_in) {
  uint32_t number = 0u;
  for (uint32_t bank = 0u; bank < TINSMITH_DIANA_BANKS; ++bank) {
    uint8_t *const window = NEAR + bank * TINSMITH_DIANA_BANK_BYTES;
    if (is_in) {
      tinsmith_diana_analog_copy_in(window, far.windows[bank], WINDOW_BYTES / 16u, 1u, &number);
    } else {
      tinsmith_diana_analog_copy_out(far.windows[bank], window, WINDOW_BYTES / 16u, 1u, &number);
    }
  }
  tinsmith_diana_analog_wait(number);
}

static int run(void *argument) {
  (void)argument;
  copy_windows(true);
  int status = 0;
  for (uint32_t i = 0u; i < STEPS && status == 0; ++i) {
    status = take(&far.steps[i]);
  }
  copy_windows(false);
  return status;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "analog_layers",
    .arena = (uint8_t *)&far,
    .arena_bytes = sizeof far,
    .input_count = 1u,
    .inputs = inputs,
    .output_count = 1u,
    .outputs = outputs,
    .run = run,
};
