/* Describes the model of memory.c: 64 bytes of commands in, the 2048 working bytes out. */
#include "tinsmith_harness.h"

extern int memory_run(void *arena);

static uint8_t g_arena[64 + 2048] TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t kInputs[] = {{.offset = 0u, .bytes = 64u}};
static const tinsmith_harness_tensor_t kOutputs[] = {{.offset = 64u, .bytes = 2048u}};

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "memory",
    .arena = g_arena,
    .arena_bytes = sizeof(g_arena),
    .input_count = 1u,
    .inputs = kInputs,
    .output_count = 1u,
    .outputs = kOutputs,
    .layer_count = 2u,
    .run = memory_run,
};
