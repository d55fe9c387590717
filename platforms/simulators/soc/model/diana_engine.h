// The array of DIANA's digital accelerator and its weight memory: it loads what a job's registers name, then executes
// the job's instructions, one after the other [order of the loads: tinyvers].
//
// What an instruction reads and writes of L1 is read and written when it ends; whoever touches it before is at fault,
// as is who writes what is still to be loaded.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ENGINE_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ENGINE_H_

#include <vector>

#include "platforms/simulators/soc/model/diana_array.h"
#include "platforms/simulators/soc/model/diana_datapath.h"
#include "platforms/simulators/soc/model/diana_instruction.h"
#include "platforms/simulators/soc/model/diana_job.h"

namespace tinsmith::soc {

class DianaEngine : public DianaArray {
 public:
  DianaEngine(const DianaConstants &constants, size_t track)
      : DianaArray(constants, track, kDianaDigitalLayout),
        constants_(constants),
        weights_(constants.weight_bytes),
        loaded_(constants.weight_bytes) {
  }

  void add_uses(std::deque<DeviceCopy> &uses) const override;

 private:
  enum class Loaded : uint8_t { kNothing, kConvolution, kConnected };

  void load_configuration(AcceleratorPort &port, uint64_t now) override;
  void load_instructions(AcceleratorPort &port, uint64_t now) override;
  void load_weights(AcceleratorPort &port, uint64_t now) override;
  void load_weights(AcceleratorPort &port, DianaRegister address, uint32_t target, uint32_t bytes, Loaded as,
                    uint64_t now);
  void begin_instruction(uint64_t now);
  void check_weights() const;
  uint32_t first_weight() const;
  void execute(AcceleratorPort &port, uint64_t now) override;
  void convolve_all(AcceleratorPort &port, uint64_t now);
  void connect_all(AcceleratorPort &port, uint64_t now);
  void add_all(AcceleratorPort &port, uint64_t now);
  void store(AcceleratorPort &port, const DianaPlanes &planes, uint32_t plane_bytes, uint32_t first_plane,
             uint32_t block, uint64_t now) const;
  void store_channels_last(AcceleratorPort &port, const DianaPlanes &planes, uint32_t block, uint64_t now) const;
  bool end_instruction(AcceleratorPort &port, uint64_t now) override;

  const DianaConstants constants_;
  uint32_t connected_weights_ = 0;  // byte of the weight memory at which those of fully connected layers begin
  std::vector<DianaWords> program_;
  DianaInstruction instruction_;
  std::string name_;  // of the job: that of its first instruction
  DianaBytes weights_;
  std::vector<Loaded> loaded_;  // as what each byte of the weight memory was loaded
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ENGINE_H_
