// RV32I.

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/isa/tables.h"

namespace tinsmith::soc {
namespace {

using Binary = uint32_t (*)(uint32_t, uint32_t);

template <Binary operation>
void with_register(Hart &hart, const Instruction &i) {
  hart.set(i.rd, operation(hart.x[i.rs1], hart.x[i.rs2]));
}

template <Binary operation>
void with_immediate(Hart &hart, const Instruction &i) {
  hart.set(i.rd, operation(hart.x[i.rs1], i.immediate));
}

uint32_t add(uint32_t a, uint32_t b) {
  return a + b;
}
uint32_t subtract(uint32_t a, uint32_t b) {
  return a - b;
}
uint32_t shift_left(uint32_t a, uint32_t b) {
  return a << (b & 31);
}
uint32_t shift_right(uint32_t a, uint32_t b) {
  return a >> (b & 31);
}
uint32_t shift_right_signed(uint32_t a, uint32_t b) {
  return arithmetic_shift(a, b & 31);
}
uint32_t less(uint32_t a, uint32_t b) {
  return to_signed(a) < to_signed(b) ? 1 : 0;
}
uint32_t less_unsigned(uint32_t a, uint32_t b) {
  return a < b ? 1 : 0;
}
uint32_t exclusive_or(uint32_t a, uint32_t b) {
  return a ^ b;
}
uint32_t inclusive_or(uint32_t a, uint32_t b) {
  return a | b;
}
uint32_t conjunction(uint32_t a, uint32_t b) {
  return a & b;
}

// slti x0, x0 and sltiu x0, x0 with a positive number, hints free for custom use, mark where a region begins and ends.
template <bool begins, Binary operation>
void compare_or_mark(Hart &hart, const Instruction &i) {
  if (i.rd == 0 && i.rs1 == 0 && to_signed(i.immediate) > 0) {
    hart.mark(i.immediate, begins);
    return;
  }
  with_immediate<operation>(hart, i);
}

// slt x0, x0 with another register, likewise: all cores are done with the stage whose number is in it.
void compare_or_end_stage(Hart &hart, const Instruction &i) {
  if (i.rd == 0 && i.rs1 == 0) {
    hart.end_stage(hart.x[i.rs2]);
    return;
  }
  with_register<less>(hart, i);
}

void load_upper(Hart &hart, const Instruction &i) {
  hart.set(i.rd, i.immediate);
}

void add_upper_to_pc(Hart &hart, const Instruction &i) {
  hart.set(i.rd, hart.pc + i.immediate);
}

void jump_and_link(Hart &hart, const Instruction &i) {
  hart.set(i.rd, hart.next_pc);
  hart.jump(hart.pc + i.immediate, hart.timing.jump);
}

void jump_to_register(Hart &hart, const Instruction &i) {
  const uint32_t target = (hart.x[i.rs1] + i.immediate) & ~1U;
  hart.set(i.rd, hart.next_pc);
  hart.jump(target, hart.timing.jump);
}

using Condition = bool (*)(uint32_t, uint32_t);

template <Condition condition>
void branch(Hart &hart, const Instruction &i) {
  if (condition(hart.x[i.rs1], hart.x[i.rs2])) {
    hart.take_branch(hart.pc + i.immediate);
  }
}

bool is_equal(uint32_t a, uint32_t b) {
  return a == b;
}
bool is_different(uint32_t a, uint32_t b) {
  return a != b;
}
bool is_less(uint32_t a, uint32_t b) {
  return to_signed(a) < to_signed(b);
}
bool is_not_less(uint32_t a, uint32_t b) {
  return to_signed(a) >= to_signed(b);
}
bool is_less_unsigned(uint32_t a, uint32_t b) {
  return a < b;
}
bool is_not_less_unsigned(uint32_t a, uint32_t b) {
  return a >= b;
}

template <uint32_t bytes, bool extends>
void load(Hart &hart, const Instruction &i) {
  const uint32_t value = hart.load(hart.x[i.rs1] + i.immediate, bytes, i.rd);
  hart.set(i.rd, extends ? sign_extend(value, 8 * bytes) : value);
}

template <uint32_t bytes>
void store(Hart &hart, const Instruction &i) {
  hart.store(hart.x[i.rs1] + i.immediate, bytes, hart.x[i.rs2]);
}

void do_nothing(Hart &, const Instruction &) {
}

constexpr uint32_t kFunct3 = 0x0000707F;
constexpr uint32_t kFunct7 = 0xFE00707F;

}  // namespace

Rows rv32i_rows() {
  return {
      {"lui", "d,u", 0x00000037, 0x0000007F, Kind::kAlu, load_upper},
      {"auipc", "d,u", 0x00000017, 0x0000007F, Kind::kAlu, add_upper_to_pc},
      {"jal", "d,j", 0x0000006F, 0x0000007F, Kind::kJump, jump_and_link},
      {"jalr", "d,i(s)", 0x00000067, kFunct3, Kind::kJump, jump_to_register},
      {"beq", "s,t,p", 0x00000063, kFunct3, Kind::kBranch, branch<is_equal>},
      {"bne", "s,t,p", 0x00001063, kFunct3, Kind::kBranch, branch<is_different>},
      {"blt", "s,t,p", 0x00004063, kFunct3, Kind::kBranch, branch<is_less>},
      {"bge", "s,t,p", 0x00005063, kFunct3, Kind::kBranch, branch<is_not_less>},
      {"bltu", "s,t,p", 0x00006063, kFunct3, Kind::kBranch, branch<is_less_unsigned>},
      {"bgeu", "s,t,p", 0x00007063, kFunct3, Kind::kBranch, branch<is_not_less_unsigned>},
      {"lb", "d,i(s)", 0x00000003, kFunct3, Kind::kLoad, load<1, true>},
      {"lh", "d,i(s)", 0x00001003, kFunct3, Kind::kLoad, load<2, true>},
      {"lw", "d,i(s)", 0x00002003, kFunct3, Kind::kLoad, load<4, false>},
      {"lbu", "d,i(s)", 0x00004003, kFunct3, Kind::kLoad, load<1, false>},
      {"lhu", "d,i(s)", 0x00005003, kFunct3, Kind::kLoad, load<2, false>},
      {"sb", "t,q(s)", 0x00000023, kFunct3, Kind::kStore, store<1>},
      {"sh", "t,q(s)", 0x00001023, kFunct3, Kind::kStore, store<2>},
      {"sw", "t,q(s)", 0x00002023, kFunct3, Kind::kStore, store<4>},
      {"addi", "d,s,i", 0x00000013, kFunct3, Kind::kAlu, with_immediate<add>},
      {"slti", "d,s,i", 0x00002013, kFunct3, Kind::kAlu, compare_or_mark<true, less>},
      {"sltiu", "d,s,i", 0x00003013, kFunct3, Kind::kAlu, compare_or_mark<false, less_unsigned>},
      {"xori", "d,s,i", 0x00004013, kFunct3, Kind::kAlu, with_immediate<exclusive_or>},
      {"ori", "d,s,i", 0x00006013, kFunct3, Kind::kAlu, with_immediate<inclusive_or>},
      {"andi", "d,s,i", 0x00007013, kFunct3, Kind::kAlu, with_immediate<conjunction>},
      {"slli", "d,s,>", 0x00001013, kFunct7, Kind::kAlu, with_immediate<shift_left>},
      {"srli", "d,s,>", 0x00005013, kFunct7, Kind::kAlu, with_immediate<shift_right>},
      {"srai", "d,s,>", 0x40005013, kFunct7, Kind::kAlu, with_immediate<shift_right_signed>},
      {"add", "d,s,t", 0x00000033, kFunct7, Kind::kAlu, with_register<add>},
      {"sub", "d,s,t", 0x40000033, kFunct7, Kind::kAlu, with_register<subtract>},
      {"sll", "d,s,t", 0x00001033, kFunct7, Kind::kAlu, with_register<shift_left>},
      {"slt", "d,s,t", 0x00002033, kFunct7, Kind::kAlu, compare_or_end_stage},
      {"sltu", "d,s,t", 0x00003033, kFunct7, Kind::kAlu, with_register<less_unsigned>},
      {"xor", "d,s,t", 0x00004033, kFunct7, Kind::kAlu, with_register<exclusive_or>},
      {"srl", "d,s,t", 0x00005033, kFunct7, Kind::kAlu, with_register<shift_right>},
      {"sra", "d,s,t", 0x40005033, kFunct7, Kind::kAlu, with_register<shift_right_signed>},
      {"or", "d,s,t", 0x00006033, kFunct7, Kind::kAlu, with_register<inclusive_or>},
      {"and", "d,s,t", 0x00007033, kFunct7, Kind::kAlu, with_register<conjunction>},
      {"fence", "", 0x0000000F, kFunct3, Kind::kSystem, do_nothing},
  };
}

}  // namespace tinsmith::soc
