// CORE-V multiply-accumulate (xcvmac).

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/isa/tables.h"

namespace tinsmith::soc {
namespace {

void accumulate(Hart &hart, const Instruction &i) {
  hart.set(i.rd, hart.x[i.rd] + hart.x[i.rs1] * hart.x[i.rs2]);
}

void subtract(Hart &hart, const Instruction &i) {
  hart.set(i.rd, hart.x[i.rd] - hart.x[i.rs1] * hart.x[i.rs2]);
}

// Bits 14:12 and 31:30 of the instruction spell out what it does: high halves, sign, rounding, accumulation.
template <bool is_signed, bool high, bool rounds, bool accumulates>
void multiply_halves(Hart &hart, const Instruction &i) {
  const uint32_t a = hart.x[i.rs1] >> (high ? 16 : 0);
  const uint32_t b = hart.x[i.rs2] >> (high ? 16 : 0);
  const uint32_t wide_a = is_signed ? sign_extend(a, 16) : field(a, 15, 0);
  const uint32_t wide_b = is_signed ? sign_extend(b, 16) : field(b, 15, 0);
  const uint32_t rounding = rounds ? (1U << i.immediate) >> 1 : 0;
  const uint32_t sum = wide_a * wide_b + rounding + (accumulates ? hart.x[i.rd] : 0);
  hart.set(i.rd, is_signed ? arithmetic_shift(sum, i.immediate) : sum >> i.immediate);
}

Row row(const char *name, uint32_t funct3, uint32_t f2, Execute execute) {
  const bool accumulates = funct3 >= 6;
  return {name, accumulates ? "!d,s,t,3" : "d,s,t,3", f2 << 30 | funct3 << 12 | 0x5B, 0xC000707F, Kind::kMac, execute};
}

}  // namespace

Rows xcvmac_rows() {
  return {
      {"cv.mac", "!d,s,t", 0x9000302B, 0xFE00707F, Kind::kMac, accumulate},
      {"cv.msu", "!d,s,t", 0x9200302B, 0xFE00707F, Kind::kMac, subtract},
      row("cv.mulsn", 4, 0, multiply_halves<true, false, false, false>),
      row("cv.mulhhsn", 4, 1, multiply_halves<true, true, false, false>),
      row("cv.mulsrn", 4, 2, multiply_halves<true, false, true, false>),
      row("cv.mulhhsrn", 4, 3, multiply_halves<true, true, true, false>),
      row("cv.mulun", 5, 0, multiply_halves<false, false, false, false>),
      row("cv.mulhhun", 5, 1, multiply_halves<false, true, false, false>),
      row("cv.mulurn", 5, 2, multiply_halves<false, false, true, false>),
      row("cv.mulhhurn", 5, 3, multiply_halves<false, true, true, false>),
      row("cv.macsn", 6, 0, multiply_halves<true, false, false, true>),
      row("cv.machhsn", 6, 1, multiply_halves<true, true, false, true>),
      row("cv.macsrn", 6, 2, multiply_halves<true, false, true, true>),
      row("cv.machhsrn", 6, 3, multiply_halves<true, true, true, true>),
      row("cv.macun", 7, 0, multiply_halves<false, false, false, true>),
      row("cv.machhun", 7, 1, multiply_halves<false, true, false, true>),
      row("cv.macurn", 7, 2, multiply_halves<false, false, true, true>),
      row("cv.machhurn", 7, 3, multiply_halves<false, true, true, true>),
  };
}

}  // namespace tinsmith::soc
