#include "platforms/simulators/soc/model/diana_unit.h"

namespace tinsmith::soc {

void DianaUnit::add_load(std::deque<DeviceCopy> &uses, uint32_t address, uint32_t bytes) const {
  if (bytes != 0) {
    uses.push_back({address, address, bytes, true, false});
  }
}

void DianaUnit::add_ranges(std::deque<DeviceCopy> &uses, const std::vector<DianaRange> &ranges, bool writes) const {
  for (const DianaRange &range : ranges) {
    const uint32_t address = shared_.l1_base + range.first;
    uses.push_back({address, address, static_cast<uint32_t>(range.bytes), !writes, writes});
  }
}

DianaBytes DianaUnit::read(AcceleratorPort &port, const DianaRange &range, uint64_t now) const {
  DianaBytes bytes(range.bytes);
  port.load(shared_.l1_base + range.first, bytes.data(), static_cast<uint32_t>(range.bytes), now);
  return bytes;
}

}  // namespace tinsmith::soc
