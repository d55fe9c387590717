/* One call in a board's memory, as the "network" of an emulated firmware: head and arrays come in at the arena's start,
 * (status, scratch bytes, bytes written outside scratch or output, output) goes out behind them.
 */

#include <string.h>

#include "tests/call.h"

/* Keep in step with test_kernels.py. */
enum {
  kInputBytes = 12288,
  kScratchBytes = 8192,
  kResultBytes = 4112,
  kGuardBytes = 64,
};

static int32_t count_changed(const uint8_t *guard) {
  int32_t changed = 0;
  for (int32_t i = 0; i < kGuardBytes; ++i) {
    changed += guard[i] != 0xa5;
  }
  return changed;
}

int kernel_run(void *arena) {
  uint8_t *memory = arena;
  const call_head *head = (const call_head *)arena;
  uint8_t *scratch = memory + kInputBytes;
  int32_t *results = (int32_t *)(void *)(scratch + kScratchBytes);
  call c = {.head = head, .scratch = scratch + head->scratch_offset, .output = (int8_t *)(results + 4)};
  const uint8_t *next = memory + sizeof *head;
  for (int32_t i = 0; i < kArrays; ++i) {
    c.arrays[i] = next;
    next += (head->array_bytes[i] + 15) / 16 * 16;
  }
  uint8_t *guards[] = {scratch + head->scratch_offset + call_scratch_bytes(head),
                       (uint8_t *)c.output + head->output_bytes};
  memset(guards[0], 0xa5, kGuardBytes);
  memset(guards[1], 0xa5, kGuardBytes);
  results[0] = call_run(&c);
  results[1] = call_scratch_bytes(head);
  results[2] = count_changed(guards[0]) + count_changed(guards[1]);
  results[3] = 0;
  return 0;
}
