// Control and status registers, as CV32E40P has them.

#include <algorithm>

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {
namespace {

enum Csr : uint32_t {
  kFflags = 0x001,
  kFrm = 0x002,
  kFcsr = 0x003,
  kMstatus = 0x300,
  kMisa = 0x301,
  kMie = 0x304,
  kMtvec = 0x305,
  kMcountinhibit = 0x320,
  kFirstEvent = 0x323,  // mhpmevent3
  kLastEvent = 0x33F,
  kMscratch = 0x340,
  kMepc = 0x341,
  kMcause = 0x342,
  kMtval = 0x343,
  kMip = 0x344,
  kTselect = 0x7A0,
  kTdata1 = 0x7A1,
  kTdata2 = 0x7A2,
  kTdata3 = 0x7A3,
  kTinfo = 0x7A4,
  kMcontext = 0x7A8,
  kScontext = 0x7AA,
  kLoopStart0 = 0xCC0,
  kLoopEnd0 = 0xCC1,
  kLoopCount0 = 0xCC2,
  kLoopStart1 = 0xCC4,
  kLoopEnd1 = 0xCC5,
  kLoopCount1 = 0xCC6,
  kUhartid = 0xCD0,
  kPrivlv = 0xCD1,
  kZfinx = 0xCD2,
  kMvendorid = 0xF11,
  kMarchid = 0xF12,
  kMimpid = 0xF13,
  kMhartid = 0xF14,
};

// Fixed values, of CV32E40P's manual.
constexpr uint32_t kMisaValue = 0x40801124;  // 32 bits, C F I M X
constexpr uint32_t kMisaCoreV = 1U << 23;    // X
constexpr uint32_t kMvendoridValue = 0x602;  // OpenHW Group
constexpr uint32_t kMarchidValue = 4;
constexpr uint32_t kMimpidValue = 1;
constexpr uint32_t kMachineLevel = 3;
constexpr uint32_t kTdata1Value = 0x28001040;  // matches addresses, and is a debugger's: programs cannot change it
constexpr uint32_t kTinfoValue = 1U << 2;

constexpr unsigned kDirtyBit = 31;
constexpr uint32_t kMtvecBits = 0xFFFFFF01;
constexpr uint32_t kMcauseBits = 0x8000001F;

// Counters: 32 each of mcycle and its like, and of cycle and its like for programs to read, low and high halves.
constexpr uint32_t kCounterPage = 0xB;
constexpr uint32_t kReadOnlyCounterPage = 0xC;
constexpr uint32_t kHighHalf = 0x80;
constexpr uint32_t kCounters = 32;

bool is_counter(uint32_t number, uint32_t page) {
  const uint32_t offset = number & 0xFF & ~kHighHalf;
  return number >> 8 == page && offset < kCounters && offset != 1;
}

[[noreturn]] void fault_unknown(uint32_t number) {
  constexpr char kDigits[] = "0123456789abcdef";
  const std::string name = {kDigits[field(number, 11, 8)], kDigits[field(number, 7, 4)], kDigits[field(number, 3, 0)]};
  throw Fault("illegal instruction: CSR 0x" + name + " cannot be accessed so", FaultKind::kIllegalInstruction);
}

}  // namespace

// with_current: as they will be behind the CSR instruction that is being executed.
EventCounts Hart::events(bool with_current) const {
  const auto kind = [this](Kind k) {
    return counters.kinds[static_cast<size_t>(k)] + polling.kinds[static_cast<size_t>(k)];
  };
  const auto stalled = [this](Stall s) {
    return counters.stalls[static_cast<size_t>(s)] + polling.stalls[static_cast<size_t>(s)];
  };
  EventCounts counts{};
  counts[kCycleEvent] = time + (with_current ? 1 : 0);
  counts[kInstructionEvent] = counters.instructions - environment_calls_ + (with_current ? 1 : 0);
  counts[kLoadUseEvent] = stalled(Stall::kLoadUse) / std::max(timing.load_use, 1U);
  counts[kFetchWaitEvent] = stalled(Stall::kInstructionCache);
  counts[kLoadEvent] = kind(Kind::kLoad) + kind(Kind::kEvent);
  counts[kStoreEvent] = kind(Kind::kStore);
  counts[kJumpEvent] = kind(Kind::kJump);
  counts[kBranchEvent] = kind(Kind::kBranch);
  counts[kBranchTakenEvent] = branches_taken_;
  counts[kCompressedEvent] = compressed_;
  return counts;
}

uint32_t Hart::read_counter(uint32_t number) const {
  const uint64_t value = hardware_counters_.read(number % kCounters, events(false));
  return static_cast<uint32_t>((number & kHighHalf) != 0 ? value >> 32 : value);
}

void Hart::write_counter(uint32_t number, uint32_t value, bool by_instruction) {
  constexpr uint64_t kLow = 0xFFFFFFFF;
  const uint64_t old = hardware_counters_.read(number % kCounters, events(false));
  const bool is_high = (number & kHighHalf) != 0;
  const uint64_t whole = is_high ? uint64_t{value} << 32 | (old & kLow) : (old & ~kLow) | value;
  hardware_counters_.write(number % kCounters, whole, events(by_instruction));
}

void Hart::reset_csrs(uint32_t float_state, uint32_t stopped_counters) {
  mstatus_ = (mstatus_ & ~kFloatState) | float_state << kFloatStateBit;
  hardware_counters_.stop(stopped_counters, events(false));
}

uint32_t Hart::read_csr(uint32_t number) {
  if (is_counter(number, kCounterPage) || is_counter(number, kReadOnlyCounterPage)) {
    return read_counter(number);
  }
  if (number >= kFirstEvent && number <= kLastEvent) {
    return hardware_counters_.events(number % kCounters);
  }
  if (!isa.has_corev() && number >= kLoopStart0 && number <= kZfinx) {
    fault_unknown(number);
  }
  switch (number) {
    case kFflags:
      require_float();
      return fflags;
    case kFrm:
      require_float();
      return frm_;
    case kFcsr:
      require_float();
      return fcsr();
    case kMstatus:
      return mstatus_ | ((mstatus_ & kFloatState) == kFloatState ? 1U << kDirtyBit : 0);
    case kMisa:
      return isa.has_corev() ? kMisaValue : kMisaValue & ~kMisaCoreV;
    case kMie:
      return mie_;
    case kMtvec:
      return mtvec_ & kMtvecBits;
    case kMcountinhibit:
      return hardware_counters_.stopped();
    case kMscratch:
      return mscratch_;
    case kMepc:
      return mepc_;
    case kMcause:
      return mcause_;
    case kMip:
      return pending_;
    case kTdata1:
      return kTdata1Value;
    case kTinfo:
      return kTinfoValue;
    case kLoopStart0:
    case kLoopStart1:
      return loops[(number - kLoopStart0) / 4].start;
    case kLoopEnd0:
    case kLoopEnd1:
      return loops[(number - kLoopEnd0) / 4].end;
    case kLoopCount0:
    case kLoopCount1:
      return loops[(number - kLoopCount0) / 4].count;
    case kUhartid:
    case kMhartid:
      return id;
    case kPrivlv:
      return kMachineLevel;
    case kMvendorid:
      return kMvendoridValue;
    case kMarchid:
      return kMarchidValue;
    case kMimpid:
      return kMimpidValue;
    case kMtval:
    case kTselect:
    case kTdata2:
    case kTdata3:
    case kMcontext:
    case kScontext:
    case kZfinx:
      return 0;
    default:
      fault_unknown(number);
  }
}

void Hart::write_csr(uint32_t number, uint32_t value, bool by_instruction) {
  if (is_counter(number, kCounterPage)) {
    write_counter(number, value, by_instruction);
    return;
  }
  if (number >= kFirstEvent && number <= kLastEvent) {
    hardware_counters_.select(number % kCounters, value, events(by_instruction));
    return;
  }
  switch (number) {
    case kFflags:
      require_float();
      fflags = field(value, 4, 0);
      mstatus_ |= kFloatState;
      return;
    case kFrm:
      require_float();
      frm_ = field(value, 2, 0);
      mstatus_ |= kFloatState;
      return;
    case kFcsr:
      require_float();
      fflags = field(value, 4, 0);
      frm_ = field(value, 7, 5);
      mstatus_ |= kFloatState;
      return;
    case kMstatus:
      mstatus_ = kMachineMode | (value & (kInterruptsOn | kInterruptsWereOn | kFloatState));
      weigh_interrupts();
      return;
    case kMie:
      mie_ = value & interrupt_lines_;
      weigh_interrupts();
      return;
    case kMtvec:
      mtvec_ = value;
      return;
    case kMcountinhibit:
      hardware_counters_.stop(value, events(by_instruction));
      return;
    case kMscratch:
      mscratch_ = value;
      return;
    case kMepc:
      mepc_ = value & ~1U;
      return;
    case kMcause:
      mcause_ = value & kMcauseBits;
      return;
    case kMisa:
    case kMtval:
    case kMip:
    case kTselect:
    case kTdata1:
    case kTdata2:
    case kTdata3:
    case kTinfo:
    case kMcontext:
    case kScontext:
      return;  // they keep what they have
    default:
      fault_unknown(number);
  }
}

}  // namespace tinsmith::soc
