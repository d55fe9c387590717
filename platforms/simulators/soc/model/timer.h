// Two 32-bit timers, as PULP's timer_unit, which the cluster and the fabric controller have: count cycles, compare,
// raise an event.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_TIMER_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_TIMER_H_

#include <array>
#include <cstdint>

namespace tinsmith::soc {

class Timers {
 public:
  static constexpr uint64_t kNever = ~uint64_t{0};

  // Bits of the two timers.
  static constexpr uint32_t kLow = 1;
  static constexpr uint32_t kHigh = 2;

  uint32_t load(uint32_t offset, uint64_t now) const;
  void store(uint32_t offset, uint32_t value, uint64_t now);

  // When a timer next reaches its compare value with its interrupt on.
  uint64_t next_time() const;

  // The timers whose time has come, once each.
  uint32_t take_due(uint64_t now);

 private:
  struct Timer {
    uint32_t configuration = 0;
    uint32_t compare = 0;
    uint32_t value = 0;  // at cycle `since`
    uint64_t since = 0;
    uint64_t due = kNever;
  };

  static uint32_t count(const Timer &timer, uint64_t now);
  static void set(Timer &timer, uint32_t value, uint64_t now);
  static void schedule(Timer &timer, uint64_t now);

  std::array<Timer, 2> timers_{};
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_TIMER_H_
