// The array of one of DIANA's accelerators, and how a job of it goes on: it loads a configuration, instructions and
// weights, and executes the instructions, one after the other.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ARRAY_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ARRAY_H_

#include <array>
#include <string>

#include "platforms/simulators/soc/model/diana_unit.h"

namespace tinsmith::soc {

// What both accelerators load first.
using DianaConfiguration = std::array<uint32_t, 16>;

class DianaArray : public DianaUnit {
 public:
  DianaArray(const DianaShared &constants, size_t track, const DianaLayout &layout)
      : DianaUnit(constants, track), job_(layout) {
  }

  void begin(const DianaJob &job, uint64_t now) override;
  bool advance(AcceleratorPort &port, uint64_t now) override;

 protected:
  static constexpr uint32_t kConfigurationBytes = sizeof(DianaConfiguration);

  enum class Phase { kConfiguration, kInstructions, kWeights, kCompute };

  // At the end of a phase; each but the last begins the next one.
  virtual void load_configuration(AcceleratorPort &port, uint64_t now) = 0;
  virtual void load_instructions(AcceleratorPort &port, uint64_t now) = 0;
  virtual void load_weights(AcceleratorPort &port, uint64_t now) = 0;
  virtual void execute(AcceleratorPort &port, uint64_t now) = 0;

  // True if the job is done by this.
  virtual bool end_instruction(AcceleratorPort &port, uint64_t now) = 0;

  DianaConfiguration configuration_at(AcceleratorPort &port, uint32_t address, uint64_t now) const;

  // name: of the job's first instruction, behind which there were so many further ones.
  void end_job(AcceleratorPort &port, const std::string &name, size_t further, uint64_t now);

  DianaJob job_;
  Phase phase_ = Phase::kConfiguration;
  uint64_t part_began_ = 0;
  size_t next_instruction_ = 0;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ARRAY_H_
