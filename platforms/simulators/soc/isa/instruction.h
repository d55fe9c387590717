// A decoded instruction, and the row of an instruction table: name, encoding, text and what it does, in one place.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_INSTRUCTION_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_INSTRUCTION_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tinsmith::soc {

class Hart;
struct Instruction;

// Carries out an instruction on a hart: results, extra cycles, and where to go on.
using Execute = void (*)(Hart &, const Instruction &);

// What counters tell apart.
enum class Kind : uint8_t {
  kAlu,
  kMultiply,
  kDivide,
  kLoad,
  kStore,
  kBranch,
  kJump,
  kCsr,
  kSystem,
  kFloat,
  kBit,
  kSimd,
  kDot,
  kMac,
  kLoop,
  kEvent,
  kDmaPoll,  // of any class, but of a loop that only waits for the DMA: see Profile::poll
  kCount,
};

// One instruction of an extension.
//
// `operands` is its text, a letter for each operand, and says at the same time which fields it has:
//   d s t r   integer registers in bits 11:7, 19:15, 24:20, 31:27; w: the register in 11:7, read (stores' increment)
//   D S T R   floating-point registers in the same places
//   i q       signed 12-bit immediate of loads, of stores      p j       target of branches, of jal
//   u         upper 20 bits                                    > Z       5 bits in 24:20, in 19:15
//   b         signed 5 bits in 24:20                           3 n       5 bits in 29:25, and in 24:20 beside them
//   v V       signed, unsigned 6 bits of SIMD                  c         CSR number
//   L         hardware loop 0 or 1                             m M       loop's 12 bits in 31:20, 5 bits in 19:15
//   f         rounding mode, printed only if not dynamic       !         no text: rd is read, too
struct Row {
  std::string name;
  std::string operands;
  uint32_t match;
  uint32_t mask;
  Kind kind;
  Execute execute;
};

using Rows = std::vector<Row>;

// What an instruction needs beside being executed.
enum Check : uint8_t {
  kBarredFromLoops = 1,  // compressed, or goes elsewhere: not in the body of a hardware loop
  kCompressed = 2,
  kUsesFloat = 4,     // illegal while floating point is off
  kChangesFloat = 8,  // writes a floating-point register or flag
  kTraps = 16,        // always goes to the handler: no loop's round ends with it
};

struct Instruction {
  Execute execute = nullptr;
  uint64_t reads = 0;  // bit n: xn, bit 32 + n: fn
  uint32_t immediate = 0;
  uint32_t word = 0;  // 32 bits, expanded if it was compressed
  uint16_t function = 0;
  uint8_t rd = 0;
  uint8_t rs1 = 0;
  uint8_t rs2 = 0;
  uint8_t rs3 = 0;
  uint8_t size = 4;
  Kind kind = Kind::kAlu;
  uint8_t checks = 0;        // a sum of Check
  const Row *row = nullptr;  // none if it is illegal
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_INSTRUCTION_H_
