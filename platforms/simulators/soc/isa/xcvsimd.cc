// CORE-V packed SIMD (xcvsimd): lane by lane arithmetic and comparisons, and dot products.

#include <array>

#include "platforms/simulators/soc/isa/simd.h"
#include "platforms/simulators/soc/isa/tables.h"

namespace tinsmith::soc {
namespace {

using namespace simd;

using Operation = uint32_t (*)(uint32_t a, uint32_t b, unsigned width);

template <uint32_t form, bool is_signed, Operation operation>
void lanes(Hart &hart, const Instruction &i) {
  const uint32_t a = hart.x[i.rs1];
  const uint32_t b = second<form>(hart, i);
  hart.set(i.rd, each_lane<form, is_signed>(a, b, [](uint32_t x, uint32_t y) { return operation(x, y, width(form)); }));
}

uint32_t add(uint32_t a, uint32_t b, unsigned) {
  return a + b;
}
uint32_t subtract(uint32_t a, uint32_t b, unsigned) {
  return a - b;
}
// The sum is cut to its lane before it is halved.
uint32_t average(uint32_t a, uint32_t b, unsigned width) {
  return arithmetic_shift(sign_extend(a + b, width), 1);
}
uint32_t average_unsigned(uint32_t a, uint32_t b, unsigned width) {
  return low_bits(a + b, width) >> 1;
}
uint32_t least(uint32_t a, uint32_t b, unsigned) {
  return to_signed(a) < to_signed(b) ? a : b;
}
uint32_t greatest(uint32_t a, uint32_t b, unsigned) {
  return to_signed(a) > to_signed(b) ? a : b;
}
uint32_t shift_right(uint32_t a, uint32_t b, unsigned width) {
  return a >> (b & (width - 1));
}
uint32_t shift_right_signed(uint32_t a, uint32_t b, unsigned width) {
  return arithmetic_shift(a, b & (width - 1));
}
uint32_t shift_left(uint32_t a, uint32_t b, unsigned width) {
  return a << (b & (width - 1));
}
uint32_t inclusive_or(uint32_t a, uint32_t b, unsigned) {
  return a | b;
}
uint32_t exclusive_or(uint32_t a, uint32_t b, unsigned) {
  return a ^ b;
}
uint32_t conjunction(uint32_t a, uint32_t b, unsigned) {
  return a & b;
}
uint32_t absolute(uint32_t a, uint32_t, unsigned) {
  return to_signed(a) < 0 ? 0U - a : a;
}
uint32_t is_equal(uint32_t a, uint32_t b, unsigned) {
  return a == b ? ~0U : 0;
}
uint32_t is_different(uint32_t a, uint32_t b, unsigned) {
  return a != b ? ~0U : 0;
}
uint32_t is_greater(uint32_t a, uint32_t b, unsigned) {
  return to_signed(a) > to_signed(b) ? ~0U : 0;
}
uint32_t is_not_less(uint32_t a, uint32_t b, unsigned) {
  return to_signed(a) >= to_signed(b) ? ~0U : 0;
}
uint32_t is_less(uint32_t a, uint32_t b, unsigned) {
  return to_signed(a) < to_signed(b) ? ~0U : 0;
}
uint32_t is_not_greater(uint32_t a, uint32_t b, unsigned) {
  return to_signed(a) <= to_signed(b) ? ~0U : 0;
}

// An instruction in all its forms. Lanes extended without sign fit the signed comparisons, too.
struct Family {
  const char *name;
  uint32_t upper;      // bits 31:26
  const char *number;  // operand of the forms with a number: v, signed, or V
  const char *prefix;  // of the operands: "!" if rd is read
  Kind kind;
  std::array<Execute, 6> execute;
};

void append(Rows &rows, const Family &family) {
  constexpr std::array<Form, 6> kForms = {kHalves, kBytes, kScalarHalf, kScalarByte, kNumberHalf, kNumberByte};
  constexpr std::array<const char *, 6> kSuffixes = {".h", ".b", ".sc.h", ".sc.b", ".sci.h", ".sci.b"};
  for (size_t k = 0; k < kForms.size(); ++k) {
    const bool with_number = kForms[k] == kNumberHalf || kForms[k] == kNumberByte;
    const uint32_t mask = with_number ? 0xFC00707FU : 0xFE00707FU;
    const std::string operands = std::string(family.prefix) + "d,s," + (with_number ? family.number : "t");
    rows.push_back({family.name + std::string(kSuffixes[k]), operands, family.upper << 26 | kForms[k] << 12 | 0x7B,
                    mask, family.kind, family.execute[k]});
  }
}

template <bool is_signed, Operation operation>
void append_lanes(Rows &rows, const char *name, uint32_t upper, const char *number) {
  append(rows, {name,
                upper,
                number,
                "",
                Kind::kSimd,
                {lanes<kHalves, is_signed, operation>, lanes<kBytes, is_signed, operation>,
                 lanes<kScalarHalf, is_signed, operation>, lanes<kScalarByte, is_signed, operation>,
                 lanes<kNumberHalf, is_signed, operation>, lanes<kNumberByte, is_signed, operation>}});
}

template <uint32_t form, bool signed_a, bool signed_b, bool accumulates>
void dot(Hart &hart, const Instruction &i) {
  const uint32_t a = hart.x[i.rs1];
  const uint32_t b = second<form>(hart, i);
  uint32_t sum = accumulates ? hart.x[i.rd] : 0;
  for (unsigned index = 0; index < 32 / width(form); ++index) {
    sum += lane<form, signed_a>(a, index) * lane<form, signed_b>(b, index);
  }
  hart.set(i.rd, sum);
}

template <bool signed_a, bool signed_b, bool accumulates>
void append_dot(Rows &rows, const char *name, uint32_t funct5) {
  append(rows,
         {name,
          funct5 << 1,
          signed_b ? "v" : "V",
          accumulates ? "!" : "",
          Kind::kDot,
          {dot<kHalves, signed_a, signed_b, accumulates>, dot<kBytes, signed_a, signed_b, accumulates>,
           dot<kScalarHalf, signed_a, signed_b, accumulates>, dot<kScalarByte, signed_a, signed_b, accumulates>,
           dot<kNumberHalf, signed_a, signed_b, accumulates>, dot<kNumberByte, signed_a, signed_b, accumulates>}});
}

}  // namespace

void append_simd_arithmetic(Rows &rows) {
  append_lanes<true, add>(rows, "cv.add", 0x00 << 1, "v");
  append_lanes<true, subtract>(rows, "cv.sub", 0x01 << 1, "v");
  append_lanes<true, average>(rows, "cv.avg", 0x02 << 1, "v");
  append_lanes<false, average_unsigned>(rows, "cv.avgu", 0x03 << 1, "V");
  append_lanes<true, least>(rows, "cv.min", 0x04 << 1, "v");
  append_lanes<false, least>(rows, "cv.minu", 0x05 << 1, "V");
  append_lanes<true, greatest>(rows, "cv.max", 0x06 << 1, "v");
  append_lanes<false, greatest>(rows, "cv.maxu", 0x07 << 1, "V");
  append_lanes<false, shift_right>(rows, "cv.srl", 0x08 << 1, "V");
  append_lanes<true, shift_right_signed>(rows, "cv.sra", 0x09 << 1, "V");
  append_lanes<false, shift_left>(rows, "cv.sll", 0x0A << 1, "V");
  append_lanes<true, inclusive_or>(rows, "cv.or", 0x0B << 1, "v");
  append_lanes<true, exclusive_or>(rows, "cv.xor", 0x0C << 1, "v");
  append_lanes<true, conjunction>(rows, "cv.and", 0x0D << 1, "v");
  constexpr uint32_t kMask = 0xFFF0707F;
  rows.push_back({"cv.abs.h", "d,s", 0x7000007B, kMask, Kind::kSimd, lanes<kHalves, true, absolute>});
  rows.push_back({"cv.abs.b", "d,s", 0x7000107B, kMask, Kind::kSimd, lanes<kBytes, true, absolute>});
}

void append_simd_comparisons(Rows &rows) {
  append_lanes<true, is_equal>(rows, "cv.cmpeq", 0x00 << 1 | 1, "v");
  append_lanes<true, is_different>(rows, "cv.cmpne", 0x01 << 1 | 1, "v");
  append_lanes<true, is_greater>(rows, "cv.cmpgt", 0x02 << 1 | 1, "v");
  append_lanes<true, is_not_less>(rows, "cv.cmpge", 0x03 << 1 | 1, "v");
  append_lanes<true, is_less>(rows, "cv.cmplt", 0x04 << 1 | 1, "v");
  append_lanes<true, is_not_greater>(rows, "cv.cmple", 0x05 << 1 | 1, "v");
  append_lanes<false, is_greater>(rows, "cv.cmpgtu", 0x06 << 1 | 1, "V");
  append_lanes<false, is_not_less>(rows, "cv.cmpgeu", 0x07 << 1 | 1, "V");
  append_lanes<false, is_less>(rows, "cv.cmpltu", 0x08 << 1 | 1, "V");
  append_lanes<false, is_not_greater>(rows, "cv.cmpleu", 0x09 << 1 | 1, "V");
}

void append_simd_dots(Rows &rows) {
  append_dot<false, false, false>(rows, "cv.dotup", 0x10);
  append_dot<false, true, false>(rows, "cv.dotusp", 0x11);
  append_dot<true, true, false>(rows, "cv.dotsp", 0x12);
  append_dot<false, false, true>(rows, "cv.sdotup", 0x13);
  append_dot<false, true, true>(rows, "cv.sdotusp", 0x14);
  append_dot<true, true, true>(rows, "cv.sdotsp", 0x15);
}

Rows xcvsimd_rows() {
  Rows rows;
  append_simd_arithmetic(rows);
  append_simd_comparisons(rows);
  append_simd_dots(rows);
  append_simd_permutations(rows);
  append_simd_complex(rows);
  return rows;
}

}  // namespace tinsmith::soc
