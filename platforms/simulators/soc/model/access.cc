// Accesses of the chip's cores and accelerator: where they go, what they cost, and what they must not do.

#include <algorithm>
#include <cstdio>

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/model/soc.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kEventUnitBytes = 0x400;
constexpr uint32_t kDmaBytes = 0x400;
constexpr uint32_t kControlBytes = 0x400;
constexpr uint32_t kTimerBytes = 0x28;
constexpr uint32_t kAcceleratorBytes = 0x400;

constexpr uint32_t kExitFlag = 0x80000000;

enum ControlRegister : uint32_t { kEndOfComputation = 0x0, kFetchEnable = 0x8, kBootAddress = 0x40 };
enum DmaRegister : uint32_t { kCommand = 0, kStatus = 4 };

bool within(uint32_t address, uint32_t base, uint32_t bytes) {
  return address - base < bytes;
}

[[noreturn]] void fault_access(const char *what, uint32_t address, uint32_t bytes) {
  throw Fault(
      std::string(what) + " of " + std::to_string(bytes) + " bytes at 0x" + hexadecimal(address) + ": nothing is there",
      FaultKind::kBadAddress);
}

}  // namespace

uint32_t Soc::resolve(uint32_t address) const {
  return address < description_.cluster_alias_bytes ? address + description_.l1_base : address;
}

// How long a bank is not free; it serves whoever asks first.
uint32_t Soc::take_bank(uint32_t address, uint64_t now) {
  uint64_t &free = bank_free_[address / 4 % description_.l1_banks];
  const uint64_t served = std::max(free, now);
  free = served + 1;
  return static_cast<uint32_t>(served - now);
}

void Soc::time_l1(Hart &hart, uint32_t address, uint32_t bytes) {
  if (is_fabric_controller(hart)) {
    hart.stall(Stall::kPeripheral, description_.l1_fc - 1);
    return;
  }
  hart.stall(Stall::kL1Conflict, take_bank(address, hart.time));
  if (address % 4 + bytes > 4) {
    hart.stall(Stall::kMisaligned, description_.misaligned);
    hart.stall(Stall::kL1Conflict, take_bank(address + 4, hart.time));
  }
}

void Soc::time_l2(Hart &hart) {
  if (is_fabric_controller(hart)) {
    hart.stall(Stall::kL2, description_.l2_fc - 1);
    return;
  }
  hart.stall(Stall::kL2, description_.l2_cluster - 1);
}

void Soc::check_race(const Hart &hart, uint32_t address, uint32_t bytes) {
  const uint64_t core = cluster_number(hart) + 1;
  const uint64_t stamp = events_.epoch() << 8 | core;
  for (uint32_t offset = address - l1_.base(); offset < address - l1_.base() + bytes; ++offset) {
    uint64_t &written = written_[offset];
    const uint64_t other = written & 0xFF;
    if (other != 0 && written >> 8 == events_.epoch() && other != core) {
      throw Fault("race: " + core_name(other - 1) + " wrote the byte at 0x" + hexadecimal(l1_.base() + offset) +
                  " since the last barrier, too");
    }
    written = stamp;
  }
}

LoadResult Soc::load(Hart &hart, uint32_t address, uint32_t bytes, bool event) {
  const uint32_t resolved = resolve(address);
  if (l1_.holds(resolved, bytes)) {
    time_l1(hart, resolved, bytes);
    if (dma_.busy() && dma_.will_write(resolved, bytes)) {
      throw Fault("read of L1 bytes at 0x" + hexadecimal(address) + " that a running DMA transfer writes");
    }
    return {l1_.read(resolved, bytes), true};
  }
  if (l2_.holds(resolved, bytes)) {
    time_l2(hart);
    return {l2_.read(resolved, bytes), true};
  }
  return load_device(hart, resolved, bytes, event);
}

void Soc::store(Hart &hart, uint32_t address, uint32_t bytes, uint32_t value) {
  const uint32_t resolved = resolve(address);
  if (l1_.holds(resolved, bytes)) {
    time_l1(hart, resolved, bytes);
    if (options_.race_check) {
      check_race(hart, resolved, bytes);
    }
    l1_.write(resolved, bytes, value);
  } else if (l2_.holds(resolved, bytes)) {
    time_l2(hart);
    l2_.write(resolved, bytes, value);
  } else {
    store_device(hart, resolved, bytes, value);
  }
}

// Reads a word of L1 and leaves all ones behind.
LoadResult Soc::load_test_and_set(Hart &hart, uint32_t address, uint32_t bytes) {
  const uint32_t plain = address - description_.test_and_set_offset;
  if (bytes != 4 || plain % 4 != 0) {
    throw Fault("a misaligned test-and-set at 0x" + hexadecimal(address), FaultKind::kBadAddress);
  }
  time_l1(hart, plain, bytes);
  const uint32_t value = l1_.read(plain, bytes);
  l1_.write(plain, bytes, ~0U);
  return {value, true};
}

void Soc::time_device(Hart &hart, uint32_t cluster_cycles) {
  hart.stall(Stall::kPeripheral, (is_fabric_controller(hart) ? description_.apb_fc : cluster_cycles) - 1);
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
      return {dma_.status(), true};
    default:
      throw Fault("the DMA has no register at offset " + std::to_string(offset));
  }
}

LoadResult Soc::load_device(Hart &hart, uint32_t address, uint32_t bytes, bool event) {
  const Description &d = description_;
  if (l1_.holds(address - d.test_and_set_offset, bytes)) {
    return load_test_and_set(hart, address, bytes);
  }
  if (bytes != 4 || address % 4 != 0) {
    fault_access("load", address, bytes);
  }
  if (within(address, d.event_unit, kEventUnitBytes) && !is_fabric_controller(hart)) {
    time_device(hart, d.peripheral);
    return events_.load(hart, hart.id, address - d.event_unit, event);
  }
  if (within(address, d.dma, kDmaBytes) || within(address, d.dma_peripheral, kDmaBytes)) {
    time_device(hart, within(address, d.dma, kDmaBytes) ? d.peripheral : d.peripheral_interconnect);
    return load_dma(hart, address % kDmaBytes);
  }
  time_device(hart, d.peripheral_interconnect);
  if (within(address, d.cluster_timer, kTimerBytes)) {
    return {timers_.load(address - d.cluster_timer, hart.time), true};
  }
  if (within(address, d.cluster_control, kControlBytes)) {
    return {address - d.cluster_control == kFetchEnable ? fetch_enable_ : 0, true};
  }
  if (accelerator_ != nullptr && within(address, d.accelerator, kAcceleratorBytes)) {
    return {accelerator_->read(address - d.accelerator, hart.time), true};
  }
  if (address == d.icache_control || address == d.fc_icache_control) {
    return {~0U, true};
  }
  fault_access("load", address, bytes);
}

void Soc::store_cluster_control(uint32_t offset, uint32_t value, uint64_t now) {
  if (offset >= kBootAddress && offset < kBootAddress + 4 * description_.cluster_cores) {
    boot_addresses_[(offset - kBootAddress) / 4] = value;
    return;
  }
  if (offset != kFetchEnable) {
    throw Fault("the cluster's control unit has no register at offset " + std::to_string(offset));
  }
  for (uint32_t core = 0; core < description_.cluster_cores; ++core) {
    Hart &hart = *harts_[core];
    if ((value & ~fetch_enable_ & (1U << core)) != 0 && !hart.running) {
      hart.pc = boot_addresses_[core];
      hart.running = true;
      hart.stall(Stall::kEvent, static_cast<uint32_t>(now + description_.event_wake - hart.time));
    }
  }
  fetch_enable_ = value;
}

void Soc::store_device(Hart &hart, uint32_t address, uint32_t bytes, uint32_t value) {
  const Description &d = description_;
  if (address == d.stdout_register) {
    time_device(hart, d.apb_cluster);
    line_ += static_cast<char>(value & 0xFF);
    if (line_.back() == '\n' || line_.size() >= 4096) {
      std::fwrite(line_.data(), 1, line_.size(), stdout);
      line_.clear();
    }
    return;
  }
  if (bytes != 4 || address % 4 != 0) {
    fault_access("store", address, bytes);
  }
  if (within(address, d.event_unit, kEventUnitBytes) && !is_fabric_controller(hart)) {
    time_device(hart, d.peripheral);
    events_.store(hart.id, address - d.event_unit, value, hart.time);
  } else if (within(address, d.dma, kDmaBytes) || within(address, d.dma_peripheral, kDmaBytes)) {
    time_device(hart, within(address, d.dma, kDmaBytes) ? d.peripheral : d.peripheral_interconnect);
    if (address % kDmaBytes == kCommand) {
      dma_.command(cluster_number(hart), value, hart.time);
    } else if (address % kDmaBytes == kStatus) {
      dma_.release(value, hart.time);
    } else {
      fault_access("store", address, bytes);
    }
  } else if (within(address, d.cluster_timer, kTimerBytes)) {
    time_device(hart, d.peripheral_interconnect);
    timers_.store(address - d.cluster_timer, value, hart.time);
  } else if (within(address, d.cluster_control, kControlBytes)) {
    time_device(hart, d.peripheral_interconnect);
    store_cluster_control(address - d.cluster_control, value, hart.time);
  } else if (accelerator_ != nullptr && within(address, d.accelerator, kAcceleratorBytes)) {
    time_device(hart, d.peripheral_interconnect);
    accelerator_->write(address - d.accelerator, value, hart.time);
  } else if (address == d.icache_control || address == d.fc_icache_control) {
    time_device(hart, d.peripheral_interconnect);  // the caches are always on
  } else if (address == d.exit_register) {
    exited_ = (value & kExitFlag) != 0;
    exit_code_ = value & ~kExitFlag;
  } else {
    fault_access("store", address, bytes);
  }
}

uint32_t Soc::load(uint32_t address, uint32_t bytes, uint64_t now, uint32_t &waits) {
  const uint32_t resolved = resolve(address);
  if (!l1_.holds(resolved, bytes)) {
    throw Fault("the accelerator leaves L1: load at 0x" + hexadecimal(address));
  }
  waits = take_bank(resolved, now);
  return l1_.read(resolved, bytes);
}

void Soc::store(uint32_t address, uint32_t bytes, uint32_t value, uint64_t now, uint32_t &waits) {
  const uint32_t resolved = resolve(address);
  if (!l1_.holds(resolved, bytes)) {
    throw Fault("the accelerator leaves L1: store at 0x" + hexadecimal(address));
  }
  waits = take_bank(resolved, now);
  l1_.write(resolved, bytes, value);
}

void Soc::interrupt(uint32_t line, uint64_t now) {
  events_.raise_everywhere(static_cast<Event>(static_cast<uint32_t>(Event::kAccelerator0) + line), now);
}

void Soc::worked(const std::string &job, uint64_t began, uint64_t ended) {
  profile_.add_slice({static_cast<uint32_t>(tracks() - 1), began, ended, job});
}

Dma::Surroundings Soc::dma_surroundings() {
  return {
      [this](uint32_t address, uint64_t now) { take_bank(address, now); },
      [this](uint64_t now) { events_.raise_everywhere(Event::kDma, now); },
      [this](uint64_t now) {
        for (size_t core = 0; core < harts_.size(); ++core) {
          if (waits_for_dma_[core]) {
            waits_for_dma_[core] = false;
            harts_[core]->wake(now + 1);
          }
        }
      },
      [this](uint32_t id, uint64_t began, uint64_t ended, uint32_t bytes, bool to_l1) {
        const uint32_t track = static_cast<uint32_t>(harts_.size()) + id;
        profile_.add_slice({track, began, ended, std::to_string(bytes) + (to_l1 ? " B to L1" : " B from L1")});
      },
  };
}

}  // namespace tinsmith::soc
