/* A program around the example network; runs it once on an empty image. */
#include <stdint.h>

#include "digits.h"

static _Alignas(DIGITS_ARENA_ALIGNMENT) uint8_t arena[DIGITS_ARENA_BYTES];

int main(void) {
  return digits_run(arena);
}
