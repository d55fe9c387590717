// Softmax of int8 in gemmlowp's fixed point, as TFLite has it: 5 integer bits for the exponential's argument, 12 for
// the sum. "Qm.n" has m integer and n fraction bits.
#include "internal/rows.h"
#include "internal/stage.h"
#include "tinsmith_pulp_nn.h"

#define FRACTION_BITS 26     // of the exponential's argument
#define SUM_INTEGER_BITS 12  // Q12.19
#define OUTPUT_BITS 8        // the output's scale is 2**-8
#define NEWTON_STEPS 3
#define KEPT_COLUMNS 16u                // exponentials on the stack, for the second walk over a row
#define EXP_OF_MINUS_EIGHTH 1895147668  // Q0.31
#define THIRD 715827883                 // Q0.31
#define MINUS_32_OVER_17 (-1010580540)  // Q2.29
#define ONE_IN_Q2_29 (1 << 29)
#define FORTY_EIGHT_OVER_17 1515870810  // Q2.29

// gemmlowp's SaturatingRoundingDoublingHighMul for an rhs of 0 or more: the doubled product's high word, rounded by the
// top bit of its low word.
static int32_t multiply(int32_t lhs, int32_t rhs) {
  const uint32_t doubled = (uint32_t)rhs << 1;
  return (int32_t)((uint32_t)high_product(lhs, doubled) + ((uint32_t)lhs * doubled >> 31));
}

// value / 2**shift to nearest, ties away from zero; shift in [1, 31]. Adding half first would overflow near 2**31.
static int32_t divide(int32_t value, int32_t shift) {
  const int32_t moved = value + (value >> 31);
  return (moved >> shift) + (moved >> (shift - 1) & 1);
}

// exp(value) in Q0.31 for value in [-1/4, 0) in Q0.31: Taylor's polynomial around -1/8.
static int32_t exp_of_quarter(int32_t value) {
  const int32_t x = value + (1 << 28);
  const int32_t amount = x < 0 ? -x : x;
  const int32_t x2 = multiply(amount, amount);
  const int32_t x3 = multiply(x, x2);
  const int32_t x4 = multiply(x2, x2);
  const int32_t higher = divide(multiply(divide(x4, 2) + x3, THIRD) + x2, 1);
  return EXP_OF_MINUS_EIGHTH + multiply(x + higher, EXP_OF_MINUS_EIGHTH);
}

// exp(value) in Q0.31 for value <= 0 in Q5.26: what is below a quarter by the polynomial, each further bit by a factor.
static int32_t exp_of_negative(int32_t value) {
  // exp(-2**(i - 2)) in Q0.31
  static const int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308, 39332535, 720401, 242};
  const int32_t quarter = 1 << (FRACTION_BITS - 2);
  const int32_t below = (value & (quarter - 1)) - quarter;
  int32_t result = exp_of_quarter((int32_t)((uint32_t)below << (31 - FRACTION_BITS)));
  const int32_t rest = below - value;
  for (uint32_t i = 0u; i < sizeof kFactors / sizeof *kFactors; ++i) {
    if ((rest & (quarter << i)) != 0) {
      result = multiply(result, kFactors[i]);
    }
  }
  return value == 0 ? INT32_MAX : result;
}

// 1 / (1 + value) in Q0.31 for value in [0, 1) in Q0.31: Newton's steps in Q2.29.
static int32_t one_over_one_plus(int32_t value) {
  const int32_t half_denominator = (int32_t)(((int64_t)value + INT32_MAX + 1) >> 1);
  int32_t x = FORTY_EIGHT_OVER_17 + multiply(MINUS_32_OVER_17, half_denominator);
  for (int32_t i = 0; i < NEWTON_STEPS; ++i) {
    x += multiply(ONE_IN_Q2_29 - multiply(half_denominator, x), x) * 4;
  }
  return x > INT32_MAX / 2 ? INT32_MAX : x * 2;
}

static int32_t exp_of_difference(const tinsmith_pulp_softmax_t *layer, int32_t difference) {
  return exp_of_negative(multiply((int32_t)((uint32_t)difference << layer->shift), layer->multiplier));
}

static int32_t largest(const int8_t *input, uint32_t columns) {
  int32_t max = INT8_MIN;
  for (uint32_t i = 0u; i < columns; ++i) {
    max = input[i] > max ? input[i] : max;
  }
  return max;
}

// How a row's exponentials become outputs: times the reciprocal of their sum, to the right by `shift`, in [23, 31].
typedef struct {
  int32_t scale, shift;
} reciprocal_t;

// The largest input adds 2**19: the sum is never 0.
static reciprocal_t reciprocal_of(int32_t sum) {
  const int32_t headroom = 31 - (int32_t)highest_bit((uint32_t)sum);
  return (reciprocal_t){one_over_one_plus((int32_t)(((uint32_t)sum << headroom) - (UINT32_C(1) << 31))),
                        SUM_INTEGER_BITS - headroom + 31 - OUTPUT_BITS};
}

// divide() of 0 or more: half fits below it without a sign.
static uint32_t divide_unsigned(uint32_t value, int32_t shift) {
  return (value + (UINT32_C(1) << (shift - 1))) >> shift;
}

static int8_t output_of(int32_t exponential, reciprocal_t reciprocal) {
  const uint32_t value = divide_unsigned((uint32_t)multiply(exponential, reciprocal.scale), reciprocal.shift);
  return (int8_t)corev_clip_s8((int32_t)value + INT8_MIN);
}

static void softmax_row(const tinsmith_pulp_softmax_t *layer, const int8_t *input, int8_t *output) {
  const int32_t max = largest(input, layer->columns);
  int32_t kept[KEPT_COLUMNS];
  int32_t sum = 0;
  for (uint32_t i = 0u; i < layer->columns; ++i) {
    if (input[i] - max >= layer->smallest_difference) {
      const int32_t exponential = exp_of_difference(layer, input[i] - max);
      sum += divide(exponential, SUM_INTEGER_BITS);
      if (i < KEPT_COLUMNS) {
        kept[i] = exponential;
      }
    }
  }
  const reciprocal_t reciprocal = reciprocal_of(sum);
  for (uint32_t i = 0u; i < layer->columns; ++i) {
    const int32_t difference = input[i] - max;
    int8_t value = INT8_MIN;
    if (difference >= layer->smallest_difference) {
      value = output_of(i < KEPT_COLUMNS ? kept[i] : exp_of_difference(layer, difference), reciprocal);
    }
    output[i] = value;
  }
}

void tinsmith_pulp_softmax_exponentials(const tinsmith_pulp_softmax_t *layer, int32_t *exponentials) {
  for (int32_t i = 0; i < 256; ++i) {
    exponentials[i] = -i >= layer->smallest_difference ? exp_of_difference(layer, -i) : 0;
  }
}

#if TINSMITH_COREV

// A row's largest byte: words of four, the last of which ends where the row does. columns 4 or more.
static int32_t largest_by_words(const int8_t *input, uint32_t columns) {
  const int8_t *from = input;
  uint32_t max = load_word(input + columns - 4u);
  uint32_t x;
  __asm__ volatile(COREV_LOOP("%[n]")  //
                   "cv.lw %[x], (%[from]), 4\n\t"
                   "nop\n\t"
                   "cv.max.b %[max], %[max], %[x]"  //
                   COREV_LOOP_END
                   : [from] "+&r"(from), [max] "+&r"(max), [x] "=&r"(x)
                   : [n] "r"(columns / 4u)
                   : "memory");
  max = corev_max_bytes(max, max >> 16, true);
  max = corev_max_bytes(max, max >> 8, true);
  return (int8_t)max;
}

// clang-format off

// Minus four times a byte, the way from the largest byte's place in the table, is the dot product with a word that has
// a -4 there.
#define ADD_EXPONENTIALS \
  LINE("cv.lw %[x], (%[from]), 4") \
  LINE("cv.dotsp.b %[b], %[x], %[p1]") \
  LINE("cv.dotsp.b %[a], %[x], %[p0]") \
  LINE("cv.dotsp.b %[c], %[x], %[p2]") \
  LINE("cv.dotsp.b %[d], %[x], %[p3]") \
  LINE("cv.lw %[a], %[a](%[table])") \
  LINE("cv.lw %[b], %[b](%[table])") \
  LINE("cv.lw %[c], %[c](%[table])") \
  LINE("cv.lw %[d], %[d](%[table])") \
  LINE("cv.adduRN %[a], %[a], zero, 12") \
  LINE("cv.adduRN %[b], %[b], zero, 12") \
  LINE("cv.adduRN %[c], %[c], zero, 12") \
  LINE("cv.adduRN %[d], %[d], zero, 12") \
  LINE("add %[sum], %[sum], %[a]") \
  LINE("add %[sum], %[sum], %[b]") \
  LINE("add %[sum], %[sum], %[c]") \
  "add %[sum], %[sum], %[d]"

// clang-format on

_Static_assert(SUM_INTEGER_BITS == 12, "ADD_EXPONENTIALS divides by 2**12");

// The sum of whole words of bytes, one or more.
static uint32_t sum_of_words(const int8_t *from, uint32_t words, const int32_t *exponentials, int32_t max) {
  const uintptr_t table = (uintptr_t)exponentials + 4u * (uint32_t)max;
  uint32_t sum = 0u;
  uint32_t x, a, b, c, d;
  __asm__ volatile(
      COREV_LOOP("%[n]") ADD_EXPONENTIALS COREV_LOOP_END
      : [from] "+&r"(from), [sum] "+&r"(sum), [x] "=&r"(x), [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d)
      : [n] "r"(words), [table] "r"(table), [p0] "r"(0xfcu), [p1] "r"(0xfcu << 8), [p2] "r"(0xfcu << 16),
        [p3] "r"(0xfcu << 24)
      : "memory");
  return sum;
}

#endif

static uint32_t sum_of_row(const int8_t *input, uint32_t columns, const int32_t *exponentials, int32_t max) {
  uint32_t sum = 0u;
  uint32_t i = 0u;
#if TINSMITH_COREV
  if (columns >= 4u) {
    sum = sum_of_words(input, columns / 4u, exponentials, max);
    i = columns & ~3u;
  }
#endif
  for (; i < columns; ++i) {
    sum += divide_unsigned((uint32_t)exponentials[max - input[i]], SUM_INTEGER_BITS);
  }
  return sum;
}

static int32_t largest_of_row(const int8_t *input, uint32_t columns) {
#if TINSMITH_COREV
  if (columns >= 4u) {
    return largest_by_words(input, columns);
  }
#endif
  return largest(input, columns);
}

// Outputs first to end - 1 of a row. The sum and its reciprocal are every core's own work: no core waits for another.
static void row_by_table(const tinsmith_pulp_softmax_t *layer, uint32_t row, uint32_t first, uint32_t end) {
  const int8_t *input = layer->input + row * layer->columns;
  int8_t *output = layer->output + row * layer->columns;
  const int32_t *exponentials = layer->exponentials;
  const int32_t max = largest_of_row(input, layer->columns);
  const reciprocal_t reciprocal = reciprocal_of((int32_t)sum_of_row(input, layer->columns, exponentials, max));
  for (uint32_t i = first; i < end; ++i) {
    output[i] = output_of(exponentials[max - input[i]], reciprocal);
  }
}

void tinsmith_pulp_softmax_by_table(const tinsmith_pulp_softmax_t *layer, tinsmith_pulp_core_t core) {
  const share_t rows = share_of_rows(layer->rows, core);
  const uint32_t first = quotient(layer->columns * rows.member, rows.members);
  const uint32_t end = quotient(layer->columns * (rows.member + 1u), rows.members);
  for (uint32_t row = rows.first; row < rows.end; ++row) {
    row_by_table(layer, row, first, end);
  }
}

void tinsmith_pulp_softmax(const tinsmith_pulp_softmax_t *layer, tinsmith_pulp_core_t core) {
  if (layer->exponentials != NULL) {
    tinsmith_pulp_softmax_by_table(layer, core);
    return;
  }
  for (uint32_t row = core.core; row < layer->rows; row += core.cores) {
    softmax_row(layer, layer->input + row * layer->columns, layer->output + row * layer->columns);
  }
}
