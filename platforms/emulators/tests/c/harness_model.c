/* Describes the test model that MODEL_RUN names: 64 bytes in, 64 bytes out. */
#include "tinsmith_harness.h"

#ifndef MODEL_LAYERS
#define MODEL_LAYERS 0u
#endif

extern int MODEL_RUN(void *arena);

static uint8_t g_arena[192] TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t kInputs[] = {{0u, 64u}};
static const tinsmith_harness_tensor_t kOutputs[] = {{128u, 64u}};

const tinsmith_harness_model_t tinsmith_harness_model = {
    "test", g_arena, sizeof(g_arena), 1u, kInputs, 1u, kOutputs, MODEL_LAYERS, MODEL_RUN,
};
