// The registers of DIANA's analog accelerator that are a job's [sdk].
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_JOB_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_JOB_H_

#include <cstdint>

#include "platforms/simulators/soc/model/diana_registers.h"

namespace tinsmith::soc {

// Offsets. Addresses are of L2. Words: 32-bit ones.
enum class DianaAnalogRegister : uint32_t {
  kWeightAddress = 0x40,
  kScaleAddress = 0x44,
  kInstructionAddress = 0x48,
  kInstructionWords = 0x4C,
  kActivationWords = 0x54,
  kConfigurationAddress = 0x58,
  kConfigurationWords = 0x5C,
  kOutputWords = 0x64,
  kTiles = 0x68,
  kOperation = 0x6C,  // and those of a copy
};

extern const DianaLayout kDianaAnalogLayout;

// Raises Fault, which names the register, what it holds and what was expected, for what the accelerator cannot do, and
// for what is not known of it.
void check_diana_analog_job(const DianaJob &job, const DianaShared &constants);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_JOB_H_
