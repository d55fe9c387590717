// The words of an instruction of DIANA's analog accelerator: their numbers, and how one is refused.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_WORDS_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_WORDS_H_

#include <cstdint>
#include <string>

#include "platforms/simulators/soc/model/diana_analog_instruction.h"

namespace tinsmith::soc {

// By their places [imec].
enum class DianaAnalogWord : uint32_t {
  kSkips,
  kUnused1,
  kInput,
  kOutput,
  kPartial,
  kResidual,
  kPacket,
  kChannels,
  kOutputs,
  kColumns,
  kRows,
  kPrecision,
  kKernel,
  kOutputColumns,
  kOutputRows,
  kUnroll,
  kStride,
  kPadding,
  kBlocks,
  kInits,
  kColumnBlocks,
  kTiming,
  kStop,
  kAnalog,
  kReserved24,
  kWeightLines,
  kScalePackets,
  kScale,
  kLeaky,
  kRegulator,
  kUnused30,
  kUnused31,
};

// Raises Fault.
[[noreturn]] void refuse_word(const DianaHalves &words, DianaAnalogWord word, const std::string &expected);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_WORDS_H_
