#include "platforms/simulators/soc/model/timer.h"

#include <algorithm>
#include <string>

#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {
namespace {

// Registers come in pairs, of the low timer and the high one.
enum Register : uint32_t { kConfiguration = 0, kCounter = 1, kCompare = 2, kStart = 3, kReset = 4 };

enum Configuration : uint32_t {
  kEnable = 1U << 0,
  kResets = 1U << 1,
  kInterrupt = 1U << 2,
  kClearsAtCompare = 1U << 4,
  kOneShot = 1U << 5,
};

constexpr uint32_t kModelled = kEnable | kResets | kInterrupt | kClearsAtCompare | kOneShot;

}  // namespace

uint32_t Timers::count(const Timer &timer, uint64_t now) {
  // An access on a longer way may have set it for a cycle that is yet to come.
  const bool runs = (timer.configuration & kEnable) != 0 && now > timer.since;
  return runs ? timer.value + static_cast<uint32_t>(now - timer.since) : timer.value;
}

void Timers::set(Timer &timer, uint32_t value, uint64_t now) {
  timer.value = value;
  timer.since = now;
}

void Timers::schedule(Timer &timer, uint64_t now) {
  const bool armed = (timer.configuration & kEnable) != 0 && (timer.configuration & kInterrupt) != 0;
  const uint32_t left = timer.compare - count(timer, now);
  timer.due = armed && left != 0 ? now + left : kNever;
}

uint32_t Timers::load(uint32_t offset, uint64_t now) const {
  const Timer &timer = timers_[offset / 4 % 2];
  switch (offset / 8) {
    case kConfiguration:
      return timer.configuration;
    case kCounter:
      return count(timer, now);
    case kCompare:
      return timer.compare;
    default:
      return 0;
  }
}

void Timers::store(uint32_t offset, uint32_t value, uint64_t now) {
  Timer &timer = timers_[offset / 4 % 2];
  const uint32_t counted = count(timer, now);
  switch (offset / 8) {
    case kConfiguration:
      if ((value & ~kModelled) != 0) {
        throw Fault("timer: its 64-bit mode, prescaler, reference clock and event input are not modelled");
      }
      set(timer, (value & kResets) != 0 ? 0 : counted, now);
      timer.configuration = value & ~static_cast<uint32_t>(kResets);
      break;
    case kCounter:
      set(timer, value, now);
      break;
    case kCompare:
      timer.compare = value;
      break;
    case kStart:
      set(timer, counted, now);
      timer.configuration |= kEnable;
      break;
    case kReset:
      set(timer, 0, now);
      break;
    default:
      throw Fault("timer: no register at offset " + std::to_string(offset));
  }
  schedule(timer, now);
}

uint64_t Timers::next_time() const {
  return std::min(timers_[0].due, timers_[1].due);
}

uint32_t Timers::take_due(uint64_t now) {
  uint32_t fired = 0;
  for (uint32_t i = 0; i < timers_.size(); ++i) {
    Timer &timer = timers_[i];
    if (timer.due > now) {
      continue;
    }
    fired |= 1U << i;
    timer.due = kNever;
    const uint32_t reached = count(timer, now);
    set(timer, (timer.configuration & kClearsAtCompare) != 0 ? 0 : reached, now);
    if ((timer.configuration & kOneShot) != 0) {
      timer.configuration &= ~static_cast<uint32_t>(kEnable);
    }
    if ((timer.configuration & kClearsAtCompare) != 0) {
      schedule(timer, now);
    }
  }
  return fired;
}

}  // namespace tinsmith::soc
