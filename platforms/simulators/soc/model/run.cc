// The loop over cycles: whose turn it is, what devices do meanwhile, and a core's next instruction.

#include <algorithm>
#include <cstdio>

#include "platforms/simulators/soc/model/soc.h"

namespace tinsmith::soc {
namespace {

constexpr uint64_t kNever = ~uint64_t{0};

}  // namespace

Soc::Turn Soc::next_turn() const {
  uint64_t devices = std::min({dma_.next_time(), timers_.next_time(), fc_timers_.next_time()});
  for (const Attached &attached : attached_) {
    devices = std::min(devices, attached.device->next_time());
  }
  Turn turn = {kNever, kNever, 0};
  for (size_t core = 0; core < harts_.size(); ++core) {
    const Hart &hart = *harts_[core];
    if (!hart.running || hart.asleep) {
      continue;
    }
    if (hart.time < turn.time) {
      turn = {hart.time, turn.time, core};
    } else {
      turn.until = std::min(turn.until, hart.time);
    }
  }
  return {std::min(turn.time, devices), std::min(turn.until, devices), turn.core};
}

void Soc::advance_devices(uint64_t now) {
  if (dma_.next_time() <= now) {
    dma_.advance(now);
    watch();
  }
  if (std::min(timers_.next_time(), fc_timers_.next_time()) <= now) {
    advance_timers(now);
  }
  for (Attached &attached : attached_) {
    if (attached.device->next_time() <= now) {
      DevicePort port(*this, attached);
      attached.device->advance(port, now);
      if (attached.device->copies() != nullptr) {
        watch_copies();
      }
    }
  }
}

void Soc::advance_timers(uint64_t now) {
  const Description &d = description_;
  const uint32_t fired = timers_.take_due(now);
  if ((fired & Timers::kLow) != 0) {
    events_.raise_everywhere(d.event_timer_low, now);
  }
  if ((fired & Timers::kHigh) != 0) {
    events_.raise_everywhere(d.event_timer_high, now);
  }
  const uint32_t fc_fired = fc_timers_.take_due(now);
  if ((fc_fired & Timers::kLow) != 0) {
    interrupts_.raise(d.fc_interrupt_timer_low, now);
  }
  if ((fc_fired & Timers::kHigh) != 0) {
    interrupts_.raise(d.fc_interrupt_timer_high, now);
  }
}

// Steps the turn's core as long as nothing else can happen: until then, unless it sleeps or turns to a device.
void Soc::run_alone(const Turn &turn, Result &result) {
  const Hart &hart = *harts_[turn.core];
  const uint64_t until = std::min(turn.until, options_.most_cycles);
  result.culprit = turn.core;
  device_used_ = false;
  while (hart.time < until && !device_used_ && !hart.asleep && !exited_) {
    result.cycles = hart.time;
    step<false>(turn.core);
  }
}

// Ends like `run`, or throws a fault: then `result` names the core that caused it.
template <bool kObserved>
void Soc::run_cycles(Result &result) {
  while (!exited_) {
    result.culprit.reset();  // nobody's fault yet
    const Turn turn = next_turn();
    if (turn.time == kNever) {
      throw Fault("every core sleeps, and nothing is left that could wake one");
    }
    result.cycles = turn.time;
    if (result.cycles >= options_.most_cycles) {
      result.outcome = Outcome::kOutOfCycles;
      return;
    }
    if constexpr (kObserved) {
      for (Observer *observer : observers_) {
        observer->cycle_begins(result.cycles);
      }
    } else if (turn.time < turn.until) {
      run_alone(turn, result);
      continue;
    }
    advance_devices(result.cycles);
    for (size_t core = 0; core < harts_.size() && !exited_; ++core) {
      const Hart &hart = *harts_[core];
      if (hart.time == result.cycles && hart.running && !hart.asleep) {
        result.culprit = core;
        step<kObserved>(core);
      }
    }
  }
}

// False if there was a fault that an observer lets it survive.
bool Soc::runs_to_its_end(Result &result) {
  try {
    observers_.empty() ? run_cycles<false>(result) : run_cycles<true>(result);
  } catch (const Fault &fault) {
    return !goes_on_after(fault, result);
  }
  return true;
}

// In the program's handler, or because an observer lets it; otherwise `result` says what was wrong.
bool Soc::goes_on_after(const Fault &fault, Result &result) {
  const bool is_debuggers = fault.kind == FaultKind::kBreakpoint && takes_breakpoints();
  try {
    if (result.culprit && !options_.stop_at_exceptions && !is_debuggers &&
        harts_[*result.culprit]->take_exception(fault.kind)) {
      return true;
    }
  } catch (const Fault &second) {
    return survives_or_ends(second, result);
  }
  return survives_or_ends(fault, result);
}

bool Soc::survives_or_ends(const Fault &fault, Result &result) {
  if (survives(fault, result.culprit)) {
    return true;
  }
  result.outcome = Outcome::kFault;
  result.reason = fault.what();
  return false;
}

Result Soc::run() {
  Result result;
  try {
    while (!runs_to_its_end(result)) {
    }
  } catch (const Stopped &) {
    result.outcome = Outcome::kStopped;
  }
  result.exit_code = exit_code_;
  for (size_t core = 0; core < harts_.size(); ++core) {
    if (harts_[core]->asleep) {
      harts_[core]->wake(result.cycles);  // its sleep counts, too
    }
    profile_.finish(core, *harts_[core]);
  }
  if (!line_.empty()) {
    std::fwrite(line_.data(), 1, line_.size(), stdout);
  }
  std::fflush(stdout);
  return result;
}

template <bool kObserved>
void Soc::step(size_t core) {
  Hart &hart = *harts_[core];
  if (hart.interrupt_due()) [[unlikely]] {
    hart.take_interrupt();
    return;
  }
  if constexpr (kObserved) {
    for (Observer *observer : observers_) {
      observer->before_step(core);
    }
  }
  Fetch &state = fetches_[core];
  if (core < description_.cluster_cores) {
    const uint32_t line = icache_.line_of(hart.pc);
    if (line != state.line) {
      state.line = line;
      const uint32_t waits = icache_.fetch(static_cast<uint32_t>(core), line, hart.time);
      if (waits != 0) {
        hart.stall(Stall::kInstructionCache, waits);
        return;
      }
    }
  }
  const Instruction &instruction = fetch(state, hart);
  if (instruction.function != state.function) {
    state.function = instruction.function;
    profile_.enter(core, hart, instruction.function);
  }
  if constexpr (kObserved) {
    execute_observed(core, instruction);
  } else {
    hart.step(instruction);
  }
}

// The instruction is a copy: one that stores into itself is forgotten while it executes.
void Soc::execute_observed(size_t core, Instruction instruction) {
  Hart &hart = *harts_[core];
  const uint64_t before = hart.counters.instructions;
  hart.step(instruction);
  if (hart.counters.instructions != before) {
    for (Observer *observer : observers_) {
      observer->executed(core, instruction);
    }
  }
}

const Instruction &Soc::fetch(Fetch &state, const Hart &hart) {
  if ((hart.pc & ~(Memory::kPageBytes - 1)) != state.page_address) [[unlikely]] {
    turn_page(state, hart);
  }
  Instruction &slot = (*state.page)[hart.pc % Memory::kPageBytes / 2];
  if (slot.execute == nullptr) [[unlikely]] {
    decode_at(slot, hart);
  }
  return slot;
}

void Soc::turn_page(Fetch &state, const Hart &hart) {
  const uint32_t resolved = resolve(hart.pc);
  MemoryRegion *region = memories_.find(resolved, 2);
  if (region == nullptr) {
    const MemoryRegion *remote = memories_.find_any(resolved, 2);
    throw Fault(remote == nullptr ? "instructions are fetched from outside the memories"
                : remote == &memories_.l1()
                    ? "instructions are fetched from L1, which is the devices' alone: no core reaches it"
                    : "instructions are fetched from a remote memory, which no core reaches",
                FaultKind::kBadAddress);
  }
  state.page = &region->memory.decoded(resolved).of(hart.isa);
  state.page_address = hart.pc & ~(Memory::kPageBytes - 1);
}

void Soc::decode_at(Instruction &slot, const Hart &hart) {
  const uint32_t address = resolve(hart.pc);
  const Memory &memory = memories_.find(address, 2)->memory;
  slot = hart.decode(memory.read(address, memory.holds(address, 4) ? 4 : 2));
  slot.function = profile_.function_at(hart.pc);
}

// Stores drop what was decoded from their bytes at once; only the caches' tags are left.
void Soc::instructions_changed() {
  icache_.clear();
  for (Fetch &fetch : fetches_) {
    fetch.line = ~0U;
  }
}

}  // namespace tinsmith::soc
