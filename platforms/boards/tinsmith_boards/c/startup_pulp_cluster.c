/* Start-up of a program that a PULP cluster runs: the fabric controller prepares memory, starts the cores and sleeps
 * for good; core 0 runs main(), the others serve its forks. A trap of any core ends the program with a report that says
 * where and why. No interrupts are used.
 *
 * Registers are those of PULP-open and Siracusa: the cluster's control unit (boot addresses, fetch enable) and its
 * instruction cache. */
#include <stdint.h>

#include "port.h"

#define CLUSTER_CONTROL 0x10200000u
#define FETCH_ENABLE 0x08u
#define BOOT_ADDRESS 0x40u
#define INSTRUCTION_CACHE 0x10201400u

extern uint32_t __data_start[];
extern uint32_t __data_end[];
extern const uint32_t __data_load[];
extern uint32_t __bss_start[];
extern uint32_t __bss_end[];
extern uint32_t __near_bss_start[];
extern uint32_t __near_bss_end[];
extern int main(void);

/* Of tinsmith/cluster.h, which every such program has; returns on core 0 alone. */
extern void tinsmith_cluster_enter(uint32_t core);

void start_fabric(void);
void start_core(uint32_t core);
void trap_entry(void);
void _start(void);

/* Hart numbers are 32 * cluster + core. The cluster is 0, the fabric controller alone in cluster 31. */
__attribute__((naked, section(".vectors"), used)) void _start(void) {
  __asm__ volatile(
      "la t0, trap_entry\n\t"
      "csrw mtvec, t0\n\t"
      "csrr a0, mhartid\n\t"
      "srli t0, a0, 5\n\t"
      "bnez t0, 2f\n\t"
      "beqz a0, 1f\n\t"
      "li t0, %0\n\t"
      "mul t0, t0, a0\n\t"
      "la sp, __worker_stacks\n\t"
      "add sp, sp, t0\n\t"
      "j start_core\n"
      "1:\n\t"
      "la sp, __stack_top\n\t"
      "j start_core\n"
      "2:\n\t"
      "la sp, __boot_stack_top\n\t"
      "j start_fabric"
      :
      : "i"(TINSMITH_WORKER_STACK_BYTES));
}

/* report_trap() of traps_riscv.c says what is wrong. The fabric controller is asleep and needs its stack no more.
 * CV32E40P jumps to multiples of 256 bytes. */
__attribute__((naked, aligned(256), used)) void trap_entry(void) {
  __asm__ volatile(
      "csrr a0, mepc\n\t"
      "csrr a1, mcause\n\t"
      "csrr a2, mtval\n\t"
      "mv a3, ra\n\t"
      "mv a4, sp\n\t"
      "la sp, __boot_stack_top\n\t"
      "j report_trap");
}

static inline void store_register(uint32_t address, uint32_t value) {
  *(volatile uint32_t *)address = value;
}

static void clear(volatile uint32_t *first, const volatile uint32_t *behind) {
  for (; first < behind; ++first) {
    *first = 0u;
  }
}

__attribute__((used)) void start_fabric(void) {
  const volatile uint32_t *source = __data_load;
  for (volatile uint32_t *word = __data_start; word < __data_end; ++word) {
    *word = *source++;
  }
  clear(__bss_start, __bss_end);
  clear(__near_bss_start, __near_bss_end);
  port_prepare_workers();
  store_register(INSTRUCTION_CACHE, UINT32_MAX);
  for (uint32_t core = 0u; core < TINSMITH_CLUSTER_CORES; ++core) {
    store_register(CLUSTER_CONTROL + BOOT_ADDRESS + 4u * core, (uint32_t)&_start);
  }
  store_register(CLUSTER_CONTROL + FETCH_ENABLE, (1u << TINSMITH_CLUSTER_CORES) - 1u);
  for (;;) {
    __asm__ volatile("wfi" : : : "memory");
  }
}

__attribute__((used)) void start_core(uint32_t core) {
  tinsmith_cluster_enter(core);
  port_exit((uint32_t)main());
}
