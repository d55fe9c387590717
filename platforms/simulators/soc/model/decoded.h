// Instructions decoded from a page of memory, kept for each instruction set apart.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DECODED_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DECODED_H_

#include <array>
#include <cstdint>
#include <memory>

#include "platforms/simulators/soc/isa/instruction_set.h"

namespace tinsmith::soc {

class DecodedPage {
 public:
  static constexpr uint32_t kBytes = 4096;

  // One for each place where an instruction may begin; not yet decoded are those without `execute`.
  using Slots = std::array<Instruction, kBytes / 2>;

  // Shared by all cores of the set. They stay where they are.
  Slots &of(const InstructionSet &isa);

  // Instructions that begin at offsets from `first` (even) up to `end` must be decoded again, whoever runs them.
  void forget(uint32_t first, uint32_t end);

 private:
  std::array<std::unique_ptr<Slots>, InstructionSet::kCount> by_set_;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DECODED_H_
