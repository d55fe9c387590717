/* Start-up of every Cortex-M board: vector table, .data, .bss, FPU and MVE, then main(). A fault ends the program
 * with a report that says where and why. No interrupts are used. */
#include <stddef.h>
#include <stdint.h>

#include "port.h"

#define SCB_CCR (*(volatile uint32_t *)0xE000ED14u)
#define SCB_CFSR (*(volatile uint32_t *)0xE000ED28u)
#define SCB_HFSR (*(volatile uint32_t *)0xE000ED2Cu)
#define SCB_BFAR (*(volatile uint32_t *)0xE000ED38u)
#define SCB_CPACR (*(volatile uint32_t *)0xE000ED88u)
#define CCR_LOB (1u << 19)
#define CPACR_CP10_CP11_FULL (0xFu << 20)
#define FAULT_STATUS 3u
#define FRAME_WORDS 8u

extern uint32_t __stack_limit[];
extern uint32_t __stack_top[];
extern uint32_t __data_start[];
extern uint32_t __data_end[];
extern const uint32_t __data_load[];
extern uint32_t __bss_start[];
extern uint32_t __bss_end[];
extern int main(void);

void Reset_Handler(void);
void Fault_Handler(void);
void report_fault(const uint32_t *frame);

typedef struct {
  uint32_t *stack_top;
  void (*handlers[15])(void);
} vector_table_t;

__attribute__((section(".vectors"), used)) const vector_table_t g_vectors = {
    __stack_top,
    {Reset_Handler, Fault_Handler, Fault_Handler, Fault_Handler, Fault_Handler, Fault_Handler, Fault_Handler, NULL,
     NULL, NULL, Fault_Handler, Fault_Handler, NULL, Fault_Handler, Fault_Handler},
};

static void print_hex(const char *name, uint32_t value) {
  char digits[9];
  for (uint32_t i = 0u; i < 8u; ++i) {
    const uint32_t nibble = (value >> (28u - 4u * i)) & 15u;
    digits[i] = (char)(nibble < 10u ? '0' + nibble : 'a' + nibble - 10u);
  }
  digits[8] = '\0';
  port_print(name);
  port_print("0x");
  port_print(digits);
}

/* frame: the eight words that exception entry pushed, or a bad pointer if the stack itself overflowed. */
void report_fault(const uint32_t *frame) {
  port_print("harness: fault");
  if (frame >= __stack_limit && frame + FRAME_WORDS <= __stack_top) {
    print_hex(" pc=", frame[6]);
    print_hex(" lr=", frame[5]);
  } else {
    print_hex(" stack overflow: sp=", (uint32_t)frame);
  }
#if __ARM_ARCH >= 7 || __ARM_ARCH_ISA_THUMB >= 2
  print_hex(" cfsr=", SCB_CFSR);
  print_hex(" hfsr=", SCB_HFSR);
  print_hex(" bfar=", SCB_BFAR);
#endif
  port_print("\n");
  port_exit(FAULT_STATUS);
}

/* A fresh stack first: the old one may be the reason for the fault. */
__attribute__((naked)) void Fault_Handler(void) {
  __asm__ volatile(
      "mrs r0, msp\n\t"
      "ldr r1, =__stack_top\n\t"
      "mov sp, r1\n\t"
      "bl report_fault\n\t"
      ".ltorg");
}

static void enable_extensions(void) {
#if defined(__ARM_FP) || defined(__ARM_FEATURE_MVE)
  SCB_CPACR |= CPACR_CP10_CP11_FULL;
#endif
#if defined(__ARM_FEATURE_MVE) || (defined(__ARM_ARCH_8_1M_MAIN__))
  SCB_CCR |= CCR_LOB;
#endif
  __asm__ volatile("dsb\n\tisb" ::: "memory");
}

__attribute__((used)) void Reset_Handler(void) {
  enable_extensions();
  const volatile uint32_t *source = __data_load;
  for (volatile uint32_t *word = __data_start; word < __data_end; ++word) {
    *word = *source++;
  }
  for (volatile uint32_t *word = __bss_start; word < __bss_end; ++word) {
    *word = 0u;
  }
  port_exit((uint32_t)main());
}
