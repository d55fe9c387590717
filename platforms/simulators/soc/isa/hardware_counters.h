// The performance counters that programs see: they can be written, stopped and, one of them, told what to count.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_HARDWARE_COUNTERS_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_HARDWARE_COUNTERS_H_

#include <array>
#include <cstdint>

namespace tinsmith::soc {

// How often each event of CV32E40P has happened, by its number in mhpmevent.
using EventCounts = std::array<uint64_t, 16>;

enum HardwareEvent : uint32_t {
  kCycleEvent = 0,
  kInstructionEvent = 1,
  kLoadUseEvent = 2,
  kFetchWaitEvent = 4,
  kLoadEvent = 5,
  kStoreEvent = 6,
  kJumpEvent = 7,
  kBranchEvent = 8,
  kBranchTakenEvent = 9,
  kCompressedEvent = 10,
};

// Counters have CV32E40P's numbers: mcycle, (none), minstret, mhpmcounter3, and so on up to 31.
class HardwareCounters {
 public:
  // The counter, of those numbered from 3 on, that exists; the others are 0 for ever.
  static constexpr uint32_t kSelectable = 3;

  uint64_t read(uint32_t counter, const EventCounts &now) const;
  void write(uint32_t counter, uint64_t value, const EventCounts &now);

  // mcountinhibit: a bit for each counter that stands still.
  uint32_t stopped() const {
    return stopped_;
  }
  void stop(uint32_t counters, const EventCounts &now);

  // mhpmevent: a bit for each event that the counter counts.
  uint32_t events(uint32_t counter) const {
    return counter == kSelectable ? selected_ : 0;
  }
  void select(uint32_t counter, uint32_t events, const EventCounts &now);

 private:
  static bool exists(uint32_t counter) {
    return counter == 0 || counter == 2 || counter == kSelectable;
  }
  uint64_t moving(uint32_t counter, const EventCounts &now) const;

  std::array<uint64_t, kSelectable + 1> offsets_{};  // to what its events make of it
  uint32_t stopped_ = 0;
  uint32_t selected_ = 0;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_HARDWARE_COUNTERS_H_
