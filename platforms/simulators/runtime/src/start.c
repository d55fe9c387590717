// From reset to main() and to the end: the fabric controller clears memory, starts the cluster and sleeps until core 0
// of the cluster has run main(); the other cores serve forks for ever.
#include <stddef.h>
#include <stdint.h>

#include "src/team.h"
#include "tinsmith_pulp.h"

#define CLUSTER_CONTROL 0x10200000u
#define FETCH_ENABLE 0x08u
#define BOOT_ADDRESS 0x40u
#define INSTRUCTION_CACHE 0x10201400u
#define FABRIC_INTERRUPTS 0x1a109800u
#define INTERRUPT_MASK_SET 0x04u
#define INTERRUPT_STATUS 0x0cu
#define INTERRUPT_STATUS_SET 0x10u
#define MAIN_RETURNED (1u << 0)  // one of the eight interrupts that devices leave to software
#define EVENT_MASK 0x00u
#define EVENT_WAIT 0x38
#define EXIT 0x1a1040a0u
#define EXIT_VALID 0x80000000u
#define TRAP_STATUS 3u

extern uint32_t __bss_start[];
extern uint32_t __bss_end[];
extern int main(void);

static volatile uint32_t main_status;

void trap_entry(void);
void _start(void);
void start_fabric(void);
void start_core(uint32_t core);
void report_trap(uint32_t pc, uint32_t cause, uint32_t value);

static inline void store_register(uint32_t address, uint32_t value) {
  *(volatile uint32_t *)address = value;
}

static inline uint32_t load_register(uint32_t address) {
  return *(volatile uint32_t *)address;
}

// CV32E40P's mtvec holds multiples of 256; first in its section, that costs nothing.
__attribute__((naked, aligned(256), section(".start"), used)) void trap_entry(void) {
  __asm__ volatile(
      "csrr a0, mepc\n\t"
      "csrr a1, mcause\n\t"
      "csrr a2, mtval\n\t"
      "j report_trap"
      :
      :);
}

// Hart numbers are 32 * cluster + core. The cluster is 0, the fabric controller alone in cluster 31 on a small stack in
// second-level memory; the cores' stacks are __core_stack_bytes each, from the end of the first-level memory down.
__attribute__((naked, section(".start"), used)) void _start(void) {
  __asm__ volatile(
      "la t0, trap_entry\n\t"
      "csrw mtvec, t0\n\t"
      "csrr a0, mhartid\n\t"
      "srli t0, a0, 5\n\t"
      "bnez t0, 1f\n\t"
      "andi a0, a0, 31\n\t"
      "lui t0, %%hi(__core_stack_bytes)\n\t"
      "addi t0, t0, %%lo(__core_stack_bytes)\n\t"
      "mul t0, t0, a0\n\t"
      "la sp, __core_stacks_top\n\t"
      "sub sp, sp, t0\n\t"
      "j start_core\n"
      "1:\n\t"
      "la sp, __fabric_stack_top\n\t"
      "j start_fabric"
      :
      :);
}

__attribute__((used)) void start_fabric(void) {
  for (volatile uint32_t *word = __bss_start; word < __bss_end; ++word) {
    *word = 0u;
  }
  store_register(INSTRUCTION_CACHE, UINT32_MAX);
  for (uint32_t core = 0u; core < PULP_CORES_MAX; ++core) {
    store_register(CLUSTER_CONTROL + BOOT_ADDRESS + 4u * core, (uint32_t)&_start);
  }
  store_register(CLUSTER_CONTROL + FETCH_ENABLE, (1u << PULP_CORES_MAX) - 1u);
  // Interrupts stay off: one that the mask lets through ends wfi all the same.
  store_register(FABRIC_INTERRUPTS + INTERRUPT_MASK_SET, MAIN_RETURNED);
  while ((load_register(FABRIC_INTERRUPTS + INTERRUPT_STATUS) & MAIN_RETURNED) == 0u) {
    __asm__ volatile("wfi" : : : "memory");
  }
  pulp_exit(main_status);
}

__attribute__((used)) void start_core(uint32_t core) {
  team_prepare_core();
  if (core != 0u) {
    team_serve();
  }
  main_status = (uint32_t)main();
  store_register(FABRIC_INTERRUPTS + INTERRUPT_STATUS_SET, MAIN_RETURNED);
  store_register(PULP_EVENT_UNIT + EVENT_MASK, 0u);
  for (;;) {
    (void)PULP_WAIT(EVENT_WAIT);
  }
}

static void print_hex(const char *name, uint32_t value) {
  pulp_print(name);
  for (uint32_t i = 0u; i < 8u; ++i) {
    const uint32_t nibble = (value >> (28u - 4u * i)) & 15u;
    pulp_put_char((char)(nibble < 10u ? '0' + nibble : 'a' + nibble - 10u));
  }
}

__attribute__((used)) void report_trap(uint32_t pc, uint32_t cause, uint32_t value) {
  print_hex("trap: pc=0x", pc);
  print_hex(" mcause=0x", cause);
  print_hex(" mtval=0x", value);
  pulp_put_char('\n');
  pulp_exit(TRAP_STATUS);
}

_Noreturn void pulp_exit(uint32_t status) {
  store_register(EXIT, EXIT_VALID | status);
  for (;;) {
  }
}
