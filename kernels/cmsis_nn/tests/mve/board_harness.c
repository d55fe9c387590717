/* Seed and number of cases in, results out: what test_mve_kernels.c runs on. */
#include "tinsmith_harness.h"

int test_mve_kernels_run(void *arena);

static uint8_t arena[64] TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t inputs[] = {{.offset = 0, .bytes = 8}};
static const tinsmith_harness_tensor_t outputs[] = {{.offset = 0, .bytes = 60}};
const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "mve",
    .arena = arena,
    .arena_bytes = sizeof(arena),
    .input_count = 1,
    .inputs = inputs,
    .output_count = 1,
    .outputs = outputs,
    .layer_count = 0,
    .run = test_mve_kernels_run,
};
