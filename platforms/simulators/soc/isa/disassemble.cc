#include "platforms/simulators/soc/isa/disassemble.h"

#include <array>

#include "platforms/simulators/soc/isa/bits.h"

namespace tinsmith::soc {
namespace {

constexpr std::array<const char *, 32> kNames = {"zero", "ra", "sp", "gp", "tp",  "t0",  "t1", "t2", "s0", "s1", "a0",
                                                 "a1",   "a2", "a3", "a4", "a5",  "a6",  "a7", "s2", "s3", "s4", "s5",
                                                 "s6",   "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6"};

constexpr std::array<const char *, 32> kFloatNames = {
    "ft0", "ft1", "ft2", "ft3", "ft4", "ft5", "ft6", "ft7", "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
    "fa6", "fa7", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};

constexpr std::array<const char *, 8> kRoundings = {"rne", "rtz", "rdn", "rup", "rmm", "?", "?", "dyn"};

std::string number(uint32_t value) {
  return std::to_string(to_signed(value));
}

// A loop's start or end lies some words ahead; its count is just a number.
std::string loop_number(const Instruction &i, uint32_t pc, uint32_t value) {
  constexpr uint32_t kCountByNumber = 4;
  constexpr uint32_t kSetUpByNumber = 6;
  const uint32_t operation = field(i.word, 11, 8);
  const bool is_count = operation == kCountByNumber || operation == kSetUpByNumber;
  return is_count ? number(value) : "0x" + hexadecimal(pc + 4 * value);
}

std::string rounding(const Instruction &i) {
  constexpr uint32_t kDynamic = 7;
  const uint32_t mode = field(i.word, 14, 12);
  return mode == kDynamic ? "" : std::string(", ") + kRoundings[mode];
}

std::string operand(char letter, const Instruction &i, uint32_t pc) {
  switch (letter) {
    case 'd':
    case 'w':
      return kNames[i.rd];
    case 's':
      return kNames[i.rs1];
    case 't':
      return kNames[i.rs2];
    case 'D':
      return kFloatNames[i.rd];
    case 'S':
      return kFloatNames[i.rs1];
    case 'T':
      return kFloatNames[i.rs2];
    case 'R':
      return kFloatNames[i.rs3];
    case 'p':
    case 'j':
      return "0x" + hexadecimal(pc + i.immediate);
    case 'u':
      return number(i.immediate >> 12);
    case '>':
    case 'n':
      return number(i.rs2);
    case 'Z':
      return number(i.rs1);
    case 'b':
      return number(sign_extend(i.rs2, 5));
    case 'L':
      return number(field(i.word, 7, 7));
    case 'M':
      return "0x" + hexadecimal(pc + 4U * i.rs1);
    case 'm':
      return loop_number(i, pc, i.immediate);
    case 'f':
      return rounding(i);
    case '!':
      return "";
    case ',':
      return ", ";
    case '(':
    case ')':
      return {letter};
    default:
      return number(i.immediate);  // i, q, v, V, 3, c
  }
}

}  // namespace

const char *register_name(uint32_t index) {
  return kNames[index];
}

const char *float_register_name(uint32_t index) {
  return kFloatNames[index];
}

std::string hexadecimal(uint32_t value) {
  std::string digits;
  for (int shift = 28; shift >= 0; shift -= 4) {
    digits += "0123456789abcdef"[(value >> shift) & 15];
  }
  return digits;
}

std::string disassemble(const Instruction &instruction, uint32_t pc) {
  if (instruction.row == nullptr) {
    return "unknown";
  }
  std::string text = instruction.row->name;
  std::string separator = " ";
  for (const char letter : instruction.row->operands) {
    text += separator + operand(letter, instruction, pc);
    separator = "";
  }
  while (text.back() == ' ') {
    text.pop_back();
  }
  return text;
}

}  // namespace tinsmith::soc
