#include "platforms/simulators/soc/model/soc.h"

#include <algorithm>
#include <cstdio>

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/decode.h"
#include "platforms/simulators/soc/isa/disassemble.h"

namespace tinsmith::soc {
namespace {

constexpr uint64_t kNever = ~uint64_t{0};

std::vector<std::unique_ptr<Hart>> make_harts(const Description &description, Port &port) {
  std::vector<std::unique_ptr<Hart>> harts;
  for (uint32_t core = 0; core < description.cluster_cores; ++core) {
    harts.push_back(std::make_unique<Hart>(core, port, description.core));
  }
  if (description.fabric_controller != 0) {
    harts.push_back(std::make_unique<Hart>(description.fc_hart, port, description.core));
  }
  for (const auto &hart : harts) {
    hart->connect_interrupts(description.interrupt_lines, description.interrupt_reset);
  }
  return harts;
}

std::vector<Hart *> cluster_of(const Description &description, const std::vector<std::unique_ptr<Hart>> &harts) {
  std::vector<Hart *> cluster;
  for (uint32_t core = 0; core < description.cluster_cores; ++core) {
    cluster.push_back(harts[core].get());
  }
  return cluster;
}

}  // namespace

Soc::Soc(const Description &description, const Program &program, const Options &options,
         std::unique_ptr<Accelerator> accelerator)
    : description_(description),
      options_(options),
      l1_(description.l1_base, description.l1_bytes),
      l2_(description.l2_base, description.l2_bytes),
      harts_(make_harts(description_, *this)),
      fetches_(harts_.size()),
      profile_(program.functions, harts_.size(), options.keep_slices),
      icache_(description_),
      events_(description_, cluster_of(description_, harts_)),
      interrupts_(description_, description_.fabric_controller != 0 ? harts_.back().get() : nullptr),
      dma_(description_, l1_, l2_, dma_surroundings()),
      semihosting_(program_memory()),
      accelerator_(std::move(accelerator)),
      bank_free_(description.l1_banks),
      boot_addresses_(description.cluster_cores, program.entry),
      waits_for_dma_(harts_.size()),
      touched_(options.race_check ? description.l1_bytes : 0) {
  watch();
  place(program);
  start(program);
}

// Where a segment is loaded is for its data; where it runs must be free for all of it.
void Soc::place(const Program &program) {
  for (const Segment &segment : program.segments) {
    const auto data_bytes = static_cast<uint32_t>(segment.data.size());
    memory_for(segment.address, segment.bytes_in_memory);
    if (data_bytes != 0) {
      const uint32_t target = resolve(segment.load_address);
      memory_for(segment.load_address, data_bytes).copy_in(target, segment.data.data(), data_bytes);
    }
  }
}

Memory &Soc::memory_for(uint32_t address, uint32_t bytes) {
  const uint32_t resolved = resolve(address);
  if (!l1_.holds(resolved, bytes) && !l2_.holds(resolved, bytes)) {
    throw BadFile("the program's segment at 0x" + hexadecimal(address) + ", " + std::to_string(bytes) +
                  " bytes, lies outside the chip's memories");
  }
  return l1_.holds(resolved, bytes) ? l1_ : l2_;
}

void Soc::start(const Program &program) {
  const bool whole_cluster = options_.start_cluster || description_.fabric_controller == 0;
  for (const auto &hart : harts_) {
    hart->running = whole_cluster != is_fabric_controller(*hart);
    hart->pc = program.entry;
  }
}

std::string Soc::core_name(size_t core) const {
  return core < description_.cluster_cores ? "core " + std::to_string(core) : "fabric controller";
}

std::string Soc::track_name(size_t track) const {
  if (track < harts_.size()) {
    return core_name(track);
  }
  return track + 1 == tracks() ? "accelerator" : "DMA " + std::to_string(track - harts_.size());
}

bool Soc::is_fabric_controller(const Hart &hart) const {
  return hart.id == description_.fc_hart;
}

uint32_t Soc::cluster_number(const Hart &hart) const {
  return is_fabric_controller(hart) ? description_.cluster_cores : hart.id;
}

Soc::Turn Soc::next_turn() const {
  uint64_t devices = std::min({dma_.next_time(), timers_.next_time(), fc_timers_.next_time()});
  if (accelerator_ != nullptr) {
    devices = std::min(devices, accelerator_->next_time());
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
  if (accelerator_ != nullptr && accelerator_->next_time() <= now) {
    accelerator_->advance(*this, now);
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
    if (survives(fault, result.culprit)) {
      return false;
    }
    result.outcome = Outcome::kFault;
    result.reason = fault.what();
  }
  return true;
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
  if (core < description_.cluster_cores) {
    Fetch &state = fetches_[core];
    const uint32_t line = hart.pc / description_.icache_line;
    if (line != state.line) {
      state.line = line;
      const uint32_t waits = icache_.fetch(static_cast<uint32_t>(core), line, hart.time);
      if (waits != 0) {
        hart.stall(Stall::kInstructionCache, waits);
        return;
      }
    }
  }
  const Instruction *instruction = fetch(core);
  if (instruction->function != fetches_[core].function) {
    fetches_[core].function = instruction->function;
    profile_.enter(core, hart, instruction->function);
  }
  if constexpr (kObserved) {
    execute_observed(core, *instruction);
  } else {
    hart.step(*instruction);
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

const Instruction *Soc::fetch(size_t core) {
  Fetch &state = fetches_[core];
  const uint32_t pc = harts_[core]->pc;
  const uint32_t page_address = pc & ~(Memory::kPageBytes - 1);
  if (page_address != state.page_address) {
    const uint32_t resolved = resolve(pc);
    Memory *memory = l2_.holds(resolved, 2) ? &l2_ : l1_.holds(resolved, 2) ? &l1_ : nullptr;
    if (memory == nullptr) {
      throw Fault("instructions are fetched from outside the memories", FaultKind::kBadAddress);
    }
    state.page = &memory->page(resolved);
    state.page_address = page_address;
  }
  Instruction &slot = (*state.page)[(pc - page_address) / 2];
  if (slot.execute == nullptr) {
    decode_at(slot, pc);
  }
  return &slot;
}

void Soc::decode_at(Instruction &slot, uint32_t pc) {
  const uint32_t address = resolve(pc);
  const Memory &memory = l2_.holds(address, 2) ? l2_ : l1_;
  const uint32_t bits = memory.read(address, memory.holds(address, 4) ? 4 : 2);
  const std::optional<Instruction> decoded = decode(bits);
  if (!decoded) {
    const bool compressed = (bits & 3) != 3;
    throw Fault("illegal instruction 0x" + hexadecimal(compressed ? bits & 0xFFFF : bits),
                FaultKind::kIllegalInstruction);
  }
  slot = *decoded;
  slot.function = profile_.function_at(pc);
}

void Soc::mark(Hart &hart, uint32_t region, bool begins) {
  profile_.mark(cluster_number(hart), hart, region, begins);
}

void Soc::slept(Hart &hart, uint64_t since, Stall cause) {
  if (hart.time != since) {
    profile_.add_slice({cluster_number(hart), since, hart.time, sleep_name(cause)});
  }
}

void Soc::acknowledge_interrupt(Hart &hart, uint32_t line) {
  if (is_fabric_controller(hart)) {
    interrupts_.acknowledge_interrupt(line, hart.time);
  } else {
    events_.acknowledge_interrupt(hart.id, line, hart.time);
  }
}

// A call for the host is an ebreak between two instructions that do nothing elsewhere [RISC-V Semihosting].
void Soc::breakpoint(Hart &hart) {
  constexpr uint32_t kBefore = 0x01F01013;  // slli x0, x0, 31
  constexpr uint32_t kBehind = 0x40705013;  // srai x0, x0, 7
  constexpr uint32_t kA0 = 10;
  constexpr uint32_t kA1 = 11;
  const uint32_t address = resolve(hart.pc);
  const Memory &memory = memory_at(address, 2);
  const bool is_call = options_.semihosting && memory.holds(address - 4, 12) &&
                       memory.read(address - 4, 4) == kBefore && memory.read(address + 4, 4) == kBehind;
  if (!is_call) {
    Port::breakpoint(hart);
    return;
  }
  hart.set(kA0, semihosting_.call(hart.x[kA0], hart.x[kA1]));
  if (const std::optional<uint32_t> status = semihosting_.exit_status()) {
    exited_ = true;
    exit_code_ = *status;
  }
}

Memory &Soc::memory_at(uint32_t address, uint32_t bytes) {
  if (!l1_.holds(address, bytes) && !l2_.holds(address, bytes)) {
    throw Fault(std::to_string(bytes) + " bytes at 0x" + hexadecimal(address) + " lie in no memory");
  }
  return l1_.holds(address, bytes) ? l1_ : l2_;
}

Semihosting::ProgramMemory Soc::program_memory() {
  return {
      [this](uint32_t address, uint8_t *target, uint32_t bytes) {
        memory_at(resolve(address), bytes).copy_out(resolve(address), target, bytes);
      },
      [this](uint32_t address, const uint8_t *source, uint32_t bytes) {
        memory_at(resolve(address), bytes).copy_in(resolve(address), source, bytes);
      },
  };
}

// Stores drop what was decoded from their bytes at once; only the caches' tags are left.
void Soc::instructions_changed() {
  icache_.clear();
  for (Fetch &fetch : fetches_) {
    fetch.line = ~0U;
  }
}

}  // namespace tinsmith::soc
