// A text file with a line for each instruction that a core executes.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_LOG_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_LOG_H_

#include <array>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "platforms/simulators/soc/model/soc.h"

namespace tinsmith::soc {

// Which instructions to log.
struct LogLimits {
  std::optional<size_t> core;
  std::string function;  // "" is any
  uint32_t begin = 0;    // address
  uint64_t end = uint64_t{1} << 32;
};

// A line holds, with spaces between: the cycle in which the instruction issued, the core (a number, or fc), its
// address, its encoding, its text; a load's access as [address]:value or a store's as [address]=value; then
// name=value for its destination and for every other register that changed, fflags, frm and hardware loops among them.
// Numbers are hexadecimal but for cycle and core. Where a core enters another function, a line says `# core function`.
class Log : public Observer {
 public:
  // Raises BadFile if the file cannot be written.
  Log(const std::string &path, Soc &soc, const LogLimits &limits);

  void before_step(size_t core) override;
  void executed(size_t core, const Instruction &instruction) override;
  void accessed(const Hart &hart, const Access &access) override;

  // Writes what is left; raises BadFile if that fails.
  void close();

 private:
  // What does not change from one time to the next that an instruction is executed.
  struct Line {
    uint32_t word;
    bool wanted;
    uint16_t function;
    std::string text;  // from address to disassembly
  };

  // Registers before the instruction.
  struct State {
    uint32_t pc = 0;
    uint64_t cycle = 0;
    std::array<uint32_t, 32> x{};
    std::array<uint32_t, 32> f{};
    std::array<HardwareLoop, 2> loops{};
    uint32_t fcsr = 0;
  };

  const Line &line_of(const Instruction &instruction, uint32_t pc);
  bool is_wanted(uint32_t pc) const;
  void note(const std::string &name, uint32_t value, uint32_t digits = 8);
  void note_access();
  void note_registers(const Hart &hart, const Instruction &instruction);
  void note_loops(const Hart &hart);
  void note_float_control(Hart &hart);

  Soc &soc_;
  const std::string path_;
  const LogLimits limits_;
  std::ofstream out_;
  std::unordered_map<uint32_t, Line> lines_;
  std::vector<std::optional<uint16_t>> functions_;  // of each core's last line
  State before_;
  std::optional<Access> access_;
  std::string text_;  // of the line that is being made
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_LOG_H_
