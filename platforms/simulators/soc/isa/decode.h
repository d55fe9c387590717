// From the bits of an instruction to what the interpreter runs.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_DECODE_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_DECODE_H_

#include <cstdint>
#include <optional>

#include "platforms/simulators/soc/isa/instruction.h"

namespace tinsmith::soc {

// Decodes the instruction whose first 32 bits (or 16, if it is compressed) are `bits`; nothing if there is none such.
std::optional<Instruction> decode(uint32_t bits);

// The 32-bit twin of a compressed instruction (RV32C with F).
std::optional<uint32_t> expand_compressed(uint16_t bits);

// Every instruction there is, in the order of the extensions.
const Rows &all_rows();

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_DECODE_H_
