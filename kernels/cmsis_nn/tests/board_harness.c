/* The harness's view of board_model.c. */

#include "tinsmith_harness.h"

int kernel_run(void *arena);

static uint8_t arena[12288 + 8192 + 4112 + 64] TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t inputs[] = {{0, 12288}};
static const tinsmith_harness_tensor_t outputs[] = {{12288 + 8192, 4112}};

const tinsmith_harness_model_t tinsmith_harness_model = {"kernel", arena, sizeof(arena), 1, inputs, 1,
                                                         outputs,  0,     kernel_run};
