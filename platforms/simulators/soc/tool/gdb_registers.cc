#include "platforms/simulators/soc/tool/gdb_registers.h"

#include <sstream>
#include <vector>

#include "platforms/simulators/soc/isa/disassemble.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kPc = 32;
constexpr uint32_t kFirstFloat = 33;
constexpr uint32_t kFirstLoop = 0xCC0;

struct Csr {
  const char *name;
  uint32_t number;
};

const std::vector<Csr> kFloatControl = {{"fflags", 0x001}, {"frm", 0x002}, {"fcsr", 0x003}};

const std::vector<Csr> kMachine = {{"mstatus", 0x300},   {"misa", 0x301},   {"mie", 0x304},     {"mtvec", 0x305},
                                   {"mscratch", 0x340},  {"mepc", 0x341},   {"mcause", 0x342},  {"mtval", 0x343},
                                   {"mip", 0x344},       {"mcycle", 0xB00}, {"mcycleh", 0xB80}, {"minstret", 0xB02},
                                   {"minstreth", 0xB82}, {"mhartid", 0xF14}};

const std::vector<Csr> kLoops = {{"lpstart0", 0xCC0}, {"lpend0", 0xCC1}, {"lpcount0", 0xCC2},
                                 {"lpstart1", 0xCC4}, {"lpend1", 0xCC5}, {"lpcount1", 0xCC6}};

// The part of a hardware loop that a control register shows.
uint32_t *loop_register(Hart &hart, uint32_t number) {
  const uint32_t offset = number - kFirstLoop;
  if (offset >= 8 || offset % 4 == 3) {
    return nullptr;
  }
  HardwareLoop &loop = hart.loops[offset / 4];
  return offset % 4 == 0 ? &loop.start : offset % 4 == 1 ? &loop.end : &loop.count;
}

void describe(std::ostream &out, const std::string &name, uint32_t number, const char *type) {
  out << "<reg name=\"" << name << "\" bitsize=\"32\" regnum=\"" << number << "\" type=\"" << type << "\"/>\n";
}

void describe(std::ostream &out, const std::vector<Csr> &registers) {
  for (const Csr &csr : registers) {
    describe(out, csr.name, kGeneralRegisters + csr.number, "int");
  }
}

}  // namespace

std::optional<uint32_t> read_register(Hart &hart, uint32_t number) {
  if (number < kPc) {
    return hart.x[number];
  }
  if (number == kPc) {
    return hart.pc;
  }
  if (number < kGeneralRegisters) {
    return hart.f[number - kFirstFloat];
  }
  try {
    return hart.read_csr(number - kGeneralRegisters);
  } catch (const Fault &) {
    return std::nullopt;
  }
}

bool write_register(Hart &hart, uint32_t number, uint32_t value) {
  if (number < kPc) {
    hart.set(number, value);
  } else if (number == kPc) {
    hart.pc = value & ~1U;
  } else if (number < kGeneralRegisters) {
    hart.f[number - kFirstFloat] = value;
  } else if (uint32_t *loop = loop_register(hart, number - kGeneralRegisters)) {
    const bool is_count = loop == &hart.loops[0].count || loop == &hart.loops[1].count;
    if (!is_count && value % 4 != 0) {
      return false;
    }
    *loop = value;
  } else {
    try {
      hart.write_csr(number - kGeneralRegisters, value);
    } catch (const Fault &) {
      return false;
    }
  }
  return true;
}

// Without an OS ABI: for that of Linux, GDB makes steps of breakpoints, and knows nothing of hardware loops.
std::string describe_registers() {
  std::ostringstream out;
  out << "<?xml version=\"1.0\"?>\n<!DOCTYPE target SYSTEM \"gdb-target.dtd\">\n<target version=\"1.0\">\n"
         "<architecture>riscv:rv32</architecture>\n<osabi>none</osabi>\n<feature name=\"org.gnu.gdb.riscv.cpu\">\n";
  for (uint32_t i = 0; i < kPc; ++i) {
    describe(out, register_name(i), i, i == 1 ? "code_ptr" : i >= 2 && i <= 4 ? "data_ptr" : "int");
  }
  describe(out, "pc", kPc, "code_ptr");
  out << "</feature>\n<feature name=\"org.gnu.gdb.riscv.fpu\">\n";
  for (uint32_t i = 0; i < 32; ++i) {
    describe(out, float_register_name(i), kFirstFloat + i, "ieee_single");
  }
  describe(out, kFloatControl);
  out << "</feature>\n<feature name=\"org.gnu.gdb.riscv.csr\">\n";
  describe(out, kMachine);
  out << "</feature>\n<feature name=\"tinsmith.corev.loops\">\n";
  describe(out, kLoops);
  out << "</feature>\n</target>\n";
  return out.str();
}

}  // namespace tinsmith::soc
