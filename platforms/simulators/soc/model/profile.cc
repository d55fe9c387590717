#include "platforms/simulators/soc/model/profile.h"

#include <algorithm>

namespace tinsmith::soc {

const char *sleep_name(Stall cause) {
  switch (cause) {
    case Stall::kBarrier:
      return "sleep: barrier";
    case Stall::kDispatch:
      return "sleep: dispatch";
    case Stall::kMutex:
      return "sleep: mutex";
    case Stall::kDmaWait:
      return "sleep: DMA";
    case Stall::kFetchWait:
      return "sleep: fetch";
    case Stall::kAccelerator:
      return "sleep: accelerator";
    default:
      return "sleep: event";
  }
}

Profile::Profile(const std::vector<Function> &functions, size_t cores, bool keep_slices)
    : names_{"(no symbol)"}, functions_(functions), cores_(cores), keep_slices_(keep_slices) {
  constexpr size_t kMostFunctions = UINT16_MAX;
  functions_.resize(std::min(functions_.size(), kMostFunctions));
  for (const Function &function : functions_) {
    names_.push_back(function.name);
  }
  for (Core &core : cores_) {
    core.functions.resize(names_.size());
  }
}

uint16_t Profile::function_at(uint32_t address) const {
  const auto after = std::upper_bound(functions_.begin(), functions_.end(), address,
                                      [](uint32_t wanted, const Function &f) { return wanted < f.address; });
  if (after == functions_.begin()) {
    return 0;
  }
  // Of several names for one address, the first: it is the longest.
  const uint32_t start = std::prev(after)->address;
  const auto found = std::lower_bound(functions_.begin(), functions_.end(), start,
                                      [](const Function &f, uint32_t wanted) { return f.address < wanted; });
  const bool outside = found->bytes != 0 && address - found->address >= found->bytes;
  return outside ? 0 : static_cast<uint16_t>(found - functions_.begin() + 1);
}

Counters Profile::now(const Hart &hart) {
  Counters counters = hart.counters;
  counters.cycles = hart.time;
  return counters;
}

void Profile::enter(size_t core, const Hart &hart, uint16_t function) {
  Core &state = cores_[core];
  state.polls = false;
  const Counters current = now(hart);
  Counters spent = current;
  spent -= state.booked;
  state.functions[state.function] += spent;
  if (spent.cycles != 0) {
    add_slice({static_cast<uint32_t>(core), state.entered, hart.time, names_[state.function]});
  }
  state.booked = current;
  state.entered = hart.time;
  state.function = function;
}

void Profile::mark(size_t core, const Hart &hart, uint32_t region, bool begins) {
  Core &state = cores_[core];
  state.polls = false;
  if (begins) {
    state.open[region] = now(hart);
    return;
  }
  const auto opened = state.open.find(region);
  if (opened == state.open.end()) {
    return;  // a hint, then, that meant something else
  }
  Counters spent = now(hart);
  spent -= opened->second;
  spent.cycles -= 1;  // the mark that began it
  spent.instructions -= 1;
  spent.kinds[static_cast<size_t>(Kind::kAlu)] -= 1;
  state.regions[region] += spent;
  state.open.erase(opened);
}

void Profile::end_stage(const std::vector<std::unique_ptr<Hart>> &harts, uint64_t now, uint32_t stage, uint32_t track) {
  for (size_t core = 0; core < harts.size(); ++core) {
    Core &state = cores_[core];
    state.polls = false;
    if (harts[core]->asleep) {
      state.asleep_at.push_back({stage, now});
    } else {
      book_stage(state, stage, Profile::now(*harts[core]));
    }
  }
  if (stage != 0) {
    add_slice({track, stage_began_, now, "stage " + std::to_string(stage)});
  }
  stage_began_ = now;
}

void Profile::book_stage(Core &core, uint32_t stage, const Counters &current) {
  if (stage != 0) {
    Counters spent = current;
    spent -= core.stage_began;
    core.stages[stage] += spent;
  }
  core.stage_began = current;
}

void Profile::slept(size_t core, const Hart &hart, uint64_t since, Stall cause) {
  Core &state = cores_[core];
  for (const StageEnd &end : state.asleep_at) {
    const uint64_t from = std::clamp(end.at, since, hart.time);
    Counters before = now(hart);
    before.cycles -= hart.time - from;
    before.stalls[static_cast<size_t>(cause)] -= hart.time - from;
    book_stage(state, end.stage, before);
  }
  state.asleep_at.clear();
}

bool Profile::only_polls(const Counters &spent) {
  uint64_t others = spent.instructions;
  for (const Kind kind : {Kind::kAlu, Kind::kBit, Kind::kBranch, Kind::kJump}) {
    others -= spent.kinds[static_cast<size_t>(kind)];
  }
  return others == 1 && spent.kinds[static_cast<size_t>(Kind::kLoad)] == 1;  // the read itself
}

void Profile::poll(size_t core, Hart &hart, bool busy) {
  Core &state = cores_[core];
  Counters spent = now(hart);
  spent -= state.polled;
  if (state.polls && only_polls(spent)) {
    hart.polling += hart.counters;
    hart.counters.kinds = state.polled.kinds;
    hart.counters.kinds[static_cast<size_t>(Kind::kDmaPoll)] += spent.instructions;
    hart.counters.stalls = state.polled.stalls;
    hart.counters.stalls[static_cast<size_t>(Stall::kDmaWait)] += spent.cycles - spent.instructions;
    hart.polling -= hart.counters;
    add_poll_slice(core, hart.time - spent.cycles, hart.time);
  }
  state.polls = busy;
  state.polled = now(hart);
}

void Profile::add_poll_slice(size_t core, uint64_t began, uint64_t ended) {
  if (!keep_slices_) {
    return;
  }
  size_t &last = cores_[core].poll_slice;
  if (last != kNoSlice && slices_[last].ended == began) {
    slices_[last].ended = ended;
    return;
  }
  last = slices_.size();
  add_slice({static_cast<uint32_t>(core), began, ended, "poll: DMA"});
}

void Profile::finish(size_t core, const Hart &hart) {
  enter(core, hart, 0);
}

}  // namespace tinsmith::soc
