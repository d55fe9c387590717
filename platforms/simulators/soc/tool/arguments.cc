#include "platforms/simulators/soc/tool/arguments.h"

#include <optional>

#include "platforms/simulators/soc/model/number.h"

namespace tinsmith::soc {
namespace {

class Words {
 public:
  explicit Words(std::vector<std::string> words) : words_(std::move(words)) {
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

uint64_t number_of(const std::string &option, const std::string &text) {
  const std::optional<uint64_t> value = parse_number(text);
  if (!value) {
    throw WrongUse(option + ": expected a number, found '" + text + "'");
  }
  return *value;
}

void parse_range(const std::string &option, const std::string &text, Arguments &arguments) {
  const size_t colon = text.find(':');
  if (colon == std::string::npos) {
    throw WrongUse(option + ": expected BEGIN:END, found '" + text + "'");
  }
  const uint64_t begin = number_of(option, text.substr(0, colon));
  arguments.log_begin = static_cast<uint32_t>(begin);
  arguments.log_end = number_of(option, text.substr(colon + 1));
  if (begin > UINT32_MAX || begin >= arguments.log_end) {
    throw WrongUse(option + ": no address lies in '" + text + "'");
  }
}

void set_neureka(const std::string &option, const std::string &text, Arguments &arguments) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw WrongUse(option + ": expected KEY=VALUE, found '" + text + "'");
  }
  const uint64_t value = number_of(option, text.substr(equals + 1));
  if (value > UINT32_MAX ||
      !set_constant(arguments.neureka_timing, text.substr(0, equals), static_cast<uint32_t>(value))) {
    throw WrongUse(option + ": N-EUREKA has no such constant, or not so large a one: '" + text + "'");
  }
  arguments.neureka_changed = true;
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
  } else if (option == "--gdb") {
    arguments.gdb = words.take_value(option);
  } else if (option == "--gdb-core") {
    arguments.gdb_core = words.take_value(option);
  } else if (option == "--log") {
    arguments.log = words.take_value(option);
  } else if (option == "--log-core") {
    arguments.log_core = words.take_value(option);
  } else if (option == "--log-function") {
    arguments.log_function = words.take_value(option);
  } else if (option == "--log-range") {
    parse_range(option, words.take_value(option), arguments);
  } else if (option == "--most-cycles") {
    arguments.options.most_cycles = number_of(option, words.take_value(option));
  } else if (option == "--start-cluster") {
    arguments.options.start_cluster = true;
  } else if (option == "--race-check") {
    arguments.options.race_check = true;
  } else if (option == "--semihosting") {
    arguments.options.semihosting = true;
  } else if (option == "--stop-at-exceptions") {
    arguments.options.stop_at_exceptions = true;
  } else if (option == "--toy-accelerator") {
    arguments.toy_accelerator = true;
  } else if (option == "--neureka") {
    arguments.neureka = true;
  } else if (option == "--neureka-set") {
    set_neureka(option, words.take_value(option), arguments);
  } else if (option == "--disassemble") {
    arguments.disassemble = true;
  } else {
    throw WrongUse("no option is called " + option);
  }
}

// What would be ignored otherwise.
void require_its_owner(const std::string &option, bool given, const std::string &owner, bool owner_given) {
  if (given && !owner_given) {
    throw WrongUse(option + " says nothing without " + owner);
  }
}

void check(const Arguments &arguments) {
  if (arguments.program.empty()) {
    throw WrongUse("no program: name an ELF file");
  }
  if (arguments.chip.empty() && !arguments.disassemble) {
    throw WrongUse("no chip: give its description by --chip");
  }
  const bool limits_log = !arguments.log_core.empty() || !arguments.log_function.empty() || arguments.log_begin > 0 ||
                          arguments.log_end < Arguments{}.log_end;
  require_its_owner("--log-core, --log-function or --log-range", limits_log, "--log", !arguments.log.empty());
  require_its_owner("--neureka-set", arguments.neureka_changed, "--neureka", arguments.neureka);
  if (arguments.toy_accelerator && arguments.neureka) {
    throw WrongUse("one accelerator at a time: --toy-accelerator or --neureka");
  }
  require_its_owner("--gdb-core", !arguments.gdb_core.empty(), "--gdb", !arguments.gdb.empty());
}

}  // namespace

Arguments parse(std::vector<std::string> text) {
  Words words(std::move(text));
  Arguments arguments;
  while (!words.empty()) {
    const std::string word = words.take();
    if (word == "--help" || word == "-h") {
      arguments.help = true;
      return arguments;
    }
    if (word.rfind('-', 0) == 0) {
      parse_option(word, words, arguments);
    } else if (arguments.program.empty()) {
      arguments.program = word;
    } else {
      throw WrongUse("one program at a time: " + arguments.program + ", then " + word);
    }
  }
  check(arguments);
  arguments.options.keep_slices = !arguments.trace.empty();
  return arguments;
}

}  // namespace tinsmith::soc
