/* Start-up of the board: vector table, .data, .bss, FPU, main(). */
#include <stdint.h>

#include "semihosting.h"

#define CPACR (*(volatile uint32_t *)0xE000ED88u)
#define CPACR_FPU (0xFu << 20)
#define SYS_WRITE0 0x04u
#define SYS_EXIT_EXTENDED 0x20u
#define APPLICATION_EXIT 0x20026u
#define STATUS_FAULT 3u

extern uint32_t __stack_top[], __data_start[], __data_end[], __bss_start[], __bss_end[];
extern const uint32_t __data_load[];
extern int main(void);
void Reset_Handler(void);

static void fault(void) {
  semihosting_print("fault\n");
  semihosting_exit(STATUS_FAULT);
}

typedef struct {
  uint32_t *stack_top;
  void (*handlers[15])(void);
} vector_table_t;

__attribute__((section(".vectors"), used)) const vector_table_t g_vectors = {
    __stack_top,
    {Reset_Handler, fault, fault, fault, fault, fault, 0, 0, 0, 0, fault, fault, 0, fault, fault},
};

static uintptr_t call(uint32_t operation, const void *argument) {
  register uintptr_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

void semihosting_print(const char *text) {
  (void)call(SYS_WRITE0, text);
}

_Noreturn void semihosting_exit(uint32_t status) {
  const uint32_t arguments[2] = {APPLICATION_EXIT, status};
  for (;;) {
    (void)call(SYS_EXIT_EXTENDED, arguments);
  }
}

void Reset_Handler(void) {
  CPACR |= CPACR_FPU;
  __asm__ volatile("dsb\n\tisb" ::: "memory");
  const volatile uint32_t *source = __data_load;
  for (volatile uint32_t *word = __data_start; word < __data_end; ++word) {
    *word = *source++;
  }
  for (volatile uint32_t *word = __bss_start; word < __bss_end; ++word) {
    *word = 0u;
  }
  semihosting_exit((uint32_t)main());
}
