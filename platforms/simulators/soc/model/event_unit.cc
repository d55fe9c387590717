// Events and interrupts of each core, and the two ways to the registers.

#include "platforms/simulators/soc/model/event_unit.h"

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/model/event_unit_registers.h"

namespace tinsmith::soc {

using namespace event_unit;

EventUnit::EventUnit(const Description &description, std::vector<Hart *> cores)
    : description_(description), harts_(std::move(cores)), cores_(harts_.size()), barriers_(kBarrierCount) {
  all_ = low_bits(~0U, static_cast<unsigned>(harts_.size()));
  team_ = all_;
}

void EventUnit::request_interrupts(uint32_t core, uint64_t now) {
  harts_[core]->request_interrupts(cores_[core].buffer & cores_[core].interrupt_mask, now);
}

void EventUnit::change_buffer(uint32_t core, uint32_t buffer, uint64_t now) {
  cores_[core].buffer = buffer;
  if (cores_[core].interrupt_mask != 0) {
    request_interrupts(core, now);
  }
}

void EventUnit::raise(uint32_t event, uint32_t mask, uint64_t now) {
  const bool of_barrier = event == description_.event_barrier;
  const uint32_t wake_after = of_barrier ? description_.barrier - 1 : description_.event_wake;
  epoch_ += 1;
  for (uint32_t core = 0; core < cores_.size(); ++core) {
    if ((mask & bit(core)) == 0) {
      continue;
    }
    const Core &state = cores_[core];
    change_buffer(core, state.buffer | bit(event), now);
    if (state.waits_for_events && (state.buffer & state.mask) != 0) {
      harts_[core]->wake(now + wake_after, cause(bit(event)));
    }
  }
}

// If it was asleep in a cv.elw, that is tried again after the handler.
void EventUnit::acknowledge_interrupt(uint32_t core, uint32_t event, uint64_t now) {
  cores_[core].waits_for_events = false;
  cores_[core].waits_for_dispatch = false;
  change_buffer(core, cores_[core].buffer & ~bit(event), now);
}

// What a core waited for that one of these events let go on.
Stall EventUnit::cause(uint32_t events) const {
  if ((events & bit(description_.event_barrier)) != 0) {
    return Stall::kBarrier;
  }
  const uint32_t of_dma = bit(description_.event_dma) | bit(description_.event_dma_interrupt);
  if ((events & of_dma) != 0) {
    return Stall::kDmaWait;
  }
  if ((events & of_copiers_) != 0) {
    return Stall::kFetchWait;
  }
  return (events & of_accelerators_) != 0 ? Stall::kAccelerator : Stall::kEvent;
}

// A core that was asleep has paid for the wait; one that finds its event pays for the round trip.
LoadResult EventUnit::wait(Hart &hart, uint32_t core, bool clears, Wait kind) {
  Core &state = cores_[core];
  const uint32_t seen = state.buffer & state.mask;
  if (seen == 0) {
    state.waits_for_events = true;
    hart.sleep(cause(kind == Wait::kBarrier ? bit(description_.event_barrier) : state.mask));
    return kNotYet;
  }
  if (!state.waits_for_events) {
    const bool at_barrier = kind == Wait::kBarrier;
    hart.stall(cause(seen), (at_barrier ? description_.barrier : description_.core.event_load) - 1);
  }
  state.waits_for_events = false;
  if (kind != Wait::kEvent) {
    state.triggered = false;
  }
  if (clears) {
    change_buffer(core, state.buffer & ~state.mask, hart.time);
  }
  return {seen, true};
}

void EventUnit::trigger_software(uint32_t event, uint32_t mask, uint64_t now) {
  raise(event, mask == 0 ? all_ : mask, now);
}

LoadResult EventUnit::trigger_and_wait(Hart &hart, uint32_t core, uint32_t offset) {
  if (!cores_[core].triggered) {
    cores_[core].triggered = true;
    trigger_software(offset % kCoreBytes / 4, cores_[core].software_mask, hart.time);
  }
  return wait(hart, core, offset >= kSoftwareWaitClear, Wait::kTriggered);
}

void EventUnit::queue_soc_event(uint32_t number, uint64_t now) {
  if (soc_events_.size() < description_.soc_event_queue) {
    soc_events_.push_back(number);
    raise_everywhere(description_.event_soc, now);
  }
}

uint32_t EventUnit::take_soc_event(uint64_t now) {
  if (soc_events_.empty()) {
    return 0;
  }
  const uint32_t number = soc_events_.front();
  soc_events_.pop_front();
  if (!soc_events_.empty()) {
    raise_everywhere(description_.event_soc, now);
  }
  return kSocEventValid | number;
}

uint32_t EventUnit::load_core(uint32_t core, uint32_t offset) const {
  const Core &state = cores_[core];
  switch (offset) {
    case kMask:
      return state.mask;
    case kInterruptMask:
      return state.interrupt_mask;
    case kBuffer:
      return state.buffer;
    case kBufferMasked:
      return state.buffer & state.mask;
    case kBufferInterruptMasked:
      return state.buffer & state.interrupt_mask;
    case kSoftwareMask:
      return state.software_mask;
    default:
      fault_no_register(offset);
  }
}

void EventUnit::store_core(uint32_t core, uint32_t offset, uint32_t value, uint64_t now) {
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
    case kInterruptMask:
      state.interrupt_mask = value;
      return request_interrupts(core, now);
    case kInterruptMaskAnd:
      state.interrupt_mask &= ~value;
      return request_interrupts(core, now);
    case kInterruptMaskOr:
      state.interrupt_mask |= value;
      return request_interrupts(core, now);
    case kBufferClear:
      return change_buffer(core, state.buffer & ~value, now);
    case kSoftwareMask:
      state.software_mask = value;
      return;
    case kSoftwareMaskAnd:
      state.software_mask &= ~value;
      return;
    case kSoftwareMaskOr:
      state.software_mask |= value;
      return;
    default:
      fault_no_register(offset);
  }
}

uint32_t EventUnit::load_peripheral(uint32_t offset, uint64_t now) {
  if (offset < kCoreBytes * cores_.size()) {
    return load_core(offset / kCoreBytes, offset % kCoreBytes);
  }
  if (offset - kPeripheralBarriers < kBarrierCount * kBarrierBytes) {
    return load_barrier(offset - kPeripheralBarriers);
  }
  if (offset == kSocEvent) {
    return take_soc_event(now);
  }
  fault_no_register(offset);
}

void EventUnit::store_peripheral(uint32_t offset, uint32_t value, uint64_t now) {
  if (offset < kCoreBytes * cores_.size()) {
    return store_core(offset / kCoreBytes, offset % kCoreBytes, value, now);
  }
  if (offset - kPeripheralBarriers < kBarrierCount * kBarrierBytes) {
    return store_barrier(offset - kPeripheralBarriers, value, now);
  }
  if (among(offset, kPeripheralSoftware, kSoftwareEvents)) {
    return trigger_software((offset - kPeripheralSoftware) / 4, value, now);
  }
  fault_no_register(offset);
}

}  // namespace tinsmith::soc
