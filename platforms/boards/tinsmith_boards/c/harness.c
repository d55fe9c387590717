/* Runs a model on every input set of "input.bin" and writes what came out and what it cost to "output.bin".
 *
 * input.bin:  header {magic "TSI1", flags, run count}, then for each run the bytes of all inputs one after another.
 * output.bin: records {tag, number, ticks, cycles, payload bytes} followed by their payload; all words little-endian:
 *   "HEAD" number = layers of a run        once, first
 *   "EMPT" ticks and cycles of an empty run, "HOOK" those that one layer hook adds
 *   "LAYR" number = layer                  one for each hook call, none if layers are stages; the output if asked for
 *   "RUN " number = stack bytes            after the layers of a run; the payload is its return value
 *   "OUTP" number = output                 one for each output of a run
 *   "END " number = runs                   once, last
 * Ticks are those of the board's counter, which the runner turns into instructions; cycles are 0 where nothing counts
 * them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counter.h"
#include "port.h"
#include "region.h"
#include "tinsmith_harness.h"

#define TAG(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define FLAG_LAYER_OUTPUTS 1u
/* Layers are stages for an emulator that counts by stage, and are not recorded: that would take time in which copies go
 * on beside the cores. */
#define FLAG_LAYER_STAGES 2u
#define STACK_PAINT 0xC0DEC0DEu
#define MEMORY_PAINT 0x55u

/* Numbers of regions: what an emulator that counts by region says of a run less what it says of an empty one is the
 * run. */
#define NO_REGION 0u
#define REGION_EMPTY_RUN 1u
#define REGION_FIRST_RUN 2u

/* Layer N is stage N + FIRST_LAYER. */
#define NO_STAGE 0u
#define FIRST_LAYER 1u

typedef struct {
  uint32_t magic;
  uint32_t flags;
  uint32_t runs;
} input_header_t;

/* Of an interval, or since the counters began. */
typedef struct {
  uint32_t ticks;
  uint32_t cycles;
} counts_t;

typedef struct {
  uint32_t tag;
  uint32_t number;
  counts_t counts;
  uint32_t bytes;
} record_t;

typedef struct {
  counts_t counts;
  uint32_t stack_bytes;
  int32_t status;
} measurement_t;

static int32_t g_output = -1;
static bool g_record_layers;
static bool g_with_outputs;
static bool g_ends_stages;
/* Counters when the current layer began (the end of the last hook, or the start of the run). */
static counts_t g_layer_start;
/* Length of the layer that the last hook ended. */
static counts_t g_layer;
/* What the hooks of the current run took, negated; it belongs to the harness, not to the model. */
static counts_t g_hooks;
static const counts_t kNoCounts;

static _Noreturn void fail(const char *text) {
  port_print("harness: ");
  port_print(text);
  port_print("\n");
  port_exit(2u);
}

static void write_bytes(const void *data, uint32_t bytes) {
  if (bytes != 0u && port_write(g_output, data, bytes) != 0u) {
    fail("cannot write output.bin (disk full?)");
  }
}

static void write_record(uint32_t tag, uint32_t number, counts_t counts, const void *payload, uint32_t bytes) {
  const record_t record = {tag, number, counts, bytes};
  write_bytes(&record, (uint32_t)sizeof(record));
  write_bytes(payload, bytes);
}

/* Ticks last before what is measured and first behind it: their count is the one that must be exact. */
static inline counts_t counts_at_begin(void) {
  const uint32_t cycles = cycles_read();
  const counts_t counts = {counter_read(), cycles};
  return counts;
}

static inline counts_t counts_at_end(void) {
  const uint32_t ticks = counter_read();
  const counts_t counts = {ticks, cycles_read()};
  return counts;
}

static inline counts_t counts_between(counts_t begin, counts_t end) {
  const counts_t counts = {end.ticks - begin.ticks, end.cycles - begin.cycles};
  return counts;
}

__attribute__((noinline)) void tinsmith_layer_done(uint32_t layer, const void *output, uint32_t bytes) {
  if (REGION_HAS_STAGES && g_ends_stages) {
    stage_end(layer + FIRST_LAYER);
    return;
  }
  const counts_t begin = counts_at_end();
  g_layer = counts_between(g_layer_start, begin);
  if (g_record_layers) {
    write_record(TAG('L', 'A', 'Y', 'R'), layer, g_layer, output, g_with_outputs ? bytes : 0u);
  }
  g_hooks.ticks += begin.ticks;
  g_hooks.cycles += begin.cycles;
  /* Nothing but additions and stores after this line: they are what calibration measures. */
  const counts_t end = counts_at_begin();
  g_layer_start = end;
  g_hooks.ticks -= end.ticks;
  g_hooks.cycles -= end.cycles;
}

__attribute__((noinline)) static int empty_run(void *arena) {
  (void)arena;
  return 0;
}

/* Two adjacent hooks: the empty layer between them is what a hook adds to every layer. */
__attribute__((noinline)) static counts_t calibrate_hook(void) {
  tinsmith_layer_done(0u, NULL, 0u);
  tinsmith_layer_done(1u, NULL, 0u);
  return g_layer;
}

/* Paints what lies below this frame, runs, and looks how far down the paint is gone. Nothing between the read of
 * the stack pointer and the call moves it, so the mark is the depth of `run` alone, its own frame included. */
__attribute__((noinline)) static void measure(int (*volatile entry)(void *), void *arena, uint32_t region,
                                              measurement_t *result) {
  int (*const run)(void *) = entry;
  uint32_t *const limit = port_stack_limit();
  volatile uint32_t *top = limit;
#if defined(__arm__)
  __asm__ volatile("mov %0, sp" : "=r"(top)::"memory");
#elif defined(__riscv)
  __asm__ volatile("mv %0, sp" : "=r"(top)::"memory");
#endif
  for (volatile uint32_t *word = limit; word < top; ++word) {
    *word = STACK_PAINT;
  }

  g_hooks = kNoCounts;
  region_begin(region);
  stage_end(NO_STAGE);
  const counts_t begin = counts_at_begin();
  g_layer_start = begin;
  result->status = (int32_t)run(arena);
  const counts_t all = counts_between(begin, counts_at_end());
  region_end(region);

  result->counts.ticks = all.ticks + g_hooks.ticks;
  result->counts.cycles = all.cycles + g_hooks.cycles;
  volatile uint32_t *untouched = limit;
  while (untouched < top && *untouched == STACK_PAINT) {
    ++untouched;
  }
  result->stack_bytes = (uint32_t)((uintptr_t)top - (uintptr_t)untouched);
  if (limit != NULL && untouched == limit) {
    fail("the stack is used up to its end: give the board a larger stack");
  }
  if (port_worker_stack_is_full()) {
    fail("the stack of a core that serves forks is used up to its end: give the board's cluster larger ones");
  }
}

/* Not memset: what the harness calls must not make the product's runtime look larger than it is. The memory begins with
 * a word; a store of one may cost as much as that of a byte. */
static void paint(void *memory, uint32_t bytes) {
  volatile uint32_t *const words = (volatile uint32_t *)memory;
  volatile uint8_t *const first = (volatile uint8_t *)memory;
  const uint32_t whole = bytes / (uint32_t)sizeof(*words);
  for (uint32_t i = 0u; i < whole; ++i) {
    words[i] = MEMORY_PAINT * 0x01010101u;
  }
  for (uint32_t i = whole * (uint32_t)sizeof(*words); i < bytes; ++i) {
    first[i] = MEMORY_PAINT;
  }
}

static void paint_memories(const tinsmith_harness_model_t *model) {
  paint(model->arena, model->arena_bytes);
  for (uint32_t i = 0u; i < model->memory_count; ++i) {
    if (model->memories[i].is_kept == 0u) {
      paint(model->memories[i].start, model->memories[i].bytes);
    }
  }
}

/* States as they begin, in memories whose other bytes hold nothing. */
static void reset(const tinsmith_harness_model_t *model) {
  if (model->reset == NULL) {
    return;
  }
  for (uint32_t i = 0u; i < model->memory_count; ++i) {
    paint(model->memories[i].start, model->memories[i].bytes);
  }
  if (model->reset(model->arena) != 0) {
    fail("the model refuses to be reset");
  }
}

static uint8_t *place_of(const tinsmith_harness_model_t *model, const tinsmith_harness_tensor_t *tensor) {
  void *const memory = model->memory_count == 0u ? model->arena : model->memories[tensor->memory].start;
  return (uint8_t *)memory + tensor->offset;
}

static void read_inputs(const tinsmith_harness_model_t *model, int32_t file) {
  for (uint32_t i = 0u; i < model->input_count; ++i) {
    const tinsmith_harness_tensor_t *const input = &model->inputs[i];
    if (port_read(file, place_of(model, input), input->bytes) != 0u) {
      fail("input.bin ends too early");
    }
  }
}

static void run_once(const tinsmith_harness_model_t *model, int32_t file, uint32_t region) {
  paint_memories(model);
  read_inputs(model, file);

  measurement_t result;
  g_record_layers = true;
  measure(model->run, model->arena, region, &result);
  g_record_layers = false;

  write_record(TAG('R', 'U', 'N', ' '), result.stack_bytes, result.counts, &result.status,
               (uint32_t)sizeof(result.status));
  for (uint32_t i = 0u; i < model->output_count; ++i) {
    const tinsmith_harness_tensor_t *const output = &model->outputs[i];
    write_record(TAG('O', 'U', 'T', 'P'), i, kNoCounts, place_of(model, output), output->bytes);
  }
}

int main(void) {
  const tinsmith_harness_model_t *const model = &tinsmith_harness_model;
  const int32_t file = port_open_read("input.bin");
  if (file < 0) {
    fail("cannot open input.bin");
  }
  input_header_t header;
  if (port_read(file, &header, (uint32_t)sizeof(header)) != 0u || header.magic != TAG('T', 'S', 'I', '1')) {
    fail("input.bin has no header");
  }
  g_output = port_open_write("output.bin");
  if (g_output < 0) {
    fail("cannot create output.bin");
  }

  counter_start();
  write_record(TAG('H', 'E', 'A', 'D'), model->layer_count, kNoCounts, NULL, 0u);
  measurement_t empty;
  measure(empty_run, model->arena, NO_REGION, &empty);
  /* The second one finds an instruction cache as warm as it gets. */
  measure(empty_run, model->arena, REGION_EMPTY_RUN, &empty);
  write_record(TAG('E', 'M', 'P', 'T'), 0u, empty.counts, NULL, 0u);
  write_record(TAG('H', 'O', 'O', 'K'), 0u, calibrate_hook(), NULL, 0u);

  reset(model);
  g_with_outputs = (header.flags & FLAG_LAYER_OUTPUTS) != 0u;
  g_ends_stages = (header.flags & FLAG_LAYER_STAGES) != 0u;
  for (uint32_t i = 0u; i < header.runs; ++i) {
    run_once(model, file, i == 0u ? REGION_FIRST_RUN : NO_REGION);
  }
  write_record(TAG('E', 'N', 'D', ' '), header.runs, kNoCounts, NULL, 0u);
  port_close(g_output);
  port_close(file);
  return 0;
}
