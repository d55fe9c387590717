// CORE-V packed SIMD that moves lanes about, and its complex numbers (real part in the low half).

#include "platforms/simulators/soc/isa/simd.h"

namespace tinsmith::soc {
namespace {

using namespace simd;

template <uint32_t form>
uint32_t with_lane(uint32_t value, unsigned index, uint32_t bits) {
  const unsigned low = index * width(form);
  const uint32_t mask = low_bits(~0U, width(form)) << low;
  return (value & ~mask) | ((bits << low) & mask);
}

template <uint32_t form>
unsigned lane_number(uint32_t number) {
  return number & (has_bytes(form) ? 3 : 1);
}

template <uint32_t form, bool is_signed>
void extract(Hart &hart, const Instruction &i) {
  hart.set(i.rd, lane<form, is_signed>(hart.x[i.rs1], lane_number<form>(i.immediate)));
}

template <uint32_t form>
void insert(Hart &hart, const Instruction &i) {
  hart.set(i.rd, with_lane<form>(hart.x[i.rd], lane_number<form>(i.immediate), hart.x[i.rs1]));
}

template <uint32_t form>
void shuffle(Hart &hart, const Instruction &i) {
  const uint32_t a = hart.x[i.rs1];
  hart.set(i.rd, each_lane<form, false>(a, hart.x[i.rs2], [a](uint32_t, uint32_t selector) {
             return lane<form, false>(a, lane_number<form>(selector));
           }));
}

// The bit above a lane's number says which register it comes from: rs1, or rd as it was.
template <uint32_t form>
void shuffle2(Hart &hart, const Instruction &i) {
  const uint32_t a = hart.x[i.rs1];
  const uint32_t old = hart.x[i.rd];
  constexpr uint32_t kFromFirst = has_bytes(form) ? 4 : 2;
  hart.set(i.rd, each_lane<form, false>(a, hart.x[i.rs2], [a, old](uint32_t, uint32_t selector) {
             const uint32_t source = (selector & kFromFirst) != 0 ? a : old;
             return lane<form, false>(source, lane_number<form>(selector));
           }));
}

void shuffle_halves_by_number(Hart &hart, const Instruction &i) {
  const uint32_t a = hart.x[i.rs1];
  const uint32_t low = lane<kHalves, false>(a, field(i.immediate, 0, 0));
  const uint32_t high = lane<kHalves, false>(a, field(i.immediate, 1, 1));
  hart.set(i.rd, high << 16 | low);
}

template <unsigned top>
void shuffle_bytes_by_number(Hart &hart, const Instruction &i) {
  const uint32_t a = hart.x[i.rs1];
  uint32_t result = lane<kBytes, false>(a, top) << 24;
  for (unsigned index = 0; index < 3; ++index) {
    result |= lane<kBytes, false>(a, (i.immediate >> (2 * index)) & 3) << (8 * index);
  }
  hart.set(i.rd, result);
}

template <unsigned half>
void pack(Hart &hart, const Instruction &i) {
  const uint32_t high = lane<kHalves, false>(hart.x[i.rs1], half);
  hart.set(i.rd, high << 16 | lane<kHalves, false>(hart.x[i.rs2], half));
}

template <unsigned half>
void pack_bytes(Hart &hart, const Instruction &i) {
  const uint32_t pair = lane<kBytes, false>(hart.x[i.rs1], 0) << 8 | lane<kBytes, false>(hart.x[i.rs2], 0);
  hart.set(i.rd, with_lane<kHalves>(hart.x[i.rd], half, pair));
}

uint32_t real(uint32_t value) {
  return lane<kHalves, true>(value, 0);
}

uint32_t imaginary(uint32_t value) {
  return lane<kHalves, true>(value, 1);
}

// Products of Q15 numbers, divided by 1, 2, 4 or 8; the other half of rd stays.
template <bool is_imaginary, unsigned halvings>
void multiply(Hart &hart, const Instruction &i) {
  const uint32_t a = hart.x[i.rs1];
  const uint32_t b = hart.x[i.rs2];
  const uint32_t product =
      is_imaginary ? real(a) * imaginary(b) + imaginary(a) * real(b) : real(a) * real(b) - imaginary(a) * imaginary(b);
  const uint32_t part = arithmetic_shift(product, 15 + halvings);
  hart.set(i.rd, with_lane<kHalves>(hart.x[i.rd], is_imaginary ? 1 : 0, part));
}

void conjugate(Hart &hart, const Instruction &i) {
  const uint32_t a = hart.x[i.rs1];
  hart.set(i.rd, with_lane<kHalves>(a, 1, 0U - imaginary(a)));
}

uint32_t halve(uint32_t lane_value, unsigned halvings) {
  return arithmetic_shift(sign_extend(lane_value, 16), halvings);
}

// (rs1 - rs2) * -j
template <unsigned halvings>
void subtract_and_rotate(Hart &hart, const Instruction &i) {
  const uint32_t a = hart.x[i.rs1];
  const uint32_t b = hart.x[i.rs2];
  const uint32_t high = halve(real(b) - real(a), halvings);
  hart.set(i.rd, high << 16 | field(halve(imaginary(a) - imaginary(b), halvings), 15, 0));
}

template <bool subtracts, unsigned halvings>
void add(Hart &hart, const Instruction &i) {
  hart.set(i.rd, each_lane<kHalves, true>(hart.x[i.rs1], hart.x[i.rs2], [](uint32_t a, uint32_t b) {
             return halve(subtracts ? a - b : a + b, halvings);
           }));
}

constexpr uint32_t kRegisters = 0xFE00707F;
constexpr uint32_t kNumber = 0xFC00707F;
constexpr Kind kKind = Kind::kSimd;

Row complex_row(const std::string &name, const char *operands, uint32_t funct5, uint32_t bit25, unsigned halvings,
                Execute execute) {
  const std::string suffix = halvings == 0 ? "" : ".div" + std::to_string(1U << halvings);
  return {name + suffix, operands, funct5 << 27 | 1U << 26 | bit25 << 25 | halvings << 13 | 0x7B,
          kRegisters,    kKind,    execute};
}

template <unsigned halvings>
void append_scaled(Rows &rows) {
  rows.push_back(complex_row("cv.cplxmul.r", "!d,s,t", 0x0A, 0, halvings, multiply<false, halvings>));
  rows.push_back(complex_row("cv.cplxmul.i", "!d,s,t", 0x0A, 1, halvings, multiply<true, halvings>));
  rows.push_back(complex_row("cv.subrotmj", "d,s,t", 0x0C, 0, halvings, subtract_and_rotate<halvings>));
  if constexpr (halvings != 0) {
    rows.push_back(complex_row("cv.add", "d,s,t", 0x0D, 0, halvings, add<false, halvings>));
    rows.push_back(complex_row("cv.sub", "d,s,t", 0x0E, 0, halvings, add<true, halvings>));
  }
}

}  // namespace

void append_simd_permutations(Rows &rows) {
  const Rows permutations = {
      {"cv.extract.h", "d,s,V", 0xB800007B, kNumber, kKind, extract<kHalves, true>},
      {"cv.extract.b", "d,s,V", 0xB800107B, kNumber, kKind, extract<kBytes, true>},
      {"cv.extractu.h", "d,s,V", 0xB800207B, kNumber, kKind, extract<kHalves, false>},
      {"cv.extractu.b", "d,s,V", 0xB800307B, kNumber, kKind, extract<kBytes, false>},
      {"cv.insert.h", "!d,s,V", 0xB800407B, kNumber, kKind, insert<kHalves>},
      {"cv.insert.b", "!d,s,V", 0xB800507B, kNumber, kKind, insert<kBytes>},
      {"cv.shuffle.h", "d,s,t", 0xC000007B, kRegisters, kKind, shuffle<kHalves>},
      {"cv.shuffle.b", "d,s,t", 0xC000107B, kRegisters, kKind, shuffle<kBytes>},
      {"cv.shuffle.sci.h", "d,s,V", 0xC000607B, kNumber, kKind, shuffle_halves_by_number},
      {"cv.shufflei0.sci.b", "d,s,V", 0xC000707B, kNumber, kKind, shuffle_bytes_by_number<0>},
      {"cv.shufflei1.sci.b", "d,s,V", 0xC800707B, kNumber, kKind, shuffle_bytes_by_number<1>},
      {"cv.shufflei2.sci.b", "d,s,V", 0xD000707B, kNumber, kKind, shuffle_bytes_by_number<2>},
      {"cv.shufflei3.sci.b", "d,s,V", 0xD800707B, kNumber, kKind, shuffle_bytes_by_number<3>},
      {"cv.shuffle2.h", "!d,s,t", 0xE000007B, kRegisters, kKind, shuffle2<kHalves>},
      {"cv.shuffle2.b", "!d,s,t", 0xE000107B, kRegisters, kKind, shuffle2<kBytes>},
      {"cv.pack", "d,s,t", 0xF000007B, kRegisters, kKind, pack<0>},
      {"cv.pack.h", "d,s,t", 0xF200007B, kRegisters, kKind, pack<1>},
      {"cv.packlo.b", "!d,s,t", 0xF800107B, kRegisters, kKind, pack_bytes<0>},
      {"cv.packhi.b", "!d,s,t", 0xFA00107B, kRegisters, kKind, pack_bytes<1>},
  };
  rows.insert(rows.end(), permutations.begin(), permutations.end());
}

void append_simd_complex(Rows &rows) {
  append_scaled<0>(rows);
  append_scaled<1>(rows);
  append_scaled<2>(rows);
  append_scaled<3>(rows);
  rows.push_back({"cv.cplxconj", "d,s", 0x5C00007B, 0xFFF0707F, kKind, conjugate});
}

}  // namespace tinsmith::soc
