// Accesses of the cores to what is no memory: which device is where, what the way there costs, and what it does.

#include <cstdio>

#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/model/soc.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kExitFlag = 0x80000000;
constexpr size_t kLongestLine = 4096;

enum ControlRegister : uint32_t { kEndOfComputation = 0x0, kFetchEnable = 0x8, kBootAddress = 0x40 };
enum DmaRegister : uint32_t { kCommand = 0, kStatus = 4 };

}  // namespace

void Soc::fault_access(const char *what, uint32_t address, uint32_t bytes) const {
  std::string why = ": nothing is there";
  const MemoryRegion *memory = memories_.find_any(address, bytes);
  if (memory != nullptr && memory->remote) {
    why = memory == &memories_.l1() ? ": L1 is the devices' alone" : ": memory " + memory->name + " is remote";
    why += ", no core reaches it; have it copied by a device that does:";
    for (const Attached &attached : attached_) {
      why += attached.reaches(*memory, memories_) ? " " + attached.name : "";
    }
  }
  throw Fault(std::string(what) + " of " + std::to_string(bytes) + " bytes at 0x" + hexadecimal(address) + why,
              FaultKind::kBadAddress);
}

const DeviceRegion *Soc::locate(const Hart &hart, uint32_t address) const {
  for (const DeviceRegion &region : devices_) {
    if (address - region.base < region.bytes && !(region.of_cluster_only && is_fabric_controller(hart))) {
      return &region;
    }
  }
  return nullptr;
}

void Soc::time_device(Hart &hart, const DeviceRegion &region) {
  hart.stall(Stall::kPeripheral, (is_fabric_controller(hart) ? region.fc_cycles : region.cluster_cycles) - 1);
}

LoadResult Soc::load_device(Hart &hart, uint32_t address, uint32_t bytes, bool event) {
  if (description_.has_cluster() && memories_.l1().memory.holds(address - description_.test_and_set_offset, bytes)) {
    return load_test_and_set(hart, address, bytes);
  }
  const DeviceRegion *region = locate(hart, address);
  const bool is_write_only =
      region != nullptr && (region->device == Device::kExit || region->device == Device::kStdout);
  if (bytes != 4 || address % 4 != 0 || region == nullptr || is_write_only) {
    fault_access("load", address, bytes);
  }
  const uint32_t offset = address - region->base;
  time_device(hart, *region);
  switch (region->device) {
    case Device::kEventUnit:
      return events_.load(hart, hart.id, offset, event);
    case Device::kDma:
    case Device::kDmaPeripheral:
      return load_dma(hart, offset);
    case Device::kTimer:
      return {timers_.load(offset, hart.time), true};
    case Device::kEventUnitPeripheral:
      return {events_.load_peripheral(offset, hart.time), true};
    case Device::kControl:
      return {load_cluster_control(offset), true};
    case Device::kInterruptController:
      return {interrupts_.load(offset), true};
    case Device::kSocEvents:
      return {soc_events_.load(offset), true};
    case Device::kFcTimer:
      return {fc_timers_.load(offset, hart.time), true};
    case Device::kAttached:
      return {attached_[region->number].device->read(offset, hart.time), true};
    default:
      return {~0U, true};  // the caches are always on
  }
}

void Soc::store_device(Hart &hart, uint32_t address, uint32_t bytes, uint32_t value) {
  const DeviceRegion *region = locate(hart, address);
  const bool is_text = region != nullptr && region->device == Device::kStdout && address == region->base;
  if (region == nullptr || (!is_text && (bytes != 4 || address % 4 != 0))) {
    fault_access("store", address, bytes);
  }
  const uint32_t offset = address - region->base;
  time_device(hart, *region);
  switch (region->device) {
    case Device::kStdout:
      return put_character(static_cast<char>(value & 0xFF));
    case Device::kExit:
      exited_ = (value & kExitFlag) != 0;
      exit_code_ = value & ~kExitFlag;
      return;
    case Device::kEventUnit:
      return events_.store(hart.id, offset, value, hart.time);
    case Device::kDma:
    case Device::kDmaPeripheral:
      return store_dma(hart, offset, value);
    case Device::kTimer:
      return timers_.store(offset, value, hart.time);
    case Device::kEventUnitPeripheral:
      return events_.store_peripheral(offset, value, hart.time);
    case Device::kInterruptController:
      events_.begin_epoch();
      return interrupts_.store(offset, value, hart.time);
    case Device::kSocEvents:
      return store_soc_events(offset, value, hart.time);
    case Device::kFcTimer:
      return fc_timers_.store(offset, value, hart.time);
    case Device::kControl:
      return store_cluster_control(offset, value, hart.time);
    case Device::kAttached:
      return store_attached(attached_[region->number], offset, value, hart.time);
    default:
      return;  // the caches are always on
  }
}

// What begins by this must be within reach, and touch nothing that moves already.
void Soc::store_attached(Attached &attached, uint32_t offset, uint32_t value, uint64_t now) {
  events_.begin_epoch();
  const std::deque<DeviceCopy> *copies = attached.device->copies();
  const size_t before = copies == nullptr ? 0 : copies->size();
  attached.device->write(offset, value, now);
  if (copies == nullptr) {
    return;
  }
  for (size_t i = before; i < copies->size(); ++i) {
    const DeviceCopy &begun = (*copies)[i];
    if (begun.reads) {
      reach(attached, "load", begun.source, begun.bytes);
      check_in_flight(resolve(begun.source), begun.bytes, false, begun.source, &attached);
    }
    if (begun.writes) {
      reach(attached, "store", begun.target, begun.bytes);
      check_in_flight(resolve(begun.target), begun.bytes, true, begun.target, &attached);
    }
  }
  watch_copies();
}

void Soc::put_character(char character) {
  line_ += character;
  if (character == '\n' || line_.size() >= kLongestLine) {
    std::fwrite(line_.data(), 1, line_.size(), stdout);
    line_.clear();
  }
}

LoadResult Soc::load_dma(Hart &hart, uint32_t offset) {
  uint32_t id = 0;
  switch (offset) {
    case kCommand:
      if (!dma_.allocate(cluster_number(hart), id)) {
        waits_for_dma_[cluster_number(hart)] = true;
        hart.sleep(Stall::kDmaWait);
        return {0, false};
      }
      return {id, true};
    case kStatus:
      profile_.poll(cluster_number(hart), hart, dma_.busy());
      return {dma_.status(), true};
    default:
      throw Fault("the DMA has no register at offset " + std::to_string(offset));
  }
}

void Soc::store_dma(Hart &hart, uint32_t offset, uint32_t value) {
  switch (offset) {
    case kCommand:
      if (const Dma::Transfer *begun = dma_.command(cluster_number(hart), value, hart.time)) {
        check_transfer(*begun);
      }
      return watch();
    case kStatus:
      return dma_.release(value, hart.time);
    default:
      throw Fault("the DMA has no register at offset " + std::to_string(offset));
  }
}

void Soc::store_soc_events(uint32_t offset, uint32_t value, uint64_t now) {
  const uint32_t triggered = soc_events_.store(offset, value);
  for (uint32_t i = 0; triggered >> i != 0; ++i) {
    const uint32_t number = description_.soc_event_software + i;
    if ((triggered & 1U << i) == 0) {
      continue;
    }
    if (soc_events_.reaches_fabric_controller(number)) {
      interrupts_.queue_soc_event(number, now);
    }
    if (description_.has_cluster() && soc_events_.reaches_cluster(number)) {
      events_.queue_soc_event(number, now);
    }
  }
}

uint32_t Soc::load_cluster_control(uint32_t offset) const {
  return offset == kFetchEnable ? fetch_enable_ : offset == kEndOfComputation ? end_of_computation_ : 0;
}

void Soc::store_cluster_control(uint32_t offset, uint32_t value, uint64_t now) {
  if (offset == kEndOfComputation) {
    events_.begin_epoch();
    end_of_computation_ = value & 1;
    if (end_of_computation_ != 0) {
      interrupts_.raise(description_.fc_interrupt_cluster_done, now);
    }
    return;
  }
  if (offset >= kBootAddress && offset < kBootAddress + 4 * description_.cluster_cores) {
    boot_addresses_[(offset - kBootAddress) / 4] = value & ~1U;
    return;
  }
  if (offset != kFetchEnable) {
    throw Fault("the cluster's control unit has no register at offset " + std::to_string(offset));
  }
  events_.begin_epoch();
  for (uint32_t core = 0; core < description_.cluster_cores; ++core) {
    Hart &hart = *harts_[core];
    if ((value & ~fetch_enable_ & (1U << core)) != 0 && !hart.running) {
      hart.pc = boot_addresses_[core];
      hart.running = true;
      hart.stall(Stall::kEvent, now + description_.event_wake - hart.time);
    }
  }
  fetch_enable_ = value;
}

}  // namespace tinsmith::soc
