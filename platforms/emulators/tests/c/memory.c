/* Calls memcpy, memmove and memset with the offsets and lengths of the input, on bytes of the arena.
 *
 * Input (64 bytes): function (0 memcpy, 1 memmove, 2 memset), destination offset, source offset, fill, length as
 * two bytes. Arena: input at 0, 2048 working bytes at 64. Layers: 0 = what led to the call, 1 = the call alone.
 */
#include <stdint.h>
#include <string.h>

#ifdef TINSMITH_LAYER_HOOK
void tinsmith_layer_done(uint32_t layer, const void *output, uint32_t bytes);
#define LAYER_DONE(layer, output, bytes) tinsmith_layer_done(layer, output, bytes)
#else
#define LAYER_DONE(layer, output, bytes) ((void)0)
#endif

#define WORK_BYTES 2048u

int memory_run(void *arena);

int memory_run(void *arena) {
  const uint8_t *const input = arena;
  uint8_t *const work = (uint8_t *)arena + 64;
  /* Through volatile pointers: the compiler must not put its own code in place of the calls. */
  void *(*volatile const copy)(void *restrict, const void *restrict, size_t) = memcpy;
  void *(*volatile const move)(void *, const void *, size_t) = memmove;
  void *(*volatile const fill)(void *, int, size_t) = memset;
  for (uint32_t i = 0u; i < WORK_BYTES; ++i) {
    work[i] = (uint8_t)(i * 7u + (i >> 8));
  }
  uint8_t *const destination = work + input[1] + (input[0] == 0u ? WORK_BYTES / 2u : 0u);
  const uint8_t *const source = work + input[2];
  const size_t length = input[4] + 256u * input[5];
  LAYER_DONE(0u, work, 0u);
  const void *result = NULL;
  if (input[0] == 0u) {
    result = copy(destination, source, length);
  } else if (input[0] == 1u) {
    result = move(destination, source, length);
  } else {
    result = fill(destination, input[3], length);
  }
  LAYER_DONE(1u, work, 0u);
  return result == destination ? 0 : 1;
}
