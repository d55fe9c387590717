// Rows of two tensors, and a loop over the elements of one.
#ifndef TINSMITH_KERNELS_PULP_NN_PAIRS_H_
#define TINSMITH_KERNELS_PULP_NN_PAIRS_H_

#include "stage.h"
#include "tinsmith_pulp_tensors.h"

// A core's part of one row, not empty.
typedef struct {
  const int8_t *lhs, *rhs;
  int8_t *to;
  uint32_t count;
} pairs_row_t;

// The first of the rows that are a core's, and how many there are.
uint32_t rows_of_core(const tinsmith_pulp_pairs_t *pairs, tinsmith_pulp_core_t core, pairs_row_t *row);

ALWAYS_INLINE void to_next_row(const tinsmith_pulp_pairs_t *pairs, pairs_row_t *row) {
  row->lhs += pairs->lhs_row_step;
  row->rhs += pairs->rhs_row_step;
  row->to += pairs->columns;
}

#if TINSMITH_COREV

// BODY for each element of a row: it finds the operands in a and b, may use c, and leaves the result in a.
#define FOR_EACH_PAIR(BODY, ...)                                                                                       \
  const int8_t *lhs = row.lhs;                                                                                         \
  const int8_t *rhs = row.rhs;                                                                                         \
  int8_t *to = row.to;                                                                                                 \
  uint32_t a, b, c;                                                                                                    \
  __asm__ volatile(COREV_LOOP("%[n]") BODY "cv.sb %[a], (%[to]), 1" COREV_LOOP_END                                     \
                   : [lhs] "+&r"(lhs), [rhs] "+&r"(rhs), [to] "+&r"(to), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c)      \
                   : [n] "r"(row.count), [lhs_step] "r"(pairs->lhs_step), [rhs_step] "r"(pairs->rhs_step), __VA_ARGS__ \
                   : "memory")

#define LOAD_PAIR(LOAD) LINE(LOAD " %[a], (%[lhs]), %[lhs_step]") LINE(LOAD " %[b], (%[rhs]), %[rhs_step]")

#else

#define FOR_EACH_PAIR(LHS, RHS, RESULT)               \
  for (uint32_t i = 0u; i < row.count; ++i) {         \
    const int32_t LHS = row.lhs[i * pairs->lhs_step]; \
    const int32_t RHS = row.rhs[i * pairs->rhs_step]; \
    row.to[i] = (int8_t)(RESULT);                     \
  }

#endif

#endif  // TINSMITH_KERNELS_PULP_NN_PAIRS_H_
