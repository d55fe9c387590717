#include "platforms/simulators/soc/isa/float32.h"

#include <bit>

#include "platforms/simulators/soc/isa/bits.h"

namespace tinsmith::soc::float32 {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr uint32_t kCanonicalNan = 0x7FC00000;
constexpr uint32_t kInfinity = 0x7F800000;
constexpr uint32_t kLargest = 0x7F7FFFFF;
constexpr uint32_t kOne = 0x3F800000;
constexpr uint32_t kSign = 0x80000000;
constexpr uint32_t kQuietBit = 0x00400000;
constexpr int kLeastExponent = -126;  // of a normal number

bool is_nan(uint32_t a) {
  return (a & ~kSign) > kInfinity;
}

bool is_signalling(uint32_t a) {
  return is_nan(a) && (a & kQuietBit) == 0;
}

bool is_infinite(uint32_t a) {
  return (a & ~kSign) == kInfinity;
}

bool is_zero(uint32_t a) {
  return (a & ~kSign) == 0;
}

bool is_negative(uint32_t a) {
  return (a & kSign) != 0;
}

// A finite number: significand * 2**exponent.
struct Number {
  bool negative;
  int exponent;
  uint64_t significand;
};

Number unpack(uint32_t a) {
  const uint32_t biased = field(a, 30, 23);
  const uint32_t fraction = field(a, 22, 0);
  if (biased == 0) {
    return {is_negative(a), -149, fraction};
  }
  return {is_negative(a), static_cast<int>(biased) - 150, fraction | 0x800000};
}

uint32_t invalid(Context &context) {
  context.flags |= kInvalid;
  return kCanonicalNan;
}

uint32_t propagate_nan(bool signalling, Context &context) {
  return signalling ? invalid(context) : kCanonicalNan;
}

// Whether what is cut off (`rest`, with `half` its middle) takes the kept value to the next one.
bool rounds_up(bool negative, bool odd, uint64_t rest, uint64_t half, Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearestEven:
      return rest > half || (rest == half && odd);
    case Rounding::kNearestAway:
      return rest >= half;
    case Rounding::kDown:
      return negative && rest != 0;
    case Rounding::kUp:
      return !negative && rest != 0;
    case Rounding::kTowardsZero:
      break;
  }
  return false;
}

struct Rounded {
  uint64_t kept;
  bool exact;
};

// Drops `drop` (1 or more) low bits of a number.
Rounded drop_bits(bool negative, uint64_t significand, int drop, Rounding rounding) {
  if (drop > 64) {
    significand = significand == 0 ? 0 : 1;
    drop = 64;
  }
  const uint64_t kept = drop == 64 ? 0 : significand >> drop;
  const uint64_t rest = drop == 64 ? significand : significand & ((uint64_t{1} << drop) - 1);
  const bool up = rounds_up(negative, (kept & 1) != 0, rest, uint64_t{1} << (drop - 1), rounding);
  return {kept + (up ? 1 : 0), rest == 0};
}

uint32_t overflow(bool negative, Context &context) {
  context.flags |= kOverflow | kInexact;
  const Rounding rounding = context.rounding;
  const bool to_largest = rounding == Rounding::kTowardsZero || (rounding == Rounding::kDown && !negative) ||
                          (rounding == Rounding::kUp && negative);
  return (negative ? kSign : 0) | (to_largest ? kLargest : kInfinity);
}

// The float nearest to a non-zero number whose lowest bit may stand for anything smaller.
uint32_t round_and_pack(Number number, Context &context) {
  const int zeros = std::countl_zero(number.significand);
  const uint64_t significand = number.significand << zeros;
  const int exponent = number.exponent - zeros + 63;  // of the leading bit
  const Rounded unbounded = drop_bits(number.negative, significand, 40, context.rounding);
  const bool carries = unbounded.kept == 0x1000000;
  const bool tiny = exponent + (carries ? 1 : 0) < kLeastExponent;
  const uint32_t sign = number.negative ? kSign : 0;
  if (exponent < kLeastExponent) {
    const Rounded result = drop_bits(number.negative, significand, 40 + (kLeastExponent - exponent), context.rounding);
    if (!result.exact) {
      context.flags |= kInexact | (tiny ? kUnderflow : 0U);
    }
    return sign | static_cast<uint32_t>(result.kept);  // a carry into the exponent is the least normal number
  }
  if (exponent + (carries ? 1 : 0) > 127) {
    return overflow(number.negative, context);
  }
  if (!unbounded.exact) {
    context.flags |= kInexact;
  }
  const auto kept = static_cast<uint32_t>(unbounded.kept);
  return sign | ((static_cast<uint32_t>(exponent + 126) << 23) + kept);
}

int leading_bit(Wide value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  return high != 0 ? 127 - std::countl_zero(high) : 63 - std::countl_zero(static_cast<uint64_t>(value));
}

// `value` >> amount, with the lowest bit set if anything was lost.
Wide shift_right_jam(Wide value, int amount) {
  if (amount <= 0) {
    return value;
  }
  if (amount > 126) {
    return value != 0 ? 1 : 0;
  }
  const Wide lost = value & ((Wide{1} << amount) - 1);
  return (value >> amount) | (lost != 0 ? 1 : 0);
}

// The exact sum of two non-zero numbers, up to a sticky lowest bit.
uint32_t add_numbers(const Number &a, const Number &b, Context &context) {
  constexpr int kTop = 120;
  const int shift_a = kTop - leading_bit(a.significand);
  const int shift_b = kTop - leading_bit(b.significand);
  Wide wide_a = Wide{a.significand} << shift_a;
  Wide wide_b = Wide{b.significand} << shift_b;
  const int exponent_a = a.exponent - shift_a;
  const int exponent_b = b.exponent - shift_b;
  const int exponent = std::max(exponent_a, exponent_b);
  wide_a = shift_right_jam(wide_a, exponent - exponent_a);
  wide_b = shift_right_jam(wide_b, exponent - exponent_b);
  if (a.negative != b.negative && wide_a == wide_b) {
    return context.rounding == Rounding::kDown ? kSign : 0;
  }
  const bool negative = wide_a >= wide_b ? a.negative : b.negative;
  const Wide difference = wide_a >= wide_b ? wide_a - wide_b : wide_b - wide_a;
  const Wide sum = a.negative == b.negative ? wide_a + wide_b : difference;
  const int excess = std::max(leading_bit(sum) - 62, 0);
  const auto significand = static_cast<uint64_t>(shift_right_jam(sum, excess));
  return round_and_pack({negative, exponent + excess, significand}, context);
}

uint64_t integer_square_root(uint64_t value) {
  uint64_t root = 0;
  for (uint64_t bit = uint64_t{1} << 31; bit != 0; bit >>= 1) {
    if ((root | bit) * (root | bit) <= value) {
      root |= bit;
    }
  }
  return root;
}

// A finite number rounded to an integer: magnitude at most 2**33, beyond which it is out of every range.
uint64_t round_to_integer(const Number &number, Context &context, bool &exact) {
  if (number.exponent > 9) {
    exact = true;
    return uint64_t{1} << 33;
  }
  if (number.exponent >= 0) {
    exact = true;
    return number.significand << number.exponent;
  }
  const Rounded rounded = drop_bits(number.negative, number.significand, -number.exponent, context.rounding);
  exact = rounded.exact;
  return rounded.kept;
}

uint32_t to_integer(uint32_t a, int64_t least, int64_t largest, Context &context) {
  if (is_nan(a) || is_infinite(a)) {
    context.flags |= kInvalid;
    return static_cast<uint32_t>(is_nan(a) || !is_negative(a) ? largest : least);
  }
  bool exact = true;
  const Number number = unpack(a);
  const auto magnitude = static_cast<int64_t>(round_to_integer(number, context, exact));
  const int64_t value = number.negative ? -magnitude : magnitude;
  if (value < least || value > largest) {
    context.flags |= kInvalid;
    return static_cast<uint32_t>(value < least ? least : largest);
  }
  context.flags |= exact ? 0U : kInexact;
  return static_cast<uint32_t>(value);
}

// Orders every number, with -0 before +0.
int32_t ordered(uint32_t a) {
  return to_signed(is_negative(a) ? a ^ ~kSign : a);
}

bool less_than_number(uint32_t a, uint32_t b) {
  return ordered(a) < ordered(b) && !(is_zero(a) && is_zero(b));
}

uint32_t select(uint32_t a, uint32_t b, bool take_a, Context &context) {
  if (is_signalling(a) || is_signalling(b)) {
    context.flags |= kInvalid;
  }
  if (is_nan(a) && is_nan(b)) {
    return kCanonicalNan;
  }
  if (is_nan(a) || is_nan(b)) {
    return is_nan(a) ? b : a;
  }
  return take_a ? a : b;
}

}  // namespace

uint32_t add(uint32_t a, uint32_t b, Context &context) {
  return multiply_add(a, kOne, b, context);
}

uint32_t multiply(uint32_t a, uint32_t b, Context &context) {
  if (is_nan(a) || is_nan(b)) {
    return propagate_nan(is_signalling(a) || is_signalling(b), context);
  }
  const uint32_t sign = (a ^ b) & kSign;
  if (is_infinite(a) || is_infinite(b)) {
    return is_zero(a) || is_zero(b) ? invalid(context) : sign | kInfinity;
  }
  if (is_zero(a) || is_zero(b)) {
    return sign;
  }
  const Number x = unpack(a);
  const Number y = unpack(b);
  return round_and_pack({sign != 0, x.exponent + y.exponent, x.significand * y.significand}, context);
}

uint32_t divide(uint32_t a, uint32_t b, Context &context) {
  if (is_nan(a) || is_nan(b)) {
    return propagate_nan(is_signalling(a) || is_signalling(b), context);
  }
  const uint32_t sign = (a ^ b) & kSign;
  if (is_infinite(a)) {
    return is_infinite(b) ? invalid(context) : sign | kInfinity;
  }
  if (is_infinite(b)) {
    return sign;
  }
  if (is_zero(b)) {
    if (is_zero(a)) {
      return invalid(context);
    }
    context.flags |= kDivideByZero;
    return sign | kInfinity;
  }
  if (is_zero(a)) {
    return sign;
  }
  const Number x = unpack(a);
  const Number y = unpack(b);
  const int scale = std::countl_zero(x.significand);  // as many bits of quotient as there are
  const uint64_t dividend = x.significand << scale;
  const uint64_t quotient = dividend / y.significand;
  const uint64_t sticky = dividend % y.significand != 0 ? 1 : 0;
  return round_and_pack({sign != 0, x.exponent - y.exponent - scale, quotient | sticky}, context);
}

uint32_t square_root(uint32_t a, Context &context) {
  if (is_nan(a)) {
    return propagate_nan(is_signalling(a), context);
  }
  if (is_zero(a)) {
    return a;
  }
  if (is_negative(a)) {
    return invalid(context);
  }
  if (is_infinite(a)) {
    return a;
  }
  Number number = unpack(a);
  int scale = std::countl_zero(number.significand);
  scale -= (number.exponent - scale) & 1;  // an even exponent
  const uint64_t scaled = number.significand << scale;
  const uint64_t root = integer_square_root(scaled);
  // Two more places hold the sticky bit below the root's last.
  const uint64_t sticky = root * root != scaled ? 1 : 0;
  return round_and_pack({false, (number.exponent - scale) / 2 - 2, (root << 2) | sticky}, context);
}

uint32_t multiply_add(uint32_t a, uint32_t b, uint32_t c, Context &context) {
  const bool product_invalid = (is_infinite(a) && is_zero(b)) || (is_zero(a) && is_infinite(b));
  if (product_invalid) {
    return invalid(context);
  }
  if (is_nan(a) || is_nan(b) || is_nan(c)) {
    return propagate_nan(is_signalling(a) || is_signalling(b) || is_signalling(c), context);
  }
  const uint32_t sign = (a ^ b) & kSign;
  if (is_infinite(a) || is_infinite(b)) {
    return is_infinite(c) && (c & kSign) != sign ? invalid(context) : sign | kInfinity;
  }
  if (is_infinite(c)) {
    return c;
  }
  const Number x = unpack(a);
  const Number y = unpack(b);
  const Number product = {sign != 0, x.exponent + y.exponent, x.significand * y.significand};
  const Number addend = unpack(c);
  if (product.significand == 0 && addend.significand == 0) {
    return sign == (c & kSign) ? sign : (context.rounding == Rounding::kDown ? kSign : 0);
  }
  if (product.significand == 0) {
    return c;
  }
  if (addend.significand == 0) {
    return round_and_pack(product, context);
  }
  return add_numbers(product, addend, context);
}

uint32_t to_int32(uint32_t a, Context &context) {
  return to_integer(a, INT32_MIN, INT32_MAX, context);
}

uint32_t to_uint32(uint32_t a, Context &context) {
  return to_integer(a, 0, UINT32_MAX, context);
}

uint32_t from_int32(uint32_t value, Context &context) {
  const bool negative = to_signed(value) < 0;
  const uint32_t magnitude = negative ? 0U - value : value;
  return value == 0 ? 0 : round_and_pack({negative, 0, magnitude}, context);
}

uint32_t from_uint32(uint32_t value, Context &context) {
  return value == 0 ? 0 : round_and_pack({false, 0, value}, context);
}

uint32_t minimum(uint32_t a, uint32_t b, Context &context) {
  return select(a, b, ordered(a) < ordered(b), context);
}

uint32_t maximum(uint32_t a, uint32_t b, Context &context) {
  return select(a, b, ordered(a) > ordered(b), context);
}

bool equal(uint32_t a, uint32_t b, Context &context) {
  if (is_nan(a) || is_nan(b)) {
    propagate_nan(is_signalling(a) || is_signalling(b), context);
    return false;
  }
  return a == b || (is_zero(a) && is_zero(b));
}

bool less(uint32_t a, uint32_t b, Context &context) {
  if (is_nan(a) || is_nan(b)) {
    invalid(context);
    return false;
  }
  return less_than_number(a, b);
}

bool less_equal(uint32_t a, uint32_t b, Context &context) {
  return less(a, b, context) || equal(a, b, context);
}

uint32_t classify(uint32_t a) {
  const bool negative = is_negative(a);
  if (is_nan(a)) {
    return is_signalling(a) ? 1U << 8 : 1U << 9;
  }
  if (is_infinite(a)) {
    return negative ? 1U << 0 : 1U << 7;
  }
  if (is_zero(a)) {
    return negative ? 1U << 3 : 1U << 4;
  }
  const bool subnormal = field(a, 30, 23) == 0;
  return subnormal ? (negative ? 1U << 2 : 1U << 5) : (negative ? 1U << 1 : 1U << 6);
}

}  // namespace tinsmith::soc::float32
