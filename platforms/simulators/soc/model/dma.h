// The cluster's DMA (mchan): copies between L1 and other memories, one or two dimensions, several transfers
// outstanding.
//
// Commands are written word by word to one register. Transfers wait for their set-up side by side and then move their
// bytes one after the other. A merged transfer (several commands under one identifier) ends with its last command.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DMA_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DMA_H_

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "platforms/simulators/soc/model/description.h"
#include "platforms/simulators/soc/model/regions.h"

namespace tinsmith::soc {

class Dma {
 public:
  static constexpr uint64_t kNever = ~uint64_t{0};

  struct Side {
    uint32_t address = 0;
    uint32_t line_bytes = 0;  // 0: one dimension
    uint32_t stride = 0;

    uint32_t at(uint32_t offset) const {
      return line_bytes == 0 ? address + offset : address + offset / line_bytes * stride + offset % line_bytes;
    }

    // Whether any of `bytes` bytes, line by line, lies in `length` bytes from `start` on.
    bool touches(uint32_t bytes, uint32_t start, uint32_t length) const;
  };

  struct Transfer {
    uint32_t id = 0;
    uint32_t core = 0;  // whose command it is
    uint32_t bytes = 0;
    bool to_l1 = false;
    bool event = false;      // its end is one
    bool interrupt = false;  // likewise
    bool broadcast = false;  // to all cores rather than to `core`
    Side l1;
    Side external;
    MemoryRegion *outside = nullptr;  // where `external` lies
    uint64_t ready = 0;               // end of its set-up
    uint64_t next = 0;                // cycle of its next beat
    uint64_t began = 0;               // when it was the first: since then it is set up and moved
    uint32_t moved = 0;
    uint64_t end = kNever;  // known once all bytes are moved

    const Side &source() const {
      return to_l1 ? external : l1;
    }
    const Side &target() const {
      return to_l1 ? l1 : external;
    }
  };

  // What the DMA does to its surroundings.
  struct Surroundings {
    std::function<void(uint32_t address, uint64_t now)> touch_bank;  // it takes an L1 bank in this cycle
    std::function<void(const Transfer &transfer, uint64_t now)> completed;
    std::function<void(uint64_t now)> freed;  // an identifier is free again
  };

  Dma(const Description &description, Memories &memories, Surroundings surroundings);

  // Reading CMD: a free identifier, or none (false) if all are taken.
  bool allocate(uint32_t core, uint32_t &id);

  // Writing CMD: the next word of a core's command. Returns the transfer that begins with it, if it is the last.
  const Transfer *command(uint32_t core, uint32_t word, uint64_t now);

  // Reading STATUS: bits 15:0 running, 31:16 allocated. Writing it frees the identifiers of a mask.
  uint32_t status() const;
  void release(uint32_t mask, uint64_t now);

  // When there is something to do next; never if nothing runs.
  uint64_t next_time() const;

  // Does what is due at cycle `now`, of which next_time() spoke.
  void advance(uint64_t now);

  bool busy() const {
    return !transfers_.empty();
  }

  // Raises Fault if a core must not read or write these bytes as long as a transfer runs: its bytes may
  // move early or late. at: where the core sees them.
  void check_access(uint32_t address, uint32_t bytes, bool writes, uint32_t at) const;

 private:
  // Words of a command that a core is writing.
  struct Assembly {
    std::vector<uint32_t> words;
    uint32_t id = 0;
    bool allocated = false;
  };

  static uint32_t words_of(uint32_t command);
  void enqueue(uint32_t core, const Assembly &assembly, uint64_t now);
  Side external_side(const std::vector<uint32_t> &words) const;
  Side l1_side(const std::vector<uint32_t> &words) const;
  void check(Transfer &transfer) const;
  void check_overlaps(const Transfer &transfer) const;
  static std::string text_of(const Transfer &transfer);
  std::string reachable() const;
  void check_side(const Memory &memory, const Side &side, uint32_t bytes, const char *what) const;
  uint32_t beat_bytes(const Transfer &transfer) const;
  void move(Transfer &transfer, uint64_t now);
  uint64_t tail(const Transfer &transfer) const;
  void finish(uint64_t now);

  const Description &description_;
  Memories &memories_;
  Surroundings surroundings_;
  std::vector<Assembly> assemblies_;
  std::deque<Transfer> transfers_;  // the first moves, the others are being set up or wait
  uint32_t allocated_ = 0;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DMA_H_
