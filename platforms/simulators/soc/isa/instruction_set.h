// The instruction set of a type of core: the table by which its cores decode.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_INSTRUCTION_SET_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_INSTRUCTION_SET_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "platforms/simulators/soc/isa/instruction.h"

namespace tinsmith::soc {

class InstructionSet {
 public:
  static constexpr size_t kCount = 2;  // the sets there are, numbered from 0

  // RV32IMC, F, Zicsr and Zifencei.
  static const InstructionSet &plain();

  // The same and CORE-V v2.
  static const InstructionSet &corev();

  InstructionSet(const InstructionSet &) = delete;
  InstructionSet &operator=(const InstructionSet &) = delete;

  // The instruction whose first 32 bits (or 16, if it is compressed) are `bits`. What the set lacks is an instruction,
  // too: one without a row, which does nothing but raise the Fault of illegal instructions.
  Instruction decode(uint32_t bits) const;

  size_t number() const {
    return number_;
  }

  // Whether its cores have the control registers of CORE-V, too.
  bool has_corev() const {
    return number_ == kCoreV;
  }

 private:
  static constexpr size_t kPlain = 0;
  static constexpr size_t kCoreV = 1;
  static constexpr size_t kOpcodes = 128;

  InstructionSet(size_t number, Rows rows);
  const Row *find(uint32_t word) const;

  const size_t number_;
  const Rows rows_;
  std::array<std::vector<const Row *>, kOpcodes> by_opcode_;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_INSTRUCTION_SET_H_
