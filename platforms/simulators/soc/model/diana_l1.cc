#include "platforms/simulators/soc/model/diana_l1.h"

#include <algorithm>

namespace tinsmith::soc {

std::vector<DianaRange> DianaPixels::ranges(uint32_t bank_bytes) const {
  std::vector<DianaRange> found;
  for (uint32_t bank = 0; bank < std::min(blocks, kBanks); ++bank) {
    found.push_back({first + bank * bank_bytes, uint64_t{kBlock} * pixels * words()});
  }
  return found;
}

}  // namespace tinsmith::soc
