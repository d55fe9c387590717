// CORE-V bit manipulation (xcvbitmanip).

#include <bit>

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/isa/tables.h"

namespace tinsmith::soc {
namespace {

// A field of `length` bits (1 to 32) from bit `low` on; what would lie beyond bit 31 is left out.
struct Field {
  uint32_t length;
  uint32_t low;

  uint32_t mask() const {
    return low_bits(~0U, length) << low;
  }
};

using Operation = uint32_t (*)(uint32_t source, uint32_t old, Field place);

template <Operation operation>
void by_numbers(Hart &hart, const Instruction &i) {
  hart.set(i.rd, operation(hart.x[i.rs1], hart.x[i.rd], {i.immediate + 1, i.rs2}));
}

template <Operation operation>
void by_register(Hart &hart, const Instruction &i) {
  const uint32_t place = hart.x[i.rs2];
  hart.set(i.rd, operation(hart.x[i.rs1], hart.x[i.rd], {field(place, 9, 5) + 1, field(place, 4, 0)}));
}

uint32_t extract(uint32_t source, uint32_t, Field place) {
  return sign_extend(arithmetic_shift(source, place.low), place.length);
}
uint32_t extract_unsigned(uint32_t source, uint32_t, Field place) {
  return low_bits(source >> place.low, place.length);
}
uint32_t insert(uint32_t source, uint32_t old, Field place) {
  return ((source << place.low) & place.mask()) | (old & ~place.mask());
}
uint32_t clear(uint32_t source, uint32_t, Field place) {
  return source & ~place.mask();
}
uint32_t set(uint32_t source, uint32_t, Field place) {
  return source | place.mask();
}

// The order of groups of Is3 + 1 bits turned around, after Is2 bits left the top; a rest below the last group is lost.
void reverse(Hart &hart, const Instruction &i) {
  const uint32_t source = hart.x[i.rs1] << i.rs2;
  const uint32_t group = field(i.immediate, 1, 0) == 3 ? 1 : field(i.immediate, 1, 0) + 1;
  uint32_t result = 0;
  for (uint32_t low = 0; low + group <= 32; low += group) {
    result |= low_bits(source >> (32 - group - low), group) << low;
  }
  hart.set(i.rd, result);
}

using Count = uint32_t (*)(uint32_t);

template <Count count>
void counts(Hart &hart, const Instruction &i) {
  hart.set(i.rd, count(hart.x[i.rs1]));
}

uint32_t first_one(uint32_t a) {
  return static_cast<uint32_t>(std::countr_zero(a));
}
uint32_t last_one(uint32_t a) {
  return a == 0 ? 32 : 31 - static_cast<uint32_t>(std::countl_zero(a));
}
uint32_t leading_copies_of_sign(uint32_t a) {
  const uint32_t positive = to_signed(a) < 0 ? ~a : a;
  return a == 0 ? 0 : static_cast<uint32_t>(std::countl_zero(positive)) - 1;
}
uint32_t ones(uint32_t a) {
  return static_cast<uint32_t>(std::popcount(a));
}

void rotate_right(Hart &hart, const Instruction &i) {
  hart.set(i.rd, std::rotr(hart.x[i.rs1], static_cast<int>(hart.x[i.rs2] & 31)));
}

constexpr uint32_t kFieldMask = 0xC000707F;
constexpr uint32_t kRegisterMask = 0xFE00707F;
constexpr uint32_t kUnaryMask = 0xFFF0707F;

}  // namespace

Rows xcvbitmanip_rows() {
  constexpr Kind kKind = Kind::kBit;
  return {
      {"cv.extract", "d,s,3,n", 0x0000005B, kFieldMask, kKind, by_numbers<extract>},
      {"cv.extractu", "d,s,3,n", 0x4000005B, kFieldMask, kKind, by_numbers<extract_unsigned>},
      {"cv.insert", "!d,s,3,n", 0x8000005B, kFieldMask, kKind, by_numbers<insert>},
      {"cv.bclr", "d,s,3,n", 0x0000105B, kFieldMask, kKind, by_numbers<clear>},
      {"cv.bset", "d,s,3,n", 0x4000105B, kFieldMask, kKind, by_numbers<set>},
      {"cv.bitrev", "d,s,3,n", 0xC000105B, 0xF800707F, kKind, reverse},
      {"cv.extractr", "d,s,t", 0x3000302B, kRegisterMask, kKind, by_register<extract>},
      {"cv.extractur", "d,s,t", 0x3200302B, kRegisterMask, kKind, by_register<extract_unsigned>},
      {"cv.insertr", "!d,s,t", 0x3400302B, kRegisterMask, kKind, by_register<insert>},
      {"cv.bclrr", "d,s,t", 0x3800302B, kRegisterMask, kKind, by_register<clear>},
      {"cv.bsetr", "d,s,t", 0x3A00302B, kRegisterMask, kKind, by_register<set>},
      {"cv.ror", "d,s,t", 0x4000302B, kRegisterMask, kKind, rotate_right},
      {"cv.ff1", "d,s", 0x4200302B, kUnaryMask, kKind, counts<first_one>},
      {"cv.fl1", "d,s", 0x4400302B, kUnaryMask, kKind, counts<last_one>},
      {"cv.clb", "d,s", 0x4600302B, kUnaryMask, kKind, counts<leading_copies_of_sign>},
      {"cv.cnt", "d,s", 0x4800302B, kUnaryMask, kKind, counts<ones>},
  };
}

}  // namespace tinsmith::soc
