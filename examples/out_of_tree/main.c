/* Runs the network on a grey image, and counts what is above the threshold. */
#include <stdint.h>
#include <stdio.h>

#include "network.h"

static _Alignas(NETWORK_ARENA_ALIGNMENT) uint8_t arena[NETWORK_ARENA_BYTES];

int main(void) {
  int8_t *image = network_input_0(arena);
  for (int i = 0; i < NETWORK_INPUT_0_BYTES; ++i) {
    image[i] = 40;
  }
  if (network_run(arena) != 0) {
    return 1;
  }
  const int8_t *strong = network_output_0(arena);
  int kept = 0;
  for (int i = 0; i < NETWORK_OUTPUT_0_BYTES; ++i) {
    kept += strong[i] != NETWORK_OUTPUT_0_ZERO_POINT;
  }
  printf("%d of %d features are above the threshold\n", kept, NETWORK_OUTPUT_0_BYTES);
  return 0;
}
