// The DMA of PULP's clusters, mchan v7: copies between the cluster's first-level memory and what lies outside. The
// fabric controller drives it by the control port that it has among the cluster's peripherals (dmac_wrap of
// pulp_cluster; the address is what pulp-runtime calls ARCHI_MCHAN_EXT), so the cluster must have power and a clock,
// but none of its cores needs to run. A core of the cluster would give TINSMITH_MCHAN the address of the cores' own
// window, 0x10204400.
//
// The registers are those of mchan's manual, the layout of a command's first word that of version 7, whose lengths have
// 17 bits (pulp-runtime and Deeploy write the same). Reading COMMAND takes one of 16 identifiers; a command is then
// stored there word by word. STATUS has a bit for each identifier whose transfer runs, and storing a mask gives
// identifiers back.
//
// Transfers are not ordered among themselves, but tinsmith/dma.h promises that copies end in the order of their starts:
// so one that touches what an earlier one touches waits for it, and a wait ends what was started before, too. What has
// both ends on one side mchan cannot copy; the core does.

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "tinsmith/dma.h"

#ifndef TINSMITH_MCHAN
#define TINSMITH_MCHAN 0x10201800u
#endif

// The first-level memory, and the window at address 0 in which the cluster's cores see it, too.
#ifndef TINSMITH_MCHAN_L1
#define TINSMITH_MCHAN_L1 0x10000000u
#endif
#define L1_WINDOW_BYTES 0x400000u

// The most bytes of a command, and one more than the longest line or stride: less only for tests.
#ifndef TINSMITH_MCHAN_MOST
#define TINSMITH_MCHAN_MOST 0x10000u
#endif

#define COMMAND 0u
#define STATUS 4u
#define TO_L1 (1u << 17)
#define INCREMENTAL (1u << 18)
#define LINES_OUTSIDE (1u << 19)
#define LINES_IN_L1 (1u << 23)
#define IDENTIFIERS 16u

// Bytes from first to behind, gaps between lines included.
typedef struct {
  uintptr_t first;
  uintptr_t behind;
} span_t;

// number: of its copy, the first being 1.
typedef struct {
  bool is_under_way;
  uint32_t number;
  span_t destination;
  span_t source;
} transfer_t;

// Where linker scripts know the name, in the first-level memory.
#define NEAR __attribute__((section(".bss.tinsmith_near")))

static NEAR transfer_t transfers[IDENTIFIERS];

// Copies so far, and the last that was started with each token.
static NEAR uint32_t copies;
static NEAR uint32_t last_of[TINSMITH_DMA_TOKENS];

static inline void store_register(uint32_t offset, uint32_t value) {
  *(volatile uint32_t *)(uintptr_t)(TINSMITH_MCHAN + offset) = value;
}

static inline uint32_t load_register(uint32_t offset) {
  return *(volatile uint32_t *)(uintptr_t)(TINSMITH_MCHAN + offset);
}

// Bytes that the DMA moved are there now, and those that it reads were: no access of them may move across.
static inline void order_memory(void) {
  __asm__ volatile("" : : : "memory");
}

static inline bool is_in_l1(const void *address) {
  return (uintptr_t)address < L1_WINDOW_BYTES || (uintptr_t)address - TINSMITH_MCHAN_L1 < L1_WINDOW_BYTES;
}

static inline bool meet(span_t one, span_t other) {
  return one.first < other.behind && other.first < one.behind;
}

static span_t span_of(const void *start, uint32_t bytes, uint32_t rows, uint32_t stride) {
  const uintptr_t first = (uintptr_t)start;
  const span_t span = {first, first + (rows - 1u) * stride + bytes};
  return span;
}

static void end(uint32_t identifier) {
  const uint32_t mask = 1u << identifier;
  while ((load_register(STATUS) & mask) != 0u) {
  }
  store_register(STATUS, mask);
  transfers[identifier].is_under_way = false;
  order_memory();
}

static void end_what_meets(span_t destination, span_t source) {
  for (uint32_t i = 0u; i < IDENTIFIERS; ++i) {
    const transfer_t *const other = &transfers[i];
    if (other->is_under_way && (meet(destination, other->destination) || meet(destination, other->source) ||
                                meet(source, other->destination))) {
      end(i);
    }
  }
}

// Reading COMMAND stalls while no identifier is free, and nobody else gives ours back.
static void free_an_identifier(void) {
  for (uint32_t i = 0u; i < IDENTIFIERS; ++i) {
    if (!transfers[i].is_under_way) {
      return;
    }
  }
  end(0u);
}

static void start(uint8_t *destination, const uint8_t *source, uint32_t bytes, uint32_t rows,
                  uint32_t destination_stride, uint32_t source_stride) {
  free_an_identifier();
  order_memory();
  const bool to_l1 = is_in_l1(destination);
  const uint32_t l1_stride = to_l1 ? destination_stride : source_stride;
  const uint32_t stride = to_l1 ? source_stride : destination_stride;
  const bool lines_in_l1 = rows > 1u && l1_stride != bytes;
  const bool lines_outside = rows > 1u && stride != bytes;
  const uint32_t identifier = load_register(COMMAND);
  store_register(COMMAND, bytes * rows | INCREMENTAL | (to_l1 ? TO_L1 : 0u) | (lines_outside ? LINES_OUTSIDE : 0u) |
                              (lines_in_l1 ? LINES_IN_L1 : 0u));
  store_register(COMMAND, (uint32_t)(uintptr_t)(to_l1 ? destination : source));
  store_register(COMMAND, (uint32_t)(uintptr_t)(to_l1 ? source : destination));
  if (lines_outside) {
    store_register(COMMAND, bytes);
    store_register(COMMAND, stride);
  }
  if (lines_in_l1) {
    store_register(COMMAND, bytes);
    store_register(COMMAND, l1_stride);
  }
  const transfer_t transfer = {true, copies, span_of(destination, bytes, rows, destination_stride),
                               span_of(source, bytes, rows, source_stride)};
  transfers[identifier] = transfer;
}

static bool is_one_command(uint32_t bytes, uint32_t rows, uint32_t destination_stride, uint32_t source_stride) {
  return bytes < TINSMITH_MCHAN_MOST && rows <= TINSMITH_MCHAN_MOST / bytes &&
         destination_stride < TINSMITH_MCHAN_MOST && source_stride < TINSMITH_MCHAN_MOST;
}

static void start_row(uint8_t *destination, const uint8_t *source, uint32_t bytes) {
  for (uint32_t at = 0u; at < bytes; at += TINSMITH_MCHAN_MOST) {
    const uint32_t part = bytes - at < TINSMITH_MCHAN_MOST ? bytes - at : TINSMITH_MCHAN_MOST;
    start(destination + at, source + at, part, 1u, 0u, 0u);
  }
}

void tinsmith_dma_start(uint32_t token, void *destination, const void *source, uint32_t bytes, uint32_t rows,
                        uint32_t destination_stride, uint32_t source_stride) {
  uint8_t *const to = destination;
  const uint8_t *const from = source;
  const bool is_core_copy = is_in_l1(destination) == is_in_l1(source);
  ++copies;
  last_of[token] = copies;
  end_what_meets(span_of(destination, bytes, rows, destination_stride), span_of(source, bytes, rows, source_stride));
  if (!is_core_copy && is_one_command(bytes, rows, destination_stride, source_stride)) {
    start(to, from, bytes, rows, destination_stride, source_stride);
    return;
  }
  for (uint32_t row = 0u; row < rows; ++row) {
    if (is_core_copy) {
      memcpy(to + row * destination_stride, from + row * source_stride, bytes);
    } else {
      start_row(to + row * destination_stride, from + row * source_stride, bytes);
    }
  }
}

void tinsmith_dma_wait(uint32_t token) {
  for (uint32_t i = 0u; i < IDENTIFIERS; ++i) {
    if (transfers[i].is_under_way && (int32_t)(transfers[i].number - last_of[token]) <= 0) {
      end(i);
    }
  }
}

// Copies without an order need no account of what they touch: identifiers of each token, and all that are given.
#define NEAR __attribute__((section(".bss.tinsmith_near")))

static uint32_t given[TINSMITH_DMA_TOKENS] NEAR;
static uint32_t all_given NEAR;

// Gives identifiers back whose transfers have ended; returns when there is one.
static void take_back(void) {
  uint32_t ended = 0u;
  while (ended == 0u) {
    ended = all_given & ~load_register(STATUS);
  }
  store_register(STATUS, ended);
  all_given &= ~ended;
  for (uint32_t i = 0u; i < TINSMITH_DMA_TOKENS; ++i) {
    given[i] &= ~ended;
  }
}

static void start_piece(uint32_t token, uint8_t *destination, const uint8_t *source, uint32_t bytes, uint32_t rows,
                        uint32_t destination_stride, uint32_t source_stride) {
  if (all_given == (1u << IDENTIFIERS) - 1u) {
    take_back();
  }
  const bool to_l1 = is_in_l1(destination);
  const uint32_t l1_stride = to_l1 ? destination_stride : source_stride;
  const uint32_t stride = to_l1 ? source_stride : destination_stride;
  const bool lines_in_l1 = rows > 1u && l1_stride != bytes;
  const bool lines_outside = rows > 1u && stride != bytes;
  const uint32_t identifier = 1u << load_register(COMMAND);
  store_register(COMMAND, bytes * rows | INCREMENTAL | (to_l1 ? TO_L1 : 0u) | (lines_outside ? LINES_OUTSIDE : 0u) |
                              (lines_in_l1 ? LINES_IN_L1 : 0u));
  store_register(COMMAND, (uint32_t)(uintptr_t)(to_l1 ? destination : source));
  store_register(COMMAND, (uint32_t)(uintptr_t)(to_l1 ? source : destination));
  if (lines_outside) {
    store_register(COMMAND, bytes);
    store_register(COMMAND, stride);
  }
  if (lines_in_l1) {
    store_register(COMMAND, bytes);
    store_register(COMMAND, l1_stride);
  }
  given[token] |= identifier;
  all_given |= identifier;
}

void tinsmith_dma_start_unordered(uint32_t token, void *destination, const void *source, uint32_t bytes, uint32_t rows,
                                  uint32_t destination_stride, uint32_t source_stride) {
  uint8_t *const to = destination;
  const uint8_t *const from = source;
  order_memory();
  if (is_in_l1(destination) != is_in_l1(source) && is_one_command(bytes, rows, destination_stride, source_stride)) {
    start_piece(token, to, from, bytes, rows, destination_stride, source_stride);
    return;
  }
  for (uint32_t row = 0u; row < rows; ++row) {
    uint8_t *const row_to = to + row * destination_stride;
    const uint8_t *const row_from = from + row * source_stride;
    if (is_in_l1(destination) == is_in_l1(source)) {
      memcpy(row_to, row_from, bytes);
      continue;
    }
    for (uint32_t at = 0u; at < bytes; at += TINSMITH_MCHAN_MOST) {
      const uint32_t part = bytes - at < TINSMITH_MCHAN_MOST ? bytes - at : TINSMITH_MCHAN_MOST;
      start_piece(token, row_to + at, row_from + at, part, 1u, 0u, 0u);
    }
  }
}

void tinsmith_dma_wait_unordered(uint32_t token) {
  const uint32_t mask = given[token];
  while ((load_register(STATUS) & mask) != 0u) {
  }
  store_register(STATUS, mask);
  all_given &= ~mask;
  given[token] = 0u;
  order_memory();
}
