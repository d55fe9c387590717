// The DMA of PULP's clusters, mchan v7: copies between the cluster's first-level memory and what lies outside. The
// fabric controller drives it by the control port that it has among the cluster's peripherals (dmac_wrap of
// pulp_cluster; the address is what pulp-runtime calls ARCHI_MCHAN_EXT), so the cluster must have power and a clock,
// but none of its cores needs to run. A core of the cluster has a window of its own: mchan_cluster.c.
//
// The registers are those of mchan's manual, the layout of a command's first word that of version 7, whose lengths have
// 17 bits (pulp-runtime and Deeploy write the same). Reading COMMAND takes one of 16 identifiers; a command is then
// stored there word by word. STATUS has a bit for each identifier whose transfer runs, and storing a mask gives
// identifiers back.
//
// Transfers are not ordered among themselves, but tinsmith/dma.h promises that copies end in the order of their starts:
// so one that touches what an earlier one touches waits for it and those before it, and a wait ends what was started
// before, too. Transfers thus end oldest first, and stand in a ring. What has both ends on one side mchan cannot copy;
// the core does.

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

// mask: the bit of its identifier.
typedef struct {
  uint32_t mask;
  span_t written;
  span_t read;
} transfer_t;

// Where linker scripts know the name, in the first-level memory.
#define NEAR __attribute__((section(".bss.tinsmith_near.ordered")))

// Transfers so far, those that ended, and the rest, by the last bits of their numbers.
static NEAR uint32_t started;
static NEAR uint32_t ended;
static NEAR transfer_t transfers[IDENTIFIERS];

// How many transfers had been started when a copy with that token was.
static NEAR uint32_t started_with[TINSMITH_DMA_TOKENS];

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

static inline span_t span_of(const void *start, uint32_t bytes, uint32_t rows, uint32_t stride) {
  const uintptr_t first = (uintptr_t)start;
  const span_t span = {first, first + (rows - 1u) * stride + bytes};
  return span;
}

static inline transfer_t *at(uint32_t number) {
  return &transfers[number % IDENTIFIERS];
}

// End all transfers before that of a number, of which one has not ended yet.
static void end_before(uint32_t number) {
  uint32_t masks = 0u;
  for (; ended != number; ++ended) {
    masks |= at(ended)->mask;
  }
  while ((load_register(STATUS) & masks) != 0u) {
  }
  store_register(STATUS, masks);
  order_memory();
}

static inline bool is_in_the_way(const transfer_t *earlier, span_t written, span_t read) {
  return meet(written, earlier->written) || meet(written, earlier->read) || meet(read, earlier->written);
}

// End the newest transfer that touches what a copy does, and all before it.
static inline void end_what_is_in_the_way(span_t written, span_t read) {
  for (uint32_t number = started; number != ended; --number) {
    if (is_in_the_way(at(number - 1u), written, read)) {
      end_before(number);
      return;
    }
  }
}

// One command; returns the bit of its identifier.
static inline uint32_t command(uint8_t *destination, const uint8_t *source, uint32_t bytes, uint32_t rows,
                               uint32_t destination_stride, uint32_t source_stride) {
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
  return identifier;
}

static inline __attribute__((always_inline)) void start(uint8_t *destination, const uint8_t *source, uint32_t bytes,
                                                        uint32_t rows, uint32_t destination_stride,
                                                        uint32_t source_stride) {
  // Reading COMMAND stalls while no identifier is free, and nobody else gives ours back.
  if (started - ended == IDENTIFIERS) {
    end_before(ended + 1u);
  }
  order_memory();
  const uint32_t mask = command(destination, source, bytes, rows, destination_stride, source_stride);
  // While it runs, write down what it does.
  transfer_t *const transfer = at(started);
  transfer->mask = mask;
  transfer->written = span_of(destination, bytes, rows, destination_stride);
  transfer->read = span_of(source, bytes, rows, source_stride);
  ++started;
}

// No division: it takes as long as many copies do. The product has 32 bits at most.
static inline bool is_one_command(uint32_t bytes, uint32_t rows, uint32_t destination_stride, uint32_t source_stride) {
  return bytes < TINSMITH_MCHAN_MOST && rows <= TINSMITH_MCHAN_MOST && bytes * rows <= TINSMITH_MCHAN_MOST &&
         destination_stride < TINSMITH_MCHAN_MOST && source_stride < TINSMITH_MCHAN_MOST;
}

// How many rows a command of a copy that takes several of them has; a row that is a command itself or more counts as
// one. A division is little beside them.
static inline uint32_t rows_together(uint32_t bytes, uint32_t destination_stride, uint32_t source_stride) {
  const bool is_row =
      bytes >= TINSMITH_MCHAN_MOST || destination_stride >= TINSMITH_MCHAN_MOST || source_stride >= TINSMITH_MCHAN_MOST;
  return is_row ? 1u : TINSMITH_MCHAN_MOST / bytes;
}

static inline uint32_t least(uint32_t one, uint32_t other) {
  return one < other ? one : other;
}

static __attribute__((noinline)) void copy_rows(uint8_t *destination, const uint8_t *source, uint32_t bytes,
                                                uint32_t rows, uint32_t destination_stride, uint32_t source_stride,
                                                bool is_core_copy) {
  const uint32_t together = is_core_copy ? 1u : rows_together(bytes, destination_stride, source_stride);
  for (uint32_t row = 0u; row < rows; row += together) {
    uint8_t *const to = destination + row * destination_stride;
    const uint8_t *const from = source + row * source_stride;
    if (is_core_copy) {
      memcpy(to, from, bytes);
      continue;
    }
    const uint32_t now = least(rows - row, together);
    for (uint32_t at = 0u; at < bytes; at += TINSMITH_MCHAN_MOST) {
      start(to + at, from + at, least(bytes - at, TINSMITH_MCHAN_MOST), now, destination_stride, source_stride);
    }
  }
}

void tinsmith_dma_start(uint32_t token, void *destination, const void *source, uint32_t bytes, uint32_t rows,
                        uint32_t destination_stride, uint32_t source_stride) {
  const bool is_core_copy = is_in_l1(destination) == is_in_l1(source);
  if (started != ended) {
    end_what_is_in_the_way(span_of(destination, bytes, rows, destination_stride),
                           span_of(source, bytes, rows, source_stride));
  }
  if (!is_core_copy && is_one_command(bytes, rows, destination_stride, source_stride)) {
    start(destination, source, bytes, rows, destination_stride, source_stride);
  } else {
    copy_rows(destination, source, bytes, rows, destination_stride, source_stride, is_core_copy);
  }
  started_with[token] = started;
}

void tinsmith_dma_wait(uint32_t token) {
  const uint32_t number = started_with[token];
  if ((int32_t)(number - ended) > 0) {
    end_before(number);
  }
}

// Copies without an order need no account of what they touch: identifiers of each token, and all that are given.
#define NEAR_UNORDERED __attribute__((section(".bss.tinsmith_near.unordered")))

static NEAR_UNORDERED uint32_t given[TINSMITH_DMA_TOKENS];
static NEAR_UNORDERED uint32_t all_given;

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

static __attribute__((noinline)) void start_piece(uint32_t token, uint8_t *destination, const uint8_t *source,
                                                  uint32_t bytes, uint32_t rows, uint32_t destination_stride,
                                                  uint32_t source_stride) {
  if (all_given == (1u << IDENTIFIERS) - 1u) {
    take_back();
  }
  const uint32_t mask = command(destination, source, bytes, rows, destination_stride, source_stride);
  given[token] |= mask;
  all_given |= mask;
}

// By the core itself, which copies of tiles never are: not memcpy(), for which alone it would be linked.
static inline void copy_bytes(volatile uint8_t *destination, const uint8_t *source, uint32_t bytes) {
  for (uint32_t i = 0u; i < bytes; ++i) {
    destination[i] = source[i];
  }
}

static __attribute__((noinline)) void start_pieces(uint32_t token, uint8_t *destination, const uint8_t *source,
                                                   uint32_t bytes, uint32_t rows, uint32_t destination_stride,
                                                   uint32_t source_stride) {
  const bool is_core_copy = is_in_l1(destination) == is_in_l1(source);
  const uint32_t together = is_core_copy ? 1u : rows_together(bytes, destination_stride, source_stride);
  for (uint32_t row = 0u; row < rows; row += together) {
    uint8_t *const to = destination + row * destination_stride;
    const uint8_t *const from = source + row * source_stride;
    if (is_core_copy) {
      copy_bytes(to, from, bytes);
      continue;
    }
    const uint32_t now = least(rows - row, together);
    for (uint32_t at = 0u; at < bytes; at += TINSMITH_MCHAN_MOST) {
      start_piece(token, to + at, from + at, least(bytes - at, TINSMITH_MCHAN_MOST), now, destination_stride,
                  source_stride);
    }
  }
}

// Not inlined into what starts bytes, whose first instructions its conditions would be.
__attribute__((noinline)) void tinsmith_dma_start_unordered(uint32_t token, void *destination, const void *source,
                                                            uint32_t bytes, uint32_t rows, uint32_t destination_stride,
                                                            uint32_t source_stride) {
  order_memory();
  if (is_in_l1(destination) != is_in_l1(source) && is_one_command(bytes, rows, destination_stride, source_stride)) {
    start_piece(token, destination, source, bytes, rows, destination_stride, source_stride);
  } else {
    start_pieces(token, destination, source, bytes, rows, destination_stride, source_stride);
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

// Most copies of tiles: as few instructions as one command takes.
void tinsmith_dma_start_bytes_unordered(uint32_t token, void *destination, const void *source, uint32_t bytes) {
  const bool to_l1 = is_in_l1(destination);
  if (bytes >= TINSMITH_MCHAN_MOST || to_l1 == is_in_l1(source) || all_given == (1u << IDENTIFIERS) - 1u) {
    tinsmith_dma_start_unordered(token, destination, source, bytes, 1u, 0u, 0u);
    return;
  }
  order_memory();
  const uint32_t identifier = 1u << load_register(COMMAND);
  store_register(COMMAND, bytes | INCREMENTAL | (to_l1 ? TO_L1 : 0u));
  store_register(COMMAND, (uint32_t)(uintptr_t)(to_l1 ? destination : source));
  store_register(COMMAND, (uint32_t)(uintptr_t)(to_l1 ? source : destination));
  given[token] |= identifier;
  all_given |= identifier;
}
