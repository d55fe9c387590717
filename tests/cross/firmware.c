/* A program around the example network; runs it once on an empty image. */
#include <stdint.h>

#include "digits.h"

static _Alignas(DIGITS_ARENA_ALIGNMENT) uint8_t arena[DIGITS_ARENA_BYTES];

#ifdef DIGITS_L1_BYTES
// For a cluster, in tiles: the cores' own memory is a second one.
static _Alignas(DIGITS_L1_ALIGNMENT) uint8_t l1[DIGITS_L1_BYTES];

int main(void) {
  const digits_memories_t memories = {arena, l1};
  return digits_run(&memories);
}
#else
int main(void) {
  return digits_run(arena);
}
#endif
