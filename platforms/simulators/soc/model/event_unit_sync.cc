// What the event unit does beyond events: barriers, the mutex, and the FIFO that starts workers.

#include "platforms/simulators/soc/model/event_unit.h"
#include "platforms/simulators/soc/model/event_unit_registers.h"

namespace tinsmith::soc {

using namespace event_unit;

void EventUnit::arrive(uint32_t barrier, uint32_t mask, uint64_t now) {
  Barrier &reached = barriers_[barrier];
  reached.arrived |= mask;
  if (reached.members == 0 || (reached.arrived & reached.members) != reached.members) {
    return;
  }
  reached.arrived = 0;
  raise(Event::kBarrier, reached.targets, now);
}

LoadResult EventUnit::load_barrier(Hart &hart, uint32_t core, uint32_t offset) {
  const uint32_t index = (offset - kBarrierBase) / kBarrierBytes;
  const Barrier &barrier = barriers_[index];
  const uint32_t which = offset % kBarrierBytes;
  switch (which) {
    case kTriggerMask:
      return {barrier.members, true};
    case kStatus:
      return {barrier.arrived, true};
    case kSummary: {
      uint32_t any = 0;
      for (const Barrier &each : barriers_) {
        any |= each.arrived;
      }
      return {any, true};
    }
    case kTargetMask:
      return {barrier.targets, true};
    case kTriggerWait:
    case kTriggerWaitClear:
      if (!cores_[core].arrived) {
        cores_[core].arrived = true;
        arrive(index, bit(core), hart.time);
      }
      return wait(hart, core, which == kTriggerWaitClear, true);
    default:
      fault_no_register(offset);
  }
}

void EventUnit::store_barrier(uint32_t core, uint32_t offset, uint32_t value, uint64_t now) {
  const uint32_t index = (offset - kBarrierBase) / kBarrierBytes;
  switch (offset % kBarrierBytes) {
    case kTriggerMask:
      barriers_[index].members = value;
      return;
    case kTargetMask:
      barriers_[index].targets = value;
      return;
    case kTrigger:
      arrive(index, value, now);
      return;
    case kTriggerSelf:
      arrive(index, bit(core), now);
      return;
    default:
      fault_no_register(offset);
  }
}

LoadResult EventUnit::lock(Hart &hart, uint32_t core) {
  Core &state = cores_[core];
  if (state.owns_mutex && state.waits_for_mutex) {  // given by the one before
    state.waits_for_mutex = false;
    return {mutex_value_, true};
  }
  if (mutex_taken_) {
    state.waits_for_mutex = true;
    mutex_queue_.push_back(core);
    hart.sleep(Stall::kMutex);
    return kNotYet;
  }
  mutex_taken_ = true;
  state.owns_mutex = true;
  epoch_ += 1;
  hart.stall(Stall::kMutex, description_.core.event_load - 1);
  return {mutex_value_, true};
}

void EventUnit::unlock(uint32_t core, uint32_t value, uint64_t now) {
  if (!cores_[core].owns_mutex) {
    throw Fault("a mutex is given back by a core that does not hold it");
  }
  cores_[core].owns_mutex = false;
  mutex_value_ = value;
  mutex_taken_ = !mutex_queue_.empty();
  epoch_ += 1;
  if (mutex_taken_) {
    const uint32_t next = mutex_queue_.front();
    mutex_queue_.pop_front();
    cores_[next].owns_mutex = true;
    wake(next, now + description_.event_wake, Stall::kMutex);
  }
}

LoadResult EventUnit::take_dispatch(Hart &hart, uint32_t core) {
  Core &state = cores_[core];
  for (Dispatch &entry : dispatches_) {
    if ((entry.readers & bit(core)) != 0) {
      entry.readers &= ~bit(core);
      const uint32_t value = entry.value;
      while (!dispatches_.empty() && dispatches_.front().readers == 0) {
        dispatches_.pop_front();
      }
      if (!state.waits_for_dispatch) {
        hart.stall(Stall::kDispatch, description_.core.event_load - 1);
      }
      state.waits_for_dispatch = false;
      return {value, true};
    }
  }
  state.waits_for_dispatch = true;
  hart.sleep(Stall::kDispatch);
  return kNotYet;
}

void EventUnit::dispatch(uint32_t value, uint64_t now) {
  dispatches_.push_back({value, team_});
  epoch_ += 1;
  for (uint32_t core = 0; core < cores_.size(); ++core) {
    if ((team_ & bit(core)) != 0 && cores_[core].waits_for_dispatch) {
      wake(core, now + description_.dispatch_wake, Stall::kDispatch);
    }
  }
}

}  // namespace tinsmith::soc
