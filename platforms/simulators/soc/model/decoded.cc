#include "platforms/simulators/soc/model/decoded.h"

namespace tinsmith::soc {

DecodedPage::Slots &DecodedPage::of(const InstructionSet &isa) {
  std::unique_ptr<Slots> &slots = by_set_[isa.number()];
  if (slots == nullptr) {
    slots = std::make_unique<Slots>();
  }
  return *slots;
}

void DecodedPage::forget(uint32_t first, uint32_t end) {
  for (const std::unique_ptr<Slots> &slots : by_set_) {
    for (uint32_t offset = first; slots != nullptr && offset < end; offset += 2) {
      (*slots)[offset / 2].execute = nullptr;
    }
  }
}

}  // namespace tinsmith::soc
