#include "platforms/simulators/soc/model/diana_job.h"

#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/model/diana_instruction.h"

namespace tinsmith::soc {
namespace {

using Register = DianaRegister;

constexpr uint32_t kL1WordBytes = 16;
constexpr uint32_t kCopyUnitBytes = 32;  // what a copy's length is rounded up to
constexpr uint32_t kConfigurationWords = 16;

enum Operation : uint32_t { kCompute, kToL2, kToL1, kToL2Banked, kToL1Banked };

constexpr const char *kNames[] = {
    "WT_CONV_ADDR", "WT_CONV_N",   "WT_FC_ADDR", "WT_FC_N", "IM_ADDR",     "IM_N",       "ACT_ADDR",    "ACT_N",
    "CONF_ADDR",    "CONF_N",      "WT_CONV_A",  "WT_FC_A", "IM_A",        "ACT_A",      "CONF_A",      "OUT_DATA",
    "OUT_DATA_N",   "NB_TILE",     "LUT_ADDR",   "LUT_N",   "LUT_A",       "SPAR_ADDR",  "SPAR_N",      "SPAR_A",
    "MEMCPY_OP",    "MEMCPY_ADDR", "MEMCPY_N",   "L1ADDR",  "BANK_LENGTH", "ROW_LENGTH", "WT_MEM_ADDR",
};

class Checker {
 public:
  Checker(const DianaJob &job, const DianaConstants &constants) : job_(job), constants_(constants) {
  }

  void check() const {
    if (job_.get(Register::kOperation) > kToL1Banked) {
      refuse(Register::kOperation, "0 (compute), 1 or 3 (copy to L2), 2 or 4 (copy to L1)");
    }
    job_.is_copy() ? check_copy() : check_compute();
  }

 private:
  [[noreturn]] void refuse(Register which, const std::string &expected) const {
    throw Fault("DIANA digital: register " + diana_register_name(static_cast<uint32_t>(which)) + " holds 0x" +
                hexadecimal(job_.get(which)) + "; expected " + expected);
  }

  // What no public source of DIANA uses, so that nothing is known of it.
  void require_unused(Register which, const char *what) const {
    if (job_.get(which) != 0) {
      refuse(which, std::string("0: ") + what + " are not modelled, as DIANA's public sources never use them");
    }
  }

  void check_address(Register address) const {
    if (job_.get(address) % 4 != 0) {
      refuse(address, "a multiple of 4");
    }
  }

  void check_weights(Register address, Register words) const {
    const uint64_t bytes = uint64_t{4} * job_.get(words);
    if (bytes > constants_.weight_bytes) {
      refuse(words, std::to_string(constants_.weight_bytes / 4) + " words at most, the weight memory's");
    }
    if (bytes != 0) {
      check_address(address);
    }
  }

  void check_instructions() const {
    const uint32_t words = job_.get(Register::kInstructionWords);
    const uint32_t most = constants_.job_instructions + 1;
    if (words % DianaInstruction::kWords != 0 || words == 0 || words / DianaInstruction::kWords > most) {
      refuse(Register::kInstructionWords,
             "32 words for each instruction, " + std::to_string(most) + " at most, the one that stops among them");
    }
    check_address(Register::kInstructionAddress);
  }

  void check_compute() const {
    if (job_.get(Register::kConfigurationWords) != kConfigurationWords) {
      refuse(Register::kConfigurationWords, "16 words");
    }
    check_address(Register::kConfigurationAddress);
    check_instructions();
    check_weights(Register::kConvolutionWeightAddress, Register::kConvolutionWeightWords);
    check_weights(Register::kConnectedWeightAddress, Register::kConnectedWeightWords);
    require_unused(Register::kActivationWords, "activations that a job loads itself (copy them)");
    for (uint32_t i = 0; i < 5; ++i) {
      require_unused(static_cast<Register>(static_cast<uint32_t>(Register::kFirstTarget) + 4 * i),
                     "places of loads other than 0");
    }
    require_unused(Register::kOutputWords, "outputs that a job stores itself (copy them)");
    require_unused(Register::kTiles, "tiles");
    require_unused(Register::kTableWords, "look-up tables");
    require_unused(Register::kTableTarget, "look-up tables");
    require_unused(Register::kSparsityWords, "sparse weights");
    require_unused(Register::kSparsityTarget, "sparse weights");
    require_unused(Register::kWeightMemoryAddress, "places of weights other than 0");
  }

  void check_copy() const {
    const bool banked = job_.get(Register::kOperation) >= kToL2Banked;
    const uint64_t most_banks = constants_.l1_bytes / constants_.l1_bank_bytes;
    if (banked && (job_.get(Register::kCopyBanks) == 0 || job_.get(Register::kCopyBanks) > most_banks)) {
      refuse(Register::kCopyBanks, "1 to " + std::to_string(most_banks) + " banks");
    }
    const Register length = banked ? Register::kCopyRows : Register::kCopyWords;
    if (job_.get(length) == 0 || job_.get(length) > constants_.l1_bytes / 4) {
      refuse(length, "1 or more, and no more than L1 holds");
    }
    const DianaCopy copy = diana_copy(job_);
    check_address(Register::kCopyAddress);
    const uint64_t end = copy.l1 + uint64_t{copy.banks - 1} * constants_.l1_bank_bytes + kL1WordBytes * copy.rows;
    const uint64_t word = job_.get(Register::kCopyL1Word);
    if (word * kL1WordBytes >= constants_.l1_bytes || end > constants_.l1_bytes) {
      refuse(Register::kCopyL1Word, "the number of a word of 16 bytes from which " + std::to_string(copy.bytes()) +
                                        " bytes, in " + std::to_string(copy.banks) + " banks, lie in the " +
                                        std::to_string(constants_.l1_bytes) + " of L1");
    }
    const uint64_t in_bank = copy.l1 % constants_.l1_bank_bytes + uint64_t{kL1WordBytes} * copy.rows;
    if (copy.banks > 1 && in_bank > constants_.l1_bank_bytes) {
      refuse(Register::kCopyRows, "no more rows than the bank has behind the first, " +
                                      std::to_string(constants_.l1_bank_bytes / kL1WordBytes) + " in all");
    }
  }

  const DianaJob &job_;
  const DianaConstants &constants_;
};

}  // namespace

std::string diana_register_name(uint32_t offset) {
  return "0x" + hexadecimal(offset).substr(6) + " (" + kNames[(offset - DianaJob::kFirst) / 4] + ")";
}

void check_diana_job(const DianaJob &job, const DianaConstants &constants) {
  Checker(job, constants).check();
}

uint32_t DianaCopy::bytes() const {
  return kL1WordBytes * banks * rows;
}

DianaCopy diana_copy(const DianaJob &job) {
  const uint32_t operation = job.get(Register::kOperation);
  DianaCopy copy;
  copy.to_l1 = operation == kToL1 || operation == kToL1Banked;
  copy.l2 = job.get(Register::kCopyAddress);
  copy.l1 = kL1WordBytes * job.get(Register::kCopyL1Word);
  if (operation >= kToL2Banked) {
    copy.banks = job.get(Register::kCopyBanks);
    copy.rows = job.get(Register::kCopyRows);
  } else {
    const uint32_t units = (4 * job.get(Register::kCopyWords) + kCopyUnitBytes - 1) / kCopyUnitBytes;
    copy.rows = units * kCopyUnitBytes / kL1WordBytes;
  }
  return copy;
}

}  // namespace tinsmith::soc
