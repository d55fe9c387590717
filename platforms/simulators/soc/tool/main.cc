// The simulator's command: runs an ELF file on a chip, or prints its instructions.

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "platforms/simulators/soc/isa/decode.h"
#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/model/description.h"
#include "platforms/simulators/soc/model/elf.h"
#include "platforms/simulators/soc/model/soc.h"
#include "platforms/simulators/soc/model/toy_accelerator.h"
#include "platforms/simulators/soc/tool/report.h"

namespace tinsmith::soc {
namespace {

constexpr int kOutOfCyclesStatus = 124;
constexpr int kFaultStatus = 125;
constexpr int kUseStatus = 126;
constexpr uint32_t kMostProgramStatus = 123;

constexpr const char *kUsage =
    "usage: soc --chip FILE [options] PROGRAM.elf\n"
    "       soc --disassemble PROGRAM.elf\n"
    "\n"
    "  --chip FILE          description of the chip, such as chips/pulp-open.soc\n"
    "  --set KEY=VALUE      change one of its constants; may be repeated\n"
    "  --start-cluster      start all cluster cores at the entry, not the fabric controller\n"
    "  --race-check         stop where two cores write the same L1 byte between barriers\n"
    "  --semihosting        serve the program's calls for the host's files, text and exit\n"
    "  --toy-accelerator    attach the accelerator that the tests use\n"
    "  --most-cycles N      stop after so many\n"
    "  --json FILE          write counters per core, function and region\n"
    "  --trace FILE         write a trace for ui.perfetto.dev\n"
    "\n"
    "Exit status: the program's own up to 123; 124 out of cycles, 125 fault, 126 wrong use or bad file.\n";

class WrongUse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Arguments {
  std::string chip;
  std::string program;
  std::string json;
  std::string trace;
  std::vector<std::string> constants;
  Options options;
  bool disassemble = false;
  bool toy_accelerator = false;
};

class Words {
 public:
  Words(int count, char **words) : words_(words + 1, words + count) {
  }

  bool empty() const {
    return next_ == words_.size();
  }

  std::string take() {
    return words_[next_++];
  }

  std::string take_value(const std::string &option) {
    if (empty()) {
      throw WrongUse(option + " needs a value");
    }
    return take();
  }

 private:
  std::vector<std::string> words_;
  size_t next_ = 0;
};

uint64_t parse_cycles(const std::string &text) {
  size_t used = 0;
  try {
    const unsigned long long value = std::stoull(text, &used);
    if (used == text.size()) {
      return value;
    }
  } catch (const std::logic_error &) {
    // said below
  }
  throw WrongUse("--most-cycles: '" + text + "' is not a number");
}

void parse_option(const std::string &option, Words &words, Arguments &arguments) {
  if (option == "--chip") {
    arguments.chip = words.take_value(option);
  } else if (option == "--set") {
    arguments.constants.push_back(words.take_value(option));
  } else if (option == "--json") {
    arguments.json = words.take_value(option);
  } else if (option == "--trace") {
    arguments.trace = words.take_value(option);
  } else if (option == "--most-cycles") {
    arguments.options.most_cycles = parse_cycles(words.take_value(option));
  } else if (option == "--start-cluster") {
    arguments.options.start_cluster = true;
  } else if (option == "--race-check") {
    arguments.options.race_check = true;
  } else if (option == "--semihosting") {
    arguments.options.semihosting = true;
  } else if (option == "--toy-accelerator") {
    arguments.toy_accelerator = true;
  } else if (option == "--disassemble") {
    arguments.disassemble = true;
  } else {
    throw WrongUse("no option is called " + option);
  }
}

Arguments parse(Words words) {
  Arguments arguments;
  while (!words.empty()) {
    const std::string word = words.take();
    if (word.rfind("--", 0) == 0) {
      parse_option(word, words, arguments);
    } else if (arguments.program.empty()) {
      arguments.program = word;
    } else {
      throw WrongUse("one program at a time: " + word);
    }
  }
  if (arguments.program.empty() || (arguments.chip.empty() && !arguments.disassemble)) {
    throw WrongUse("a program and a chip are needed");
  }
  arguments.options.keep_slices = !arguments.trace.empty();
  return arguments;
}

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
    const std::optional<Instruction> instruction = decode(bits);
    const std::string digits = hexadecimal(bits).substr(compressed ? 4 : 0);
    const std::string text = instruction ? disassemble(*instruction, pc) : "unknown";
    std::printf("%s: %8s  %s\n", hexadecimal(pc).c_str(), digits.c_str(), text.c_str());
    offset += compressed ? 2 : 4;
  }
}

int status_of(const Result &result) {
  switch (result.outcome) {
    case Outcome::kFault:
      return kFaultStatus;
    case Outcome::kOutOfCycles:
      return kOutOfCyclesStatus;
    case Outcome::kExited:
      break;
  }
  return static_cast<int>(std::min(result.exit_code, kMostProgramStatus));
}

int simulate(const Arguments &arguments, const Program &program) {
  Description description = read_description(arguments.chip);
  for (const std::string &constant : arguments.constants) {
    override_constant(description, constant);
  }
  check(description);
  std::unique_ptr<Accelerator> accelerator;
  if (arguments.toy_accelerator) {
    accelerator = std::make_unique<ToyAccelerator>();
  }
  Soc soc(description, program, arguments.options, std::move(accelerator));
  const Result result = soc.run();
  if (!arguments.json.empty()) {
    write_json(arguments.json, soc, result);
  }
  if (!arguments.trace.empty()) {
    write_trace(arguments.trace, soc);
  }
  if (result.outcome == Outcome::kFault) {
    std::cerr << describe_fault(soc, program, result);
  } else if (result.outcome == Outcome::kOutOfCycles) {
    std::cerr << "stopped after " << result.cycles << " cycles\n";
  }
  return status_of(result);
}

int run(int count, char **words) {
  const Arguments arguments = parse(Words(count, words));
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
    std::cerr << "soc: " << error.what() << '\n' << tinsmith::soc::kUsage;
  } catch (const tinsmith::soc::BadFile &error) {
    std::cerr << "soc: " << error.what() << '\n';
  }
  return tinsmith::soc::kUseStatus;
}
