// The words after the command's name.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_ARGUMENTS_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_ARGUMENTS_H_

#include <stdexcept>
#include <string>
#include <vector>

#include "platforms/simulators/soc/model/soc.h"

namespace tinsmith::soc {

inline constexpr const char *kUsage =
    "usage: soc --chip FILE [options] PROGRAM.elf\n"
    "       soc --disassemble PROGRAM.elf\n"
    "\n"
    "  --chip FILE          description of the chip, such as chips/pulp-open.soc\n"
    "  --set KEY=VALUE      change one of its constants, or PART.KEY of a memory or device; may be repeated\n"
    "  --start-cluster      start all cluster cores at the entry, not the fabric controller\n"
    "  --race-check         stop where a core writes an L1 byte that another is at between barriers\n"
    "  --semihosting        serve the program's calls for the host's files, text and exit\n"
    "  --stop-at-exceptions make faults of illegal instructions and ebreak, though the program has a handler\n"
    "  --part LINE          add a memory or device, as a line of the chip's file does; may be repeated\n"
    "  --most-cycles N      stop after so many\n"
    "  --json FILE          write counters per core, function and region\n"
    "  --trace FILE         write a trace for ui.perfetto.dev\n"
    "  --gdb PORT           wait for GDB on this port of 127.0.0.1, 0 is any free one; stdio: GDB started this\n"
    "    --gdb-core CORE        let it hold this core (0, 1 ..., fc), not the one that starts\n"
    "  --log FILE           write a line for each instruction executed\n"
    "    --log-core CORE        by this core only (0, 1 ..., fc)\n"
    "    --log-function NAME    of this function only\n"
    "    --log-range BEGIN:END  at these addresses only, END is the first behind them\n"
    "  --help               print this\n"
    "\n"
    "Exit status: the program's own up to 123; 124 out of cycles or ended by GDB, 125 fault, 126 wrong use or bad "
    "file.\n";

class WrongUse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Arguments {
  std::string chip;
  std::string program;
  std::string json;
  std::string trace;
  std::string gdb;       // "" is none
  std::string gdb_core;  // "" is the first that runs
  std::string log;
  std::string log_core;  // "" is any
  std::string log_function;
  uint32_t log_begin = 0;
  uint64_t log_end = uint64_t{1} << 32;
  std::vector<std::string> constants;
  std::vector<std::string> parts;
  Options options;
  bool help = false;  // nothing else matters then
  bool disassemble = false;
};

// Raises WrongUse.
Arguments parse(std::vector<std::string> words);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_ARGUMENTS_H_
