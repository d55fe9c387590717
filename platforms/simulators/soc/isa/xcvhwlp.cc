// CORE-V hardware loops (xcvhwlp); Hart keeps their state and rules.

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/isa/tables.h"

namespace tinsmith::soc {
namespace {

uint32_t loop_of(const Instruction &i) {
  return field(i.word, 7, 7);
}

void start_by_number(Hart &hart, const Instruction &i) {
  hart.set_loop_start(loop_of(i), hart.loop_address(i.immediate));
}

void start_by_register(Hart &hart, const Instruction &i) {
  hart.set_loop_start(loop_of(i), hart.x[i.rs1]);
}

void end_by_number(Hart &hart, const Instruction &i) {
  hart.set_loop_end(loop_of(i), hart.loop_address(i.immediate));
}

void end_by_register(Hart &hart, const Instruction &i) {
  hart.set_loop_end(loop_of(i), hart.x[i.rs1]);
}

void count_by_number(Hart &hart, const Instruction &i) {
  hart.set_loop_count(loop_of(i), i.immediate);
}

void count_by_register(Hart &hart, const Instruction &i) {
  hart.set_loop_count(loop_of(i), hart.x[i.rs1]);
}

void set_up(Hart &hart, uint32_t loop, uint32_t count, uint32_t end) {
  hart.set_loop_start(loop, hart.loop_address(1));
  hart.set_loop_end(loop, end);
  hart.set_loop_count(loop, count);
}

void set_up_by_number(Hart &hart, const Instruction &i) {
  set_up(hart, loop_of(i), i.immediate, hart.loop_address(i.rs1));
}

void set_up_by_register(Hart &hart, const Instruction &i) {
  set_up(hart, loop_of(i), hart.x[i.rs1], hart.loop_address(i.immediate));
}

// By register only rs1 is used, and by number only the upper 12 bits, except where both are.
constexpr uint32_t kNumber = 0x000FFF7F;
constexpr uint32_t kRegister = 0xFFF07F7F;
constexpr uint32_t kBoth = 0x00007F7F;

}  // namespace

Rows xcvhwlp_rows() {
  return {
      {"cv.starti", "L,m", 0x0000402B, kNumber, Kind::kLoop, start_by_number},
      {"cv.start", "L,s", 0x0000412B, kRegister, Kind::kLoop, start_by_register},
      {"cv.endi", "L,m", 0x0000422B, kNumber, Kind::kLoop, end_by_number},
      {"cv.end", "L,s", 0x0000432B, kRegister, Kind::kLoop, end_by_register},
      {"cv.counti", "L,m", 0x0000442B, kNumber, Kind::kLoop, count_by_number},
      {"cv.count", "L,s", 0x0000452B, kRegister, Kind::kLoop, count_by_register},
      {"cv.setupi", "L,m,M", 0x0000462B, kBoth, Kind::kLoop, set_up_by_number},
      {"cv.setup", "L,s,m", 0x0000472B, kBoth, Kind::kLoop, set_up_by_register},
  };
}

}  // namespace tinsmith::soc
