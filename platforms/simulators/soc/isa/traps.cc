// Traps of machine mode: environment calls, interrupts, and the ways back and to sleep.

#include <bit>

#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kIllegalInstruction = 2;
constexpr uint32_t kBreakpoint = 3;
constexpr uint32_t kFromMachineMode = 11;
constexpr uint32_t kInterrupt = 1U << 31;
constexpr uint32_t kVectored = 1;
constexpr uint32_t kModeBits = 3;
constexpr uint32_t kTableAlignment = 256;

}  // namespace

// offset: of the handler in the table, if that is a table.
void Hart::enter_trap(uint32_t cause, uint32_t offset) {
  const uint32_t table = mtvec_ & ~kModeBits;
  if (table % kTableAlignment != 0) {
    throw Fault("a trap, but mtvec is not aligned to 256 bytes, as CV32E40P needs it");
  }
  const bool were_on = (mstatus_ & kInterruptsOn) != 0;
  mepc_ = pc;
  mcause_ = cause;
  mstatus_ = kMachineMode | (mstatus_ & kFloatState) | (were_on ? kInterruptsWereOn : 0);
  next_pc = table + ((mtvec_ & kVectored) != 0 ? offset : 0);
  weigh_interrupts();
}

void Hart::environment_call() {
  if (mtvec_ == 0) {
    throw Fault("ecall, but mtvec points nowhere");
  }
  enter_trap(kFromMachineMode, 0);
  environment_calls_ += 1;
  stall(Stall::kBranch, timing.jump - 1);
}

bool Hart::take_exception(FaultKind kind) {
  const bool is_exception = kind == FaultKind::kIllegalInstruction || kind == FaultKind::kBreakpoint;
  if (!is_exception || mtvec_ == 0) {
    return false;
  }
  enter_trap(kind == FaultKind::kBreakpoint ? kBreakpoint : kIllegalInstruction, 0);
  pc = next_pc;
  stall(Stall::kBranch, timing.jump);
  return true;
}

void Hart::return_from_trap() {
  const bool were_on = (mstatus_ & kInterruptsWereOn) != 0;
  mstatus_ = kMachineMode | (mstatus_ & kFloatState) | kInterruptsWereOn | (were_on ? kInterruptsOn : 0);
  weigh_interrupts();
  jump(mepc_, timing.jump);
}

void Hart::connect_interrupts(uint32_t lines, uint32_t enabled) {
  interrupt_lines_ = lines;
  mie_ = enabled & lines;
}

void Hart::request_interrupts(uint32_t pending, uint64_t now) {
  pending_ = pending & interrupt_lines_;
  weigh_interrupts();
  const bool ends_wait = waits_for_interrupt_ && (pending_ & mie_) != 0;
  if (interrupt_due_ || ends_wait) {
    wake(now + timing.interrupt_wake);
  }
}

void Hart::weigh_interrupts() {
  interrupt_due_ = (mstatus_ & kInterruptsOn) != 0 && (pending_ & mie_) != 0;
}

// Between two instructions: inside a hardware loop, too, whose state stays as it is.
void Hart::take_interrupt() {
  const auto line = static_cast<uint32_t>(std::bit_width(pending_ & mie_)) - 1;
  if (mtvec_ == 0) {
    throw Fault("interrupt " + std::to_string(line) + ", but mtvec points nowhere");
  }
  loading_ = 0;
  enter_trap(kInterrupt | line, 4 * line);
  pc = next_pc;
  stall(Stall::kBranch, timing.interrupt);
  port_->acknowledge_interrupt(*this, line);
}

// The instruction is over when the core goes to sleep, so that a handler returns behind it.
void Hart::wait_for_interrupt() {
  if ((pending_ & mie_) != 0) {
    return;
  }
  counters.instructions += 1;
  counters.kinds[static_cast<size_t>(Kind::kSystem)] += 1;
  time += 1;
  pc = next_pc;
  waits_for_interrupt_ = true;
  sleep(Stall::kEvent);
}

}  // namespace tinsmith::soc
