/* Describes the test model that MODEL_RUN names: 64 bytes in, 64 bytes out. */
#include "tinsmith_harness.h"

#ifndef MODEL_LAYERS
#define MODEL_LAYERS 0u
#endif

extern int MODEL_RUN(void *arena);

static uint8_t g_arena[192] TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t kInputs[] = {{.offset = 0u, .bytes = 64u}};
static const tinsmith_harness_tensor_t kOutputs[] = {{.offset = 128u, .bytes = 64u}};

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "test",
    .arena = g_arena,
    .arena_bytes = sizeof(g_arena),
    .input_count = 1u,
    .inputs = kInputs,
    .output_count = 1u,
    .outputs = kOutputs,
    .layer_count = MODEL_LAYERS,
    .run = MODEL_RUN,
};
