// The text of an instruction, in the syntax that LLVM's assembler takes.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_DISASSEMBLE_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_DISASSEMBLE_H_

#include <cstdint>
#include <string>

#include "platforms/simulators/soc/isa/instruction.h"

namespace tinsmith::soc {

// pc: where the instruction lies; targets of branches, jumps and hardware loops are printed as addresses. "unknown" if
// it is illegal.
std::string disassemble(const Instruction &instruction, uint32_t pc);

// zero, ra, sp …
const char *register_name(uint32_t index);

// ft0, fa0, fs0 …
const char *float_register_name(uint32_t index);

// Eight digits.
std::string hexadecimal(uint32_t value);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_DISASSEMBLE_H_
