// RV32F, on float32's arithmetic.

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/float32.h"
#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/isa/tables.h"

namespace tinsmith::soc {
namespace {

using float32::Context;

constexpr uint32_t kSign = 0x80000000;

uint32_t subtract(uint32_t a, uint32_t b, Context &context) {
  return float32::add(a, b ^ kSign, context);
}

template <uint32_t (*operation)(uint32_t, uint32_t, Context &)>
void binary(Hart &hart, const Instruction &i) {
  Context context = hart.float_context(i);
  hart.f[i.rd] = operation(hart.f[i.rs1], hart.f[i.rs2], context);
  hart.raise_float_flags(context);
  hart.takes(hart.timing.float_operation);
}

void divide(Hart &hart, const Instruction &i) {
  Context context = hart.float_context(i);
  hart.f[i.rd] = float32::divide(hart.f[i.rs1], hart.f[i.rs2], context);
  hart.raise_float_flags(context);
  hart.takes(hart.timing.float_divide);
}

void square_root(Hart &hart, const Instruction &i) {
  Context context = hart.float_context(i);
  hart.f[i.rd] = float32::square_root(hart.f[i.rs1], context);
  hart.raise_float_flags(context);
  hart.takes(hart.timing.float_divide);
}

// (rs1 * rs2, or its negative) + or - rs3.
template <uint32_t product_sign, uint32_t addend_sign>
void multiply_add(Hart &hart, const Instruction &i) {
  Context context = hart.float_context(i);
  hart.f[i.rd] =
      float32::multiply_add(hart.f[i.rs1] ^ product_sign, hart.f[i.rs2], hart.f[i.rs3] ^ addend_sign, context);
  hart.raise_float_flags(context);
  hart.takes(hart.timing.float_operation);
}

// Of two numbers, without rounding: bits 14:12 select the operation.
template <uint32_t (*operation)(uint32_t, uint32_t, Context &)>
void select(Hart &hart, const Instruction &i) {
  Context context;
  hart.f[i.rd] = operation(hart.f[i.rs1], hart.f[i.rs2], context);
  hart.raise_float_flags(context);
}

template <bool (*operation)(uint32_t, uint32_t, Context &)>
void compare(Hart &hart, const Instruction &i) {
  Context context;
  hart.set(i.rd, operation(hart.f[i.rs1], hart.f[i.rs2], context) ? 1 : 0);
  hart.raise_float_flags(context);
}

template <uint32_t (*operation)(uint32_t, uint32_t)>
void with_sign(Hart &hart, const Instruction &i) {
  const uint32_t a = hart.f[i.rs1];
  hart.f[i.rd] = (a & ~kSign) | (operation(a, hart.f[i.rs2]) & kSign);
}

uint32_t sign_of_second(uint32_t, uint32_t b) {
  return b;
}
uint32_t opposite_sign(uint32_t, uint32_t b) {
  return ~b;
}
uint32_t combined_sign(uint32_t a, uint32_t b) {
  return a ^ b;
}

template <uint32_t (*conversion)(uint32_t, Context &)>
void to_integer(Hart &hart, const Instruction &i) {
  Context context = hart.float_context(i);
  hart.set(i.rd, conversion(hart.f[i.rs1], context));
  hart.raise_float_flags(context);
  hart.takes(hart.timing.float_operation);
}

template <uint32_t (*conversion)(uint32_t, Context &)>
void from_integer(Hart &hart, const Instruction &i) {
  Context context = hart.float_context(i);
  hart.f[i.rd] = conversion(hart.x[i.rs1], context);
  hart.raise_float_flags(context);
  hart.takes(hart.timing.float_operation);
}

void move_to_integer(Hart &hart, const Instruction &i) {
  hart.set(i.rd, hart.f[i.rs1]);
}

void move_from_integer(Hart &hart, const Instruction &i) {
  hart.f[i.rd] = hart.x[i.rs1];
}

void classify(Hart &hart, const Instruction &i) {
  hart.set(i.rd, float32::classify(hart.f[i.rs1]));
}

void load(Hart &hart, const Instruction &i) {
  hart.f[i.rd] = hart.load_float(hart.x[i.rs1] + i.immediate, i.rd);
}

void store(Hart &hart, const Instruction &i) {
  hart.store(hart.x[i.rs1] + i.immediate, 4, hart.f[i.rs2]);
}

constexpr uint32_t kFunct3 = 0x0000707F;
constexpr uint32_t kRounded = 0xFE00007F;         // funct7
constexpr uint32_t kRoundedUnary = 0xFFF0007F;    // funct7 and rs2
constexpr uint32_t kFused = 0x0600007F;           // format
constexpr uint32_t kUnrounded = 0xFE00707F;       // funct7 and funct3
constexpr uint32_t kUnroundedUnary = 0xFFF0707F;  // funct7, rs2 and funct3

}  // namespace

Rows rv32f_rows() {
  constexpr Kind kKind = Kind::kFloat;
  return {
      {"flw", "D,i(s)", 0x00002007, kFunct3, Kind::kLoad, load},
      {"fsw", "T,q(s)", 0x00002027, kFunct3, Kind::kStore, store},
      {"fmadd.s", "D,S,T,Rf", 0x00000043, kFused, kKind, multiply_add<0, 0>},
      {"fmsub.s", "D,S,T,Rf", 0x00000047, kFused, kKind, multiply_add<0, kSign>},
      {"fnmsub.s", "D,S,T,Rf", 0x0000004B, kFused, kKind, multiply_add<kSign, 0>},
      {"fnmadd.s", "D,S,T,Rf", 0x0000004F, kFused, kKind, multiply_add<kSign, kSign>},
      {"fadd.s", "D,S,Tf", 0x00000053, kRounded, kKind, binary<float32::add>},
      {"fsub.s", "D,S,Tf", 0x08000053, kRounded, kKind, binary<subtract>},
      {"fmul.s", "D,S,Tf", 0x10000053, kRounded, kKind, binary<float32::multiply>},
      {"fdiv.s", "D,S,Tf", 0x18000053, kRounded, kKind, divide},
      {"fsqrt.s", "D,Sf", 0x58000053, kRoundedUnary, kKind, square_root},
      {"fsgnj.s", "D,S,T", 0x20000053, kUnrounded, kKind, with_sign<sign_of_second>},
      {"fsgnjn.s", "D,S,T", 0x20001053, kUnrounded, kKind, with_sign<opposite_sign>},
      {"fsgnjx.s", "D,S,T", 0x20002053, kUnrounded, kKind, with_sign<combined_sign>},
      {"fmin.s", "D,S,T", 0x28000053, kUnrounded, kKind, select<float32::minimum>},
      {"fmax.s", "D,S,T", 0x28001053, kUnrounded, kKind, select<float32::maximum>},
      {"fcvt.w.s", "d,Sf", 0xC0000053, kRoundedUnary, kKind, to_integer<float32::to_int32>},
      {"fcvt.wu.s", "d,Sf", 0xC0100053, kRoundedUnary, kKind, to_integer<float32::to_uint32>},
      {"fmv.x.w", "d,S", 0xE0000053, kUnroundedUnary, kKind, move_to_integer},
      {"feq.s", "d,S,T", 0xA0002053, kUnrounded, kKind, compare<float32::equal>},
      {"flt.s", "d,S,T", 0xA0001053, kUnrounded, kKind, compare<float32::less>},
      {"fle.s", "d,S,T", 0xA0000053, kUnrounded, kKind, compare<float32::less_equal>},
      {"fclass.s", "d,S", 0xE0001053, kUnroundedUnary, kKind, classify},
      {"fcvt.s.w", "D,sf", 0xD0000053, kRoundedUnary, kKind, from_integer<float32::from_int32>},
      {"fcvt.s.wu", "D,sf", 0xD0100053, kRoundedUnary, kKind, from_integer<float32::from_uint32>},
      {"fmv.w.x", "D,s", 0xF0000053, kUnroundedUnary, kKind, move_from_integer},
  };
}

}  // namespace tinsmith::soc
