// One call of a layer, for the tests beside it. Its numbers come from their input, its arrays lie in one image in the
// cluster's memory, which is the output: whatever the job touches shows there.

#include <string.h>

#include "tinsmith_harness.h"
#include "tinsmith_neureka_call.h"

#define IMAGE_BYTES 0x1c000u
#define WORDS 24u

#define WEIGHT_MEMORY 0x10400000u

// constants, input, output: where they begin in the image; weights: where from the beginning of the weight memory if
// is_beside, else in the image, from which they go there. words: of the job, those of addresses 0.
typedef struct {
  uint32_t channels, constants, weights, weight_bytes, input, output, is_beside;
  uint32_t words[WORDS];
  uint8_t image[IMAGE_BYTES];
} far_t;

static _Alignas(16) uint8_t far_memory[sizeof(far_t)] TINSMITH_HARNESS_MEMORY("l2");
static _Alignas(16) int8_t image[IMAGE_BYTES] TINSMITH_HARNESS_MEMORY("l1");
static const tinsmith_harness_memory_t memories[] = {
    {far_memory, sizeof(far_t), 0u},
    {(uint8_t *)image, IMAGE_BYTES, 0u},
};
static const tinsmith_harness_tensor_t inputs[] = {{0u, sizeof(far_t), 0u}};
static const tinsmith_harness_tensor_t outputs[] = {{0u, IMAGE_BYTES, 1u}};

static const int8_t *place_weights(const far_t *far) {
  if (far->is_beside == 0u) {
    return image + far->weights;
  }
  // Nothing but weights lies there, so that they may be left from a run before.
  int8_t *const beside = (int8_t *)(uintptr_t)(WEIGHT_MEMORY + far->weights);
  memcpy(beside, image + far->weights, far->weight_bytes);
  memset(image + far->weights, 0, far->weight_bytes);
  return beside;
}

static int run(void *argument) {
  (void)argument;
  const far_t *const far = (const far_t *)(const void *)far_memory;
  memcpy(image, far->image, sizeof image);
  tinsmith_neureka_call_start((const int8_t *)far->words, image + far->constants, place_weights(far), far->channels,
                              image + far->input, image + far->output, 0u);
  tinsmith_neureka_call_wait(0u);
  return 0;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "calls",
    .input_count = 1u,
    .inputs = inputs,
    .output_count = 1u,
    .outputs = outputs,
    .run = run,
    .memory_count = 2u,
    .memories = memories,
};
