// One core: registers, hardware loops, control registers, counters; and the port through which it reaches the rest.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_HART_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_HART_H_

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "platforms/simulators/soc/isa/float32.h"
#include "platforms/simulators/soc/isa/hardware_counters.h"
#include "platforms/simulators/soc/isa/instruction.h"
#include "platforms/simulators/soc/isa/instruction_set.h"

namespace tinsmith::soc {

// Why a core issued nothing in a cycle.
enum class Stall : uint8_t {
  kLoadUse,
  kMultiCycle,  // multiplications' high words, divisions, floating point, slow CSRs
  kBranch,      // refill after a taken branch or a jump
  kMisaligned,
  kL1Conflict,
  kL2,
  kMemory,  // other memories
  kPeripheral,
  kInstructionCache,
  kDmaWait,    // asleep for the DMA's event or a free identifier, or reading its status again and again
  kFetchWait,  // asleep for the event of a device that copies, as a uDMA
  kBarrier,
  kDispatch,  // no work to do yet
  kMutex,
  kAccelerator,  // asleep for a job's event
  kEvent,        // any other
  kCount,
};

// cycles = instructions + all stalls, at all times.
struct Counters {
  uint64_t cycles = 0;
  uint64_t instructions = 0;
  std::array<uint64_t, static_cast<size_t>(Kind::kCount)> kinds{};
  std::array<uint64_t, static_cast<size_t>(Stall::kCount)> stalls{};

  Counters &operator+=(const Counters &other);
  Counters &operator-=(const Counters &other);
};

// Cycles of the instructions that need more than one.
struct CoreTiming {
  uint32_t branch_taken = 3;
  uint32_t jump = 2;
  uint32_t multiply = 1;
  uint32_t multiply_high = 5;
  uint32_t divide_base = 3;  // plus the leading zeros of the divisor's magnitude
  uint32_t load_use = 1;     // between a load and the next instruction, if that reads the result
  uint32_t csr_slow = 4;
  uint32_t fence_i = 2;
  uint32_t event_load = 4;
  uint32_t interrupt = 4;       // from a pending interrupt to its handler's first instruction
  uint32_t interrupt_wake = 3;  // more if it ends a sleep
  uint32_t float_operation = 1;
  uint32_t float_divide = 12;
};

// The sort of a fault, for those who want it in a word (a debugger's signals).
enum class FaultKind : uint8_t { kMisuse, kIllegalInstruction, kBadAddress, kBreakpoint };

// The program did what hardware would not survive, or what only a mistake does.
class Fault : public std::runtime_error {
 public:
  explicit Fault(const std::string &reason, FaultKind kind = FaultKind::kMisuse)
      : std::runtime_error(reason), kind(kind) {
  }

  const FaultKind kind;
};

// Result of a load: `granted` is false if the core has to sleep and ask again when it is woken.
struct LoadResult {
  uint32_t value = 0;
  bool granted = true;
};

// What a core sees of the chip. Implementations add the cycles of an access with Hart::stall.
class Port {
 public:
  virtual ~Port() = default;

  // bytes: 1, 2 or 4; the value is not extended. event: by cv.elw, which may sleep.
  virtual LoadResult load(Hart &hart, uint32_t address, uint32_t bytes, bool event) = 0;
  virtual void store(Hart &hart, uint32_t address, uint32_t bytes, uint32_t value) = 0;

  // A region of the program that is counted by itself begins or ends.
  virtual void mark(Hart &hart, uint32_t region, bool begins) = 0;

  // A stage of the program ends for all cores, and the next begins.
  virtual void end_stage(Hart &hart, uint32_t stage) {
    (void)hart, (void)stage;
  }

  // The core enters the handler of an interrupt, whose request its controller forgets.
  virtual void acknowledge_interrupt(Hart &hart, uint32_t line) = 0;

  // ebreak; a fault unless something listens.
  virtual void breakpoint(Hart &hart);

  // The core slept from cycle `since` to hart.time.
  virtual void slept(Hart &hart, uint64_t since, Stall cause) {
    (void)hart, (void)since, (void)cause;
  }

  // fence.i: instructions may have been written.
  virtual void instructions_changed() = 0;
};

struct HardwareLoop {
  uint32_t start = 0;
  uint32_t end = 0;
  uint32_t count = 0;
};

class Hart {
 public:
  // Fields of mstatus. The previous mode is machine mode, the only one that there is.
  static constexpr uint32_t kInterruptsOn = 1U << 3;
  static constexpr uint32_t kInterruptsWereOn = 1U << 7;
  static constexpr uint32_t kMachineMode = 3U << 11;
  static constexpr unsigned kFloatStateBit = 13;
  static constexpr uint32_t kFloatState = 3U << kFloatStateBit;  // off, initial, clean, dirty

  // isa: of its type; both it and `timing` must outlive the core.
  Hart(uint32_t id, Port &port, const CoreTiming &timing, const InstructionSet &isa)
      : id(id), timing(timing), isa(isa), port_(&port) {
  }

  // From now on it reaches the rest through another port, which must outlive it.
  void attach(Port &port) {
    port_ = &port;
  }

  // As InstructionSet::decode: what its set lacks becomes the illegal instruction here, so that nothing need be asked
  // when it is executed.
  Instruction decode(uint32_t bits) const {
    return isa.decode(bits);
  }

  // Executes the instruction at `pc`, decoded by this core or by one of the same set, whose time has come: `time` is
  // then when the next may issue.
  void step(const Instruction &instruction);

  void set(uint32_t index, uint32_t value) {
    x[index] = value;
    x[0] = 0;
  }

  void stall(Stall cause, uint64_t cycles) {
    time += cycles;
    counters.stalls[static_cast<size_t>(cause)] += cycles;
  }

  // `cycles` in total rather than one.
  void takes(uint32_t cycles) {
    stall(Stall::kMultiCycle, cycles - 1);
  }

  void jump(uint32_t target, uint32_t cycles);
  void take_branch(uint32_t target);

  // Loads the low `bytes` of a register; the result arrives late for the next instruction.
  uint32_t load(uint32_t address, uint32_t bytes, uint32_t rd);
  uint32_t load_float(uint32_t address, uint32_t fd);
  void load_event(uint32_t address, uint32_t rd);
  void store(uint32_t address, uint32_t bytes, uint32_t value);
  void mark(uint32_t region, bool begins);
  void end_stage(uint32_t stage);
  void wait_for_interrupt();
  void breakpoint();
  void instructions_changed();

  // Goes to sleep: the instruction is tried again after `wake`, which may know better what it was for, and which does
  // nothing to a core that is awake.
  void sleep(Stall cause);
  void wake(uint64_t at) {
    wake(at, asleep_for_);
  }
  void wake(uint64_t at, Stall cause);
  bool sleeps_for(Stall cause) const {
    return asleep && asleep_for_ == cause;
  }

  // Both fault where CV32E40P has nothing to read or write. by_instruction: a counter does not count what writes it.
  uint32_t read_csr(uint32_t number);
  void write_csr(uint32_t number, uint32_t value, bool by_instruction = false);

  // What mstatus.FS and mcountinhibit are at reset; both 0 without this call.
  void reset_csrs(uint32_t float_state, uint32_t stopped_counters);

  void environment_call();

  // Enters the handler of exceptions for the instruction at `pc`, which is not executed; false if there is none.
  bool take_exception(FaultKind kind);

  void return_from_trap();

  // The interrupt lines that mie and mip have, and those that mie lets through at reset; none without this call.
  void connect_interrupts(uint32_t lines, uint32_t enabled);

  // The lines that ask, a bit each, have changed at cycle `now`.
  void request_interrupts(uint32_t pending, uint64_t now);

  // Whether the next thing to do is take_interrupt() rather than the instruction at `pc`.
  bool interrupt_due() const {
    return interrupt_due_;
  }

  // Enters the handler of the pending interrupt with the highest number.
  void take_interrupt();

  void set_loop_start(uint32_t loop, uint32_t address);
  void set_loop_end(uint32_t loop, uint32_t address);
  void set_loop_count(uint32_t loop, uint32_t count);

  // So many words behind the instruction at `pc`, which must be aligned for that.
  uint32_t loop_address(uint32_t words) const;

  // Rounding mode and flags, whether or not floating point is on.
  uint32_t fcsr() const {
    return frm_ << 5 | fflags;
  }

  // Result and flags of a floating-point operation that rounds by the instruction's `rm` or by frm.
  float32::Context float_context(const Instruction &instruction) const;
  void raise_float_flags(const float32::Context &context) {
    fflags |= context.flags;
  }

  const uint32_t id;
  const CoreTiming &timing;
  const InstructionSet &isa;
  std::array<uint32_t, 32> x{};
  std::array<uint32_t, 32> f{};
  std::array<HardwareLoop, 2> loops{};
  uint32_t pc = 0;
  uint32_t next_pc = 0;
  uint64_t time = 0;  // cycle at which the next instruction may issue
  bool asleep = false;
  bool running = false;  // fetching at all
  uint32_t fflags = 0;
  Counters counters;
  Counters polling;  // what Profile::poll took from `counters`' classes, less what it added to them

 private:
  void check(const Instruction &instruction) const;
  void note(const Instruction &instruction);
  void require_float() const;
  EventCounts events(bool with_current) const;
  uint32_t read_counter(uint32_t number) const;
  void write_counter(uint32_t number, uint32_t value, bool by_instruction);
  void set_loop_address(uint32_t loop, uint32_t HardwareLoop::*part, uint32_t address);
  uint32_t load_now(uint32_t address, uint32_t bytes);
  void follow_loops();
  void check_loop(uint32_t loop) const;
  bool inside_loop() const;
  void fault_if_active(uint32_t loop) const;
  void weigh_interrupts();
  void enter_trap(uint32_t cause, uint32_t offset);

  Port *port_;
  uint64_t loading_ = 0;  // registers that the last instruction loads, as Instruction::reads
  uint64_t asleep_since_ = 0;
  Stall asleep_for_ = Stall::kEvent;
  uint32_t frm_ = 0;
  uint32_t mstatus_ = kMachineMode;
  uint32_t mtvec_ = 0;
  uint32_t mscratch_ = 0;
  uint32_t mepc_ = 0;
  uint32_t mcause_ = 0;
  uint32_t mie_ = 0;
  uint32_t interrupt_lines_ = 0;
  uint32_t pending_ = 0;  // what mip shows
  bool interrupt_due_ = false;
  bool waits_for_interrupt_ = false;  // asleep by wfi
  HardwareCounters hardware_counters_;
  uint64_t branches_taken_ = 0;
  uint64_t compressed_ = 0;
  uint64_t environment_calls_ = 0;  // which `counters` has among the instructions, and minstret has not
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_HART_H_
