// A core's own window: events, and what orders cores: barriers, the mutex, and the FIFO that starts workers.

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
  raise(description_.event_barrier, reached.targets, now);
}

// offset: from the first barrier's registers, as in the next two.
uint32_t EventUnit::load_barrier(uint32_t offset) const {
  const Barrier &barrier = barriers_[offset / kBarrierBytes];
  switch (offset % kBarrierBytes) {
    case kTriggerMask:
      return barrier.members;
    case kStatus:
      return barrier.arrived;
    case kSummary: {
      uint32_t any = 0;
      for (const Barrier &each : barriers_) {
        any |= each.arrived;
      }
      return any;
    }
    case kTargetMask:
      return barrier.targets;
    default:
      fault_no_register(offset);
  }
}

void EventUnit::store_barrier(uint32_t offset, uint32_t value, uint64_t now) {
  const uint32_t index = offset / kBarrierBytes;
  switch (offset % kBarrierBytes) {
    case kTriggerMask:
      barriers_[index].members = value;
      return;
    case kTargetMask:
      barriers_[index].targets = value;
      return;
    case kTrigger:
      return arrive(index, value, now);
    default:
      fault_no_register(offset);
  }
}

LoadResult EventUnit::wait_at_barrier(Hart &hart, uint32_t core, uint32_t offset) {
  if (!cores_[core].triggered) {
    cores_[core].triggered = true;
    arrive(offset / kBarrierBytes, bit(core), hart.time);
  }
  return wait(hart, core, offset % kBarrierBytes == kTriggerWaitClear, Wait::kBarrier);
}

LoadResult EventUnit::lock(Hart &hart, uint32_t core) {
  Core &state = cores_[core];
  if (state.owns_mutex && state.waits_for_mutex) {  // given by the one before
    state.waits_for_mutex = false;
    return {mutex_value_, true};
  }
  if (mutex_taken_) {
    if (!state.waits_for_mutex) {  // or an interrupt made it ask again
      state.waits_for_mutex = true;
      mutex_queue_.push_back(core);
    }
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
    if (harts_[next]->sleeps_for(Stall::kMutex)) {  // and not, for something else, in a handler
      harts_[next]->wake(now + description_.event_wake);
    }
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
      harts_[core]->wake(now + description_.dispatch_wake, Stall::kDispatch);
    }
  }
}

LoadResult EventUnit::load(Hart &hart, uint32_t core, uint32_t offset, bool event) {
  const bool of_barrier = offset - kBarriers < kBarrierCount * kBarrierBytes;
  const bool waits_at_barrier = of_barrier && offset % kBarrierBytes >= kTriggerWait;
  const bool triggers =
      among(offset, kSoftwareWait, kSoftwareEvents) || among(offset, kSoftwareWaitClear, kSoftwareEvents);
  const bool may_sleep = waits_at_barrier || triggers || offset == kWait || offset == kWaitClear ||
                         offset == kDispatchFifo || offset == kMutexRegister;
  if (may_sleep && !event) {
    throw Fault("a register of the event unit that waits is read without cv.elw");
  }
  if (waits_at_barrier) {
    return wait_at_barrier(hart, core, offset - kBarriers);
  }
  if (of_barrier) {
    return {load_barrier(offset - kBarriers), true};
  }
  if (triggers) {
    return trigger_and_wait(hart, core, offset);
  }
  switch (offset) {
    case kWait:
    case kWaitClear:
      return wait(hart, core, offset == kWaitClear, Wait::kEvent);
    case kDispatchFifo:
      return take_dispatch(hart, core);
    case kTeam:
      return {team_, true};
    case kMutexRegister:
      return lock(hart, core);
    default:
      return {load_core(core, offset), true};
  }
}

void EventUnit::store(uint32_t core, uint32_t offset, uint32_t value, uint64_t now) {
  if (offset - kBarriers < kBarrierCount * kBarrierBytes) {
    if (offset % kBarrierBytes == kTriggerSelf) {
      return arrive((offset - kBarriers) / kBarrierBytes, bit(core), now);
    }
    return store_barrier(offset - kBarriers, value, now);
  }
  if (among(offset, kSoftware, kSoftwareEvents)) {
    return trigger_software((offset - kSoftware) / 4, value, now);
  }
  switch (offset) {
    case kDispatchFifo:
      return dispatch(value, now);
    case kTeam:
      team_ = value & all_;
      return;
    case kMutexRegister:
      return unlock(core, value, now);
    default:
      return store_core(core, offset, value, now);
  }
}

}  // namespace tinsmith::soc
