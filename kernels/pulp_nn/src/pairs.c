// Sums by tables, the smaller and the larger element, of two tensors one of which may be repeated.
#include "internal/pairs.h"

typedef tinsmith_pulp_sum_t layer_t;

#if TINSMITH_COREV

// Ten instructions an element.
static void row_of_sums(const layer_t *layer, const tinsmith_pulp_pairs_t *pairs, pairs_row_t row) {
  FOR_EACH_PAIR(LOAD_PAIR("cv.lbu")                     //
                LINE("slli %[a], %[a], 2")              //
                LINE("slli %[b], %[b], 2")              //
                LINE("cv.lw %[a], %[a](%[lhs_table])")  //
                LINE("cv.lw %[b], %[b](%[rhs_table])")  //
                LINE("cv.addNr %[a], %[b], %[shift]")   //
                LINE("cv.max %[a], %[a], %[min]")       //
                LINE("cv.min %[a], %[a], %[max]"),
                [lhs_table] "r"(layer->lhs_table), [rhs_table] "r"(layer->rhs_table), [shift] "r"(layer->shift),
                [min] "r"(layer->min), [max] "r"(layer->max));
}

// Four instructions an element; the other operand of what must not be empty.
#define DEFINE_ROW(NAME, INSTRUCTION, COMPARISON)                                            \
  static void NAME(const tinsmith_pulp_pairs_t *pairs, pairs_row_t row) {                    \
    FOR_EACH_PAIR(LOAD_PAIR("cv.lb") LINE(INSTRUCTION " %[a], %[a], %[b]"), "r"(row.count)); \
  }

#else

static void row_of_sums(const layer_t *layer, const tinsmith_pulp_pairs_t *pairs, pairs_row_t row) {
  FOR_EACH_PAIR(
      lhs, rhs,
      clamp_to((int32_t)((uint32_t)layer->lhs_table[(uint8_t)lhs] + (uint32_t)layer->rhs_table[(uint8_t)rhs]) >>
                   layer->shift,
               layer->min, layer->max));
}

#define DEFINE_ROW(NAME, INSTRUCTION, COMPARISON)                         \
  static void NAME(const tinsmith_pulp_pairs_t *pairs, pairs_row_t row) { \
    FOR_EACH_PAIR(lhs, rhs, lhs COMPARISON rhs ? lhs : rhs);              \
  }

#endif

DEFINE_ROW(row_of_smaller, "cv.min", <)
DEFINE_ROW(row_of_larger, "cv.max", >)

void tinsmith_pulp_sum_by_tables(const layer_t *layer, tinsmith_pulp_core_t core) {
  pairs_row_t row;
  for (uint32_t rows = rows_of_core(&layer->pairs, core, &row); rows != 0u; --rows) {
    row_of_sums(layer, &layer->pairs, row);
    to_next_row(&layer->pairs, &row);
  }
}

void tinsmith_pulp_minimum_s8(const tinsmith_pulp_pairs_t *layer, tinsmith_pulp_core_t core) {
  pairs_row_t row;
  for (uint32_t rows = rows_of_core(layer, core, &row); rows != 0u; --rows) {
    row_of_smaller(layer, row);
    to_next_row(layer, &row);
  }
}

void tinsmith_pulp_maximum_s8(const tinsmith_pulp_pairs_t *layer, tinsmith_pulp_core_t core) {
  pairs_row_t row;
  for (uint32_t rows = rows_of_core(layer, core, &row); rows != 0u; --rows) {
    row_of_larger(layer, row);
    to_next_row(layer, &row);
  }
}
