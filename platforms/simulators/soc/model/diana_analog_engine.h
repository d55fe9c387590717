// The array of DIANA's analog accelerator: it loads what a job's registers name, then executes the job's instructions,
// one after the other. An instruction may load weights into the array and scales into their memory, each from where the
// instruction before ended; both stay from job to job.
//
// What an instruction reads and writes of L1 is read and written when it ends; whoever touches it before is at fault,
// as is who writes what is still to be loaded.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_ENGINE_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_ENGINE_H_

#include <string>
#include <vector>

#include "platforms/simulators/soc/model/diana_analog_datapath.h"
#include "platforms/simulators/soc/model/diana_analog_instruction.h"
#include "platforms/simulators/soc/model/diana_analog_job.h"
#include "platforms/simulators/soc/model/diana_array.h"
#include "platforms/simulators/soc/model/diana_macro.h"

namespace tinsmith::soc {

class DianaAnalogEngine : public DianaArray {
 public:
  DianaAnalogEngine(const DianaAnalogConstants &constants, size_t track)
      : DianaArray(constants, track, kDianaAnalogLayout),
        constants_(constants),
        macro_(constants),
        noise_(constants),
        scales_(size_t{constants.scale_packets} * DianaAnalogInstruction::kPacketBytes),
        scales_loaded_(constants.scale_packets) {
  }

  void begin(const DianaJob &job, uint64_t now) override;
  void add_uses(std::deque<DeviceCopy> &uses) const override;

 private:
  void load_configuration(AcceleratorPort &port, uint64_t now) override;
  void load_instructions(AcceleratorPort &port, uint64_t now) override;
  void decode_program(const std::vector<DianaHalves> &words);
  void begin_instruction(uint64_t now);
  void load_weights(AcceleratorPort &port, uint64_t now) override;
  DianaBytes load(AcceleratorPort &port, uint32_t &address, uint32_t bytes, uint64_t now) const;
  void execute(AcceleratorPort &port, uint64_t now) override;
  DianaBytes scales_of(const DianaAnalogInstruction &layer) const;
  DianaImage read_image(AcceleratorPort &port, const DianaPixels &place, uint64_t now) const;
  void store_image(AcceleratorPort &port, const DianaPixels &place, const DianaImage &image, uint64_t now) const;
  bool end_instruction(AcceleratorPort &port, uint64_t now) override;

  const DianaAnalogInstruction &instruction() const {
    return program_[next_instruction_];
  }

  const DianaAnalogConstants constants_;
  DianaMacro macro_;
  DianaNoise noise_;
  DianaBytes scales_;
  std::vector<bool> scales_loaded_;  // of each packet

  std::vector<DianaAnalogInstruction> program_;
  uint32_t next_weights_ = 0;  // addresses, in L2, of the next loads
  uint32_t next_scales_ = 0;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_ANALOG_ENGINE_H_
