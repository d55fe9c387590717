// Powers with computed exponents, with broadcasting; see tinsmith_ir/powers.py.
#include "tinsmith/powers.h"

#include "broadcast.h"
#include "float_functions.h"

#define ROOT_2 UINT32_C(0xB504F3)        // with 23 bits behind the point
#define QUOTIENT_BITS 62                 // of the dividend for a logarithm
#define LOG_BITS 55                      // of a logarithm behind the point
#define KEPT_BITS 39                     // of a logarithm that is multiplied by the 24 bits of an exponent
#define POWER_BITS 32                    // of y log2 x behind the point
#define LARGEST_BITS 40                  // of such, with 32 bits behind the point, that float has
#define MANTISSA_BITS 31                 // of 2**f behind the point
#define HIGHEST_EXPONENT 127             // of a finite float
#define SMALLEST_NORMAL 1.17549435e-38f  // 2**-126

// P of log2(m) = t P(t**2), t = (m - 1) / (m + 1), with 30 bits behind the point, the highest power first.
static const uint32_t kLogarithm[] = {UINT32_C(365857802), UINT32_C(442030158), UINT32_C(619638781),
                                      UINT32_C(1032721314), UINT32_C(3098164009)};

// Q of 2**f = 1 + f Q(f), with 31 bits behind the point, the highest power first.
static const uint32_t kExponential[] = {UINT32_C(44540),     UINT32_C(313683),    UINT32_C(2875340),
                                        UINT32_C(20650514),  UINT32_C(119194884), UINT32_C(515882450),
                                        UINT32_C(1488522236)};

// By Horner, of an argument below 1 with 32 bits behind the point; no sum is as large as 2**32.
static uint32_t polynomial(const uint32_t *coefficients, int32_t count, uint32_t argument) {
  uint64_t value = coefficients[0];
  for (int32_t i = 1; i < count; ++i) {
    value = coefficients[i] + (value * argument >> 32);
  }
  return (uint32_t)value;
}

// value / 2**shift, to nearest; value below 2**63, shift above 0.
static uint64_t rounded_right(uint64_t value, int32_t shift) {
  return shift > 63 ? 0 : ((value >> (shift - 1)) + 1) >> 1;
}

// Of a finite float above 0, with 55 bits behind the point.
static int64_t base_2_logarithm(float value) {
  const int is_small = value < SMALLEST_NORMAL;
  int32_t unit = 0;
  const uint32_t fraction = fraction_of(is_small ? value * 16777216.0f : value, &unit);
  const int is_above = fraction > ROOT_2;
  const int64_t exponent = unit + FLOAT_FRACTION_BITS - (is_small ? 24 : 0) + is_above;
  const int64_t whole = exponent * (INT64_C(1) << LOG_BITS);
  const uint32_t one = UINT32_C(1) << (FLOAT_FRACTION_BITS + is_above);
  if (fraction == one) {
    return whole;
  }
  uint64_t dividend = fraction > one ? fraction - one : one - fraction;
  int32_t scale = 0;
  while (dividend < UINT64_C(1) << QUOTIENT_BITS) {
    dividend <<= 1;
    ++scale;
  }
  const uint64_t t = dividend / (fraction + one);  // with `scale` bits behind the point, of 37 to 39 bits
  const uint64_t t32 = t >> (scale - 32);
  const uint64_t p =
      polynomial(kLogarithm, (int32_t)(sizeof kLogarithm / sizeof kLogarithm[0]), (uint32_t)(t32 * t32 >> 32));
  const uint64_t product = p * (t >> 7) + (p * (t & 127) >> 7);  // with scale + 23 bits behind the point
  const int64_t rest = (int64_t)(product >> (scale + 23 - LOG_BITS));
  return fraction > one ? whole + rest : whole - rest;
}

// 2**power, with 32 bits behind the point; infinity and 0 where they are nearest.
static float base_2_exponential(int64_t power) {
  const int32_t whole = (int32_t)(power >> POWER_BITS);
  if (whole > HIGHEST_EXPONENT) {
    return infinity();
  }
  const uint32_t f = (uint32_t)power;
  const uint64_t q = polynomial(kExponential, (int32_t)(sizeof kExponential / sizeof kExponential[0]), f);
  const uint64_t mantissa = (UINT64_C(1) << MANTISSA_BITS) + (q * f >> 32);
  const int32_t lowest = 1 - FLOAT_EXPONENT_BIAS;
  const int32_t below = whole < lowest ? lowest - whole : 0;  // bits that subnormal numbers do not have
  const uint32_t rounded = (uint32_t)rounded_right(mantissa, MANTISSA_BITS - FLOAT_FRACTION_BITS + below);
  // A carry goes to the exponent, as it should.
  return float_of(rounded + (below > 0 ? 0 : (uint32_t)(whole - lowest) << FLOAT_FRACTION_BITS));
}

// Of a finite base above 0 that is not 1, and a finite exponent that is not 0.
static float finite_power(float base, float exponent) {
  int32_t unit = 0;
  const uint64_t fraction = fraction_of(exponent, &unit);
  const int64_t logarithm = base_2_logarithm(base);
  uint64_t kept = (uint64_t)(logarithm < 0 ? -logarithm : logarithm);
  int32_t place = unit - LOG_BITS + POWER_BITS;
  while (kept >> KEPT_BITS != 0) {
    kept >>= 1;
    ++place;
  }
  const uint64_t product = fraction * kept;
  uint64_t power = UINT64_C(1) << LARGEST_BITS;
  if (place <= LARGEST_BITS - 64 || (place < LARGEST_BITS && product >> (LARGEST_BITS - place) == 0)) {
    power = place < 0 ? rounded_right(product, -place) : product << place;
  }
  const int is_below = (logarithm < 0) != (exponent < 0.0f);
  return base_2_exponential(is_below ? -(int64_t)power : (int64_t)power);
}

static int is_whole(float value) {
  return integer_below(value) == value;
}

static float to_power(float base, float exponent) {
  if (exponent == 0.0f || base == 1.0f) {
    return 1.0f;
  }
  if (base != base || exponent != exponent) {
    return not_a_number();
  }
  const float size = magnitude(base);
  if (base < 0.0f && size != infinity() && !is_whole(exponent)) {
    return not_a_number();
  }
  const int is_end = size == 0.0f || size == infinity() || magnitude(exponent) == infinity();
  float power = 1.0f;
  if (is_end && size != 1.0f) {
    power = (size > 1.0f) == (exponent > 0.0f) ? infinity() : 0.0f;
  } else if (size != 1.0f) {
    power = finite_power(size, exponent);
  }
  const int is_odd = is_whole(exponent) && !is_whole(exponent * 0.5f);
  return is_odd && (bits_of(base) & SIGN_MASK) != 0 ? negated(power) : power;
}

DEFINE_PLAIN(tinsmith_pow_f32, float, to_power(left, right))
