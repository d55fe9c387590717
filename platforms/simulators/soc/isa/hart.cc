#include "platforms/simulators/soc/isa/hart.h"

#include "platforms/simulators/soc/isa/bits.h"

namespace tinsmith::soc {
namespace {

// An instruction that cannot be completed yet; its core sleeps already.
struct Retry {};

}  // namespace

void Port::breakpoint(Hart &) {
  throw Fault("ebreak", FaultKind::kBreakpoint);
}

Counters &Counters::operator+=(const Counters &other) {
  cycles += other.cycles;
  instructions += other.instructions;
  for (size_t i = 0; i < kinds.size(); ++i) {
    kinds[i] += other.kinds[i];
  }
  for (size_t i = 0; i < stalls.size(); ++i) {
    stalls[i] += other.stalls[i];
  }
  return *this;
}

Counters &Counters::operator-=(const Counters &other) {
  cycles -= other.cycles;
  instructions -= other.instructions;
  for (size_t i = 0; i < kinds.size(); ++i) {
    kinds[i] -= other.kinds[i];
  }
  for (size_t i = 0; i < stalls.size(); ++i) {
    stalls[i] -= other.stalls[i];
  }
  return *this;
}

void Hart::step(const Instruction &instruction) {
  if ((loading_ & instruction.reads) != 0) {
    loading_ = 0;
    stall(Stall::kLoadUse, timing.load_use);
    return;  // and comes again
  }
  loading_ = 0;
  if (instruction.checks != 0) {
    check(instruction);
  }
  next_pc = pc + instruction.size;
  try {
    instruction.execute(*this, instruction);
  } catch (const Retry &) {
    return;
  }
  if (asleep) {
    return;
  }
  counters.instructions += 1;
  counters.kinds[static_cast<size_t>(instruction.kind)] += 1;
  time += 1;
  if (instruction.checks != 0) {
    note(instruction);
  }
  if ((instruction.checks & kTraps) == 0) {
    follow_loops();
  }
  pc = next_pc;
}

void Hart::check(const Instruction &instruction) const {
  if ((instruction.checks & kBarredFromLoops) != 0 && inside_loop()) {
    throw Fault("a compressed, branch, jump or system instruction in the body of a hardware loop");
  }
  if ((instruction.checks & kUsesFloat) != 0) {
    require_float();
  }
}

void Hart::note(const Instruction &instruction) {
  compressed_ += (instruction.checks & kCompressed) != 0 ? 1 : 0;
  if ((instruction.checks & kChangesFloat) != 0) {
    mstatus_ |= kFloatState;
  }
}

void Hart::require_float() const {
  if ((mstatus_ & kFloatState) == 0) {
    throw Fault("illegal instruction: floating point is off (mstatus.FS is 0)", FaultKind::kIllegalInstruction);
  }
}

// Only a body's last instruction has its loop's end behind it: branches and jumps are barred from bodies, and this is
// not for what traps.
void Hart::follow_loops() {
  for (HardwareLoop &loop : loops) {
    if (loop.count == 0 || next_pc != loop.end || pc < loop.start || pc >= loop.end) {
      continue;
    }
    loop.count -= 1;
    if (loop.count != 0) {
      next_pc = loop.start;
      return;
    }
  }
}

bool Hart::inside_loop() const {
  for (const HardwareLoop &loop : loops) {
    if (loop.count != 0 && pc >= loop.start && pc < loop.end) {
      return true;
    }
  }
  return false;
}

void Hart::take_branch(uint32_t target) {
  branches_taken_ += 1;
  jump(target, timing.branch_taken);
}

void Hart::jump(uint32_t target, uint32_t cycles) {
  next_pc = target;
  stall(Stall::kBranch, cycles - 1);
}

uint32_t Hart::load(uint32_t address, uint32_t bytes, uint32_t rd) {
  const uint32_t value = load_now(address, bytes);
  loading_ = rd == 0 ? 0 : uint64_t{1} << rd;
  return value;
}

uint32_t Hart::load_float(uint32_t address, uint32_t fd) {
  const uint32_t value = load_now(address, 4);
  loading_ = uint64_t{1} << (32 + fd);
  return value;
}

uint32_t Hart::load_now(uint32_t address, uint32_t bytes) {
  const LoadResult result = port_->load(*this, address, bytes, false);
  if (!result.granted) {
    throw Retry();
  }
  return result.value;
}

void Hart::load_event(uint32_t address, uint32_t rd) {
  const LoadResult result = port_->load(*this, address, 4, true);
  if (result.granted) {
    set(rd, result.value);
  }
}

void Hart::store(uint32_t address, uint32_t bytes, uint32_t value) {
  port_->store(*this, address, bytes, value);
}

void Hart::mark(uint32_t region, bool begins) {
  port_->mark(*this, region, begins);
}

void Hart::end_stage(uint32_t stage) {
  port_->end_stage(*this, stage);
}

void Hart::breakpoint() {
  port_->breakpoint(*this);
}

void Hart::instructions_changed() {
  port_->instructions_changed();
  takes(timing.fence_i);
}

void Hart::sleep(Stall cause) {
  asleep = true;
  asleep_since_ = time;
  asleep_for_ = cause;
}

void Hart::wake(uint64_t at, Stall cause) {
  if (!asleep) {
    return;
  }
  asleep = false;
  waits_for_interrupt_ = false;
  const uint64_t slept = at > asleep_since_ ? at - asleep_since_ : 0;
  time += slept;
  counters.stalls[static_cast<size_t>(cause)] += slept;
  port_->slept(*this, asleep_since_, cause);
}

float32::Context Hart::float_context(const Instruction &instruction) const {
  constexpr uint32_t kDynamic = 7;
  const uint32_t rm = field(instruction.word, 14, 12);
  const uint32_t rounding = rm == kDynamic ? frm_ : rm;
  if (rounding > static_cast<uint32_t>(float32::Rounding::kNearestAway)) {
    throw Fault("a reserved rounding mode: " + std::to_string(rounding), FaultKind::kIllegalInstruction);
  }
  return {static_cast<float32::Rounding>(rounding), 0};
}

}  // namespace tinsmith::soc
