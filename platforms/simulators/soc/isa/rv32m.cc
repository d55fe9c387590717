// RV32M.

#include <bit>

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/isa/tables.h"

namespace tinsmith::soc {
namespace {

void multiply(Hart &hart, const Instruction &i) {
  hart.set(i.rd, hart.x[i.rs1] * hart.x[i.rs2]);
  hart.takes(hart.timing.multiply);
}

template <bool signed_a, bool signed_b>
void multiply_high(Hart &hart, const Instruction &i) {
  const uint32_t a = hart.x[i.rs1];
  const uint32_t b = hart.x[i.rs2];
  const int64_t wide_a = signed_a ? int64_t{to_signed(a)} : int64_t{a};
  const int64_t wide_b = signed_b ? int64_t{to_signed(b)} : int64_t{b};
  // Unsigned, so that the product of two large unsigned numbers is not an overflow.
  const uint64_t product = static_cast<uint64_t>(wide_a) * static_cast<uint64_t>(wide_b);
  hart.set(i.rd, static_cast<uint32_t>(product >> 32));
  hart.takes(hart.timing.multiply_high);
}

uint32_t magnitude(uint32_t value, bool is_signed) {
  return is_signed && to_signed(value) < 0 ? 0U - value : value;
}

uint32_t quotient(uint32_t a, uint32_t b, bool is_signed) {
  if (b == 0) {
    return ~0U;
  }
  const uint32_t result = magnitude(a, is_signed) / magnitude(b, is_signed);
  const bool negative = is_signed && to_signed(a ^ b) < 0;
  return negative ? 0U - result : result;
}

uint32_t remainder(uint32_t a, uint32_t b, bool is_signed) {
  if (b == 0) {
    return a;
  }
  const uint32_t result = magnitude(a, is_signed) % magnitude(b, is_signed);
  return is_signed && to_signed(a) < 0 ? 0U - result : result;
}

template <uint32_t (*operation)(uint32_t, uint32_t, bool), bool is_signed>
void divide(Hart &hart, const Instruction &i) {
  const uint32_t divisor = hart.x[i.rs2];
  hart.set(i.rd, operation(hart.x[i.rs1], divisor, is_signed));
  hart.takes(hart.timing.divide_base + static_cast<uint32_t>(std::countl_zero(magnitude(divisor, is_signed))));
}

constexpr uint32_t kMask = 0xFE00707F;

}  // namespace

Rows rv32m_rows() {
  return {
      {"mul", "d,s,t", 0x02000033, kMask, Kind::kMultiply, multiply},
      {"mulh", "d,s,t", 0x02001033, kMask, Kind::kMultiply, multiply_high<true, true>},
      {"mulhsu", "d,s,t", 0x02002033, kMask, Kind::kMultiply, multiply_high<true, false>},
      {"mulhu", "d,s,t", 0x02003033, kMask, Kind::kMultiply, multiply_high<false, false>},
      {"div", "d,s,t", 0x02004033, kMask, Kind::kDivide, divide<quotient, true>},
      {"divu", "d,s,t", 0x02005033, kMask, Kind::kDivide, divide<quotient, false>},
      {"rem", "d,s,t", 0x02006033, kMask, Kind::kDivide, divide<remainder, true>},
      {"remu", "d,s,t", 0x02007033, kMask, Kind::kDivide, divide<remainder, false>},
  };
}

}  // namespace tinsmith::soc
