// A core's registers as a debugger counts them: x0 to x31, pc, f0 to f31, then the control registers from 65 on.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_GDB_REGISTERS_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_GDB_REGISTERS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {

// Those that go together in packets `g` and `G`.
inline constexpr uint32_t kGeneralRegisters = 65;

// Nothing if there is no such register.
std::optional<uint32_t> read_register(Hart &hart, uint32_t number);

// False if there is no such register, or it cannot be written. Hardware loops can, by debuggers only.
bool write_register(Hart &hart, uint32_t number, uint32_t value);

// target.xml: tells GDB what the registers are.
std::string describe_registers();

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_GDB_REGISTERS_H_
