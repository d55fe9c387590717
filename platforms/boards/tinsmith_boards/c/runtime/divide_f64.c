/* Division of doubles, for the reason that divide_f32.c names. */
#if defined(__clang__) && (defined(__arm__) || (defined(__riscv) && __riscv_xlen == 32))
#include <stdint.h>

#define BITS uint64_t
#define FRACTION_BITS 52
#define EXPONENT_MAX 0x7FF

static uint64_t fraction_quotient(uint64_t *remainder, uint64_t divisor) {
  uint64_t quotient = 0u;
  uint64_t rest = *remainder;
  for (int32_t i = 0; i < FRACTION_BITS + 1; ++i) {
    rest <<= 1;
    quotient <<= 1;
    if (rest >= divisor) {
      rest -= divisor;
      ++quotient;
    }
  }
  *remainder = rest;
  return quotient;
}

#include "divide.h"

#if defined(__arm__)
#define FUNCTION __aeabi_ddiv
#define CONVENTION __attribute__((pcs("aapcs")))
#else
#define FUNCTION __divdf3
#define CONVENTION
#endif

typedef union {
  double value;
  uint64_t bits;
} number_t;

CONVENTION double FUNCTION(double lhs, double rhs);

CONVENTION double FUNCTION(double lhs, double rhs) {
  const number_t result = {.bits = divide((number_t){.value = lhs}.bits, (number_t){.value = rhs}.bits)};
  return result.value;
}
#endif
