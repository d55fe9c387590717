/* Small models whose results, cost and misbehaviour are known beforehand. */
#include <stdint.h>
#include <string.h>

#ifdef TINSMITH_LAYER_HOOK
void tinsmith_layer_done(uint32_t layer, const void *output, uint32_t bytes);
#define LAYER_DONE(layer, output, bytes) tinsmith_layer_done(layer, output, bytes)
#else
#define LAYER_DONE(layer, output, bytes) ((void)0)
#endif

#define BYTES 64
#define LOOPS 65536

int add_run(void *arena);
int arithmetic_run(void *arena);
int counted_run(void *arena);
int endless_run(void *arena);
int failing_run(void *arena);
int fault_run(void *arena);
int foreign_run(void *arena);
int layers_run(void *arena);
int overflow_run(void *arena);
int quitting_run(void *arena);
int stack_run(void *arena);
int zero_data_run(void *arena);

static const int8_t kTable_weights_add[BYTES] = {1, 2, 3, 4, 5, [BYTES - 1] = -1};

/* output = input + table. */
int add_run(void *arena) {
  const int8_t *const input = (const int8_t *)arena;
  int8_t *const output = (int8_t *)arena + 128;
  for (int i = 0; i < BYTES; ++i) {
    output[i] = (int8_t)(input[i] + kTable_weights_add[i]);
  }
  return 0;
}

/* What small cores call functions for: floats, 64-bit products and divisions. */
int arithmetic_run(void *arena) {
  const int8_t *const input = (const int8_t *)arena;
  int8_t *const output = (int8_t *)arena + 128;
  for (int i = 0; i < BYTES; ++i) {
    const volatile float third = (float)input[i] / 3.0f;
    const volatile int64_t wide = (int64_t)input[i] * 1000000007 / (input[i] + 300);
    output[i] = (int8_t)((int)(third * 2.5f) + (int)(wide % 17) + (input[i] >> (i & 7)));
  }
  return 0;
}

/* Exactly 2 * LOOPS + 3 instructions, the return included. */
#if defined(__arm__)
__attribute__((naked)) int counted_run(__attribute__((unused)) void *arena) {
  __asm__ volatile(".syntax unified\n\tldr r1, =65536\n1:\n\tsubs r1, #1\n\tbne 1b\n\tmovs r0, #0\n\tbx lr\n\t.ltorg");
}
#elif defined(__riscv)
__attribute__((naked)) int counted_run(__attribute__((unused)) void *arena) {
  __asm__ volatile("lui a1, 16\n1:\n\taddi a1, a1, -1\n\tbnez a1, 1b\n\tli a0, 0\n\tret");
}
#else
int counted_run(void *arena) {
  (void)arena;
  return 0;
}
#endif

int endless_run(void *arena) {
  volatile uint8_t *const byte = arena;
  for (;;) {
    *byte = 0u;
  }
}

/* The harness's way out, long before it has written all. */
_Noreturn void port_exit(uint32_t status);

int quitting_run(void *arena) {
  (void)arena;
  port_exit(0u);
}

int failing_run(void *arena) {
  (void)arena;
  return 7;
}

/* Reads a word that is not there; QEMU's nRF51 answers for every address, but its Cortex-M0 knows no odd words. */
int fault_run(void *arena) {
#if defined(__ARM_ARCH_6M__)
  const uintptr_t bad = (uintptr_t)arena + 1u;
#else
  (void)arena;
  const uintptr_t bad = 0xFFFFFF00u;
#endif
  return (int)*(volatile uint32_t *)bad;
}

/* fmv.w.x f0, x0, which RV32IMC does not have. */
int foreign_run(void *arena) {
  (void)arena;
#if defined(__riscv)
  __asm__ volatile(".4byte 0xf0000053");
#endif
  return 0;
}

/* Three layers, the middle one with a known number of instructions. */
int layers_run(void *arena) {
  int8_t *const bytes = arena;
  for (int i = 0; i < BYTES; ++i) {
    bytes[64 + i] = (int8_t)(bytes[i] + 1);
  }
  LAYER_DONE(0u, bytes + 64, BYTES);
  (void)counted_run(arena);
  LAYER_DONE(1u, bytes + 64, 32u);
  memcpy(bytes + 128, bytes + 64, BYTES);
  LAYER_DONE(2u, bytes + 128, BYTES);
  return 0;
}

/* Recursion that no compiler turns into a loop, because the frame's content is needed afterwards. */
__attribute__((noinline)) static int recurse(volatile uint32_t depth) {
  volatile uint32_t frame[64];
  frame[depth & 63u] = depth;
  return depth == 0u ? 0 : recurse(depth - 1u) + (int)frame[depth & 63u];
}

int overflow_run(void *arena) {
  (void)arena;
  return recurse(1u << 20);
}

/* Touches 1024 bytes of stack. */
int stack_run(void *arena) {
  volatile uint8_t frame[1024];
  const uint8_t *const input = arena;
  uint8_t *const output = (uint8_t *)arena + 128;
  for (int i = 0; i < 1024; ++i) {
    frame[i] = input[i & 63];
  }
  for (int i = 0; i < BYTES; ++i) {
    output[i] = frame[960 + i];
  }
  return 0;
}

static volatile uint32_t g_initialized = 0x01020304u;
static volatile uint32_t g_zero;

/* Start-up code has done its work if .data and .bss hold what C promises. */
int zero_data_run(void *arena) {
  memset((uint8_t *)arena + 128, (int)(g_initialized + g_zero) & 255, BYTES);
  return g_initialized == 0x01020304u && g_zero == 0u ? 0 : 1;
}
