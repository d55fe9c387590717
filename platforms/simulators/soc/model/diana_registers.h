// What DIANA's accelerators are told by their registers: they keep their values, a trigger takes them for a job, which
// computes or copies. Which registers there are, from 0x40 on, is an accelerator's own.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_REGISTERS_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_REGISTERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/simulators/soc/model/diana_shared.h"

namespace tinsmith::soc {

struct DianaLayout {
  static constexpr uint32_t kFirst = 0x40;

  const char *accelerator;          // as faults call it
  std::vector<const char *> names;  // of the registers from kFirst on
  // Offset of MEMCPY_OP, behind which the others of a copy lie: MEMCPY_ADDR, MEMCPY_N, L1ADDR, BANK_LENGTH, ROW_LENGTH.
  uint32_t operation;

  bool has(uint32_t offset) const {
    return offset >= kFirst && offset % 4 == 0 && (offset - kFirst) / 4 < names.size();
  }

  // "0x44 (WT_CONV_N)".
  std::string name(uint32_t offset) const;
};

struct DianaJob {
  // layout must outlive it.
  explicit DianaJob(const DianaLayout &its) : layout(&its), words(its.names.size()) {
  }

  const DianaLayout *layout;
  uint32_t number = 0;
  std::vector<uint32_t> words;

  // which: an offset, or one of an accelerator's registers, whose value that is.
  template <typename Register>
  uint32_t get(Register which) const {
    return words[(static_cast<uint32_t>(which) - DianaLayout::kFirst) / 4];
  }

  bool is_copy() const {
    return get(layout->operation) != 0;
  }
};

// Checks of jobs; all raise Fault, which names the register, what it holds and what was expected.
class DianaJobChecker {
 public:
  // Both must outlive it.
  DianaJobChecker(const DianaJob &job, const DianaShared &constants) : job_(job), shared_(constants) {
  }
  virtual ~DianaJobChecker() = default;

  void check() const;

 protected:
  virtual void check_compute() const = 0;

  template <typename Register>
  [[noreturn]] void refuse(Register which, const std::string &expected) const {
    refuse_offset(static_cast<uint32_t>(which), expected);
  }

  // What no public source of DIANA uses, so that nothing is known of it.
  template <typename Register>
  void require_unused(Register which, const char *what) const {
    if (job_.get(which) != 0) {
      refuse(which, std::string("0: ") + what + " are not modelled, as DIANA's public sources never use them");
    }
  }

  template <typename Register>
  void check_address(Register address) const {
    if (job_.get(address) % 4 != 0) {
      refuse(address, "a multiple of 4");
    }
  }

  // words: the register with the length of the instructions, `each` words long, behind `address`.
  template <typename Register>
  void check_instructions(Register address, Register words, uint32_t each) const {
    const uint32_t length = job_.get(words);
    const uint32_t most = shared_.job_instructions + 1;
    if (length % each != 0 || length == 0 || length / each > most) {
      refuse(words, std::to_string(each) + " words for each instruction, " + std::to_string(most) +
                        " at most, the one that stops among them");
    }
    check_address(address);
  }

  const DianaJob &job_;

 private:
  [[noreturn]] void refuse_offset(uint32_t offset, const std::string &expected) const;
  void check_copy() const;

  const DianaShared &shared_;
};

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

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_REGISTERS_H_
