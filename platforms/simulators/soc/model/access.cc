// Accesses to the memories, of cores and of the accelerator: what they cost, and what they must not do.

#include <algorithm>

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
