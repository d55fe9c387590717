// Lanes of a register, and the six forms of CORE-V's SIMD instructions.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_SIMD_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_SIMD_H_

#include <cstdint>

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc::simd {

// The values are those of funct3.
enum Form : uint32_t {
  kHalves = 0,
  kBytes = 1,
  kScalarHalf = 4,  // the lowest lane of rs2 for all
  kScalarByte = 5,
  kNumberHalf = 6,
  kNumberByte = 7,
};

constexpr bool has_bytes(uint32_t form) {
  return form % 2 == 1;
}

// Bits per lane.
constexpr unsigned width(uint32_t form) {
  return has_bytes(form) ? 8 : 16;
}

// Lane `index` of `value`, extended to 32 bits.
template <uint32_t form, bool is_signed>
constexpr uint32_t lane(uint32_t value, unsigned index) {
  const uint32_t bits = value >> (index * width(form));
  return is_signed ? sign_extend(bits, width(form)) : low_bits(bits, width(form));
}

// The second operand as a full register.
template <uint32_t form>
uint32_t second(const Hart &hart, const Instruction &i) {
  constexpr uint32_t kSpread = has_bytes(form) ? 0x01010101 : 0x00010001;
  if constexpr (form == kHalves || form == kBytes) {
    return hart.x[i.rs2];
  } else {
    const uint32_t value = form == kNumberHalf || form == kNumberByte ? i.immediate : hart.x[i.rs2];
    return low_bits(value, width(form)) * kSpread;
  }
}

// `operation` on each pair of lanes; only the low bits of what it returns are kept.
template <uint32_t form, bool is_signed, typename Operation>
uint32_t each_lane(uint32_t a, uint32_t b, Operation operation) {
  uint32_t result = 0;
  for (unsigned index = 0; index < 32 / width(form); ++index) {
    const uint32_t value = operation(lane<form, is_signed>(a, index), lane<form, is_signed>(b, index));
    result |= low_bits(value, width(form)) << (index * width(form));
  }
  return result;
}

}  // namespace tinsmith::soc::simd

namespace tinsmith::soc {

void append_simd_arithmetic(Rows &rows);
void append_simd_comparisons(Rows &rows);
void append_simd_dots(Rows &rows);
void append_simd_permutations(Rows &rows);
void append_simd_complex(Rows &rows);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_SIMD_H_
