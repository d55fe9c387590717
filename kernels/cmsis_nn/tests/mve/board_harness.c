/* Seed and number of cases in, results out: what test_mve_kernels.c runs on. */
#include "tinsmith_harness.h"

int test_mve_kernels_run(void *arena);

static uint8_t arena[64] TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t inputs[] = {{0, 8}};
static const tinsmith_harness_tensor_t outputs[] = {{0, 60}};
const tinsmith_harness_model_t tinsmith_harness_model = {
    "mve", arena, sizeof(arena), 1, inputs, 1, outputs, 0, test_mve_kernels_run,
};
