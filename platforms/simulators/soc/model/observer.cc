// How a chip is looked at, and changed, from outside.

#include "platforms/simulators/soc/model/observer.h"

#include <algorithm>

#include "platforms/simulators/soc/model/soc.h"

namespace tinsmith::soc {

void Soc::observe(Observer &observer) {
  observers_.push_back(&observer);
  if (tap_ != nullptr) {
    return;
  }
  tap_ = std::make_unique<Tap>(*this, [this](const Hart &hart, const Access &access) {
    for (Observer *each : observers_) {
      each->accessed(hart, access);
    }
  });
  for (const auto &hart : harts_) {
    hart->attach(*tap_);
  }
}

bool Soc::takes_breakpoints() const {
  return std::any_of(observers_.begin(), observers_.end(),
                     [](const Observer *observer) { return observer->takes_breakpoints(); });
}

bool Soc::survives(const Fault &fault, std::optional<size_t> culprit) {
  return std::any_of(observers_.begin(), observers_.end(),
                     [&](Observer *observer) { return observer->survives(fault, culprit); });
}

std::string Soc::core_label(size_t core) const {
  return core < description_.cluster_cores ? std::to_string(core) : "fc";
}

std::optional<size_t> Soc::find_core(const std::string &label) const {
  for (size_t core = 0; core < harts_.size(); ++core) {
    if (core_label(core) == label) {
      return core;
    }
  }
  return std::nullopt;
}

bool Soc::peek(uint32_t address, uint32_t bytes, uint8_t *target) const {
  const uint32_t resolved = resolve(address);
  const MemoryRegion *region = memories_.find_any(resolved, bytes);
  if (region != nullptr) {
    region->memory.copy_out(resolved, target, bytes);
  }
  return region != nullptr;
}

bool Soc::poke(uint32_t address, uint32_t bytes, const uint8_t *source) {
  const uint32_t resolved = resolve(address);
  MemoryRegion *region = memories_.find_any(resolved, bytes);
  if (region != nullptr) {
    region->memory.copy_in(resolved, source, bytes);
  }
  return region != nullptr;
}

}  // namespace tinsmith::soc
