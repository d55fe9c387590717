#include "platforms/simulators/soc/model/diana_copier.h"

#include <vector>

#include "platforms/simulators/soc/isa/disassemble.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kPieceBytes = 16;

}  // namespace

void DianaCopier::begin(const DianaJob &job, uint64_t now) {
  copy_ = diana_copy(job);
  began_ = now;
  next_ = now + shared_.copy_begin + transfer_cycles(copy_.bytes());
}

uint32_t DianaCopier::bank_address(uint32_t bank) const {
  return shared_.l1_base + copy_.l1 + bank * shared_.l1_bank_bytes;
}

void DianaCopier::add_uses(std::deque<DeviceCopy> &uses) const {
  const uint32_t bank_bytes = kPieceBytes * copy_.rows;
  for (uint32_t bank = 0; bank < copy_.banks; ++bank) {
    uses.push_back({bank_address(bank), bank_address(bank), bank_bytes, !copy_.to_l1, copy_.to_l1});
  }
  uses.push_back({copy_.l2, copy_.l2, copy_.bytes(), copy_.to_l1, !copy_.to_l1});
}

void DianaCopier::copy(AcceleratorPort &port, uint64_t now) const {
  std::vector<uint8_t> in_l2(copy_.bytes());
  std::vector<uint8_t> bank(size_t{kPieceBytes} * copy_.rows);
  const auto bank_bytes = static_cast<uint32_t>(bank.size());
  if (copy_.to_l1) {
    port.load(copy_.l2, in_l2.data(), copy_.bytes(), now);
  }
  for (uint32_t number = 0; number < copy_.banks; ++number) {
    if (!copy_.to_l1) {
      port.load(bank_address(number), bank.data(), bank_bytes, now);
    }
    for (uint32_t i = 0; i < bank_bytes; ++i) {
      uint8_t &byte = in_l2[(i / kPieceBytes * copy_.banks + number) * kPieceBytes + i % kPieceBytes];
      copy_.to_l1 ? bank[i] = byte : byte = bank[i];
    }
    if (copy_.to_l1) {
      port.store(bank_address(number), bank.data(), bank_bytes, now);
    }
  }
  if (!copy_.to_l1) {
    port.store(copy_.l2, in_l2.data(), copy_.bytes(), now);
  }
}

bool DianaCopier::advance(AcceleratorPort &port, uint64_t now) {
  copy(port, now);
  const std::string name = "copy " + std::to_string(copy_.bytes()) + (copy_.to_l1 ? " B to L1 0x" : " B from L1 0x") +
                           hexadecimal(copy_.l1) + (copy_.banks > 1 ? " in banks" : "");
  const uint64_t moves = began_ + shared_.copy_begin;
  port.part("set-up", "set-up", began_, moves, track_);
  port.part("copy", "copy", moves, now, track_);
  port.worked(name, began_, now, track_);
  next_ = Accelerator::kNever;
  return true;
}

}  // namespace tinsmith::soc
