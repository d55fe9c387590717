// The simulator's command: runs an ELF file on a chip, or prints its instructions.

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/isa/instruction_set.h"
#include "platforms/simulators/soc/model/description.h"
#include "platforms/simulators/soc/model/elf.h"
#include "platforms/simulators/soc/model/soc.h"
#include "platforms/simulators/soc/tool/arguments.h"
#include "platforms/simulators/soc/tool/gdb.h"
#include "platforms/simulators/soc/tool/log.h"
#include "platforms/simulators/soc/tool/report.h"

namespace tinsmith::soc {
namespace {

constexpr int kUnfinishedStatus = 124;
constexpr int kFaultStatus = 125;
constexpr int kUseStatus = 126;
constexpr uint32_t kMostProgramStatus = 123;

void print_instructions(const Segment &segment, const Program &program) {
  size_t function = 0;
  for (uint64_t offset = 0; offset + 2 <= segment.data.size();) {
    const auto pc = static_cast<uint32_t>(segment.address + offset);
    for (; function < program.functions.size() && program.functions[function].address <= pc; ++function) {
      if (program.functions[function].address == pc) {
        std::printf("%s <%s>:\n", hexadecimal(pc).c_str(), program.functions[function].name.c_str());
      }
    }
    uint32_t bits = 0;
    for (uint64_t i = 0; i < 4 && offset + i < segment.data.size(); ++i) {
      bits |= uint32_t{segment.data[offset + i]} << (8 * i);
    }
    const bool compressed = (bits & 3) != 3;
    const std::string digits = hexadecimal(bits).substr(compressed ? 4 : 0);
    const std::string text = disassemble(InstructionSet::corev().decode(bits), pc);
    std::printf("%s: %8s  %s\n", hexadecimal(pc).c_str(), digits.c_str(), text.c_str());
    offset += compressed ? 2 : 4;
  }
}

int status_of(const Result &result) {
  switch (result.outcome) {
    case Outcome::kFault:
      return kFaultStatus;
    case Outcome::kOutOfCycles:
    case Outcome::kStopped:
      return kUnfinishedStatus;
    case Outcome::kExited:
      break;
  }
  return static_cast<int>(std::min(result.exit_code, kMostProgramStatus));
}

size_t find_core(const Soc &soc, const std::string &option, const std::string &label) {
  const std::optional<size_t> core = soc.find_core(label);
  if (!core) {
    throw WrongUse(option + ": no core is called " + label);
  }
  return *core;
}

std::unique_ptr<Log> make_log(const Arguments &arguments, Soc &soc) {
  if (arguments.log.empty()) {
    return nullptr;
  }
  LogLimits limits = {std::nullopt, arguments.log_function, arguments.log_begin, arguments.log_end};
  if (!arguments.log_core.empty()) {
    limits.core = find_core(soc, "--log-core", arguments.log_core);
  }
  if (!limits.function.empty() && !soc.profile().knows_function(limits.function)) {
    throw WrongUse("--log-function: no function is called " + limits.function);
  }
  return std::make_unique<Log>(arguments.log, soc, limits);
}

size_t core_to_debug(const Arguments &arguments, const Soc &soc) {
  if (!arguments.gdb_core.empty()) {
    return find_core(soc, "--gdb-core", arguments.gdb_core);
  }
  const auto &harts = soc.harts();
  // One starts on every chip.
  const auto first = std::find_if(harts.begin(), harts.end(), [](const auto &hart) { return hart->running; });
  return static_cast<size_t>(first - harts.begin());
}

Description describe_chip(const Arguments &arguments) {
  Description description = read_description(arguments.chip);
  for (const std::string &part : arguments.parts) {
    add_part(description, part);
  }
  for (const std::string &constant : arguments.constants) {
    override_constant(description, constant);
  }
  try {
    check(description);
  } catch (const BadFile &error) {
    throw BadFile(arguments.chip + (arguments.constants.empty() ? ": " : ", as changed by --set: ") + error.what());
  }
  return description;
}

int simulate(const Arguments &arguments, const Program &program) {
  const Description description = describe_chip(arguments);
  Soc soc(description, program, arguments.options);
  const std::unique_ptr<Log> log = make_log(arguments, soc);
  std::unique_ptr<Gdb> gdb;
  if (!arguments.gdb.empty()) {
    gdb = std::make_unique<Gdb>(soc, core_to_debug(arguments, soc), arguments.gdb);
    soc.observe(*gdb);  // before the log, which is to see what the debugger changes
  }
  if (log != nullptr) {
    soc.observe(*log);
  }
  // A run may take long: files that cannot be written are better known before it.
  for (const std::string &path : {arguments.json, arguments.trace}) {
    if (!path.empty()) {
      check_writable(path);
    }
  }
  const Result result = soc.run();
  if (gdb != nullptr) {
    gdb->finish(result, status_of(result));
  }
  if (log != nullptr) {
    log->close();
  }
  if (!arguments.json.empty()) {
    write_json(arguments.json, soc, result);
  }
  if (!arguments.trace.empty()) {
    write_trace(arguments.trace, soc);
  }
  if (result.outcome == Outcome::kFault) {
    std::cerr << describe_fault(soc, program, result);
  } else if (result.outcome == Outcome::kOutOfCycles) {
    std::cerr << "stopped after " << result.cycles << " cycles; --most-cycles allows no more\n"
              << describe_places(soc, program);
  } else if (result.outcome == Outcome::kStopped) {
    std::cerr << "stopped by the debugger after " << result.cycles << " cycles\n";
  }
  return status_of(result);
}

int run(int count, char **words) {
  const Arguments arguments = parse({words + 1, words + count});
  if (arguments.help) {
    std::cout << kUsage;
    return 0;
  }
  const Program program = read_elf(arguments.program);
  if (!arguments.disassemble) {
    return simulate(arguments, program);
  }
  for (const Segment &segment : program.segments) {
    if (segment.executable) {
      print_instructions(segment, program);
    }
  }
  return 0;
}

}  // namespace
}  // namespace tinsmith::soc

int main(int count, char **words) {
  try {
    return tinsmith::soc::run(count, words);
  } catch (const tinsmith::soc::WrongUse &error) {
    std::cerr << "soc: " << error.what() << "; `soc --help` lists the options\n";
  } catch (const tinsmith::soc::NoLink &error) {
    std::cerr << "soc: " << error.what() << '\n';
  } catch (const tinsmith::soc::BadFile &error) {
    std::cerr << "soc: " << error.what() << '\n';
  }
  return tinsmith::soc::kUseStatus;
}
