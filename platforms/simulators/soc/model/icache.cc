#include "platforms/simulators/soc/model/icache.h"

#include <algorithm>
#include <bit>

namespace tinsmith::soc {

Tags::Entry *Tags::find(uint32_t line, uint64_t now) {
  Entry *set = &entries_[(line % sets_) * ways_];
  for (Entry *entry = set; entry != set + ways_; ++entry) {
    if (entry->line == line) {
      entry->used = now;
      return entry;
    }
  }
  return nullptr;
}

Tags::Entry &Tags::insert(uint32_t line, uint64_t now) {
  Entry *set = &entries_[(line % sets_) * ways_];
  Entry *oldest = std::min_element(set, set + ways_, [](const Entry &a, const Entry &b) { return a.used < b.used; });
  *oldest = {line, now, now};
  return *oldest;
}

void Tags::clear() {
  std::fill(entries_.begin(), entries_.end(), Entry{});
}

InstructionCache::InstructionCache(const Description &description)
    : description_(description),
      line_bits_(std::countr_zero(description.icache_line)),
      shared_(description.icache_l1_sets, description.icache_l1_ways) {
  for (uint32_t core = 0; core < description.cluster_cores; ++core) {
    const bool works = core < description.cluster_workers;
    private_.emplace_back(works ? description.icache_l0_sets : description.icache_l0_sets_controller,
                          description.icache_l0_ways);
  }
}

uint32_t InstructionCache::fetch(uint32_t core, uint32_t line, uint64_t now) {
  if (private_[core].find(line, now) != nullptr) {
    return 0;
  }
  private_[core].insert(line, now);
  Tags::Entry *entry = shared_.find(line, now);
  if (entry == nullptr) {
    entry = &shared_.insert(line, now);
    entry->ready = now + description_.icache_l1_miss;
  }
  const uint64_t waits = entry->ready > now ? entry->ready - now : 0;
  return std::max(description_.icache_l0_miss, static_cast<uint32_t>(waits));
}

void InstructionCache::clear() {
  for (Tags &tags : private_) {
    tags.clear();
  }
  shared_.clear();
}

}  // namespace tinsmith::soc
