// The registers of DIANA's digital accelerator that are a job's [sdk].
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_JOB_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_JOB_H_

#include <cstdint>

#include "platforms/simulators/soc/model/diana_constants.h"
#include "platforms/simulators/soc/model/diana_registers.h"

namespace tinsmith::soc {

// Offsets. ADDR: in L2, bytes. N: 32-bit words. A_ADDR: in the accelerator's own memories.
enum class DianaRegister : uint32_t {
  kConvolutionWeightAddress = 0x40,
  kConvolutionWeightWords = 0x44,
  kConnectedWeightAddress = 0x48,
  kConnectedWeightWords = 0x4C,
  kInstructionAddress = 0x50,
  kInstructionWords = 0x54,
  kActivationWords = 0x5C,
  kConfigurationAddress = 0x60,
  kConfigurationWords = 0x64,
  kFirstTarget = 0x68,  // of five
  kOutputWords = 0x80,
  kTiles = 0x84,
  kTableWords = 0x8C,
  kTableTarget = 0x90,
  kSparsityWords = 0x98,
  kSparsityTarget = 0x9C,
  kOperation = 0xA0,  // and those of a copy
  kWeightMemoryAddress = 0xB8,
};

extern const DianaLayout kDianaDigitalLayout;

// Raises Fault, which names the register, what it holds and what was expected, for what the accelerator cannot do, and
// for what is not known of it.
void check_diana_job(const DianaJob &job, const DianaConstants &constants);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_JOB_H_
