/* Describes the model of memory.c: 64 bytes of commands in, the 2048 working bytes out. */
#include "tinsmith_harness.h"

extern int memory_run(void *arena);

static uint8_t g_arena[64 + 2048] TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t kInputs[] = {{0u, 64u}};
static const tinsmith_harness_tensor_t kOutputs[] = {{64u, 2048u}};

const tinsmith_harness_model_t tinsmith_harness_model = {
    "memory", g_arena, sizeof(g_arena), 1u, kInputs, 1u, kOutputs, 2u, memory_run,
};
