// Control and status registers.

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
  kMscratch = 0x340,
  kMepc = 0x341,
  kMcause = 0x342,
  kMtval = 0x343,
  kMip = 0x344,
  kMcycle = 0xB00,
  kMinstret = 0xB02,
  kMcycleHigh = 0xB80,
  kMinstretHigh = 0xB82,
  kCycle = 0xC00,
  kInstret = 0xC02,
  kCycleHigh = 0xC80,
  kInstretHigh = 0xC82,
  kLoopStart0 = 0xCC0,
  kLoopEnd0 = 0xCC1,
  kLoopCount0 = 0xCC2,
  kLoopStart1 = 0xCC4,
  kLoopEnd1 = 0xCC5,
  kLoopCount1 = 0xCC6,
  kUhartid = 0xCD0,
  kMvendorid = 0xF11,
  kMarchid = 0xF12,
  kMimpid = 0xF13,
  kMhartid = 0xF14,
};

constexpr uint32_t kMisaValue = 0x40801124;  // 32 bits, C F I M X

[[noreturn]] void fault_unknown(uint32_t number) {
  constexpr char kDigits[] = "0123456789abcdef";
  const std::string name = {kDigits[field(number, 11, 8)], kDigits[field(number, 7, 4)], kDigits[field(number, 3, 0)]};
  throw Fault("illegal instruction: CSR 0x" + name + " cannot be accessed so", FaultKind::kIllegalInstruction);
}

}  // namespace

uint32_t Hart::read_csr(uint32_t number) {
  switch (number) {
    case kFflags:
      return fflags;
    case kFrm:
      return frm_;
    case kFcsr:
      return frm_ << 5 | fflags;
    case kMstatus:
      return mstatus_;
    case kMisa:
      return kMisaValue;
    case kMie:
      return mie_;
    case kMtvec:
      return mtvec_;
    case kMscratch:
      return mscratch_;
    case kMepc:
      return mepc_;
    case kMcause:
      return mcause_;
    case kMtval:
      return mtval_;
    case kMcycle:
    case kCycle:
      return static_cast<uint32_t>(time);
    case kMcycleHigh:
    case kCycleHigh:
      return static_cast<uint32_t>(time >> 32);
    case kMinstret:
    case kInstret:
      return static_cast<uint32_t>(counters.instructions);
    case kMinstretHigh:
    case kInstretHigh:
      return static_cast<uint32_t>(counters.instructions >> 32);
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
    case kMip:
      return pending_;
    case kMvendorid:
    case kMarchid:
    case kMimpid:
      return 0;
    default:
      fault_unknown(number);
  }
}

// Counters of cycles and instructions cannot be written: they are the simulator's.
void Hart::write_csr(uint32_t number, uint32_t value) {
  switch (number) {
    case kFflags:
      fflags = field(value, 4, 0);
      return;
    case kFrm:
      frm_ = field(value, 2, 0);
      return;
    case kFcsr:
      fflags = field(value, 4, 0);
      frm_ = field(value, 7, 5);
      return;
    case kMstatus:
      mstatus_ = kMachineMode | (value & (kInterruptsOn | kInterruptsWereOn));
      weigh_interrupts();
      return;
    case kMie:
      mie_ = value & interrupt_lines_;
      weigh_interrupts();
      return;
    case kMtvec:
      mtvec_ = value;
      return;
    case kMscratch:
      mscratch_ = value;
      return;
    case kMepc:
      mepc_ = value & ~1U;
      return;
    case kMcause:
      mcause_ = value;
      return;
    case kMtval:
      mtval_ = value;
      return;
    default:
      fault_unknown(number);
  }
}

}  // namespace tinsmith::soc
