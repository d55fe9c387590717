// The cluster's event unit: events, interrupts and masks of each core, barriers, a mutex, and the FIFO that starts
// workers.
//
// Registers as in PULP's event_unit_flex: a window of each core's own, where cv.elw of a waiting register puts its core
// to sleep, and one on the peripheral interconnect, through which others reach the cores' masks and trigger events.
// An event is an interrupt, too, where the core's interrupt mask has its bit: interrupt and event have the same number.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_EVENT_UNIT_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_EVENT_UNIT_H_

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/model/description.h"

namespace tinsmith::soc {

class EventUnit {
 public:
  // cores: by number; they outlive this.
  EventUnit(const Description &description, std::vector<Hart *> cores);

  // A core's access to its window, at cycle hart.time.
  LoadResult load(Hart &hart, uint32_t core, uint32_t offset, bool event);
  void store(uint32_t core, uint32_t offset, uint32_t value, uint64_t now);

  // Anybody's access through the peripheral interconnect.
  uint32_t load_peripheral(uint32_t offset, uint64_t now);
  void store_peripheral(uint32_t offset, uint32_t value, uint64_t now);

  // Sets an event in the buffers of the cores in `mask`, and wakes or interrupts those that it concerns.
  void raise(uint32_t event, uint32_t mask, uint64_t now);

  void raise_everywhere(uint32_t event, uint64_t now) {
    raise(event, all_, now);
  }

  // A core enters the handler of an event's interrupt: the event is taken out of its buffer.
  void acknowledge_interrupt(uint32_t core, uint32_t event, uint64_t now);

  // An event of the chip's peripherals; it is lost if the queue is full.
  void queue_soc_event(uint32_t number, uint64_t now);

  // Four events from `event` on are a device's; `awaited` is what who sleeps for them waits for.
  void add_device(uint32_t event, Stall awaited) {
    (awaited == Stall::kFetchWait ? of_copiers_ : of_accelerators_) |= 0xFU << event;
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
  struct Core {
    uint32_t mask = 0;
    uint32_t interrupt_mask = 0;
    uint32_t software_mask = 0;  // cores for which a waiting trigger is meant
    uint32_t buffer = 0;
    bool waits_for_events = false;
    bool triggered = false;  // the cv.elw that it tries has arrived at its barrier, or triggered its event
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

  // What a core sleeps for, if it has to.
  enum class Wait { kEvent, kTriggered, kBarrier };

  uint32_t load_core(uint32_t core, uint32_t offset) const;
  void store_core(uint32_t core, uint32_t offset, uint32_t value, uint64_t now);
  void change_buffer(uint32_t core, uint32_t buffer, uint64_t now);
  void request_interrupts(uint32_t core, uint64_t now);
  void trigger_software(uint32_t event, uint32_t mask, uint64_t now);
  LoadResult wait(Hart &hart, uint32_t core, bool clears, Wait kind);
  LoadResult trigger_and_wait(Hart &hart, uint32_t core, uint32_t offset);
  uint32_t load_barrier(uint32_t offset) const;
  void store_barrier(uint32_t offset, uint32_t value, uint64_t now);
  LoadResult wait_at_barrier(Hart &hart, uint32_t core, uint32_t offset);
  void arrive(uint32_t barrier, uint32_t mask, uint64_t now);
  LoadResult lock(Hart &hart, uint32_t core);
  void unlock(uint32_t core, uint32_t value, uint64_t now);
  LoadResult take_dispatch(Hart &hart, uint32_t core);
  void dispatch(uint32_t value, uint64_t now);
  uint32_t take_soc_event(uint64_t now);
  Stall cause(uint32_t events) const;

  const Description &description_;
  std::vector<Hart *> harts_;
  std::vector<Core> cores_;
  std::vector<Barrier> barriers_;
  std::deque<uint32_t> mutex_queue_;
  uint32_t mutex_value_ = 0;
  bool mutex_taken_ = false;
  std::deque<Dispatch> dispatches_;
  std::deque<uint32_t> soc_events_;
  uint32_t all_ = 0;
  uint32_t team_ = 0;
  uint64_t epoch_ = 0;
  uint32_t of_accelerators_ = 0;  // their events, as bits
  uint32_t of_copiers_ = 0;       // likewise
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_EVENT_UNIT_H_
