#include "platforms/simulators/soc/isa/decode.h"

#include <string>

#include "platforms/simulators/soc/isa/bits.h"

namespace tinsmith::soc {
namespace {

uint32_t branch_offset(uint32_t word) {
  const uint32_t bits =
      field(word, 31, 31) << 12 | field(word, 7, 7) << 11 | field(word, 30, 25) << 5 | field(word, 11, 8) << 1;
  return sign_extend(bits, 13);
}

uint32_t jump_offset(uint32_t word) {
  const uint32_t bits =
      field(word, 31, 31) << 20 | field(word, 19, 12) << 12 | field(word, 20, 20) << 11 | field(word, 30, 21) << 1;
  return sign_extend(bits, 21);
}

uint32_t simd_immediate(uint32_t word) {
  return field(word, 24, 20) << 1 | field(word, 25, 25);
}

uint32_t immediate_of(char letter, uint32_t word) {
  switch (letter) {
    case 'i':
      return sign_extend(field(word, 31, 20), 12);
    case 'q':
      return sign_extend(field(word, 31, 25) << 5 | field(word, 11, 7), 12);
    case 'p':
      return branch_offset(word);
    case 'j':
      return jump_offset(word);
    case 'u':
      return word & 0xFFFFF000;
    case '>':
      return field(word, 24, 20);
    case 'v':
      return sign_extend(simd_immediate(word), 6);
    case 'V':
      return simd_immediate(word);
    case '3':
      return field(word, 29, 25);
    default:
      return field(word, 31, 20);  // c, m
  }
}

uint64_t reads_of(char letter, const Instruction &instruction) {
  switch (letter) {
    case 's':
      return uint64_t{1} << instruction.rs1;
    case 't':
      return uint64_t{1} << instruction.rs2;
    case 'w':
    case '!':
      return uint64_t{1} << instruction.rd;
    case 'S':
      return uint64_t{1} << (32 + instruction.rs1);
    case 'T':
      return uint64_t{1} << (32 + instruction.rs2);
    case 'R':
      return uint64_t{1} << (32 + instruction.rs3);
    default:
      return 0;
  }
}

bool has_immediate(char letter) {
  return std::string("iqpju>vV3cm").find(letter) != std::string::npos;
}

constexpr uint32_t kEnvironmentCall = 0x00000073;
constexpr uint32_t kBreakpoint = 0x00100073;

// Traps may lie in the bodies of hardware loops.
bool is_barred_from_loops(const Row &row) {
  const bool traps = row.match == kEnvironmentCall || row.match == kBreakpoint;
  return row.kind == Kind::kBranch || row.kind == Kind::kJump || (row.kind == Kind::kSystem && !traps);
}

uint8_t checks_of(const Row &row) {
  const bool is_float = row.kind == Kind::kFloat;
  const bool writes_register = row.operands.find('D') != std::string::npos;
  const bool reads_register = row.operands.find_first_of("STR") != std::string::npos;
  return static_cast<uint8_t>((is_barred_from_loops(row) ? kBarredFromLoops : 0) |
                              (is_float || writes_register || reads_register ? kUsesFloat : 0) |
                              (is_float || writes_register ? kChangesFloat : 0) |
                              (row.match == kEnvironmentCall ? kTraps : 0));
}

}  // namespace

Instruction decode_fields(uint32_t word, const Row &row, bool compressed) {
  Instruction instruction;
  instruction.execute = row.execute;
  instruction.row = &row;
  instruction.word = word;
  instruction.kind = row.kind;
  instruction.rd = static_cast<uint8_t>(field(word, 11, 7));
  instruction.rs1 = static_cast<uint8_t>(field(word, 19, 15));
  instruction.rs2 = static_cast<uint8_t>(field(word, 24, 20));
  instruction.rs3 = static_cast<uint8_t>(field(word, 31, 27));
  for (const char letter : row.operands) {
    instruction.reads |= reads_of(letter, instruction);
    if (has_immediate(letter)) {
      instruction.immediate = immediate_of(letter, word);
    }
  }
  instruction.reads &= ~uint64_t{1};  // x0 waits for nobody
  instruction.checks = checks_of(row);
  if (compressed) {
    instruction.size = 2;
    instruction.checks |= kBarredFromLoops | kCompressed;
  }
  return instruction;
}

}  // namespace tinsmith::soc
