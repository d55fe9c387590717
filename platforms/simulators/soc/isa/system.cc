// Zicsr, Zifencei, and what enters and leaves traps.

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/isa/tables.h"

namespace tinsmith::soc {
namespace {

using Update = uint32_t (*)(uint32_t old, uint32_t operand);

uint32_t replace(uint32_t, uint32_t operand) {
  return operand;
}
uint32_t set_bits(uint32_t old, uint32_t operand) {
  return old | operand;
}
uint32_t clear_bits(uint32_t old, uint32_t operand) {
  return old & ~operand;
}

// The machine's state and counters take longer than the registers of user mode, mhartid and the hardware loops.
bool is_slow(uint32_t number) {
  const uint32_t page = number >> 8;
  return page == 0x3 || page == 0xB;
}

template <Update update, bool with_immediate>
void access(Hart &hart, const Instruction &i) {
  const uint32_t operand = with_immediate ? i.rs1 : hart.x[i.rs1];
  const uint32_t old = hart.read_csr(i.immediate);
  const bool only_reads = update != replace && i.rs1 == 0;
  if (!only_reads) {
    hart.write_csr(i.immediate, update(old, operand), true);
  }
  hart.set(i.rd, old);
  if (is_slow(i.immediate)) {
    hart.takes(hart.timing.csr_slow);
  }
}

void environment_call(Hart &hart, const Instruction &) {
  hart.environment_call();
}

void breakpoint(Hart &hart, const Instruction &) {
  hart.breakpoint();
}

void return_from_trap(Hart &hart, const Instruction &) {
  hart.return_from_trap();
}

void wait_for_interrupt(Hart &hart, const Instruction &) {
  hart.wait_for_interrupt();
}

void fence_instructions(Hart &hart, const Instruction &) {
  hart.instructions_changed();
}

constexpr uint32_t kFunct3 = 0x0000707F;
constexpr uint32_t kAll = 0xFFFFFFFF;

}  // namespace

Rows system_rows() {
  return {
      {"csrrw", "d,c,s", 0x00001073, kFunct3, Kind::kCsr, access<replace, false>},
      {"csrrs", "d,c,s", 0x00002073, kFunct3, Kind::kCsr, access<set_bits, false>},
      {"csrrc", "d,c,s", 0x00003073, kFunct3, Kind::kCsr, access<clear_bits, false>},
      {"csrrwi", "d,c,Z", 0x00005073, kFunct3, Kind::kCsr, access<replace, true>},
      {"csrrsi", "d,c,Z", 0x00006073, kFunct3, Kind::kCsr, access<set_bits, true>},
      {"csrrci", "d,c,Z", 0x00007073, kFunct3, Kind::kCsr, access<clear_bits, true>},
      {"fence.i", "", 0x0000100F, kFunct3, Kind::kSystem, fence_instructions},
      {"ecall", "", 0x00000073, kAll, Kind::kSystem, environment_call},
      {"ebreak", "", 0x00100073, kAll, Kind::kSystem, breakpoint},
      {"mret", "", 0x30200073, kAll, Kind::kSystem, return_from_trap},
      {"wfi", "", 0x10500073, kAll, Kind::kSystem, wait_for_interrupt},
  };
}

}  // namespace tinsmith::soc
