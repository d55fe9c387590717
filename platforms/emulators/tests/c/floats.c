/* Every operation on floats and doubles that C has, on the pairs of the input.
 *
 * Input: FLOAT_PAIRS records of two 64-bit patterns; floats are their lower halves. Output: OPERATIONS results of 64
 * bits for each record, in the order of test_float_arithmetic.py.
 */
#include <stdint.h>

/* Nothing is vectorised: MVE takes subnormal numbers for zero. */
#if defined(__clang__) && defined(__ARM_FEATURE_MVE)
#pragma clang fp exceptions(maytrap)
#endif

#define FLOAT_PAIRS 32
#define INPUT_BYTES (FLOAT_PAIRS * 16)

typedef union {
  uint64_t bits;
  uint32_t low;
  float f;
  double d;
} number_t;

/* A result of its own width in the lower bits of 64. Every NaN is the same: processors differ in its bits. */
static uint64_t of_float(float value) {
  number_t number = {.bits = 0u};
  number.f = value;
  return __builtin_isunordered(value, value) ? UINT64_C(0x7FC00000) : number.bits;
}

static uint64_t of_double(double value) {
  const number_t number = {.d = value};
  return __builtin_isunordered(value, value) ? UINT64_C(0x7FF8000000000000) : number.bits;
}

#define DEFINE_ARITHMETIC(name, type, pack)                                                                            \
  __attribute__((noinline)) static uint64_t *name(uint64_t *to, type lhs, type rhs) {                                  \
    *to++ = pack(lhs + rhs);                                                                                           \
    *to++ = pack(lhs - rhs);                                                                                           \
    *to++ = pack(lhs * rhs);                                                                                           \
    *to++ = pack(lhs / rhs);                                                                                           \
    *to++ = (lhs == rhs) | (uint32_t)(lhs != rhs) << 1 | (uint32_t)(lhs < rhs) << 2 | (uint32_t)(lhs <= rhs) << 3 |    \
            (uint32_t)(lhs > rhs) << 4 | (uint32_t)(lhs >= rhs) << 5 | (uint32_t)__builtin_isunordered(lhs, rhs) << 6; \
    return to;                                                                                                         \
  }

DEFINE_ARITHMETIC(float_arithmetic, float, of_float)
DEFINE_ARITHMETIC(double_arithmetic, double, of_double)

/* From integers: the pattern read as each of C's. */
__attribute__((noinline)) static uint64_t *from_integers(uint64_t *to, uint64_t bits) {
  *to++ = of_float((float)(int32_t)bits);
  *to++ = of_float((float)(uint32_t)bits);
  *to++ = of_float((float)(int64_t)bits);
  *to++ = of_float((float)bits);
  *to++ = of_double((double)(int32_t)bits);
  *to++ = of_double((double)(uint32_t)bits);
  *to++ = of_double((double)(int64_t)bits);
  *to++ = of_double((double)bits);
  return to;
}

/* To integers, where C defines the result; 0 elsewhere. */
#define WITHIN(value, low, high) ((value) > (low) && (value) < (high))
#define DEFINE_TO_INTEGERS(name, type)                                                                          \
  __attribute__((noinline)) static uint64_t *name(uint64_t *to, type value) {                                   \
    *to++ = WITHIN(value, (type) - 2147483648.0, (type)2147483648.0) ? (uint64_t)(uint32_t)(int32_t)value : 0u; \
    *to++ = WITHIN(value, (type) - 1.0, (type)4294967296.0) ? (uint64_t)(uint32_t)value : 0u;                   \
    *to++ = WITHIN(value, (type) - 0x1p63, (type)0x1p63) ? (uint64_t)(int64_t)value : 0u;                       \
    *to++ = WITHIN(value, (type) - 1.0, (type)0x1p64) ? (uint64_t)value : 0u;                                   \
    return to;                                                                                                  \
  }

DEFINE_TO_INTEGERS(float_to_integers, float)
DEFINE_TO_INTEGERS(double_to_integers, double)

__attribute__((noinline)) static uint64_t *between_floats(uint64_t *to, float narrow, double wide) {
  *to++ = of_double((double)narrow);
  *to++ = of_float((float)wide);
  return to;
}

int floats_run(void *arena);

int floats_run(void *arena) {
  const uint64_t *from = arena;
  uint64_t *to = (uint64_t *)arena + INPUT_BYTES / 8;
  for (int32_t i = 0; i < FLOAT_PAIRS; ++i) {
    const number_t lhs = {.bits = *from++};
    const number_t rhs = {.bits = *from++};
    to = float_arithmetic(to, lhs.f, rhs.f);
    to = double_arithmetic(to, lhs.d, rhs.d);
    to = from_integers(to, lhs.bits);
    to = float_to_integers(to, lhs.f);
    to = double_to_integers(to, lhs.d);
    to = between_floats(to, lhs.f, lhs.d);
  }
  return 0;
}
