#include "platforms/simulators/soc/isa/hardware_counters.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kImplemented = 1U << 0 | 1U << 2 | 1U << HardwareCounters::kSelectable;

}  // namespace

// What a counter's events have added up to; nothing while it stands still.
uint64_t HardwareCounters::moving(uint32_t counter, const EventCounts &now) const {
  if ((stopped_ >> counter & 1) != 0) {
    return 0;
  }
  if (counter != kSelectable) {
    return now[counter == 0 ? kCycleEvent : kInstructionEvent];
  }
  uint64_t sum = 0;
  for (uint32_t event = 0; event < now.size(); ++event) {
    sum += (selected_ >> event & 1) != 0 ? now[event] : 0;
  }
  return sum;
}

uint64_t HardwareCounters::read(uint32_t counter, const EventCounts &now) const {
  return exists(counter) ? offsets_[counter] + moving(counter, now) : 0;
}

void HardwareCounters::write(uint32_t counter, uint64_t value, const EventCounts &now) {
  if (exists(counter)) {
    offsets_[counter] = value - moving(counter, now);
  }
}

void HardwareCounters::stop(uint32_t counters, const EventCounts &now) {
  for (uint32_t counter = 0; counter < offsets_.size(); ++counter) {
    const uint64_t value = read(counter, now);
    stopped_ = (stopped_ & ~(1U << counter)) | (counters & kImplemented & 1U << counter);
    write(counter, value, now);
  }
}

void HardwareCounters::select(uint32_t counter, uint32_t events, const EventCounts &now) {
  if (counter != kSelectable) {
    return;
  }
  const uint64_t value = read(counter, now);
  selected_ = events & ((1U << now.size()) - 1);
  write(counter, value, now);
}

}  // namespace tinsmith::soc
