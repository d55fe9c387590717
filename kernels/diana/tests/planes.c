// Turns an image to planes, to pixels and back and averages it, for the tests beside it: on the chip, and on a
// computer, where under sanitizers nothing may be touched but what the functions say.

#include <stddef.h>
#if !defined(__riscv)
#include <stdlib.h>
#include <string.h>
#endif

#include "tinsmith_diana_pixels.h"
#include "tinsmith_diana_planes.h"
#include "tinsmith_harness.h"

#define IMAGE_BYTES 0x4000u

// operation: 0 to rows, 1 from rows, 2 average, 3 to pixels, 4 from pixels, 5 rows to pixels, 6 pixels to rows,
// 7 average of pixels.
typedef struct {
  uint32_t operation, height, width, channels;
  int32_t min, max;
  uint32_t given_bytes, result_bytes;
  uint8_t given[IMAGE_BYTES], result[IMAGE_BYTES];
} work_t;

static _Alignas(16) work_t work TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t inputs[] = {{0u, sizeof(work_t), 0u}};
static const tinsmith_harness_tensor_t outputs[] = {{offsetof(work_t, result), IMAGE_BYTES, 0u}};

static void apply(const int8_t *given, int8_t *result) {
  switch (work.operation) {
    case 0u:
      tinsmith_diana_to_rows(given, work.height, work.width, work.channels, result);
      break;
    case 1u:
      tinsmith_diana_from_rows(given, work.height, work.width, work.channels, result);
      break;
    case 3u:
      tinsmith_diana_to_pixels(given, work.height, work.width, work.channels, result);
      break;
    case 4u:
      tinsmith_diana_from_pixels(given, work.height, work.width, work.channels, result);
      break;
    case 5u:
      tinsmith_diana_rows_to_pixels(given, work.height, work.width, work.channels, result);
      break;
    case 6u:
      tinsmith_diana_pixels_to_rows(given, work.height, work.width, work.channels, result);
      break;
    case 7u:
      tinsmith_diana_average_pixels(given, work.height, work.width, work.channels, work.min, work.max, result);
      break;
    default:
      tinsmith_diana_average(given, work.height, work.width, work.channels, work.min, work.max, result);
      break;
  }
}

#if defined(__riscv)
static int run(void *argument) {
  (void)argument;
  apply((const int8_t *)work.given, (int8_t *)work.result);
  return 0;
}
#else
// In memory of its own, of just that many bytes.
static int run(void *argument) {
  (void)argument;
  int8_t *const given = malloc(work.given_bytes);
  int8_t *const result = malloc(work.result_bytes);
  const int status = given == NULL || result == NULL;
  if (status == 0) {
    memcpy(given, work.given, work.given_bytes);
    memcpy(result, work.result, work.result_bytes);
    apply(given, result);
    memcpy(work.result, result, work.result_bytes);
  }
  free(given);
  free(result);
  return status;
}
#endif

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "planes",
    .arena = (uint8_t *)&work,
    .arena_bytes = sizeof work,
    .input_count = 1u,
    .inputs = inputs,
    .output_count = 1u,
    .outputs = outputs,
    .run = run,
};
