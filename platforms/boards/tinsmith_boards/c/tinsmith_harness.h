/* What a model tells the test harness about itself, and the hook it calls after every layer.
 *
 * The harness is a test tool: it is linked around a model to run it on an emulator or on the host, and it is no
 * part of what a user ships. One file per model (harness_model.c) defines `tinsmith_harness_model`; the model's
 * own files know nothing of this header.
 */
#ifndef TINSMITH_HARNESS_H_
#define TINSMITH_HARNESS_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Puts the arena outside .bss: the start-up code need not clear it, and size reports count it apart. One of several
 * memories lies in the board's memory of that name (a string), or where the arena would. */
#if defined(__APPLE__)
#define TINSMITH_HARNESS_ARENA
#define TINSMITH_HARNESS_MEMORY(name)
#else
#define TINSMITH_HARNESS_ARENA __attribute__((section(".arena"), aligned(16)))
#define TINSMITH_HARNESS_MEMORY(name) __attribute__((section(".arena." name), aligned(16)))
#endif

/* Where one input or output lies: in bytes from the start of the arena, or of one of several memories. */
typedef struct tinsmith_harness_tensor {
  uint32_t offset;
  uint32_t bytes;
  uint32_t memory;
} tinsmith_harness_tensor_t;

/* One of several memories; painted as an arena is, but for one that keeps states from run to run. */
typedef struct tinsmith_harness_memory {
  void *start;
  uint32_t bytes;
  uint32_t is_kept;
} tinsmith_harness_memory_t;

typedef struct tinsmith_harness_model {
  const char *name;
  /* What `run` is given: the arena, filled with 0x55 before every run, so that reading what was never written shows;
   * or, if there are several memories, a struct that points to them, and 0 bytes. */
  void *arena;
  uint32_t arena_bytes;
  uint32_t input_count;
  const tinsmith_harness_tensor_t *inputs;
  uint32_t output_count;
  const tinsmith_harness_tensor_t *outputs;
  /* How often one run calls tinsmith_layer_done() when it is compiled with TINSMITH_LAYER_HOOK. */
  uint32_t layer_count;
  /* Returns 0 when it went well; anything else is reported and ends the program. */
  int (*run)(void *arena);
  /* Several memories; none if there is an arena. */
  uint32_t memory_count;
  const tinsmith_harness_memory_t *memories;
  /* Called once, before the first run; NULL for a model without states. Returns what `run` does. */
  int (*reset)(void *arena);
} tinsmith_harness_model_t;

extern const tinsmith_harness_model_t tinsmith_harness_model;

/* Called by a model compiled with TINSMITH_LAYER_HOOK after each layer.
 *
 * layer: its number, 0 for the first; a layer in a loop comes as often as it is run. output, bytes: that layer's
 * result; it is copied before the call returns. The time spent in here is not counted to any layer.
 */
void tinsmith_layer_done(uint32_t layer, const void *output, uint32_t bytes);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_HARNESS_H_
