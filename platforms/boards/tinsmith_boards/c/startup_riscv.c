/* Start-up of the RISC-V board: stack, global pointer, .data, .bss, trap vector, then main(). A trap ends the
 * program with a report that says where and why. No interrupts are used. */
#include <stdint.h>

#include "port.h"

extern uint32_t __data_start[];
extern uint32_t __data_end[];
extern const uint32_t __data_load[];
extern uint32_t __bss_start[];
extern uint32_t __bss_end[];
extern int main(void);

void start_c(void);
void trap_entry(void);
void _start(void);

/* With memory protection the code memory becomes read-only (entry locked, naturally aligned, executable, readable): a
 * stack that runs over its lower end traps there. Boards without it have nothing below the stack. */
#if defined(TINSMITH_HAS_PMP)
#define PROTECT_CODE        \
  "la t0, __code_napot\n\t" \
  "csrw pmpaddr0, t0\n\t"   \
  "li t0, 0x9d\n\t"         \
  "csrw pmpcfg0, t0\n\t"
#else
#define PROTECT_CODE ""
#endif

__attribute__((naked, section(".vectors"), used)) void _start(void) {
  __asm__ volatile(PROTECT_CODE
                   "la sp, __stack_top\n\t"
                   "la t0, trap_entry\n\t"
                   "csrw mtvec, t0\n\t"
                   "j start_c");
}

/* report_trap() of traps_riscv.c says what is wrong. A fresh stack first: the old one may be the reason for the trap.
 * CV32E40P jumps to multiples of 256 bytes. */
__attribute__((naked, aligned(256), used)) void trap_entry(void) {
  __asm__ volatile(
      "csrr a0, mepc\n\t"
      "csrr a1, mcause\n\t"
      "csrr a2, mtval\n\t"
      "mv a3, ra\n\t"
      "mv a4, sp\n\t"
      "la sp, __stack_top\n\t"
      "j report_trap");
}

__attribute__((used)) void start_c(void) {
  const volatile uint32_t *source = __data_load;
  for (volatile uint32_t *word = __data_start; word < __data_end; ++word) {
    *word = *source++;
  }
  for (volatile uint32_t *word = __bss_start; word < __bss_end; ++word) {
    *word = 0u;
  }
  port_exit((uint32_t)main());
}
