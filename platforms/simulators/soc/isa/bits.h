// Arithmetic on register values with every overflow defined: C++20 shifts and conversions, unsigned wherever it wraps.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_BITS_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_BITS_H_

#include <algorithm>
#include <bit>
#include <cstdint>

namespace tinsmith::soc {

constexpr int32_t to_signed(uint32_t value) {
  return static_cast<int32_t>(value);
}

constexpr uint32_t to_unsigned(int32_t value) {
  return static_cast<uint32_t>(value);
}

// Bits [high:low] of `word`.
constexpr uint32_t field(uint32_t word, unsigned high, unsigned low) {
  return (word >> low) & (~0U >> (31 - (high - low)));
}

// The low `bits` of `value` (1 to 32), extended by their sign.
constexpr uint32_t sign_extend(uint32_t value, unsigned bits) {
  const unsigned shift = 32 - bits;
  return to_unsigned(to_signed(value << shift) >> shift);
}

// The low `bits` of `value` (0 to 32).
constexpr uint32_t low_bits(uint32_t value, unsigned bits) {
  return bits == 0 ? 0 : value & (~0U >> (32 - bits));
}

constexpr uint32_t arithmetic_shift(uint32_t value, unsigned amount) {
  return to_unsigned(to_signed(value) >> amount);
}

// `value` limited to [low, high], all signed.
constexpr uint32_t clip(uint32_t value, int32_t low, int32_t high) {
  return to_unsigned(std::min(std::max(to_signed(value), low), high));
}

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_BITS_H_
