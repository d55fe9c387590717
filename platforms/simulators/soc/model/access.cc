// Accesses to the memories, of cores and of attached devices: where they go and what they cost.

#include <algorithm>

#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/model/soc.h"

namespace tinsmith::soc {

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

void Soc::time_banks(Hart &hart, uint32_t address, uint32_t bytes) {
  hart.stall(Stall::kL1Conflict, take_bank(address, hart.time));
  if (address % 4 + bytes > 4) {
    hart.stall(Stall::kMisaligned, description_.misaligned);
    hart.stall(Stall::kL1Conflict, take_bank(address + 4, hart.time));
  }
}

void Soc::time_memory(Hart &hart, const MemoryRegion &region, uint32_t address, uint32_t bytes) {
  if (is_fabric_controller(hart)) {
    hart.stall(region.fc_cause, region.fc_cycles - 1);
  } else if (region.banked) {
    time_banks(hart, address, bytes);
  } else {
    hart.stall(region.cause, region.cluster_cycles - 1);
  }
}

LoadResult Soc::load(Hart &hart, uint32_t address, uint32_t bytes, bool event) {
  const uint32_t resolved = resolve(address);
  if (const MemoryRegion *region = memories_.find(resolved, bytes)) {
    time_memory(hart, *region, resolved, bytes);
    if (watched_) {
      check_access(hart, resolved, bytes, false, address);
    }
    return {region->memory.read(resolved, bytes), true};
  }
  device_used_ = true;
  return load_device(hart, resolved, bytes, event);
}

void Soc::store(Hart &hart, uint32_t address, uint32_t bytes, uint32_t value) {
  const uint32_t resolved = resolve(address);
  if (MemoryRegion *region = memories_.find(resolved, bytes)) {
    time_memory(hart, *region, resolved, bytes);
    if (watched_) {
      check_access(hart, resolved, bytes, true, address);
    }
    region->memory.write(resolved, bytes, value);
  } else {
    device_used_ = true;
    store_device(hart, resolved, bytes, value);
  }
}

// Reads a word of L1 and leaves all ones behind.
LoadResult Soc::load_test_and_set(Hart &hart, uint32_t address, uint32_t bytes) {
  const uint32_t plain = address - description_.test_and_set_offset;
  if (bytes != 4 || plain % 4 != 0) {
    throw Fault("a misaligned test-and-set at 0x" + hexadecimal(address), FaultKind::kBadAddress);
  }
  MemoryRegion &l1 = memories_.l1();
  time_memory(hart, l1, plain, bytes);
  check_in_flight(plain, bytes, true, address, nullptr);
  const uint32_t value = l1.memory.read(plain, bytes);
  if (value != ~0U) {
    events_.begin_epoch();  // a lock is taken
  }
  l1.memory.write(plain, bytes, ~0U);
  return {value, true};
}

// Waits for the banks of all words, and takes them.
uint64_t Soc::take_banks(uint32_t address, uint32_t bytes, uint64_t now) {
  const uint32_t first = address / 4;
  const uint32_t words = std::min((address + bytes - 1) / 4 - first + 1, description_.l1_banks);
  uint64_t served = now;
  for (uint32_t word = first; word < first + words; ++word) {
    served = std::max(served, bank_free_[word % description_.l1_banks]);
  }
  for (uint32_t word = first; word < first + words; ++word) {
    bank_free_[word % description_.l1_banks] = served + 1;
  }
  return served - now;
}

// The private banks of L2, where devices do not get.
bool Soc::is_private_to_cores(const MemoryRegion &region, uint32_t address) const {
  return &region == &memories_.l2() && address - description_.l2_base < description_.l2_private_bytes;
}

// The memory that a device touches. Raises Fault if it does not get there. what: "load" or "store".
MemoryRegion &Soc::reach(const Attached &device, const char *what, uint32_t address, uint32_t bytes) {
  const uint32_t resolved = resolve(address);
  MemoryRegion *region = memories_.find_any(resolved, bytes);
  const std::string access =
      device.name + ": " + what + " of " + std::to_string(bytes) + " bytes at 0x" + hexadecimal(address);
  if (region == nullptr || !device.reaches(*region, memories_)) {
    throw Fault(access + (region == nullptr ? ": no memory is there" : ": it does not reach " + region->name));
  }
  if (is_private_to_cores(*region, resolved)) {
    throw Fault(access +
                ": it does not reach the private banks of L2, which the cores have for themselves; the part that is "
                "shared begins at 0x" +
                hexadecimal(description_.l2_base + description_.l2_private_bytes));
  }
  return *region;
}

// Likewise at a time from `now` on, and by how much later.
Memory &Soc::DevicePort::reach(const char *what, uint32_t address, uint32_t bytes, bool writes, uint64_t now,
                               uint64_t &waits) {
  MemoryRegion &region = soc_.reach(device_, what, address, bytes);
  const uint32_t resolved = soc_.resolve(address);
  soc_.check_in_flight(resolved, bytes, writes, address, &device_);
  waits = 0;
  if (region.banked) {
    if (soc_.options_.race_check) {
      soc_.check_race(static_cast<uint32_t>(kDeviceBit - device_.region.number), resolved, bytes, writes);
    }
    waits = soc_.take_banks(resolved, bytes, now);
    device_.bank_waits += waits;
  }
  return region.memory;
}

uint64_t Soc::DevicePort::load(uint32_t address, uint8_t *target, uint32_t bytes, uint64_t now) {
  uint64_t waits = 0;
  reach("load", address, bytes, false, now, waits).copy_out(soc_.resolve(address), target, bytes);
  device_.bytes_loaded += bytes;
  return waits;
}

uint64_t Soc::DevicePort::store(uint32_t address, const uint8_t *source, uint32_t bytes, uint64_t now) {
  uint64_t waits = 0;
  reach("store", address, bytes, true, now, waits).copy_in(soc_.resolve(address), source, bytes);
  device_.bytes_stored += bytes;
  return waits;
}

void Soc::DevicePort::raise(uint32_t line, uint64_t now) {
  if (soc_.description_.has_cluster()) {
    soc_.events_.raise_everywhere(device_.event + line, now);
  } else {
    soc_.events_.begin_epoch();
    soc_.interrupts_.raise(device_.event + line, now);
  }
}

void Soc::DevicePort::add_slice(const std::string &name, uint64_t began, uint64_t ended, size_t track) {
  const size_t first = soc_.harts_.size() + soc_.dma_tracks();  // of the devices
  soc_.profile_.add_slice({static_cast<uint32_t>(first + device_.track + track), began, ended, name});
}

void Soc::DevicePort::worked(const std::string &job, uint64_t began, uint64_t ended, size_t track) {
  device_.jobs += 1;
  device_.busy_cycles += ended - began;
  add_slice(job, began, ended, track);
}

void Soc::DevicePort::part(const std::string &kind, const std::string &name, uint64_t began, uint64_t ended,
                           size_t track) {
  device_.parts[kind] += ended - began;
  add_slice(name, began, ended, track);
}

void Soc::add_slice(const Dma::Transfer &transfer, uint64_t ended) {
  if (!profile_.keeps_slices()) {
    return;
  }
  const uint32_t track = static_cast<uint32_t>(harts_.size()) + transfer.id;
  const std::string bytes = std::to_string(transfer.bytes);
  profile_.add_slice({track,
                      transfer.began,
                      ended,
                      bytes + (transfer.to_l1 ? " B to L1" : " B from L1"),
                      {{"bytes", bytes},
                       {"L1 address", "0x" + hexadecimal(transfer.l1.address)},
                       {"other address", "0x" + hexadecimal(transfer.external.address)}}});
}

// Whose transfer it was hears of it, or all cores of the cluster.
void Soc::tell_of_end(const Dma::Transfer &transfer, uint64_t now) {
  const Description &d = description_;
  const bool of_cluster = transfer.core < d.cluster_cores;
  const uint32_t cores = transfer.broadcast ? ~0U : of_cluster ? 1U << transfer.core : 0;
  if (transfer.event && cores != 0) {
    events_.raise(d.event_dma, cores, now);
  }
  if (transfer.interrupt && cores != 0) {
    events_.raise(d.event_dma_interrupt, cores, now);
  }
  if (transfer.event && !of_cluster) {
    interrupts_.raise(d.fc_interrupt_dma, now);
  }
  if (transfer.interrupt && !of_cluster) {
    interrupts_.raise(d.fc_interrupt_dma_interrupt, now);
  }
}

Dma::Surroundings Soc::dma_surroundings() {
  return {
      [this](uint32_t address, uint64_t now) { take_bank(address, now); },
      [this](const Dma::Transfer &transfer, uint64_t now) {
        add_slice(transfer, now);
        tell_of_end(transfer, now);
      },
      [this](uint64_t now) {
        for (size_t core = 0; core < harts_.size(); ++core) {
          if (waits_for_dma_[core]) {
            waits_for_dma_[core] = false;
            harts_[core]->wake(now + 1);
          }
        }
      },
  };
}

}  // namespace tinsmith::soc
