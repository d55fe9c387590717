// What accesses must not do: touch what the DMA or a device moves meanwhile, or what another core or device touches
// without an order between them.

#include <bit>

#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/model/soc.h"

namespace tinsmith::soc {
namespace {

bool is_read(const DeviceCopy &copy, uint32_t address, uint32_t bytes) {
  return copy.reads && meet(copy.source, copy.bytes, address, bytes);
}

bool is_written(const DeviceCopy &copy, uint32_t address, uint32_t bytes) {
  return copy.writes && meet(copy.target, copy.bytes, address, bytes);
}

// "copy of udma under way".
std::string work_of(const DeviceCopy &copy, const std::string &device) {
  return (copy.reads && copy.writes ? "copy of " : "job of ") + device + " under way";
}

std::string text_of(const DeviceCopy &copy) {
  if (!copy.reads || !copy.writes) {
    return std::to_string(copy.bytes) + " bytes from 0x" + hexadecimal(copy.target) + " on";
  }
  return std::to_string(copy.bytes) + " bytes from 0x" + hexadecimal(copy.source) + " to 0x" + hexadecimal(copy.target);
}

}  // namespace

// Kept up to date where transfers begin and end, so that other accesses ask one flag only.
void Soc::watch() {
  watched_ = options_.race_check || dma_.busy() || !copies_.empty();
}

void Soc::watch_copies() {
  copies_.clear();
  for (const Attached &attached : attached_) {
    if (const std::deque<DeviceCopy> *copies = attached.device->copies()) {
      for (const DeviceCopy &copy : *copies) {
        copies_.push_back(
            {&attached, {resolve(copy.target), resolve(copy.source), copy.bytes, copy.reads, copy.writes}});
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
    const bool written = is_written(copy, address, bytes);
    if (device == except || (!written && !(writes && is_read(copy, address, bytes)))) {
      continue;
    }
    throw Fault(std::string(writes ? "write" : "read") + " of " + memories_.find_any(address, 1)->name +
                " bytes at 0x" + hexadecimal(at) + " that a " + work_of(copy, device->name) + " " +
                (written ? "writes" : "reads") + ": " + text_of(copy));
  }
}

// Of the DMA, that has just begun: what it moves must not be what a device moves.
void Soc::check_transfer(const Dma::Transfer &transfer) const {
  for (const auto &[device, copy] : copies_) {
    const bool writes_same = copy.writes && transfer.target().touches(transfer.bytes, copy.target, copy.bytes);
    if (writes_same || (copy.reads && transfer.target().touches(transfer.bytes, copy.source, copy.bytes)) ||
        (copy.writes && transfer.source().touches(transfer.bytes, copy.target, copy.bytes))) {
      throw Fault("DMA: a transfer of " + std::to_string(transfer.bytes) + " bytes from 0x" +
                  hexadecimal(transfer.source().address) + " to 0x" + hexadecimal(transfer.target().address) +
                  " and a " + work_of(copy, device->name) + " (" + text_of(copy) + ")" +
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

}  // namespace tinsmith::soc
