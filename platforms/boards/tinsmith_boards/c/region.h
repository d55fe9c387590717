/* Marks what all cores of a cluster do from here to there as a region, for an emulator that counts by region: each core
 * marks for itself, in a fork. Nothing on boards whose programs one core runs.
 *
 * The marks are hints that do nothing: `slti zero, zero, N` begins region N, `sltiu zero, zero, N` ends it. One core
 * says that all are done with a stage by `slt zero, zero, R`, R a register with its number. */
#ifndef TINSMITH_REGION_H_
#define TINSMITH_REGION_H_

#include <stdint.h>

#if defined(TINSMITH_CLUSTER_CORES)
#define REGION_HAS_STAGES 1

/* Of tinsmith/cluster.h, which every such program has. */
extern void tinsmith_cluster_fork(uint32_t cores, void (*work)(const void *argument, uint32_t core, uint32_t cores),
                                  const void *argument);

/* The number is part of the instruction. */
static void region_mark(const void *argument, uint32_t core, uint32_t cores) {
  (void)core;
  (void)cores;
  switch (*(const uint32_t *)argument) {
    case 1u:
      __asm__ volatile("slti zero, zero, 1" : : : "memory");
      break;
    case 2u:
      __asm__ volatile("slti zero, zero, 2" : : : "memory");
      break;
    default:
      break;
  }
}

static void region_unmark(const void *argument, uint32_t core, uint32_t cores) {
  (void)core;
  (void)cores;
  switch (*(const uint32_t *)argument) {
    case 1u:
      __asm__ volatile("sltiu zero, zero, 1" : : : "memory");
      break;
    case 2u:
      __asm__ volatile("sltiu zero, zero, 2" : : : "memory");
      break;
    default:
      break;
  }
}

/* region: 1 or 2; any other is none, but takes the same time. */
static inline void region_begin(uint32_t region) {
  tinsmith_cluster_fork(TINSMITH_CLUSTER_CORES, region_mark, &region);
}

static inline void region_end(uint32_t region) {
  tinsmith_cluster_fork(TINSMITH_CLUSTER_CORES, region_unmark, &region);
}

/* stage: 0 for what is between stages. */
static inline void stage_end(uint32_t stage) {
  __asm__ volatile("slt zero, zero, %0" : : "r"(stage) : "memory");
}
#else
#define REGION_HAS_STAGES 0

static inline void region_begin(uint32_t region) {
  (void)region;
}

static inline void region_end(uint32_t region) {
  (void)region;
}

static inline void stage_end(uint32_t stage) {
  (void)stage;
}
#endif

#endif  // TINSMITH_REGION_H_
