#include "platforms/simulators/soc/model/diana_registers.h"

#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kL1WordBytes = 16;
constexpr uint32_t kCopyUnitBytes = 32;  // what a copy's length is rounded up to

enum Operation : uint32_t { kCompute, kToL2, kToL1, kToL2Banked, kToL1Banked };

// From the register that says the operation to the others of a copy.
enum CopyRegister : uint32_t { kAddress = 4, kWords = 8, kL1Word = 12, kBanks = 16, kRows = 20 };

}  // namespace

std::string DianaLayout::name(uint32_t offset) const {
  return "0x" + hexadecimal(offset).substr(6) + " (" + names[(offset - kFirst) / 4] + ")";
}

void DianaJobChecker::refuse_offset(uint32_t offset, const std::string &expected) const {
  throw Fault(std::string(job_.layout->accelerator) + ": register " + job_.layout->name(offset) + " holds 0x" +
              hexadecimal(job_.get(offset)) + "; expected " + expected);
}

void DianaJobChecker::check() const {
  if (job_.get(job_.layout->operation) > kToL1Banked) {
    refuse(job_.layout->operation, "0 (compute), 1 or 3 (copy to L2), 2 or 4 (copy to L1)");
  }
  job_.is_copy() ? check_copy() : check_compute();
}

void DianaJobChecker::check_copy() const {
  const uint32_t operation = job_.layout->operation;
  const bool banked = job_.get(operation) >= kToL2Banked;
  const uint64_t most_banks = shared_.l1_bytes / shared_.l1_bank_bytes;
  if (banked && (job_.get(operation + kBanks) == 0 || job_.get(operation + kBanks) > most_banks)) {
    refuse(operation + kBanks, "1 to " + std::to_string(most_banks) + " banks");
  }
  const uint32_t length = operation + (banked ? kRows : kWords);
  if (job_.get(length) == 0 || job_.get(length) > shared_.l1_bytes / 4) {
    refuse(length, "1 or more, and no more than L1 holds");
  }
  const DianaCopy copy = diana_copy(job_);
  check_address(operation + kAddress);
  const uint64_t end = copy.l1 + uint64_t{copy.banks - 1} * shared_.l1_bank_bytes + kL1WordBytes * copy.rows;
  const uint64_t word = job_.get(operation + kL1Word);
  if (word * kL1WordBytes >= shared_.l1_bytes || end > shared_.l1_bytes) {
    refuse(operation + kL1Word, "the number of a word of 16 bytes from which " + std::to_string(copy.bytes()) +
                                    " bytes, in " + std::to_string(copy.banks) + " banks, lie in the " +
                                    std::to_string(shared_.l1_bytes) + " of L1");
  }
  const uint64_t in_bank = copy.l1 % shared_.l1_bank_bytes + uint64_t{kL1WordBytes} * copy.rows;
  if (copy.banks > 1 && in_bank > shared_.l1_bank_bytes) {
    refuse(operation + kRows, "no more rows than the bank has behind the first, " +
                                  std::to_string(shared_.l1_bank_bytes / kL1WordBytes) + " in all");
  }
}

uint32_t DianaCopy::bytes() const {
  return kL1WordBytes * banks * rows;
}

DianaCopy diana_copy(const DianaJob &job) {
  const uint32_t first = job.layout->operation;
  const uint32_t operation = job.get(first);
  DianaCopy copy;
  copy.to_l1 = operation == kToL1 || operation == kToL1Banked;
  copy.l2 = job.get(first + kAddress);
  copy.l1 = kL1WordBytes * job.get(first + kL1Word);
  if (operation >= kToL2Banked) {
    copy.banks = job.get(first + kBanks);
    copy.rows = job.get(first + kRows);
  } else {
    const uint32_t units = (4 * job.get(first + kWords) + kCopyUnitBytes - 1) / kCopyUnitBytes;
    copy.rows = units * kCopyUnitBytes / kL1WordBytes;
  }
  return copy;
}

}  // namespace tinsmith::soc
