// The cluster's instruction caches: a small one per core in front of a shared one. They keep tags, not bytes.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_ICACHE_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_ICACHE_H_

#include <cstdint>
#include <vector>

#include "platforms/simulators/soc/model/description.h"

namespace tinsmith::soc {

// Sets of ways, the longest unused of which is replaced.
class Tags {
 public:
  Tags(uint32_t sets, uint32_t ways) : sets_(sets), ways_(ways), entries_(sets * ways) {
  }

  struct Entry {
    uint32_t line = ~0U;
    uint64_t used = 0;
    uint64_t ready = 0;  // when its bytes arrive
  };

  // The entry that holds `line`, or nullptr.
  Entry *find(uint32_t line, uint64_t now);

  // Takes the place of another line.
  Entry &insert(uint32_t line, uint64_t now);

  void clear();

 private:
  uint32_t sets_;
  uint32_t ways_;
  std::vector<Entry> entries_;
};

class InstructionCache {
 public:
  explicit InstructionCache(const Description &description);

  uint32_t line_of(uint32_t address) const {
    return address >> line_bits_;
  }

  // Cycles that `core` waits for the line at cycle `now`.
  uint32_t fetch(uint32_t core, uint32_t line, uint64_t now);

  void clear();

 private:
  const Description &description_;
  const int line_bits_;  // icache_line is a power of two
  std::vector<Tags> private_;
  Tags shared_;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_ICACHE_H_
