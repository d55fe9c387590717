/* The harness's view of board_model.c. */

#include "tinsmith_harness.h"

int kernel_run(void *arena);

static uint8_t arena[12288 + 8192 + 4112 + 64] TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t inputs[] = {{.offset = 0, .bytes = 12288}};
static const tinsmith_harness_tensor_t outputs[] = {{.offset = 12288 + 8192, .bytes = 4112}};

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "kernel",
    .arena = arena,
    .arena_bytes = sizeof(arena),
    .input_count = 1,
    .inputs = inputs,
    .output_count = 1,
    .outputs = outputs,
    .layer_count = 0,
    .run = kernel_run,
};
