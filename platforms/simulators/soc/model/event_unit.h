// The cluster's event unit: events and masks of each core, barriers, a mutex, and the FIFO that starts workers.
//
// Registers as in the per-core window of PULP's event_unit_flex; cv.elw of a waiting register puts its core to sleep.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_EVENT_UNIT_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_EVENT_UNIT_H_

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/model/description.h"

namespace tinsmith::soc {

enum class Event : uint32_t {
  kSoftware0 = 0,
  kDma = 8,
  kDmaAll = 9,
  kTimerLow = 10,
  kTimerHigh = 11,
  kAccelerator0 = 12,
  kBarrier = 16,
  kMutex = 17,
  kDispatch = 18,
};

class EventUnit {
 public:
  // cores: by number; they outlive this.
  EventUnit(const Description &description, std::vector<Hart *> cores);

  // A core's access to its window, at cycle hart.time.
  LoadResult load(Hart &hart, uint32_t core, uint32_t offset, bool event);
  void store(uint32_t core, uint32_t offset, uint32_t value, uint64_t now);

  // Sets an event in the buffers of the cores in `mask`, and wakes those that wait for it.
  void raise(Event event, uint32_t mask, uint64_t now);

  void raise_everywhere(Event event, uint64_t now) {
    raise(event, all_, now);
  }

  // Counts what may order the cores' accesses: events, barriers among them, forks, changes of a mutex's owner.
  uint64_t epoch() const {
    return epoch_;
  }

  // The cores are ordered by something else.
  void begin_epoch() {
    epoch_ += 1;
  }

 private:
  static constexpr uint32_t kBarriers = 8;

  struct Core {
    uint32_t mask = 0;
    uint32_t buffer = 0;
    bool waits_for_events = false;
    bool arrived = false;  // at a barrier, and not gone on
    bool waits_for_mutex = false;
    bool owns_mutex = false;
    bool waits_for_dispatch = false;
  };

  struct Barrier {
    uint32_t members = 0;
    uint32_t targets = 0;
    uint32_t arrived = 0;
  };

  struct Dispatch {
    uint32_t value;
    uint32_t readers;  // cores that have yet to take it
  };

  LoadResult wait(Hart &hart, uint32_t core, bool clears, bool at_barrier);
  LoadResult load_barrier(Hart &hart, uint32_t core, uint32_t offset);
  void store_barrier(uint32_t core, uint32_t offset, uint32_t value, uint64_t now);
  void arrive(uint32_t barrier, uint32_t mask, uint64_t now);
  LoadResult lock(Hart &hart, uint32_t core);
  void unlock(uint32_t core, uint32_t value, uint64_t now);
  LoadResult take_dispatch(Hart &hart, uint32_t core);
  void dispatch(uint32_t value, uint64_t now);
  void wake(uint32_t core, uint64_t at, Stall cause);
  static Stall cause(uint32_t events);

  const Description &description_;
  std::vector<Hart *> harts_;
  std::vector<Core> cores_;
  std::array<Barrier, kBarriers> barriers_{};
  std::deque<uint32_t> mutex_queue_;
  uint32_t mutex_value_ = 0;
  bool mutex_taken_ = false;
  std::deque<Dispatch> dispatches_;
  uint32_t all_ = 0;
  uint32_t team_ = 0;
  uint64_t epoch_ = 0;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_EVENT_UNIT_H_
