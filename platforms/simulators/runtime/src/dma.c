// The cluster's DMA, mchan v7: a command and its addresses go to one register, word after word.
#include "tinsmith_pulp.h"

#define COMMAND 0u
#define STATUS 4u
#define DIRECTION_BIT 17u
#define INCREMENT (1u << 18)
#define LINES (1u << 19)
#define NUMBERS 0xffffu

static inline void store_dma_register(uint32_t offset, uint32_t value) {
  *(volatile uint32_t *)(PULP_DMA + offset) = value;
}

static inline uint32_t load_dma_register(uint32_t offset) {
  return *(volatile uint32_t *)(PULP_DMA + offset);
}

static uint32_t start(const void *l1, const void *l2, uint32_t command) {
  const uint32_t number = load_dma_register(COMMAND);
  store_dma_register(COMMAND, command);
  store_dma_register(COMMAND, (uint32_t)l1);
  store_dma_register(COMMAND, (uint32_t)l2);
  return number;
}

uint32_t pulp_dma_start(void *l1, void *l2, uint32_t bytes, pulp_dma_direction_t direction) {
  return start(l1, l2, bytes | (uint32_t)direction << DIRECTION_BIT | INCREMENT);
}

uint32_t pulp_dma_start_lines(void *l1, void *l2, uint32_t bytes, uint32_t line_bytes, uint32_t l2_stride,
                              pulp_dma_direction_t direction) {
  const uint32_t number = start(l1, l2, bytes | (uint32_t)direction << DIRECTION_BIT | INCREMENT | LINES);
  store_dma_register(COMMAND, line_bytes);
  store_dma_register(COMMAND, l2_stride);
  return number;
}

void pulp_dma_wait(uint32_t number) {
  const uint32_t mask = 1u << number & NUMBERS;
  while ((load_dma_register(STATUS) & mask) != 0u) {
  }
  store_dma_register(STATUS, mask);
  // The bytes are there now: no load of them may move up.
  __asm__ volatile("" : : : "memory");
}
