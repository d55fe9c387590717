#include "platforms/simulators/soc/model/dma.h"

#include <algorithm>

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/disassemble.h"

namespace tinsmith::soc {
namespace {

// Bits of a command's first word.
constexpr uint32_t kLengthBits = 17;
constexpr uint32_t kToL1 = 1U << 17;
constexpr uint32_t kIncremental = 1U << 18;
constexpr uint32_t k2dExternal = 1U << 19;
constexpr uint32_t kEvent = 1U << 20;
constexpr uint32_t kInterrupt = 1U << 21;
constexpr uint32_t kBroadcast = 1U << 22;
constexpr uint32_t k2dL1 = 1U << 23;

constexpr uint32_t kMostCores = 32;

}  // namespace

Dma::Dma(const Description &description, Memories &memories, Surroundings surroundings)
    : description_(description), memories_(memories), surroundings_(std::move(surroundings)), assemblies_(kMostCores) {
}

bool Dma::allocate(uint32_t core, uint32_t &id) {
  for (id = 0; id < description_.dma_identifiers; ++id) {
    if ((allocated_ & (1U << id)) == 0) {
      allocated_ |= 1U << id;
      assemblies_[core].id = id;
      assemblies_[core].allocated = true;
      return true;
    }
  }
  return false;
}

uint32_t Dma::words_of(uint32_t command) {
  return 3 + ((command & k2dExternal) != 0 ? 2 : 0) + ((command & k2dL1) != 0 ? 2 : 0);
}

const Dma::Transfer *Dma::command(uint32_t core, uint32_t word, uint64_t now) {
  Assembly &assembly = assemblies_[core];
  if (!assembly.allocated) {
    throw Fault("DMA: a command before an identifier was read");
  }
  assembly.words.push_back(word);
  if (assembly.words.size() != words_of(assembly.words[0])) {
    return nullptr;
  }
  enqueue(core, assembly, now);
  assembly.words.clear();
  return &transfers_.back();
}

Dma::Side Dma::external_side(const std::vector<uint32_t> &words) const {
  if ((words[0] & k2dExternal) == 0) {
    return {words[2], 0, 0};
  }
  return {words[2], words[3], words[4]};
}

Dma::Side Dma::l1_side(const std::vector<uint32_t> &words) const {
  uint32_t address = words[1];
  if (address < description_.cluster_alias_bytes) {
    address += description_.l1_base;
  }
  if ((words[0] & k2dL1) == 0) {
    return {address, 0, 0};
  }
  const size_t first = (words[0] & k2dExternal) != 0 ? 5 : 3;
  return {address, words[first], words[first + 1]};
}

void Dma::enqueue(uint32_t core, const Assembly &assembly, uint64_t now) {
  const uint32_t command = assembly.words[0];
  if ((command & kIncremental) == 0) {
    throw Fault("DMA: transfers from or to one fixed address are not modelled");
  }
  Transfer transfer;
  transfer.id = assembly.id;
  transfer.core = core;
  transfer.bytes = low_bits(command, kLengthBits);
  transfer.to_l1 = (command & kToL1) != 0;
  transfer.event = (command & kEvent) != 0;
  transfer.interrupt = (command & kInterrupt) != 0;
  transfer.broadcast = (command & kBroadcast) != 0;
  transfer.l1 = l1_side(assembly.words);
  transfer.external = external_side(assembly.words);
  const bool two_dimensional = (command & (k2dExternal | k2dL1)) != 0;
  transfer.ready = now + description_.dma_setup + (two_dimensional ? description_.dma_setup_2d : 0);
  transfer.next = transfer.ready;
  transfer.began = now;
  check(transfer);
  check_overlaps(transfer);
  transfers_.push_back(transfer);
}

void Dma::check(Transfer &transfer) const {
  if (transfer.bytes == 0) {
    throw Fault("DMA: a transfer of no bytes");
  }
  check_side(memories_.l1().memory, transfer.l1, transfer.bytes, "L1");
  transfer.outside = memories_.find(transfer.external.address, 1);
  if (transfer.outside == nullptr || transfer.outside->dma_bytes_per_cycle == 0) {
    throw Fault("DMA: a transfer of " + std::to_string(transfer.bytes) + " bytes between L1 and 0x" +
                hexadecimal(transfer.external.address) + ", where it does not get: it does to " + reachable());
  }
  check_side(transfer.outside->memory, transfer.external, transfer.bytes, transfer.outside->name.c_str());
}

std::string Dma::reachable() const {
  std::string names;
  for (const MemoryRegion &region : memories_.all()) {
    if (region.dma_bytes_per_cycle != 0) {
      names += (names.empty() ? "" : ", ") + region.name;
    }
  }
  return names;
}

void Dma::check_side(const Memory &memory, const Side &side, uint32_t bytes, const char *what) const {
  const uint32_t line = side.line_bytes == 0 ? bytes : side.line_bytes;
  for (uint32_t offset = 0; offset < bytes; offset += line) {
    if (!memory.holds(side.at(offset), std::min(line, bytes - offset))) {
      throw Fault(std::string("DMA: a transfer leaves ") + what + ": " + std::to_string(bytes) + " bytes from 0x" +
                  hexadecimal(side.address) + " on");
    }
  }
}

uint32_t Dma::status() const {
  uint32_t running = 0;
  for (const Transfer &transfer : transfers_) {
    running |= 1U << transfer.id;
  }
  return allocated_ << 16 | running;
}

void Dma::release(uint32_t mask, uint64_t now) {
  if ((mask & status() & 0xFFFF) != 0) {
    throw Fault("DMA: the identifier of a running transfer is given back");
  }
  allocated_ &= ~mask;
  for (Assembly &assembly : assemblies_) {
    assembly.allocated = assembly.allocated && (mask & (1U << assembly.id)) == 0;
  }
  surroundings_.freed(now);
}

uint64_t Dma::next_time() const {
  if (transfers_.empty()) {
    return kNever;
  }
  const Transfer &first = transfers_.front();
  return first.end != kNever ? first.end : first.next;
}

// As many bytes as a cycle moves, within a line of either side.
uint32_t Dma::beat_bytes(const Transfer &transfer) const {
  uint32_t bytes = std::min(transfer.outside->dma_bytes_per_cycle, transfer.bytes - transfer.moved);
  for (const Side *side : {&transfer.l1, &transfer.external}) {
    if (side->line_bytes != 0) {
      bytes = std::min(bytes, side->line_bytes - transfer.moved % side->line_bytes);
    }
  }
  return bytes;
}

void Dma::move(Transfer &transfer, uint64_t now) {
  const uint32_t bytes = beat_bytes(transfer);
  const uint32_t inside = transfer.l1.at(transfer.moved);
  const uint32_t outside = transfer.external.at(transfer.moved);
  std::vector<uint8_t> beat(bytes);
  Memory &l1 = memories_.l1().memory;
  Memory &source = transfer.to_l1 ? transfer.outside->memory : l1;
  Memory &target = transfer.to_l1 ? l1 : transfer.outside->memory;
  source.copy_out(transfer.to_l1 ? outside : inside, beat.data(), bytes);
  target.copy_in(transfer.to_l1 ? inside : outside, beat.data(), bytes);
  for (uint32_t word = inside & ~3U; word < inside + bytes; word += 4) {
    surroundings_.touch_bank(word, now);
  }
  const uint32_t line = std::max(transfer.l1.line_bytes, transfer.external.line_bytes);
  const bool whole_short_line = line != 0 && bytes == line;
  transfer.moved += bytes;
  transfer.next = now + (whole_short_line ? description_.dma_line_least : 1);
  if (transfer.moved == transfer.bytes) {
    transfer.end = transfer.next + tail(transfer);
  }
}

// Writes to L2 that have to wait for each other.
uint64_t Dma::tail(const Transfer &transfer) const {
  const uint32_t bursts = transfer.bytes / description_.dma_burst;
  const bool waits = !transfer.to_l1 && bursts > description_.dma_store_bursts;
  return waits ? bursts - description_.dma_store_bursts : 0;
}

void Dma::finish(uint64_t now) {
  const Transfer done = transfers_.front();
  transfers_.pop_front();
  if (!transfers_.empty()) {
    transfers_.front().next = std::max(transfers_.front().ready, now);
    transfers_.front().began = now;
  }
  surroundings_.completed(done, now);
}

void Dma::advance(uint64_t now) {
  if (transfers_.front().end <= now) {
    finish(now);
  } else {
    move(transfers_.front(), now);
  }
}

bool Dma::Side::touches(uint32_t bytes, uint32_t start, uint32_t length) const {
  const auto meets = [start, length](uint32_t first, uint32_t count) {
    return start < first + count && first < start + length;
  };
  if (line_bytes == 0 || stride == 0) {
    return meets(address, line_bytes == 0 ? bytes : std::min(line_bytes, bytes));
  }
  const uint32_t lines = (bytes + line_bytes - 1) / line_bytes;
  // Lines from the one that `start` lies in or behind, if lines lie one behind the other; else all of them.
  const bool ascends = stride >= line_bytes && stride <= INT32_MAX;
  for (uint32_t line = ascends && start > address ? (start - address) / stride : 0; line < lines; ++line) {
    const uint32_t first = address + line * stride;
    if (ascends && first >= start + length) {
      return false;
    }
    if (meets(first, std::min(line_bytes, bytes - line * line_bytes))) {
      return true;
    }
  }
  return false;
}

void Dma::check_access(uint32_t address, uint32_t bytes, bool writes, uint32_t at) const {
  for (const Transfer &transfer : transfers_) {
    const bool written = transfer.target().touches(transfer.bytes, address, bytes);
    if (!written && !(writes && transfer.source().touches(transfer.bytes, address, bytes))) {
      continue;
    }
    throw Fault(std::string(writes ? "write" : "read") + " of " + memories_.find(address, bytes)->name +
                " bytes at 0x" + hexadecimal(at) + " that a running DMA transfer " + (written ? "writes" : "reads") +
                ": identifier " + std::to_string(transfer.id));
  }
}

std::string Dma::text_of(const Transfer &transfer) {
  return std::to_string(transfer.bytes) + " bytes from 0x" + hexadecimal(transfer.source().address) + " to 0x" +
         hexadecimal(transfer.target().address);
}

// Two transfers must not run at the same time if one writes what the other reads or writes: nothing orders them.
void Dma::check_overlaps(const Transfer &transfer) const {
  const auto overlap = [](const Side &one, uint32_t bytes, const Side &other, uint32_t other_bytes) {
    const uint32_t line = one.line_bytes == 0 ? bytes : one.line_bytes;
    for (uint32_t offset = 0; offset < bytes; offset += line) {
      if (other.touches(other_bytes, one.at(offset), std::min(line, bytes - offset))) {
        return true;
      }
    }
    return false;
  };
  for (const Transfer &running : transfers_) {
    const Side &target = transfer.target();
    const bool writes_same = overlap(target, transfer.bytes, running.target(), running.bytes);
    if (writes_same || overlap(target, transfer.bytes, running.source(), running.bytes) ||
        overlap(transfer.source(), transfer.bytes, running.target(), running.bytes)) {
      throw Fault("DMA: a transfer (" + text_of(transfer) + ") and the running one of identifier " +
                  std::to_string(running.id) + " (" + text_of(running) + ")" +
                  (writes_same ? " write the same bytes" : ": one writes what the other reads"));
    }
  }
}

}  // namespace tinsmith::soc
