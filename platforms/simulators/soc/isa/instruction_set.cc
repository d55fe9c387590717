#include "platforms/simulators/soc/isa/instruction_set.h"

#include <initializer_list>
#include <optional>
#include <utility>

#include "platforms/simulators/soc/isa/decode.h"
#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/isa/tables.h"

namespace tinsmith::soc {
namespace {

bool is_compressed(uint32_t bits) {
  return (bits & 3) != 3;
}

Rows joined(std::initializer_list<Rows> tables) {
  Rows rows;
  for (const Rows &table : tables) {
    rows.insert(rows.end(), table.begin(), table.end());
  }
  return rows;
}

Rows plain_rows() {
  return joined({rv32i_rows(), rv32m_rows(), rv32f_rows(), system_rows()});
}

Rows corev_rows() {
  return joined({plain_rows(), xcvalu_rows(), xcvbi_rows(), xcvbitmanip_rows(), xcvhwlp_rows(), xcvmac_rows(),
                 xcvmem_rows(), xcvsimd_rows()});
}

// What an instruction that the core's set lacks does.
[[noreturn]] void raise_illegal(Hart &hart, const Instruction &illegal) {
  const bool others_have_it = InstructionSet::corev().decode(illegal.word).row != nullptr;
  throw Fault("illegal instruction 0x" + hexadecimal(illegal.word) +
                  (others_have_it && !hart.isa.has_corev() ? ": this core has no CORE-V" : ""),
              FaultKind::kIllegalInstruction);
}

Instruction illegal_instruction(uint32_t bits) {
  Instruction illegal;
  illegal.execute = raise_illegal;
  illegal.word = is_compressed(bits) ? bits & 0xFFFF : bits;
  illegal.size = is_compressed(bits) ? 2 : 4;
  return illegal;
}

}  // namespace

const InstructionSet &InstructionSet::plain() {
  static const InstructionSet kSet(kPlain, plain_rows());
  return kSet;
}

const InstructionSet &InstructionSet::corev() {
  static const InstructionSet kSet(kCoreV, corev_rows());
  return kSet;
}

InstructionSet::InstructionSet(size_t number, Rows rows) : number_(number), rows_(std::move(rows)) {
  for (const Row &row : rows_) {
    by_opcode_[row.match % kOpcodes].push_back(&row);
  }
}

const Row *InstructionSet::find(uint32_t word) const {
  for (const Row *row : by_opcode_[word % kOpcodes]) {
    if ((word & row->mask) == row->match) {
      return row;
    }
  }
  return nullptr;
}

Instruction InstructionSet::decode(uint32_t bits) const {
  const bool compressed = is_compressed(bits);
  const std::optional<uint32_t> word = compressed ? expand_compressed(static_cast<uint16_t>(bits)) : bits;
  const Row *row = word ? find(*word) : nullptr;
  return row != nullptr ? decode_fields(*word, *row, compressed) : illegal_instruction(bits);
}

}  // namespace tinsmith::soc
