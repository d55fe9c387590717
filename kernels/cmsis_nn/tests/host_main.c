/* Reads calls from standard input and writes (status, scratch bytes, output) of each to standard output.
 *
 * Every array has memory of its own of exactly its size, so that the address sanitizer sees each byte read too far.
 */

#include <stdio.h>
#include <stdlib.h>

#include "tests/call.h"

static void *take(int32_t bytes) {
  void *memory = malloc((size_t)bytes);
  int8_t padding[16];
  const size_t rest = (size_t)(-bytes & 15);
  if (memory == NULL || fread(memory, 1, (size_t)bytes, stdin) != (size_t)bytes ||
      fread(padding, 1, rest, stdin) != rest) {
    fputs("a call ends too early\n", stderr);
    exit(2);
  }
  return memory;
}

int main(void) {
  call_head head;
  while (fread(&head, sizeof head, 1, stdin) == 1) {
    void *arrays[kArrays];
    call c = {.head = &head};
    for (int32_t i = 0; i < kArrays; ++i) {
      arrays[i] = take(head.array_bytes[i]);
      c.arrays[i] = arrays[i];
    }
    const int32_t scratch_bytes = call_scratch_bytes(&head);
    int8_t *scratch = malloc((size_t)(scratch_bytes + head.scratch_offset));
    c.scratch = scratch + head.scratch_offset;
    c.output = malloc((size_t)head.output_bytes);
    const int32_t results[2] = {call_run(&c), scratch_bytes};
    fwrite(results, sizeof results, 1, stdout);
    fwrite(c.output, 1, (size_t)head.output_bytes, stdout);
    free(c.output);
    free(scratch);
    for (int32_t i = 0; i < kArrays; ++i) {
      free(arrays[i]);
    }
  }
  return 0;
}
