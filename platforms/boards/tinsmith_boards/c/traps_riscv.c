/* The report of a trap, which ends the program: where and why. Start-up code jumps here with a fresh stack. */
#include <stdint.h>

#include "port.h"

#define TRAP_STATUS 3u

extern uint32_t __stack_limit[];

void report_trap(uint32_t pc, uint32_t cause, uint32_t value, uint32_t return_address, const uint32_t *stack);

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

__attribute__((used)) void report_trap(uint32_t pc, uint32_t cause, uint32_t value, uint32_t return_address,
                                       const uint32_t *stack) {
  port_print("harness: fault");
  print_hex(" pc=", pc);
  print_hex(" lr=", return_address);
  if (stack < __stack_limit) {
    print_hex(" stack overflow: sp=", (uint32_t)stack);
  }
#if defined(TINSMITH_CLUSTER_CORES)
  uint32_t hart;
  __asm__ volatile("csrr %0, mhartid" : "=r"(hart));
  print_hex(" hart=", hart);
#endif
  print_hex(" mcause=", cause);
  print_hex(" mtval=", value);
  port_print("\n");
  port_exit(TRAP_STATUS);
}
