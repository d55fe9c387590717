#include "platforms/simulators/soc/model/diana_analog_job.h"

#include "platforms/simulators/soc/model/diana_analog_instruction.h"

namespace tinsmith::soc {
namespace {

using Register = DianaAnalogRegister;

constexpr uint32_t kConfigurationWords = 16;

class Checker : public DianaJobChecker {
 public:
  using DianaJobChecker::DianaJobChecker;

 private:
  void check_compute() const override {
    if (job_.get(Register::kConfigurationWords) != kConfigurationWords) {
      refuse(Register::kConfigurationWords, "16 words");
    }
    check_address(Register::kConfigurationAddress);
    check_instructions(Register::kInstructionAddress, Register::kInstructionWords, DianaAnalogInstruction::kWords / 2);
    check_address(Register::kWeightAddress);
    check_address(Register::kScaleAddress);
    require_unused(Register::kActivationWords, "activations that a job loads itself (copy them)");
    require_unused(Register::kOutputWords, "outputs that a job stores itself (copy them)");
    require_unused(Register::kTiles, "tiles");
  }
};

}  // namespace

const DianaLayout kDianaAnalogLayout = {
    "DIANA analog",
    {"WT_CONV_ADDR", "WT_SIMD_ADDR", "IM_ADDR", "IM_N", "ACT_ADDR", "ACT_N", "CONF_ADDR", "CONF_N", "OUT_DATA",
     "OUT_DATA_N", "NB_TILE", "MEMCPY_OP", "MEMCPY_ADDR", "MEMCPY_N", "L1ADDR", "BANK_LENGTH", "ROW_LENGTH"},
    static_cast<uint32_t>(Register::kOperation)};

void check_diana_analog_job(const DianaJob &job, const DianaShared &constants) {
  Checker(job, constants).check();
}

}  // namespace tinsmith::soc
