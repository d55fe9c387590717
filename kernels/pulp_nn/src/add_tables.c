// Sums by tables: a value for each byte of both inputs, whose sum needs no more than a shift. Which tables give
// TFLite's bytes is found ahead of time; all 65536 pairs of inputs are tried.
#include "internal/add.h"
#include "internal/clamp.h"

#define VALUES 256
// Of a sum's fraction; the most that leave room for its integer part are taken.
#define MOST_FRACTION_BITS 22
#define FEWEST_FRACTION_BITS 8
// What corrects a pair of tables in this many rounds is all that helps.
#define ROUNDS 24

typedef tinsmith_pulp_add_t layer_t;

#if TINSMITH_COREV

// clang-format off

// Four times a byte, its place in a table, is the dot product with a word that has a 4 there.
#define PLACES(X, A) \
  LINE("cv.dotup.b %[" A "0], %[" X "], %[p0]") \
  LINE("cv.dotup.b %[" A "1], %[" X "], %[p1]") \
  LINE("cv.dotup.b %[" A "2], %[" X "], %[p2]") \
  LINE("cv.dotup.b %[" A "3], %[" X "], %[p3]")
#define LOOK_UP(A, TABLE) \
  LINE("cv.lw %[" A "0], %[" A "0](%[" TABLE "])") \
  LINE("cv.lw %[" A "1], %[" A "1](%[" TABLE "])") \
  LINE("cv.lw %[" A "2], %[" A "2](%[" TABLE "])") \
  LINE("cv.lw %[" A "3], %[" A "3](%[" TABLE "])")
#define ADD_AND_CLIP(I) \
  LINE("cv.addNr %[a" I "], %[b" I "], %[shift]") \
  LINE("cv.clip %[a" I "], %[a" I "], 8")

// Four elements in 29 instructions.
#define FOUR_ELEMENTS \
  LINE("cv.lw %[x], (%[lhs]), 4") \
  LINE("cv.lw %[y], (%[rhs]), 4") \
  PLACES("x", "a") PLACES("y", "b") \
  LOOK_UP("a", "lhs_table") LOOK_UP("b", "rhs_table") \
  ADD_AND_CLIP("0") ADD_AND_CLIP("1") ADD_AND_CLIP("2") ADD_AND_CLIP("3") \
  LINE("cv.packlo.b %[a0], %[a1], %[a0]") \
  LINE("cv.packhi.b %[a0], %[a3], %[a2]") \
  "cv.sw %[a0], (%[to]), 4"

// clang-format on

static void add_fours(const layer_t *layer, const part_t *part) {
  const uint8_t *lhs = part->lhs;
  const uint8_t *rhs = part->rhs;
  uint8_t *to = part->output;
  uint32_t x, y, a0, a1, a2, a3, b0, b1, b2, b3;
  __asm__ volatile(
      COREV_LOOP("%[n]") FOUR_ELEMENTS COREV_LOOP_END
      : [lhs] "+&r"(lhs), [rhs] "+&r"(rhs), [to] "+&r"(to), [x] "=&r"(x), [y] "=&r"(y), [a0] "=&r"(a0), [a1] "=&r"(a1),
        [a2] "=&r"(a2), [a3] "=&r"(a3), [b0] "=&r"(b0), [b1] "=&r"(b1), [b2] "=&r"(b2), [b3] "=&r"(b3)
      : [n] "r"(part->count / 4u), [lhs_table] "r"(layer->lhs_table), [rhs_table] "r"(layer->rhs_table),
        [shift] "r"(layer->table_shift), [p0] "r"(4u), [p1] "r"(4u << 8), [p2] "r"(4u << 16), [p3] "r"(4u << 24)
      : "memory");
}

#endif

void clamp_part(const layer_t *layer, const part_t *part, bool is_signed) {
  if (layer->max - layer->min < (int32_t)UINT8_MAX) {
    clamp_bytes(part->output, part->count, layer->min, layer->max, is_signed);
  }
}

void add_by_tables(const layer_t *layer, const part_t *part) {
  uint32_t i = 0u;
#if TINSMITH_COREV
  if (part->count >= 4u) {
    add_fours(layer, part);
    i = part->count & ~3u;
  }
#endif
  for (; i < part->count; ++i) {
    const uint32_t sum = (uint32_t)layer->lhs_table[part->lhs[i]] + (uint32_t)layer->rhs_table[part->rhs[i]];
    part->output[i] = (uint8_t)corev_clip_s8((int32_t)sum >> layer->table_shift);
  }
  clamp_part(layer, part, true);
}

void tinsmith_pulp_add_tflite_s8(const layer_t *layer, tinsmith_pulp_core_t core) {
  const part_t part = part_of_add(layer, core);
  add_by_tables(layer, &part);
}

// Scaled inputs by their bytes, as TFLite has them.
typedef struct {
  int32_t lhs[VALUES], rhs[VALUES];
} scaled_t;

// A table's value: the scaled input times output_multiplier * 2**(bits - 31 - output_shift).
static int32_t fixed_point(const layer_t *layer, int32_t scaled, int32_t bits) {
  const int32_t shift = 31 + layer->output_shift - bits;
  const int64_t product = (int64_t)scaled * layer->output_multiplier;
  return (int32_t)((product + ((int64_t)1 << (shift - 1))) >> shift);
}

static int32_t largest_magnitude(const int32_t *values) {
  int32_t largest = 0;
  for (uint32_t i = 0u; i < VALUES; ++i) {
    const int32_t magnitude = values[i] < 0 ? -values[i] : values[i];
    largest = magnitude > largest ? magnitude : largest;
  }
  return largest;
}

// How many bits of fraction a sum below 2**30, with the zero point and what rounds it, leaves; or fewer than are any
// use.
static int32_t fraction_bits(const layer_t *layer, const scaled_t *scaled) {
  const int64_t largest = (int64_t)largest_magnitude(scaled->lhs) + largest_magnitude(scaled->rhs);
  const int64_t product = largest * layer->output_multiplier >> 31;
  int32_t bits = MOST_FRACTION_BITS;
  while (bits >= FEWEST_FRACTION_BITS && (product >> layer->output_shift) + 130 > (INT64_C(1) << 30) >> bits) {
    --bits;
  }
  return bits;
}

// Brings the values of one table to where all sums with the other one are right, if there is such a place. The tables
// are those of the inputs that `mine` and `others` scales. Returns whether all of them are there already.
static bool correct(const layer_t *layer, const int32_t *mine, const int32_t *others, int32_t *table,
                    const int32_t *other) {
  const int32_t bits = layer->table_shift;
  bool is_right = true;
  for (uint32_t i = 0u; i < VALUES; ++i) {
    int64_t low = INT64_MIN;
    int64_t high = INT64_MAX;
    for (uint32_t j = 0u; j < VALUES; ++j) {
      const int32_t value = finish_tflite_sum(layer, mine[i] + others[j]);
      const int64_t from = (int64_t)value * (1 << bits) - other[j];
      const int64_t to = from + (1 << bits) - 1;
      low = value > layer->min && from > low ? from : low;
      high = value < layer->max && to < high ? to : high;
    }
    if (table[i] < low || table[i] > high) {
      is_right = false;
      const int64_t nearest = table[i] < low ? low : high;
      table[i] = (int32_t)(low <= high ? nearest : (low + high) >> 1);
    }
  }
  return is_right;
}

static bool correct_both(const layer_t *layer, const scaled_t *scaled, int32_t *lhs_table, int32_t *rhs_table) {
  for (uint32_t round = 0u; round < ROUNDS; ++round) {
    if (correct(layer, scaled->lhs, scaled->rhs, lhs_table, rhs_table)) {
      return true;
    }
    if (correct(layer, scaled->rhs, scaled->lhs, rhs_table, lhs_table)) {
      return true;
    }
  }
  return false;
}

bool tinsmith_pulp_add_tables(layer_t *layer, int32_t *lhs_table, int32_t *rhs_table) {
  scaled_t scaled;
  for (int32_t byte = 0; byte < VALUES; ++byte) {
    scaled.lhs[byte] = scale_input((int8_t)byte - layer->lhs_zero_point, layer->lhs_multiplier, layer->lhs_shift);
    scaled.rhs[byte] = scale_input((int8_t)byte - layer->rhs_zero_point, layer->rhs_multiplier, layer->rhs_shift);
  }
  const int32_t bits = fraction_bits(layer, &scaled);
  layer->table_shift = bits;
  // Where ties are exact, as between scales that are powers of two, amounts a bit too large bring those of both signs
  // away from zero; elsewhere that would be too much.
  for (int32_t excess = 0; excess <= 1 && bits >= FEWEST_FRACTION_BITS; ++excess) {
    for (uint32_t i = 0u; i < VALUES; ++i) {
      lhs_table[i] = fixed_point(layer, scaled.lhs[i], bits);
      rhs_table[i] = fixed_point(layer, scaled.rhs[i], bits);
      if (excess != 0) {
        lhs_table[i] += lhs_table[i] >> 14;
        rhs_table[i] += rhs_table[i] >> 14;
      }
      lhs_table[i] += layer->output_zero_point * (1 << bits) + (1 << (bits - 1));
    }
    if (correct_both(layer, &scaled, lhs_table, rhs_table)) {
      layer->lhs_table = lhs_table;
      layer->rhs_table = rhs_table;
      return true;
    }
  }
  return false;
}
