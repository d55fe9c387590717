#include "platforms/simulators/soc/model/event_unit.h"

#include "platforms/simulators/soc/isa/bits.h"

namespace tinsmith::soc {
namespace {

enum Register : uint32_t {
  kMask = 0x00,
  kMaskAnd = 0x04,
  kMaskOr = 0x08,
  kBuffer = 0x1C,
  kBufferMasked = 0x20,
  kBufferClear = 0x28,
  kWait = 0x38,
  kWaitClear = 0x3C,
  kDispatchFifo = 0x80,
  kTeam = 0x84,
  kMutexRegister = 0xC0,
  kSoftware = 0x100,  // 4 bytes for each event
  kBarrierBase = 0x200,
  kBarrierBytes = 0x20,
};

enum BarrierRegister : uint32_t {
  kTriggerMask = 0x0,
  kStatus = 0x4,
  kSummary = 0x8,
  kTargetMask = 0xC,
  kTrigger = 0x10,
  kTriggerSelf = 0x14,
  kTriggerWait = 0x18,
  kTriggerWaitClear = 0x1C,
};

constexpr uint32_t kSoftwareEvents = 8;

constexpr uint32_t bit(uint32_t number) {
  return 1U << number;
}

constexpr uint32_t bit(Event event) {
  return bit(static_cast<uint32_t>(event));
}

[[noreturn]] void fault_no_register(uint32_t offset) {
  throw Fault("the event unit has no register at offset " + std::to_string(offset) + " for such an access");
}

constexpr LoadResult kNotYet = {0, false};

}  // namespace

EventUnit::EventUnit(const Description &description, std::vector<Hart *> cores)
    : description_(description), harts_(std::move(cores)), cores_(harts_.size()) {
  all_ = low_bits(~0U, static_cast<unsigned>(harts_.size()));
  team_ = all_;
}

void EventUnit::wake(uint32_t core, uint64_t at) {
  if (harts_[core]->asleep) {
    harts_[core]->wake(at);
  }
}

void EventUnit::raise(Event event, uint32_t mask, uint64_t now) {
  const uint32_t wake_after = event == Event::kBarrier ? description_.barrier - 1 : description_.event_wake;
  for (uint32_t core = 0; core < cores_.size(); ++core) {
    if ((mask & bit(core)) == 0) {
      continue;
    }
    Core &state = cores_[core];
    state.buffer |= bit(event);
    if (state.waits_for_events && (state.buffer & state.mask) != 0) {
      wake(core, now + wake_after);
    }
  }
}

Stall EventUnit::cause(uint32_t core, bool at_barrier) const {
  const uint32_t of_dma = bit(Event::kDma) | bit(Event::kDmaAll);
  if (at_barrier) {
    return Stall::kBarrier;
  }
  return (cores_[core].mask & of_dma) != 0 ? Stall::kDmaWait : Stall::kEvent;
}

// A core that was asleep has paid for the wait; one that finds its event pays for the round trip.
LoadResult EventUnit::wait(Hart &hart, uint32_t core, bool clears, bool at_barrier) {
  Core &state = cores_[core];
  const uint32_t seen = state.buffer & state.mask;
  if (seen == 0) {
    state.waits_for_events = true;
    hart.sleep(cause(core, at_barrier));
    return kNotYet;
  }
  if (!state.waits_for_events) {
    hart.stall(cause(core, at_barrier), (at_barrier ? description_.barrier : description_.core.event_load) - 1);
  }
  state.waits_for_events = false;
  state.arrived = false;
  if (clears) {
    state.buffer &= ~state.mask;
  }
  return {seen, true};
}

void EventUnit::arrive(uint32_t barrier, uint32_t mask, uint64_t now) {
  Barrier &reached = barriers_[barrier];
  reached.arrived |= mask;
  if (reached.members == 0 || (reached.arrived & reached.members) != reached.members) {
    return;
  }
  reached.arrived = 0;
  epoch_ += 1;
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
    hart.sleep(Stall::kEvent);
    return kNotYet;
  }
  mutex_taken_ = true;
  state.owns_mutex = true;
  epoch_ += 1;
  hart.stall(Stall::kEvent, description_.core.event_load - 1);
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
    wake(next, now + description_.event_wake);
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
        hart.stall(Stall::kEvent, description_.core.event_load - 1);
      }
      state.waits_for_dispatch = false;
      return {value, true};
    }
  }
  state.waits_for_dispatch = true;
  hart.sleep(Stall::kEvent);
  return kNotYet;
}

void EventUnit::dispatch(uint32_t value, uint64_t now) {
  dispatches_.push_back({value, team_});
  epoch_ += 1;
  for (uint32_t core = 0; core < cores_.size(); ++core) {
    if ((team_ & bit(core)) != 0 && cores_[core].waits_for_dispatch) {
      wake(core, now + description_.dispatch_wake);
    }
  }
}

LoadResult EventUnit::load(Hart &hart, uint32_t core, uint32_t offset, bool event) {
  const bool may_sleep = offset == kWait || offset == kWaitClear || offset == kDispatchFifo ||
                         offset == kMutexRegister || (offset >= kBarrierBase && offset % kBarrierBytes >= kTriggerWait);
  if (may_sleep && !event) {
    throw Fault("a register of the event unit that waits is read without cv.elw");
  }
  switch (offset) {
    case kMask:
      return {cores_[core].mask, true};
    case kBuffer:
      return {cores_[core].buffer, true};
    case kBufferMasked:
      return {cores_[core].buffer & cores_[core].mask, true};
    case kWait:
      return wait(hart, core, false, false);
    case kWaitClear:
      return wait(hart, core, true, false);
    case kDispatchFifo:
      return take_dispatch(hart, core);
    case kTeam:
      return {team_, true};
    case kMutexRegister:
      return lock(hart, core);
    default:
      break;
  }
  if (offset >= kBarrierBase && offset < kBarrierBase + kBarriers * kBarrierBytes) {
    return load_barrier(hart, core, offset);
  }
  fault_no_register(offset);
}

void EventUnit::store(uint32_t core, uint32_t offset, uint32_t value, uint64_t now) {
  Core &state = cores_[core];
  switch (offset) {
    case kMask:
      state.mask = value;
      return;
    case kMaskAnd:
      state.mask &= ~value;
      return;
    case kMaskOr:
      state.mask |= value;
      return;
    case kBufferClear:
      state.buffer &= ~value;
      return;
    case kDispatchFifo:
      dispatch(value, now);
      return;
    case kTeam:
      team_ = value & all_;
      return;
    case kMutexRegister:
      unlock(core, value, now);
      return;
    default:
      break;
  }
  if (offset >= kSoftware && offset < kSoftware + 4 * kSoftwareEvents) {
    raise(static_cast<Event>((offset - kSoftware) / 4), value == 0 ? all_ : value, now);
  } else if (offset >= kBarrierBase && offset < kBarrierBase + kBarriers * kBarrierBytes) {
    store_barrier(core, offset, value, now);
  } else {
    fault_no_register(offset);
  }
}

}  // namespace tinsmith::soc
