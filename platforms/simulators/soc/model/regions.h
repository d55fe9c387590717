// What lies at which address: memories and devices, and what each costs whom.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_REGIONS_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_REGIONS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/model/description.h"
#include "platforms/simulators/soc/model/memory.h"

namespace tinsmith::soc {

// Whether two ranges of addresses have one in common.
bool meet(uint32_t base, uint32_t bytes, uint32_t other_base, uint32_t other_bytes);

struct MemoryRegion {
  std::string name;
  Memory memory;
  bool banked = false;               // L1: a core of the cluster waits for banks, and for nothing else
  bool remote = false;               // neither cores nor the DMA get there, only devices that say so, or a private L1's
  uint32_t cluster_cycles = 1;       // an access of a core of the cluster
  uint32_t fc_cycles = 1;            // of the fabric controller
  Stall cause = Stall::kMemory;      // what a core of the cluster waits for
  Stall fc_cause = Stall::kMemory;   // and the fabric controller
  uint32_t dma_bytes_per_cycle = 0;  // 0: the DMA does not get there
};

// L1 and L2, in this order, and the memories that the chip's file adds, remote ones last.
class Memories {
 public:
  // Raises BadFile if one lies where another is, or is no memory.
  explicit Memories(const Description &description);

  // Where cores and the DMA get.
  MemoryRegion *find(uint32_t address, uint32_t bytes) {
    return find_between(first_, near_, address, bytes);
  }

  MemoryRegion *find_any(uint32_t address, uint32_t bytes) {
    return find_between(0, regions_.size(), address, bytes);
  }

  const MemoryRegion *find(uint32_t address, uint32_t bytes) const {
    return const_cast<Memories *>(this)->find(address, bytes);
  }

  const MemoryRegion *find_any(uint32_t address, uint32_t bytes) const {
    return const_cast<Memories *>(this)->find_any(address, bytes);
  }

  MemoryRegion &l1() {
    return regions_[0];
  }

  MemoryRegion &l2() {
    return regions_[1];
  }

  const MemoryRegion &l1() const {
    return regions_[0];
  }

  const MemoryRegion &l2() const {
    return regions_[1];
  }

  // "L1 of 65536 bytes from 0x10000000, …".
  std::string text() const;

  const std::vector<MemoryRegion> &all() const {
    return regions_;
  }

 private:
  MemoryRegion *find_between(size_t first, size_t end, uint32_t address, uint32_t bytes) {
    for (size_t i = first; i < end; ++i) {
      if (regions_[i].memory.holds(address, bytes)) {
        return &regions_[i];
      }
    }
    return nullptr;
  }

  std::vector<MemoryRegion> regions_;
  size_t first_ = 0;  // 1 if L1 is the devices' alone
  size_t near_ = 0;   // the first remote one behind L1
};

enum class Device {
  kNone,
  kEventUnit,  // the window of the core that asks
  kDma,        // likewise
  kDmaPeripheral,
  kEventUnitPeripheral,
  kTimer,
  kControl,
  kCacheControl,
  kInterruptController,
  kSocEvents,
  kFcTimer,
  kExit,
  kStdout,
  kAttached,  // by a `device` line
};

struct DeviceRegion {
  Device device = Device::kNone;
  uint32_t base = 0;
  uint32_t bytes = 0;
  uint32_t cluster_cycles = 1;
  uint32_t fc_cycles = 1;
  size_t number = 0;  // of an attached one
  bool of_cluster_only = false;
};

// The devices that every chip has. Those that the chip's file adds come behind, so that they cannot hide one.
std::vector<DeviceRegion> devices_of(const Description &description);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_REGIONS_H_
