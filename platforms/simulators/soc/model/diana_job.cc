#include "platforms/simulators/soc/model/diana_job.h"

#include "platforms/simulators/soc/model/diana_instruction.h"

namespace tinsmith::soc {
namespace {

using Register = DianaRegister;

constexpr uint32_t kConfigurationWords = 16;

class Checker : public DianaJobChecker {
 public:
  Checker(const DianaJob &job, const DianaConstants &constants)
      : DianaJobChecker(job, constants), constants_(constants) {
  }

 private:
  void check_weights(Register address, Register words) const {
    const uint64_t bytes = uint64_t{4} * job_.get(words);
    if (bytes > constants_.weight_bytes) {
      refuse(words, std::to_string(constants_.weight_bytes / 4) + " words at most, the weight memory's");
    }
    if (bytes != 0) {
      check_address(address);
    }
  }

  void check_compute() const override {
    if (job_.get(Register::kConfigurationWords) != kConfigurationWords) {
      refuse(Register::kConfigurationWords, "16 words");
    }
    check_address(Register::kConfigurationAddress);
    check_instructions(Register::kInstructionAddress, Register::kInstructionWords, DianaInstruction::kWords);
    check_weights(Register::kConvolutionWeightAddress, Register::kConvolutionWeightWords);
    check_weights(Register::kConnectedWeightAddress, Register::kConnectedWeightWords);
    require_unused(Register::kActivationWords, "activations that a job loads itself (copy them)");
    for (uint32_t i = 0; i < 5; ++i) {
      require_unused(static_cast<uint32_t>(Register::kFirstTarget) + 4 * i, "places of loads other than 0");
    }
    require_unused(Register::kOutputWords, "outputs that a job stores itself (copy them)");
    require_unused(Register::kTiles, "tiles");
    require_unused(Register::kTableWords, "look-up tables");
    require_unused(Register::kTableTarget, "look-up tables");
    require_unused(Register::kSparsityWords, "sparse weights");
    require_unused(Register::kSparsityTarget, "sparse weights");
    require_unused(Register::kWeightMemoryAddress, "places of weights other than 0");
  }

  const DianaConstants &constants_;
};

}  // namespace

const DianaLayout kDianaDigitalLayout = {
    "DIANA digital",
    {"WT_CONV_ADDR", "WT_CONV_N",   "WT_FC_ADDR", "WT_FC_N", "IM_ADDR",     "IM_N",       "ACT_ADDR",   "ACT_N",
     "CONF_ADDR",    "CONF_N",      "WT_CONV_A",  "WT_FC_A", "IM_A",        "ACT_A",      "CONF_A",     "OUT_DATA",
     "OUT_DATA_N",   "NB_TILE",     "LUT_ADDR",   "LUT_N",   "LUT_A",       "SPAR_ADDR",  "SPAR_N",     "SPAR_A",
     "MEMCPY_OP",    "MEMCPY_ADDR", "MEMCPY_N",   "L1ADDR",  "BANK_LENGTH", "ROW_LENGTH", "WT_MEM_ADDR"},
    static_cast<uint32_t>(Register::kOperation)};

void check_diana_job(const DianaJob &job, const DianaConstants &constants) {
  Checker(job, constants).check();
}

}  // namespace tinsmith::soc
