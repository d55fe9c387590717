// How cores divide rows: whole rows where there are enough, else as many cores as fit share each row.
#ifndef TINSMITH_KERNELS_PULP_NN_ROWS_H_
#define TINSMITH_KERNELS_PULP_NN_ROWS_H_

#include "corev.h"
#include "tinsmith_pulp_nn.h"

// Rows first to end - 1, of each of which the core is member `member` of `members`.
typedef struct {
  uint32_t first, end;
  uint32_t member, members;
} share_t;

static inline share_t share_of_rows(uint32_t rows, tinsmith_pulp_core_t core) {
  if (rows >= core.cores) {
    return (share_t){quotient(rows * core.core, core.cores), quotient(rows * (core.core + 1u), core.cores), 0u, 1u};
  }
  if (rows == 0u) {
    return (share_t){0u, 0u, 0u, 1u};
  }
  const uint32_t members = quotient(core.cores, rows);
  const uint32_t row = quotient(core.core, members);
  return (share_t){row, row < rows ? row + 1u : row, core.core - row * members, members};
}

// Of a row of so many bytes what a member has, but for the last one: all, or an odd number of words, as cores walk in
// step.
static inline uint32_t part_of_row(share_t rows, uint32_t bytes) {
  return rows.members == 1u ? bytes : odd_words(quotient(bytes + rows.members - 1u, rows.members));
}

#endif  // TINSMITH_KERNELS_PULP_NN_ROWS_H_
