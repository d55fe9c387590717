// How cores divide rows of two tensors; once for all functions of such.
#include "internal/pairs.h"
#include "internal/rows.h"

uint32_t rows_of_core(const tinsmith_pulp_pairs_t *pairs, tinsmith_pulp_core_t core, pairs_row_t *row) {
  const share_t rows = share_of_rows(pairs->rows, core);
  const uint32_t columns = pairs->columns;
  const uint32_t part = part_of_row(rows, columns);
  const uint32_t first = rows.member * part;
  if (rows.first >= rows.end || first >= columns) {
    return 0u;
  }
  row->lhs = pairs->lhs + rows.first * pairs->lhs_row_step + first * pairs->lhs_step;
  row->rhs = pairs->rhs + rows.first * pairs->rhs_row_step + first * pairs->rhs_step;
  row->to = pairs->output + rows.first * columns + first;
  row->count = columns - first < part ? columns - first : part;
  return rows.end - rows.first;
}
