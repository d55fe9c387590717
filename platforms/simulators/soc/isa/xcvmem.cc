// CORE-V loads and stores (xcvmem): post-increment by a number or a register, and register plus register; event load
// (xcvelw).

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/isa/tables.h"

namespace tinsmith::soc {
namespace {

// Where an access goes, and what is added to its base afterwards.
enum class Mode { kPostNumber, kPostRegister, kIndexed };

template <uint32_t bytes, bool extends, Mode mode>
void load(Hart &hart, const Instruction &i) {
  const uint32_t base = hart.x[i.rs1];
  const uint32_t offset = mode == Mode::kPostNumber ? i.immediate : hart.x[i.rs2];
  const uint32_t value = hart.load(mode == Mode::kIndexed ? base + offset : base, bytes, i.rd);
  if (mode != Mode::kIndexed) {
    hart.set(i.rs1, base + offset);
  }
  hart.set(i.rd, extends ? sign_extend(value, 8 * bytes) : value);  // last: it wins if rd is rs1
}

template <uint32_t bytes, Mode mode>
void store(Hart &hart, const Instruction &i) {
  const uint32_t base = hart.x[i.rs1];
  const uint32_t offset = mode == Mode::kPostNumber ? i.immediate : hart.x[i.rd];
  hart.store(mode == Mode::kIndexed ? base + offset : base, bytes, hart.x[i.rs2]);
  if (mode != Mode::kIndexed) {
    hart.set(i.rs1, base + offset);
  }
}

void load_event(Hart &hart, const Instruction &i) {
  hart.load_event(hart.x[i.rs1] + i.immediate, i.rd);
}

template <uint32_t bytes, bool extends>
void append_loads(Rows &rows, const char *name, uint32_t funct3, uint32_t funct7) {
  constexpr uint32_t kMask = 0xFE00707F;
  rows.push_back(
      {name, "d,(s),i", funct3 << 12 | 0x0B, 0x0000707F, Kind::kLoad, load<bytes, extends, Mode::kPostNumber>});
  rows.push_back(
      {name, "d,(s),t", funct7 << 25 | 0x302B, kMask, Kind::kLoad, load<bytes, extends, Mode::kPostRegister>});
  rows.push_back(
      {name, "d,t(s)", (funct7 + 4) << 25 | 0x302B, kMask, Kind::kLoad, load<bytes, extends, Mode::kIndexed>});
}

template <uint32_t bytes>
void append_stores(Rows &rows, const char *name, uint32_t funct3) {
  constexpr uint32_t kMask = 0xFE00707F;
  rows.push_back({name, "t,(s),q", funct3 << 12 | 0x2B, 0x0000707F, Kind::kStore, store<bytes, Mode::kPostNumber>});
  rows.push_back(
      {name, "t,(s),w", (0x10 + funct3) << 25 | 0x302B, kMask, Kind::kStore, store<bytes, Mode::kPostRegister>});
  rows.push_back({name, "t,w(s)", (0x14 + funct3) << 25 | 0x302B, kMask, Kind::kStore, store<bytes, Mode::kIndexed>});
}

}  // namespace

Rows xcvmem_rows() {
  Rows rows;
  append_loads<1, true>(rows, "cv.lb", 0, 0x00);
  append_loads<2, true>(rows, "cv.lh", 1, 0x01);
  append_loads<4, false>(rows, "cv.lw", 2, 0x02);
  append_loads<1, false>(rows, "cv.lbu", 4, 0x08);
  append_loads<2, false>(rows, "cv.lhu", 5, 0x09);
  append_stores<1>(rows, "cv.sb", 0);
  append_stores<2>(rows, "cv.sh", 1);
  append_stores<4>(rows, "cv.sw", 2);
  rows.push_back({"cv.elw", "d,i(s)", 0x0000300B, 0x0000707F, Kind::kEvent, load_event});
  return rows;
}

}  // namespace tinsmith::soc
