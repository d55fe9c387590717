// Accesses of the cores to what is no memory: which device is where, what the way there costs, and what it does.

#include <cstdio>

#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/model/soc.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kTimerBytes = 0x28;
constexpr uint32_t kWindowBytes = 0x400;
constexpr uint32_t kLargeWindowBytes = 0x800;

constexpr uint32_t kExitFlag = 0x80000000;
constexpr size_t kLongestLine = 4096;

enum ControlRegister : uint32_t { kEndOfComputation = 0x0, kFetchEnable = 0x8, kBootAddress = 0x40 };
enum DmaRegister : uint32_t { kCommand = 0, kStatus = 4 };

[[noreturn]] void fault_access(const char *what, uint32_t address, uint32_t bytes) {
  throw Fault(
      std::string(what) + " of " + std::to_string(bytes) + " bytes at 0x" + hexadecimal(address) + ": nothing is there",
      FaultKind::kBadAddress);
}

}  // namespace

Soc::Place Soc::locate(const Hart &hart, uint32_t address) const {
  struct Window {
    Device device;
    uint32_t base;
    uint32_t bytes;
  };
  const Description &d = description_;
  const Window windows[] = {
      {Device::kEventUnit, d.event_unit, is_fabric_controller(hart) ? 0 : kWindowBytes},
      {Device::kDma, d.dma, kWindowBytes},
      {Device::kDmaPeripheral, d.dma_peripheral, kWindowBytes},
      {Device::kEventUnitPeripheral, d.event_unit_peripheral, kLargeWindowBytes},
      {Device::kTimer, d.cluster_timer, kTimerBytes},
      {Device::kControl, d.cluster_control, kWindowBytes},
      {Device::kAccelerator, d.accelerator, accelerator_ != nullptr ? kWindowBytes : 0},
      {Device::kCacheControl, d.icache_control, 4},
      {Device::kCacheControl, d.fc_icache_control, 4},
      {Device::kInterruptController, d.interrupt_controller, kLargeWindowBytes},
      {Device::kSocEvents, d.soc_events, kWindowBytes},
      {Device::kFcTimer, d.fc_timer, kTimerBytes},
      {Device::kExit, d.exit_register, 4},
  };
  for (const Window &window : windows) {
    if (address - window.base < window.bytes) {
      return {window.device, address - window.base};
    }
  }
  return {};
}

// What the way to a device costs: the fabric controller's is the same to all of them.
void Soc::time_device(Hart &hart, Device device) {
  const Description &d = description_;
  uint32_t cluster = d.peripheral_interconnect;
  switch (device) {
    case Device::kEventUnit:
    case Device::kDma:
      cluster = d.peripheral;
      break;
    case Device::kInterruptController:
    case Device::kSocEvents:
    case Device::kFcTimer:
      cluster = d.apb_cluster;
      break;
    default:
      break;
  }
  hart.stall(Stall::kPeripheral, (is_fabric_controller(hart) ? d.apb_fc : cluster) - 1);
}

LoadResult Soc::load_device(Hart &hart, uint32_t address, uint32_t bytes, bool event) {
  if (l1_.holds(address - description_.test_and_set_offset, bytes)) {
    return load_test_and_set(hart, address, bytes);
  }
  const Place place = locate(hart, address);
  if (bytes != 4 || address % 4 != 0 || place.device == Device::kNone || place.device == Device::kExit) {
    fault_access("load", address, bytes);
  }
  time_device(hart, place.device);
  switch (place.device) {
    case Device::kEventUnit:
      return events_.load(hart, hart.id, place.offset, event);
    case Device::kDma:
    case Device::kDmaPeripheral:
      return load_dma(hart, place.offset);
    case Device::kTimer:
      return {timers_.load(place.offset, hart.time), true};
    case Device::kEventUnitPeripheral:
      return {events_.load_peripheral(place.offset, hart.time), true};
    case Device::kControl:
      return {load_cluster_control(place.offset), true};
    case Device::kInterruptController:
      return {interrupts_.load(place.offset), true};
    case Device::kSocEvents:
      return {soc_events_.load(place.offset), true};
    case Device::kFcTimer:
      return {fc_timers_.load(place.offset, hart.time), true};
    case Device::kAccelerator:
      return {accelerator_->read(place.offset, hart.time), true};
    default:
      return {~0U, true};  // the caches are always on
  }
}

void Soc::store_device(Hart &hart, uint32_t address, uint32_t bytes, uint32_t value) {
  if (address == description_.stdout_register) {
    hart.stall(Stall::kPeripheral, (is_fabric_controller(hart) ? description_.apb_fc : description_.apb_cluster) - 1);
    put_character(static_cast<char>(value & 0xFF));
    return;
  }
  const Place place = locate(hart, address);
  if (bytes != 4 || address % 4 != 0 || place.device == Device::kNone) {
    fault_access("store", address, bytes);
  }
  if (place.device == Device::kExit) {
    exited_ = (value & kExitFlag) != 0;
    exit_code_ = value & ~kExitFlag;
    return;
  }
  time_device(hart, place.device);
  switch (place.device) {
    case Device::kEventUnit:
      return events_.store(hart.id, place.offset, value, hart.time);
    case Device::kDma:
    case Device::kDmaPeripheral:
      return store_dma(hart, place.offset, value);
    case Device::kTimer:
      return timers_.store(place.offset, value, hart.time);
    case Device::kEventUnitPeripheral:
      return events_.store_peripheral(place.offset, value, hart.time);
    case Device::kInterruptController:
      events_.begin_epoch();
      return interrupts_.store(place.offset, value, hart.time);
    case Device::kSocEvents:
      return store_soc_events(place.offset, value, hart.time);
    case Device::kFcTimer:
      return fc_timers_.store(place.offset, value, hart.time);
    case Device::kControl:
      return store_cluster_control(place.offset, value, hart.time);
    case Device::kAccelerator:
      return accelerator_->write(place.offset, value, hart.time);
    default:
      return;  // the caches are always on
  }
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
      dma_.command(cluster_number(hart), value, hart.time);
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
    if (soc_events_.reaches_cluster(number)) {
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
