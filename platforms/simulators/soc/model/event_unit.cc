#include "platforms/simulators/soc/model/event_unit.h"

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/model/event_unit_registers.h"

namespace tinsmith::soc {

using namespace event_unit;

namespace {

constexpr uint32_t bit(Event event) {
  return event_unit::bit(static_cast<uint32_t>(event));
}

}  // namespace

EventUnit::EventUnit(const Description &description, std::vector<Hart *> cores)
    : description_(description), harts_(std::move(cores)), cores_(harts_.size()) {
  all_ = low_bits(~0U, static_cast<unsigned>(harts_.size()));
  team_ = all_;
}

void EventUnit::wake(uint32_t core, uint64_t at, Stall cause) {
  if (harts_[core]->asleep) {
    harts_[core]->wake(at, cause);
  }
}

void EventUnit::raise(Event event, uint32_t mask, uint64_t now) {
  const uint32_t wake_after = event == Event::kBarrier ? description_.barrier - 1 : description_.event_wake;
  epoch_ += 1;
  for (uint32_t core = 0; core < cores_.size(); ++core) {
    if ((mask & bit(core)) == 0) {
      continue;
    }
    Core &state = cores_[core];
    state.buffer |= bit(event);
    if (state.waits_for_events && (state.buffer & state.mask) != 0) {
      wake(core, now + wake_after, cause(bit(event)));
    }
  }
}

// What a core waited for that one of these events let go on.
Stall EventUnit::cause(uint32_t events) {
  if ((events & bit(Event::kBarrier)) != 0) {
    return Stall::kBarrier;
  }
  return (events & (bit(Event::kDma) | bit(Event::kDmaAll))) != 0 ? Stall::kDmaWait : Stall::kEvent;
}

// A core that was asleep has paid for the wait; one that finds its event pays for the round trip.
LoadResult EventUnit::wait(Hart &hart, uint32_t core, bool clears, bool at_barrier) {
  Core &state = cores_[core];
  const uint32_t seen = state.buffer & state.mask;
  if (seen == 0) {
    state.waits_for_events = true;
    hart.sleep(cause(at_barrier ? bit(Event::kBarrier) : state.mask));
    return kNotYet;
  }
  if (!state.waits_for_events) {
    hart.stall(cause(seen), (at_barrier ? description_.barrier : description_.core.event_load) - 1);
  }
  state.waits_for_events = false;
  state.arrived = false;
  if (clears) {
    state.buffer &= ~state.mask;
  }
  return {seen, true};
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
