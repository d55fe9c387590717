/* A cluster of PULP cores without an operating system: who am I, fork and join, barrier, DMA, memory, text, the end.
 *
 * Core 0 runs main(); the others wait for pulp_team_fork(). Register addresses are those of PULP-open and Siracusa, the
 * event unit's (event_unit_flex) and the DMA's (mchan v7) in the private windows of the cores.
 */
#ifndef TINSMITH_PULP_H_
#define TINSMITH_PULP_H_

#include <stdbool.h>
#include <stdint.h>

#define PULP_CORES_MAX 8u

#define PULP_EVENT_UNIT 0x10204000u
#define PULP_DMA 0x10204400u

/** Puts a variable into the cluster's first-level memory; it starts with any value. */
#define PULP_L1 __attribute__((section(".l1"), aligned(4)))

/** The core that asks: 0 to 7 in the cluster. */
static inline uint32_t pulp_core_id(void) {
  uint32_t id;
  __asm__("csrr %0, mhartid" : "=r"(id));
  return id & 31u;
}

/** Cycles of the core that asks since reset, modulo 2**32. */
static inline uint32_t pulp_cycles(void) {
  uint32_t cycles;
  __asm__ volatile("csrr %0, mcycle" : "=r"(cycles) : : "memory");
  return cycles;
}

/** Reads a register of the event unit and sleeps until the event comes that it stands for. */
#define PULP_WAIT(offset)                                                                                         \
  __extension__({                                                                                                 \
    uint32_t value;                                                                                               \
    __asm__ volatile(".insn i 0x0b, 3, %0, %2(%1)" : "=r"(value) : "r"(PULP_EVENT_UNIT), "i"(offset) : "memory"); \
    value;                                                                                                        \
  })

/** Cores in the team of the last fork; 1 before the first. */
uint32_t pulp_team_size(void);

/** Waits for the other cores of the team. */
static inline void pulp_barrier(void) {
  (void)PULP_WAIT(0x21c);
}

/**
 * Runs work(argument) on cores 0 to cores - 1 and returns when all of them are done.
 *
 * Called by core 0 only. @param[in] cores 1 to PULP_CORES_MAX, no more than the cluster has.
 */
void pulp_team_fork(uint32_t cores, void (*work)(void *argument), void *argument);

typedef enum {
  kPulpToL2 = 0,
  kPulpToL1 = 1,
} pulp_dma_direction_t;

/**
 * Starts a copy between the first-level memory and another one; returns its number for pulp_dma_wait().
 *
 * Waits while 16 copies of the cluster are under way. @param[in] bytes 1 to 65536.
 */
uint32_t pulp_dma_start(void *l1, void *l2, uint32_t bytes, pulp_dma_direction_t direction);

/**
 * The same for lines of line_bytes that lie l2_stride bytes apart in the other memory, side by side in the first-level
 * one. @param[in] bytes of all lines.
 */
uint32_t pulp_dma_start_lines(void *l1, void *l2, uint32_t bytes, uint32_t line_bytes, uint32_t l2_stride,
                              pulp_dma_direction_t direction);

/** Waits for a copy and gives its number back. */
void pulp_dma_wait(uint32_t number);

/** Free first-level memory, from the end of the .l1 variables to the stacks. */
uint8_t *pulp_l1_start(void);
uint8_t *pulp_l1_end(void);

void pulp_put_char(char character);
void pulp_print(const char *text);
void pulp_print_number(int32_t number);

/** Ends the program. @param[in] status 0 to 0x7fffffff; 0 means success. */
_Noreturn void pulp_exit(uint32_t status);

#endif /* TINSMITH_PULP_H_ */
