// Means of every sum of up to 300 int8, beside those of a division, for the test beside it.

#include "sums.h"
#include "tinsmith_harness.h"

#define MOST_COUNT 300

static struct {
  uint32_t wrong, compared;
} found TINSMITH_HARNESS_ARENA;
static const tinsmith_harness_tensor_t outputs[] = {{0u, sizeof found, 0u}};

static int32_t divided(int64_t sum, int32_t count) {
  const int64_t half = count / 2;
  return (int32_t)((sum < 0 ? sum - half : sum + half) / count);
}

static void compare(int32_t sum, int32_t count) {
  const divisor_t by = divisor_of((uint32_t)count);
  const int32_t sums[4] = {sum, 0, 0, sum}, wanted = divided(sum, count);
  const uint32_t word = means_of(sums, &by, -128, 127);
  const bool is_right = mean_of(sum, &by, -128, 127) == wanted && (int8_t)word == wanted && (word >> 8 & 0xffu) == 0u &&
                        (int8_t)(word >> 24) == wanted;
  found.wrong += !is_right;
  ++found.compared;
}

static int run(void *argument) {
  (void)argument;
  found.wrong = found.compared = 0u;
  for (int32_t count = 1; count <= MOST_COUNT; ++count) {
    for (int32_t sum = -128 * count; sum <= 127 * count; ++sum) {
      compare(sum, count);
    }
  }
  for (int32_t count = 1 << 10; count <= 1 << 24; count <<= 1) {
    for (int32_t less = 0; less < 4; ++less) {
      const int32_t counted = count - 1 - less;
      for (int32_t near = -2; near <= 2; ++near) {
        compare(-128 * counted + near + 2, counted);
        compare(127 * counted + near - 2, counted);
        compare(counted / 2 + near, counted);
        compare(near - counted / 2, counted);
      }
    }
  }
  return 0;
}

const tinsmith_harness_model_t tinsmith_harness_model = {
    .name = "means",
    .arena = (uint8_t *)&found,
    .arena_bytes = sizeof found,
    .output_count = 1u,
    .outputs = outputs,
    .run = run,
};
