/* Describes the model of floats.c: 32 pairs of 64-bit patterns in, 28 results of 64 bits for each out. */
#include "tinsmith_harness.h"

#define INPUT_BYTES (32u * 2u * 8u)
#define OUTPUT_BYTES (32u * 28u * 8u)

extern int floats_run(void *arena);

static uint8_t g_arena[INPUT_BYTES + OUTPUT_BYTES] TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t kInputs[] = {{.offset = 0u, .bytes = INPUT_BYTES}};
static const tinsmith_harness_tensor_t kOutputs[] = {{.offset = INPUT_BYTES, .bytes = OUTPUT_BYTES}};

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "floats",
    .arena = g_arena,
    .arena_bytes = sizeof(g_arena),
    .input_count = 1u,
    .inputs = kInputs,
    .output_count = 1u,
    .outputs = kOutputs,
    .layer_count = 0u,
    .run = floats_run,
};
