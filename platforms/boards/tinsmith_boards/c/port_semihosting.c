/* The harness's port to an emulator that speaks Arm semihosting (its RISC-V variant has the same call numbers). */
#include <stddef.h>
#include <stdint.h>

#include "port.h"
#include "semihosting.h"

#define OPEN_READ_BINARY 1u
#define OPEN_WRITE_BINARY 5u
#define EXIT_BY_APPLICATION 0x20026u

extern uint32_t __stack_limit[];

/* A word of parameters: the width of a pointer, which is 32 bits on every board. */
typedef uintptr_t word_t;

static uint32_t text_length(const char *text) {
  uint32_t length = 0u;
  while (text[length] != '\0') {
    ++length;
  }
  return length;
}

static int32_t open_file(const char *name, word_t mode) {
  const word_t arguments[3] = {(word_t)name, mode, text_length(name)};
  return (int32_t)semihosting_call(SEMIHOSTING_OPEN, arguments);
}

int32_t port_open_read(const char *name) {
  return open_file(name, OPEN_READ_BINARY);
}

int32_t port_open_write(const char *name) {
  return open_file(name, OPEN_WRITE_BINARY);
}

uint32_t port_read(int32_t file, void *data, uint32_t bytes) {
  const word_t arguments[3] = {(word_t)file, (word_t)data, bytes};
  return (uint32_t)semihosting_call(SEMIHOSTING_READ, arguments);
}

uint32_t port_write(int32_t file, const void *data, uint32_t bytes) {
  const word_t arguments[3] = {(word_t)file, (word_t)data, bytes};
  return (uint32_t)semihosting_call(SEMIHOSTING_WRITE, arguments);
}

void port_close(int32_t file) {
  const word_t arguments[1] = {(word_t)file};
  (void)semihosting_call(SEMIHOSTING_CLOSE, arguments);
}

void port_print(const char *text) {
  (void)semihosting_call(SEMIHOSTING_WRITE0, text);
}

_Noreturn void port_exit(uint32_t status) {
  const word_t arguments[2] = {EXIT_BY_APPLICATION, status};
  for (;;) {
    (void)semihosting_call(SEMIHOSTING_EXIT_EXTENDED, arguments);
  }
}

uint32_t *port_stack_limit(void) {
  return __stack_limit;
}

#if defined(TINSMITH_CLUSTER_CORES)
#define WORKER_STACK_WORDS (TINSMITH_WORKER_STACK_BYTES / sizeof(uint32_t))
#define WORKER_STACK_PAINT 0xC0DEC0DEu

extern uint32_t __worker_stacks[];

void port_prepare_workers(void) {
  for (uint32_t i = 0u; i < (TINSMITH_CLUSTER_CORES - 1u) * WORKER_STACK_WORDS; ++i) {
    ((volatile uint32_t *)__worker_stacks)[i] = WORKER_STACK_PAINT;
  }
}

bool port_worker_stack_is_full(void) {
  for (uint32_t i = 0u; i < TINSMITH_CLUSTER_CORES - 1u; ++i) {
    if (((volatile uint32_t *)__worker_stacks)[i * WORKER_STACK_WORDS] != WORKER_STACK_PAINT) {
      return true;
    }
  }
  return false;
}
#else
bool port_worker_stack_is_full(void) {
  return false;
}
#endif
