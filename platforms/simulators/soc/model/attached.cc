#include "platforms/simulators/soc/model/attached.h"

#include "platforms/simulators/soc/model/device_kinds.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kDefaultBytes = 0x400;
constexpr uint32_t kDefaultEvent = 12;  // of accelerators on PULP's clusters [gvsoc: cluster.json]
constexpr uint32_t kLastEvent = 28;

void require_free(const DeviceRegion &region, const std::vector<DeviceRegion> &taken, const Memories &memories,
                  const Settings &settings) {
  for (const DeviceRegion &other : taken) {
    if (meet(region.base, region.bytes, other.base, other.bytes)) {
      settings.refuse("another device has a part of its addresses; choose another `base`, or fewer `bytes`");
    }
  }
  for (const MemoryRegion &other : memories.all()) {
    if (meet(region.base, region.bytes, other.memory.base(), other.memory.size())) {
      settings.refuse("memory " + other.name + " has a part of its addresses; choose another `base`");
    }
  }
}

}  // namespace

std::vector<Attached> attached_to(const Description &description, const Memories &memories) {
  std::vector<Attached> attached;
  std::vector<DeviceRegion> taken = devices_of(description);
  size_t tracks = 0;
  for (const Part &part : description.parts) {
    if (part.kind.empty()) {
      continue;
    }
    Settings settings = part.settings();
    Attached one;
    one.name = part.name;
    one.kind = part.kind;
    one.event = settings.take("event", kDefaultEvent);
    if (one.event > kLastEvent) {
      settings.refuse("event is the first of four, 28 at most, not " + std::to_string(one.event));
    }
    one.reaches_l1 = settings.take("l1", 1) != 0;
    one.reaches_l2 = settings.take("l2", 0) != 0;
    one.reaches_remote = settings.take("remote", 0) != 0;
    const uint32_t base = settings.take("base");
    const uint32_t bytes = settings.take("bytes", kDefaultBytes);
    one.region = {Device::kAttached,
                  base,
                  bytes,
                  settings.take("cluster", description.peripheral_interconnect),
                  settings.take("fc", description.apb_fc),
                  attached.size()};
    if (one.region.cluster_cycles == 0 || one.region.fc_cycles == 0) {
      settings.refuse("an access takes a cycle at least: expected cluster=1 and fc=1 or more");
    }
    require_free(one.region, taken, memories, settings);
    one.device = make_device(part.kind, settings);
    settings.finish();
    one.track = tracks;
    tracks += one.device->tracks().size();
    taken.push_back(one.region);
    attached.push_back(std::move(one));
  }
  return attached;
}

}  // namespace tinsmith::soc
