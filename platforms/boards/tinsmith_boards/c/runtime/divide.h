/* IEEE-754 division in integers, rounded to nearest, ties to even, with subnormal numbers. Whoever includes this file
 * says first what a float is:
 *
 *   BITS           unsigned integer of the float's width
 *   FRACTION_BITS  of its fraction, without the implicit one
 *   EXPONENT_MAX   the exponent field of infinities
 *   fraction_quotient(remainder, divisor)
 *                  the first FRACTION_BITS + 1 bits behind the point of *remainder / divisor, a number below one;
 * leaves what remains in *remainder
 */
#define ONE ((BITS)1 << FRACTION_BITS)
#define EXPONENT_BIAS (EXPONENT_MAX / 2)
#define INFINITE ((BITS)EXPONENT_MAX << FRACTION_BITS)
#define SIGN_BIT ((BITS)1 << (sizeof(BITS) * 8 - 1))
#define QUIET_NAN (INFINITE | ONE >> 1)

/* The significand of a positive finite number, from ONE to below twice that, and its biased exponent, which goes below
 * 1 where the number is subnormal. */
static BITS significand(BITS number, int32_t *exponent) {
  BITS result = number & (ONE - 1);
  *exponent = (int32_t)(number >> FRACTION_BITS);
  if (*exponent != 0) {
    return result | ONE;
  }
  for (*exponent = 1; result < ONE; --*exponent) {
    result <<= 1;
  }
  return result;
}

/* quotient / 4 units of the last place, rounded, at a biased exponent. The lowest bit of quotient is set when anything
 * lies below it; the quotient itself starts at bit FRACTION_BITS + 2. */
static BITS rounded(BITS quotient, int32_t exponent) {
  if (exponent >= EXPONENT_MAX) {
    return INFINITE;
  }
  if (exponent < 1) {
    const int32_t shift = 1 - exponent;
    if (shift > FRACTION_BITS + 2) {
      return 0;
    }
    const BITS lost = quotient & (((BITS)1 << shift) - 1);
    quotient = quotient >> shift | (lost != 0);
    exponent = 1;
  }
  const BITS truncated = quotient >> 2;
  const BITS up = (quotient & 3) + (truncated & 1) > 2;
  /* The implicit one of a normal number adds 1 to the exponent; so does a carry out of the fraction. */
  return ((BITS)(exponent - 1) << FRACTION_BITS) + truncated + up;
}

/* lhs / rhs, both without sign. */
static BITS magnitude(BITS lhs, BITS rhs) {
  if (lhs > INFINITE || rhs > INFINITE || (lhs == rhs && (lhs == 0 || lhs == INFINITE))) {
    return QUIET_NAN;
  }
  if (lhs == INFINITE || rhs == 0) {
    return INFINITE;
  }
  if (lhs == 0 || rhs == INFINITE) {
    return 0;
  }
  int32_t lhs_exponent;
  int32_t rhs_exponent;
  BITS dividend = significand(lhs, &lhs_exponent);
  const BITS divisor = significand(rhs, &rhs_exponent);
  int32_t exponent = lhs_exponent - rhs_exponent + EXPONENT_BIAS;
  if (dividend < divisor) {
    dividend <<= 1;
    --exponent;
  }
  BITS remainder = dividend - divisor;
  const BITS quotient = ONE << 1 | fraction_quotient(&remainder, divisor);
  return rounded(quotient << 1 | (remainder != 0), exponent);
}

static BITS divide(BITS lhs, BITS rhs) {
  return magnitude(lhs & ~SIGN_BIT, rhs & ~SIGN_BIT) | ((lhs ^ rhs) & SIGN_BIT);
}
