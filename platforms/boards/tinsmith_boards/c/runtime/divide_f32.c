/* Division of floats for CPUs that have no instruction for it. The one in compiler-rt of the zig wheel, which we link,
 * gives zero for every subnormal quotient; libgcc's is right, and shares an object file with the multiplication on some
 * CPUs, where a second definition would not link. */
#if defined(__clang__) && (defined(__arm__) || (defined(__riscv) && __riscv_xlen == 32))
#include <stdint.h>

#define BITS uint32_t
#define FRACTION_BITS 23
#define EXPONENT_MAX 0xFF

#if defined(__ARM_FEATURE_IDIV) || defined(__riscv_div)
/* Eight bits at a time, by the CPU's integer division: remainders are below 2**24. */
static uint32_t fraction_quotient(uint32_t *remainder, uint32_t divisor) {
  uint32_t quotient = 0u;
  for (int32_t i = 0; i < (FRACTION_BITS + 1) / 8; ++i) {
    const uint32_t dividend = *remainder << 8;
    const uint32_t digit = dividend / divisor;
    *remainder = dividend - digit * divisor;
    quotient = quotient << 8 | digit;
  }
  return quotient;
}
#else
static uint32_t fraction_quotient(uint32_t *remainder, uint32_t divisor) {
  uint32_t quotient = 0u;
  uint32_t rest = *remainder;
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
#endif

#include "divide.h"

#if defined(__arm__)
#define FUNCTION __aeabi_fdiv
#define CONVENTION __attribute__((pcs("aapcs")))
#else
#define FUNCTION __divsf3
#define CONVENTION
#endif

typedef union {
  float value;
  uint32_t bits;
} number_t;

CONVENTION float FUNCTION(float lhs, float rhs);

CONVENTION float FUNCTION(float lhs, float rhs) {
  const number_t result = {.bits = divide((number_t){.value = lhs}.bits, (number_t){.value = rhs}.bits)};
  return result.value;
}
#endif
