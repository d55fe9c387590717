#include "platforms/simulators/soc/model/regions.h"

#include <algorithm>

#include "platforms/simulators/soc/isa/disassemble.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kTimerBytes = 0x28;
constexpr uint32_t kWindowBytes = 0x400;
constexpr uint32_t kLargeWindowBytes = 0x800;
constexpr uint32_t kMostBytes = 1U << 28;

MemoryRegion memory_of(const Part &part, const Description &d) {
  Settings settings = part.settings();
  const uint32_t base = settings.take("base");
  const uint32_t bytes = settings.take("bytes");
  if (base % Memory::kPageBytes != 0 || bytes % Memory::kPageBytes != 0 || bytes == 0 || bytes > kMostBytes ||
      uint64_t{base} + bytes > UINT32_MAX) {
    settings.refuse("base and bytes must be multiples of 4096, bytes 4096 to 268435456, and all of it below 4 GiB");
  }
  MemoryRegion region = {part.name, Memory(base, bytes)};
  region.remote = settings.take("remote", 0) != 0;
  if (region.remote) {
    settings.finish();
    return region;
  }
  region.cluster_cycles = settings.take("cluster", d.l2_cluster);
  region.fc_cycles = settings.take("fc", d.l2_fc);
  region.dma_bytes_per_cycle = settings.take("dma", d.dma_bytes_per_cycle);
  if (region.cluster_cycles == 0 || region.fc_cycles == 0) {
    settings.refuse("an access takes a cycle at least: expected cluster=1 and fc=1 or more");
  }
  settings.finish();
  return region;
}

}  // namespace

bool meet(uint32_t base, uint32_t bytes, uint32_t other_base, uint32_t other_bytes) {
  return base < uint64_t{other_base} + other_bytes && other_base < uint64_t{base} + bytes;
}

Memories::Memories(const Description &d) {
  MemoryRegion l1 = {"L1", Memory(d.l1_base, d.l1_bytes)};
  l1.banked = true;
  l1.remote = d.l1_private != 0;
  first_ = l1.remote ? 1 : 0;
  l1.fc_cycles = d.l1_fc;
  l1.fc_cause = Stall::kPeripheral;
  MemoryRegion l2 = {"L2", Memory(d.l2_base, d.l2_bytes)};
  l2.cluster_cycles = d.l2_cluster;
  l2.fc_cycles = d.l2_fc;
  l2.cause = l2.fc_cause = Stall::kL2;
  l2.dma_bytes_per_cycle = d.dma_bytes_per_cycle;
  regions_.push_back(std::move(l1));
  regions_.push_back(std::move(l2));
  near_ = regions_.size();
  for (const Part &part : d.parts) {
    if (!part.kind.empty()) {
      continue;
    }
    MemoryRegion region = memory_of(part, d);
    for (const MemoryRegion &other : regions_) {
      if (meet(region.memory.base(), region.memory.size(), other.memory.base(), other.memory.size())) {
        part.settings().refuse("memory " + region.name + " lies where " + other.name + " is");
      }
    }
    const auto place = region.remote ? regions_.end() : regions_.begin() + static_cast<ptrdiff_t>(near_);
    near_ += region.remote ? 0 : 1;
    regions_.insert(place, std::move(region));
  }
}

std::string Memories::text() const {
  std::string text;
  for (const MemoryRegion &region : regions_) {
    text += (text.empty() ? "" : ", ") + region.name + " of " + std::to_string(region.memory.size()) +
            " bytes from 0x" + hexadecimal(region.memory.base());
  }
  return text;
}

std::vector<DeviceRegion> devices_of(const Description &d) {
  const auto own = [&d](Device device, uint32_t base) {
    return DeviceRegion{device, base, kWindowBytes, d.peripheral, d.apb_fc};
  };
  const auto near = [&d](Device device, uint32_t base, uint32_t bytes) {
    return DeviceRegion{device, base, bytes, d.peripheral_interconnect, d.apb_fc};
  };
  const auto far = [&d](Device device, uint32_t base, uint32_t bytes) {
    return DeviceRegion{device, base, bytes, d.apb_cluster, d.apb_fc};
  };
  std::vector<DeviceRegion> devices;
  if (d.has_cluster()) {
    devices = {
        own(Device::kEventUnit, d.event_unit),
        own(Device::kDma, d.dma),
        near(Device::kDmaPeripheral, d.dma_peripheral, kWindowBytes),
        near(Device::kEventUnitPeripheral, d.event_unit_peripheral, kLargeWindowBytes),
        near(Device::kTimer, d.cluster_timer, kTimerBytes),
        near(Device::kControl, d.cluster_control, kWindowBytes),
        near(Device::kCacheControl, d.icache_control, 4),
        near(Device::kCacheControl, d.fc_icache_control, 4),
    };
    devices.front().of_cluster_only = true;
  }
  devices.insert(devices.end(), {
                                    far(Device::kInterruptController, d.interrupt_controller, kLargeWindowBytes),
                                    far(Device::kSocEvents, d.soc_events, kWindowBytes),
                                    far(Device::kFcTimer, d.fc_timer, kTimerBytes),
                                    {Device::kExit, d.exit_register, 4},
                                    far(Device::kStdout, d.stdout_register, 4),
                                });
  return devices;
}

}  // namespace tinsmith::soc
