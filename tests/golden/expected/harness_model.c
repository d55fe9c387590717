// Test harness of the network 'network': its memory and its description.
#include "network.h"
#include "tinsmith_harness.h"

static uint8_t arena[NETWORK_ARENA_BYTES] TINSMITH_HARNESS_ARENA;

static const tinsmith_harness_tensor_t kInputs[] = {
    {NETWORK_INPUT_0_OFFSET, NETWORK_INPUT_0_BYTES, 0u},
};

static const tinsmith_harness_tensor_t kOutputs[] = {
    {NETWORK_OUTPUT_0_OFFSET, NETWORK_OUTPUT_0_BYTES, 0u},
};

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "network",
    .arena = arena,
    .arena_bytes = NETWORK_ARENA_BYTES,
    .input_count = NETWORK_INPUT_COUNT,
    .inputs = kInputs,
    .output_count = NETWORK_OUTPUT_COUNT,
    .outputs = kOutputs,
    .layer_count = NETWORK_LAYER_COUNT,
    .run = network_run,
};
