// Accesses to the memories, of cores and of attached devices: what they cost, and what they must not do.

#include <algorithm>
#include <bit>

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/model/soc.h"

namespace tinsmith::soc {
namespace {

constexpr size_t kDeviceBit = 31;  // of the first attached device in Touched; the others go down

std::string text_of(const DeviceCopy &copy) {
  return std::to_string(copy.bytes) + " bytes from 0x" + hexadecimal(copy.source) + " to 0x" + hexadecimal(copy.target);
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

// Kept up to date where transfers begin and end, so that other accesses ask one flag only.
void Soc::watch() {
  watched_ = options_.race_check || dma_.busy() || !copies_.empty();
}

void Soc::watch_copies() {
  copies_.clear();
  for (const Attached &attached : attached_) {
    if (const std::deque<DeviceCopy> *copies = attached.device->copies()) {
      for (const DeviceCopy &copy : *copies) {
        copies_.push_back({&attached, {resolve(copy.target), resolve(copy.source), copy.bytes}});
      }
    }
  }
  watch();
}

// Raises Fault if nobody must read or write these bytes as long as a DMA transfer or a device's copy is under way. at:
// where whoever asks sees them. except: the device that asks, whose copies go one after the other.
void Soc::check_in_flight(uint32_t address, uint32_t bytes, bool writes, uint32_t at, const Attached *except) const {
  dma_.check_access(address, bytes, writes, at);
  for (const auto &[device, copy] : copies_) {
    const bool written = meet(copy.target, copy.bytes, address, bytes);
    if (device == except || (!written && !(writes && meet(copy.source, copy.bytes, address, bytes)))) {
      continue;
    }
    throw Fault(std::string(writes ? "write" : "read") + " of " + memories_.find_any(address, 1)->name +
                " bytes at 0x" + hexadecimal(at) + " that a copy of " + device->name + " under way " +
                (written ? "writes" : "reads") + ": " + text_of(copy));
  }
}

// Of the DMA, that has just begun: what it moves must not be what a device moves.
void Soc::check_transfer(const Dma::Transfer &transfer) const {
  for (const auto &[device, copy] : copies_) {
    const bool writes_same = transfer.target().touches(transfer.bytes, copy.target, copy.bytes);
    if (writes_same || transfer.target().touches(transfer.bytes, copy.source, copy.bytes) ||
        transfer.source().touches(transfer.bytes, copy.target, copy.bytes)) {
      throw Fault("DMA: a transfer of " + std::to_string(transfer.bytes) + " bytes from 0x" +
                  hexadecimal(transfer.source().address) + " to 0x" + hexadecimal(transfer.target().address) +
                  " and a copy of " + device->name + " under way (" + text_of(copy) + ")" +
                  (writes_same ? " write the same bytes" : ": one writes what the other reads"));
    }
  }
}

// at: where the core sees the bytes.
void Soc::check_access(const Hart &hart, uint32_t address, uint32_t bytes, bool writes, uint32_t at) {
  check_in_flight(address, bytes, writes, at, nullptr);
  if (options_.race_check && memories_.l1().memory.holds(address, bytes)) {
    check_race(cluster_number(hart), address, bytes, writes);
  }
}

std::string Soc::name_of_bit(uint32_t bit) const {
  return bit < harts_.size() ? core_name(bit) : attached_[kDeviceBit - bit].name;
}

// Of L1. who: the bit of Touched.
void Soc::check_race(uint32_t who, uint32_t address, uint32_t bytes, bool writes) {
  const uint32_t self = 1U << who;
  const uint32_t base = memories_.l1().memory.base();
  for (uint32_t offset = address - base; offset < address - base + bytes; ++offset) {
    Touched &byte = touched_[offset];
    if (byte.epoch != events_.epoch()) {
      byte = {events_.epoch(), 0, 0};
    }
    const uint32_t others = (writes ? byte.readers | byte.writers : byte.writers) & ~self;
    if (others != 0) {
      const bool wrote = (byte.writers & ~self) != 0;
      const uint32_t other = std::countr_zero(wrote ? byte.writers & ~self : others);
      throw Fault("race: " + name_of_bit(other) + (wrote ? " wrote" : " read") + " the byte at 0x" +
                  hexadecimal(base + offset) + " since the last barrier, and now it is " +
                  (writes ? "written" : "read") + " by " + (who < harts_.size() ? "another" : name_of_bit(who)));
    }
    (writes ? byte.writers : byte.readers) |= self;
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

// The memory that the device touches, at a time from `now` on, and by how much later.
Memory &Soc::DevicePort::reach(const char *what, uint32_t address, uint32_t bytes, bool writes, uint64_t now,
                               uint64_t &waits) {
  const uint32_t resolved = soc_.resolve(address);
  MemoryRegion *region = soc_.memories_.find_any(resolved, bytes);
  if (region == nullptr || !device_.reaches(*region, soc_.memories_)) {
    throw Fault(device_.name + ": " + what + " of " + std::to_string(bytes) + " bytes at 0x" + hexadecimal(address) +
                (region == nullptr ? ": no memory is there" : ": it does not reach " + region->name));
  }
  soc_.check_in_flight(resolved, bytes, writes, address, &device_);
  waits = 0;
  if (region->banked) {
    if (soc_.options_.race_check) {
      soc_.check_race(static_cast<uint32_t>(kDeviceBit - device_.region.number), resolved, bytes, writes);
    }
    waits = soc_.take_banks(resolved, bytes, now);
    device_.bank_waits += waits;
  }
  return region->memory;
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
  soc_.events_.raise_everywhere(device_.event + line, now);
}

void Soc::DevicePort::worked(const std::string &job, uint64_t began, uint64_t ended) {
  device_.jobs += 1;
  device_.busy_cycles += ended - began;
  const size_t track = soc_.tracks() - 1 - soc_.attached_.size() + device_.region.number;
  soc_.profile_.add_slice({static_cast<uint32_t>(track), began, ended, job});
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
