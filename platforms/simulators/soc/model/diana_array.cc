#include "platforms/simulators/soc/model/diana_array.h"

namespace tinsmith::soc {

void DianaArray::begin(const DianaJob &job, uint64_t now) {
  job_ = job;
  phase_ = Phase::kConfiguration;
  next_instruction_ = 0;
  began_ = part_began_ = now;
  next_ = now + shared_.job_begin + load_cycles(kConfigurationBytes);
}

bool DianaArray::advance(AcceleratorPort &port, uint64_t now) {
  switch (phase_) {
    case Phase::kConfiguration:
      load_configuration(port, now);
      return false;
    case Phase::kInstructions:
      load_instructions(port, now);
      return false;
    case Phase::kWeights:
      load_weights(port, now);
      return false;
    case Phase::kCompute:
      execute(port, now);
      return end_instruction(port, now);
  }
  return false;
}

DianaConfiguration DianaArray::configuration_at(AcceleratorPort &port, uint32_t address, uint64_t now) const {
  DianaConfiguration words;
  port.load(address, reinterpret_cast<uint8_t *>(words.data()), kConfigurationBytes, now);
  return words;
}

void DianaArray::end_job(AcceleratorPort &port, const std::string &name, size_t further, uint64_t now) {
  port.worked(name + (further == 0 ? "" : " and " + std::to_string(further) + " more"), began_, now, track_);
  next_ = Accelerator::kNever;
}

}  // namespace tinsmith::soc
