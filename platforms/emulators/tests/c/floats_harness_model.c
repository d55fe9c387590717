/* Describes the model of floats.c: 32 pairs of 64-bit patterns in, 28 results of 64 bits for each out. */
#include "tinsmith_harness.h"

#define INPUT_BYTES (32u * 2u * 8u)
#define OUTPUT_BYTES (32u * 28u * 8u)

extern int floats_run(void *arena);

static uint8_t g_arena[INPUT_BYTES + OUTPUT_BYTES] TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t kInputs[] = {{0u, INPUT_BYTES}};
static const tinsmith_harness_tensor_t kOutputs[] = {{INPUT_BYTES, OUTPUT_BYTES}};

const tinsmith_harness_model_t tinsmith_harness_model = {
    "floats", g_arena, sizeof(g_arena), 1u, kInputs, 1u, kOutputs, 0u, floats_run,
};
