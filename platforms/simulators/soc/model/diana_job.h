// What DIANA's digital accelerator is told by its registers: they keep their values, a trigger takes them for a job.
//
// Offsets: 0x00 TRIGGER (write 0), 0x04 ACQUIRE (read: the number of the next job, or all ones if none may be
// triggered now), 0x08 FINISHED (jobs done), 0x0C STATUS (0: idle), 0x10 RUNNING_JOB (its number, or that of the last),
// 0x14 SOFT_CLEAR (write: drop all jobs), then those of DianaRegister [sdk].
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_JOB_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_JOB_H_

#include <array>
#include <cstdint>
#include <string>

#include "platforms/simulators/soc/model/diana_constants.h"

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
  kOperation = 0xA0,
  kCopyAddress = 0xA4,
  kCopyWords = 0xA8,
  kCopyL1Word = 0xAC,
  kCopyBanks = 0xB0,
  kCopyRows = 0xB4,
  kWeightMemoryAddress = 0xB8,
};

struct DianaJob {
  static constexpr uint32_t kFirst = 0x40;
  static constexpr uint32_t kLast = 0xB8;

  uint32_t number = 0;
  std::array<uint32_t, (kLast - kFirst) / 4 + 1> words = {};

  uint32_t get(DianaRegister which) const {
    return words[(static_cast<uint32_t>(which) - kFirst) / 4];
  }

  bool is_copy() const {
    return get(DianaRegister::kOperation) != 0;
  }
};

// "0x44 (WT_CONV_N)".
std::string diana_register_name(uint32_t offset);

// Raises Fault, which names the register, what it holds and what was expected, for what the accelerator cannot do, and
// for what is not known of it.
void check_diana_job(const DianaJob &job, const DianaConstants &constants);

// A copy between L1 and the shared part of L2: pieces of 16 bytes, row by row; in L2 they lie one behind the other, in
// L1 those of a row lie in as many banks, at the same word, and the next row's at the next word.
struct DianaCopy {
  bool to_l1 = false;
  uint32_t l2 = 0;  // address
  uint32_t l1 = 0;  // byte, from the beginning of L1
  uint32_t banks = 1;
  uint32_t rows = 0;

  uint32_t bytes() const;
};

// Of a job that is a copy and has been checked.
DianaCopy diana_copy(const DianaJob &job);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_JOB_H_
