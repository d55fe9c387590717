#include "platforms/simulators/soc/model/soc_events.h"

#include <string>

#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kTrigger = 0x00;
constexpr uint32_t kFabricControllerMask = 0x04;  // 8 words, as the next one
constexpr uint32_t kClusterMask = 0x24;
constexpr uint32_t kMaskBytes = 0x20;
constexpr uint32_t kSoftwareEvents = 0xFF;

[[noreturn]] void fault_no_register(uint32_t offset) {
  throw Fault("the generator of events has no register at offset " + std::to_string(offset) +
              " for such an access; its masks for the uDMA, errors and timers are not modelled");
}

}  // namespace

bool SocEvents::has_mask(uint32_t offset) {
  return offset % 4 == 0 && offset - kFabricControllerMask < 2 * kMaskBytes;
}

uint32_t SocEvents::load(uint32_t offset) const {
  if (offset - kFabricControllerMask < kMaskBytes) {
    return fabric_controller_mask_[(offset - kFabricControllerMask) / 4];
  }
  if (offset - kClusterMask < kMaskBytes) {
    return cluster_mask_[(offset - kClusterMask) / 4];
  }
  fault_no_register(offset);
}

uint32_t SocEvents::store(uint32_t offset, uint32_t value) {
  if (offset == kTrigger) {
    return value & kSoftwareEvents;
  }
  if (offset - kFabricControllerMask < kMaskBytes) {
    fabric_controller_mask_[(offset - kFabricControllerMask) / 4] = value;
  } else if (offset - kClusterMask < kMaskBytes) {
    cluster_mask_[(offset - kClusterMask) / 4] = value;
  } else {
    fault_no_register(offset);
  }
  return 0;
}

}  // namespace tinsmith::soc
