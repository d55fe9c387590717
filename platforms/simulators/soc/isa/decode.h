// From the bits of an instruction to the fields that the interpreter takes.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_DECODE_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_DECODE_H_

#include <cstdint>
#include <optional>

#include "platforms/simulators/soc/isa/instruction.h"

namespace tinsmith::soc {

// The instruction of a row: what the interpreter runs, with the fields of `word`, whose compressed form was in memory
// if it is `compressed`.
Instruction decode_fields(uint32_t word, const Row &row, bool compressed);

// The 32-bit twin of a compressed instruction (RV32C with F).
std::optional<uint32_t> expand_compressed(uint16_t bits);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_DECODE_H_
