// Accesses to the memories, of cores and of the accelerator: what they cost, and what they must not do.

#include <algorithm>
#include <bit>

#include "platforms/simulators/soc/isa/bits.h"
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

// Kept up to date where transfers begin and end, so that other accesses ask one flag only.
void Soc::watch() {
  watched_ = options_.race_check || dma_.busy();
}

void Soc::check_l1(const Hart &hart, uint32_t address, uint32_t bytes, bool writes) {
  dma_.check_access(address, bytes, writes, address);
  if (options_.race_check) {
    check_race(hart, address, bytes, writes);
  }
}

void Soc::check_race(const Hart &hart, uint32_t address, uint32_t bytes, bool writes) {
  const uint32_t self = 1U << cluster_number(hart);
  for (uint32_t offset = address - l1_.base(); offset < address - l1_.base() + bytes; ++offset) {
    Touched &byte = touched_[offset];
    if (byte.epoch != events_.epoch()) {
      byte = {events_.epoch(), 0, 0};
    }
    const uint32_t others = (writes ? byte.readers | byte.writers : byte.writers) & ~self;
    if (others != 0) {
      const bool wrote = (byte.writers & ~self) != 0;
      const uint32_t other = std::countr_zero(wrote ? byte.writers & ~self : others);
      throw Fault("race: " + core_name(other) + (wrote ? " wrote" : " read") + " the byte at 0x" +
                  hexadecimal(l1_.base() + offset) + " since the last barrier, and now it is " +
                  (writes ? "written" : "read") + " by another");
    }
    (writes ? byte.writers : byte.readers) |= self;
  }
}

LoadResult Soc::load(Hart &hart, uint32_t address, uint32_t bytes, bool event) {
  const uint32_t resolved = resolve(address);
  if (l1_.holds(resolved, bytes)) {
    time_l1(hart, resolved, bytes);
    if (watched_) {
      check_l1(hart, resolved, bytes, false);
    }
    return {l1_.read(resolved, bytes), true};
  }
  if (l2_.holds(resolved, bytes)) {
    time_l2(hart);
    if (watched_) {
      dma_.check_access(resolved, bytes, false, address);
    }
    return {l2_.read(resolved, bytes), true};
  }
  device_used_ = true;
  return load_device(hart, resolved, bytes, event);
}

void Soc::store(Hart &hart, uint32_t address, uint32_t bytes, uint32_t value) {
  const uint32_t resolved = resolve(address);
  if (l1_.holds(resolved, bytes)) {
    time_l1(hart, resolved, bytes);
    if (watched_) {
      check_l1(hart, resolved, bytes, true);
    }
    l1_.write(resolved, bytes, value);
  } else if (l2_.holds(resolved, bytes)) {
    time_l2(hart);
    if (watched_) {
      dma_.check_access(resolved, bytes, true, address);
    }
    l2_.write(resolved, bytes, value);
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
  time_l1(hart, plain, bytes);
  dma_.check_access(plain, bytes, true, address);
  const uint32_t value = l1_.read(plain, bytes);
  if (value != ~0U) {
    events_.begin_epoch();  // a lock is taken
  }
  l1_.write(plain, bytes, ~0U);
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

uint64_t Soc::load(uint32_t address, uint8_t *target, uint32_t bytes, uint64_t now) {
  const uint32_t resolved = resolve(address);
  if (!l1_.holds(resolved, bytes)) {
    throw Fault("the accelerator leaves L1: load at 0x" + hexadecimal(address));
  }
  dma_.check_access(resolved, bytes, false, address);
  l1_.copy_out(resolved, target, bytes);
  return take_banks(resolved, bytes, now);
}

uint64_t Soc::store(uint32_t address, const uint8_t *source, uint32_t bytes, uint64_t now) {
  const uint32_t resolved = resolve(address);
  if (!l1_.holds(resolved, bytes)) {
    throw Fault("the accelerator leaves L1: store at 0x" + hexadecimal(address));
  }
  dma_.check_access(resolved, bytes, true, address);
  l1_.copy_in(resolved, source, bytes);
  return take_banks(resolved, bytes, now);
}

void Soc::raise(uint32_t line, uint64_t now) {
  events_.raise_everywhere(description_.event_accelerator + line, now);
}

void Soc::worked(const std::string &job, uint64_t began, uint64_t ended) {
  profile_.add_slice({static_cast<uint32_t>(tracks() - 2), began, ended, job});
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
