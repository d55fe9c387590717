// Products of two tensors, one of which may be repeated. The multiplier has 30 bits in two parts of 15, whose products
// with one of two bytes stay within 32 bits: three instructions of a cycle where the high word of a product takes five.
#include "internal/pairs.h"

typedef tinsmith_pulp_mul_t layer_t;

#define LOW_BITS 15

#if TINSMITH_COREV

#define MULTIPLY                  \
  LOAD_PAIR("cv.lb")              \
  LINE("add %[a], %[a], %[lo]")   \
  LINE("add %[b], %[b], %[ro]")   \
  LINE("mul %[a], %[a], %[b]")    \
  LINE("mul %[c], %[a], %[low]")  \
  LINE("mul %[a], %[a], %[high]") \
  LINE("srai %[c], %[c], 15")

#define CLAMP LINE("cv.max %[a], %[a], %[min]") LINE("cv.min %[a], %[a], %[max]")

#define NUMBERS                                                                                             \
  [lo] "r"(layer->lhs_offset), [ro] "r"(layer->rhs_offset), [low] "r"(layer->low), [high] "r"(layer->high), \
      [addend] "r"(layer->addend), [shift] "r"(layer->shift), [min] "r"(layer->min), [max] "r"(layer->max)

// Fifteen instructions an element.
static void row_tflite(const layer_t *layer, const tinsmith_pulp_pairs_t *pairs, pairs_row_t row) {
  FOR_EACH_PAIR(MULTIPLY LINE("cv.addRN %[a], %[a], %[c], 15")  //
                LINE("srai %[c], %[a], 31")                     //
                LINE("cv.addRNr %[a], %[c], %[shift]")          //
                LINE("add %[a], %[a], %[addend]") CLAMP,
                NUMBERS);
}

// Thirteen.
static void row_scaled(const layer_t *layer, const tinsmith_pulp_pairs_t *pairs, pairs_row_t row) {
  FOR_EACH_PAIR(MULTIPLY LINE("add %[a], %[a], %[c]")  //
                LINE("cv.addNr %[a], %[addend], %[shift]") CLAMP,
                NUMBERS);
}

#else

static int32_t scaled(const layer_t *layer, int32_t lhs, int32_t rhs) {
  const int32_t product = (lhs + layer->lhs_offset) * (rhs + layer->rhs_offset);
  return product * layer->high + (product * layer->low >> LOW_BITS);
}

static int32_t divided(const layer_t *layer, int32_t lhs, int32_t rhs) {
  const int32_t rounded = corev_add_round_shift(scaled(layer, lhs, rhs), 0, LOW_BITS);
  return corev_add_round_shift(rounded, rounded >> 31, layer->shift) + layer->addend;
}

static void row_tflite(const layer_t *layer, const tinsmith_pulp_pairs_t *pairs, pairs_row_t row) {
  FOR_EACH_PAIR(lhs, rhs, clamp_to(divided(layer, lhs, rhs), layer->min, layer->max));
}

static void row_scaled(const layer_t *layer, const tinsmith_pulp_pairs_t *pairs, pairs_row_t row) {
  FOR_EACH_PAIR(lhs, rhs, clamp_to((scaled(layer, lhs, rhs) + layer->addend) >> layer->shift, layer->min, layer->max));
}

#endif

void tinsmith_pulp_mul_tflite_s8(const layer_t *layer, tinsmith_pulp_core_t core) {
  pairs_row_t row;
  for (uint32_t rows = rows_of_core(&layer->pairs, core, &row); rows != 0u; --rows) {
    row_tflite(layer, &layer->pairs, row);
    to_next_row(&layer->pairs, &row);
  }
}

void tinsmith_pulp_mul_scaled_s8(const layer_t *layer, tinsmith_pulp_core_t core) {
  pairs_row_t row;
  for (uint32_t rows = rows_of_core(&layer->pairs, core, &row); rows != 0u; --rows) {
    row_scaled(layer, &layer->pairs, row);
    to_next_row(&layer->pairs, &row);
  }
}
