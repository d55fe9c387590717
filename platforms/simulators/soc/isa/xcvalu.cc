// CORE-V general arithmetic (xcvalu): clipping, shifted sums, minima, extensions.

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/isa/tables.h"

namespace tinsmith::soc {
namespace {

using Unary = uint32_t (*)(uint32_t);
using Binary = uint32_t (*)(uint32_t, uint32_t);

template <Unary operation>
void unary(Hart &hart, const Instruction &i) {
  hart.set(i.rd, operation(hart.x[i.rs1]));
}

template <Binary operation>
void binary(Hart &hart, const Instruction &i) {
  hart.set(i.rd, operation(hart.x[i.rs1], hart.x[i.rs2]));
}

// The field of rs2 holds a number instead.
template <Binary operation>
void with_number(Hart &hart, const Instruction &i) {
  hart.set(i.rd, operation(hart.x[i.rs1], i.rs2));
}

uint32_t absolute(uint32_t a) {
  return to_signed(a) < 0 ? 0U - a : a;
}
uint32_t at_most(uint32_t a, uint32_t b) {
  return to_signed(a) <= to_signed(b) ? 1 : 0;
}
uint32_t at_most_unsigned(uint32_t a, uint32_t b) {
  return a <= b ? 1 : 0;
}
uint32_t least(uint32_t a, uint32_t b) {
  return to_signed(a) < to_signed(b) ? a : b;
}
uint32_t least_unsigned(uint32_t a, uint32_t b) {
  return std::min(a, b);
}
uint32_t greatest(uint32_t a, uint32_t b) {
  return to_signed(a) < to_signed(b) ? b : a;
}
uint32_t greatest_unsigned(uint32_t a, uint32_t b) {
  return std::max(a, b);
}
uint32_t extend_half(uint32_t a) {
  return sign_extend(a, 16);
}
uint32_t extend_half_unsigned(uint32_t a) {
  return field(a, 15, 0);
}
uint32_t extend_byte(uint32_t a) {
  return sign_extend(a, 8);
}
uint32_t extend_byte_unsigned(uint32_t a) {
  return field(a, 7, 0);
}

// Bounds of `bits` bits, sign included; none gives [-1, 0].
uint32_t clip_bits(uint32_t a, uint32_t bits) {
  const int32_t bound = bits == 0 ? 0 : to_signed((1U << (bits - 1)) - 1);
  return clip(a, -bound - 1, bound);
}

uint32_t clip_bits_unsigned(uint32_t a, uint32_t bits) {
  const int32_t bound = bits == 0 ? 0 : to_signed((1U << (bits - 1)) - 1);
  return clip(a, 0, bound);
}

uint32_t clip_to(uint32_t a, uint32_t limit) {
  const int32_t bound = to_signed(limit & 0x7FFFFFFF);
  return clip(a, -bound - 1, bound);
}

uint32_t clip_to_unsigned(uint32_t a, uint32_t limit) {
  return clip(a, 0, to_signed(limit & 0x7FFFFFFF));
}

enum class Sum { kAdd, kSubtract };
enum class Shift { kArithmetic, kLogical };
enum class Round { kDown, kNearest };

// (a + or - b, rounded) >> amount; the sum wraps around before it is shifted.
template <Sum sum, Shift shift, Round round>
uint32_t shifted_sum(uint32_t a, uint32_t b, uint32_t amount) {
  const uint32_t rounding = round == Round::kNearest ? (1U << amount) >> 1 : 0;
  const uint32_t total = (sum == Sum::kAdd ? a + b : a - b) + rounding;
  return shift == Shift::kArithmetic ? arithmetic_shift(total, amount) : total >> amount;
}

template <Sum sum, Shift shift, Round round>
void sum_by_number(Hart &hart, const Instruction &i) {
  hart.set(i.rd, shifted_sum<sum, shift, round>(hart.x[i.rs1], hart.x[i.rs2], i.immediate));
}

template <Sum sum, Shift shift, Round round>
void sum_by_register(Hart &hart, const Instruction &i) {
  hart.set(i.rd, shifted_sum<sum, shift, round>(hart.x[i.rd], hart.x[i.rs1], hart.x[i.rs2] & 31));
}

Row with_funct7(const char *name, const char *operands, uint32_t funct7, Execute execute) {
  const bool one_register = operands[3] == '\0';  // "d,s"
  const uint32_t mask = one_register ? 0xFFF0707FU : 0xFE00707FU;
  return {name, operands, funct7 << 25 | 0x302B, mask, Kind::kAlu, execute};
}

Row with_shift(const char *name, uint32_t funct3, uint32_t f2, Execute execute) {
  return {name, "d,s,t,3", f2 << 30 | funct3 << 12 | 0x5B, 0xC000707F, Kind::kAlu, execute};
}

void append_sums(Rows &rows) {
  using enum Sum;
  using enum Shift;
  using enum Round;
  const char *with_rd = "!d,s,t";
  rows.push_back(with_shift("cv.addn", 2, 0, sum_by_number<kAdd, kArithmetic, kDown>));
  rows.push_back(with_shift("cv.addun", 2, 1, sum_by_number<kAdd, kLogical, kDown>));
  rows.push_back(with_shift("cv.addrn", 2, 2, sum_by_number<kAdd, kArithmetic, kNearest>));
  rows.push_back(with_shift("cv.addurn", 2, 3, sum_by_number<kAdd, kLogical, kNearest>));
  rows.push_back(with_shift("cv.subn", 3, 0, sum_by_number<kSubtract, kArithmetic, kDown>));
  rows.push_back(with_shift("cv.subun", 3, 1, sum_by_number<kSubtract, kLogical, kDown>));
  rows.push_back(with_shift("cv.subrn", 3, 2, sum_by_number<kSubtract, kArithmetic, kNearest>));
  rows.push_back(with_shift("cv.suburn", 3, 3, sum_by_number<kSubtract, kLogical, kNearest>));
  rows.push_back(with_funct7("cv.addnr", with_rd, 0x40, sum_by_register<kAdd, kArithmetic, kDown>));
  rows.push_back(with_funct7("cv.addunr", with_rd, 0x41, sum_by_register<kAdd, kLogical, kDown>));
  rows.push_back(with_funct7("cv.addrnr", with_rd, 0x42, sum_by_register<kAdd, kArithmetic, kNearest>));
  rows.push_back(with_funct7("cv.addurnr", with_rd, 0x43, sum_by_register<kAdd, kLogical, kNearest>));
  rows.push_back(with_funct7("cv.subnr", with_rd, 0x44, sum_by_register<kSubtract, kArithmetic, kDown>));
  rows.push_back(with_funct7("cv.subunr", with_rd, 0x45, sum_by_register<kSubtract, kLogical, kDown>));
  rows.push_back(with_funct7("cv.subrnr", with_rd, 0x46, sum_by_register<kSubtract, kArithmetic, kNearest>));
  rows.push_back(with_funct7("cv.suburnr", with_rd, 0x47, sum_by_register<kSubtract, kLogical, kNearest>));
}

}  // namespace

Rows xcvalu_rows() {
  Rows rows = {
      with_funct7("cv.abs", "d,s", 0x28, unary<absolute>),
      with_funct7("cv.sle", "d,s,t", 0x29, binary<at_most>),
      with_funct7("cv.sleu", "d,s,t", 0x2A, binary<at_most_unsigned>),
      with_funct7("cv.min", "d,s,t", 0x2B, binary<least>),
      with_funct7("cv.minu", "d,s,t", 0x2C, binary<least_unsigned>),
      with_funct7("cv.max", "d,s,t", 0x2D, binary<greatest>),
      with_funct7("cv.maxu", "d,s,t", 0x2E, binary<greatest_unsigned>),
      with_funct7("cv.exths", "d,s", 0x30, unary<extend_half>),
      with_funct7("cv.exthz", "d,s", 0x31, unary<extend_half_unsigned>),
      with_funct7("cv.extbs", "d,s", 0x32, unary<extend_byte>),
      with_funct7("cv.extbz", "d,s", 0x33, unary<extend_byte_unsigned>),
      with_funct7("cv.clip", "d,s,>", 0x38, with_number<clip_bits>),
      with_funct7("cv.clipu", "d,s,>", 0x39, with_number<clip_bits_unsigned>),
      with_funct7("cv.clipr", "d,s,t", 0x3A, binary<clip_to>),
      with_funct7("cv.clipur", "d,s,t", 0x3B, binary<clip_to_unsigned>),
  };
  append_sums(rows);
  return rows;
}

}  // namespace tinsmith::soc
