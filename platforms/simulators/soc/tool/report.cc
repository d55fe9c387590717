#include "platforms/simulators/soc/tool/report.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "platforms/simulators/soc/isa/decode.h"
#include "platforms/simulators/soc/isa/disassemble.h"

namespace tinsmith::soc {
namespace {

constexpr std::array<const char *, static_cast<size_t>(Kind::kCount)> kKindNames = {
    "alu",   "multiply", "divide", "load", "store", "branch", "jump",  "csr",     "system",
    "float", "bit",      "simd",   "dot",  "mac",   "loop",   "event", "dma_poll"};

constexpr std::array<const char *, static_cast<size_t>(Stall::kCount)> kStallNames = {
    "load_use",          "multi_cycle", "branch",     "misaligned", "l1_conflict", "l2",    "memory",      "peripheral",
    "instruction_cache", "dma_wait",    "fetch_wait", "barrier",    "dispatch",    "mutex", "accelerator", "event"};

constexpr std::array<const char *, 4> kOutcomeNames = {"exited", "fault", "out of cycles", "stopped"};

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result + '"';
}

// Items between commas.
class List {
 public:
  explicit List(std::ostream &out) : out_(out) {
  }

  std::ostream &next() {
    out_ << (first_ ? "\n" : ",\n");
    first_ = false;
    return out_;
  }

 private:
  std::ostream &out_;
  bool first_ = true;
};

template <size_t size>
void write_counts(std::ostream &out, const std::array<const char *, size> &names,
                  const std::array<uint64_t, size> &counts) {
  const char *separator = "";
  out << '{';
  for (size_t i = 0; i < size; ++i) {
    if (counts[i] != 0) {
      out << separator << '"' << names[i] << "\": " << counts[i];
      separator = ", ";
    }
  }
  out << '}';
}

void write_counters(std::ostream &out, const Counters &counters) {
  out << "\"cycles\": " << counters.cycles << ", \"instructions\": " << counters.instructions << ", \"classes\": ";
  write_counts(out, kKindNames, counters.kinds);
  out << ", \"stalls\": ";
  write_counts(out, kStallNames, counters.stalls);
}

Counters total_of(const Soc &soc, size_t core) {
  Counters total = soc.harts()[core]->counters;
  total.cycles = soc.harts()[core]->time;
  return total;
}

void write_functions(std::ostream &out, const Soc &soc, size_t core) {
  List functions(out);
  for (size_t f = 0; f < soc.profile().functions(); ++f) {
    const Counters &counters = soc.profile().of_function(core, static_cast<uint16_t>(f));
    if (counters.cycles != 0) {
      functions.next() << "        {\"name\": " << quoted(soc.profile().function_name(static_cast<uint16_t>(f)))
                       << ", ";
      write_counters(out, counters);
      out << '}';
    }
  }
}

void write_regions(std::ostream &out, const Soc &soc, size_t core) {
  List regions(out);
  for (const auto &[number, counters] : soc.profile().regions(core)) {
    regions.next() << "        {\"region\": " << number << ", ";
    write_counters(out, counters);
    out << '}';
  }
}

void write_stages(std::ostream &out, const Soc &soc, size_t core) {
  List stages(out);
  for (const auto &[number, counters] : soc.profile().stages(core)) {
    stages.next() << "        {\"stage\": " << number << ", ";
    write_counters(out, counters);
    out << '}';
  }
}

std::ofstream open(const std::string &path) {
  std::ofstream out(path);
  if (!out) {
    throw BadFile(path + ": cannot be written");
  }
  return out;
}

void close(std::ofstream &out, const std::string &path) {
  out.close();
  if (!out) {
    throw BadFile(path + ": cannot be written to its end");
  }
}

// Threads and processes are numbered from 1: number 0 means "idle" to Perfetto.
void write_metadata(std::ostream &out, size_t track, const char *name, const std::string &value) {
  const bool is_name = value[0] == '"';
  out << "{\"ph\": \"M\", \"pid\": 1, \"tid\": " << track + 1 << ", \"name\": \"" << name << "\", \"args\": {\""
      << (is_name ? "name" : "sort_index") << "\": " << value << "}}";
}

void write_slice(std::ostream &out, const Slice &slice) {
  out << "{\"ph\": \"X\", \"pid\": 1, \"tid\": " << slice.track + 1 << ", \"ts\": " << slice.began
      << ", \"dur\": " << slice.ended - slice.began << ", \"name\": " << quoted(slice.name) << ", \"args\": {";
  const char *separator = "";
  for (const auto &[name, value] : slice.details) {
    out << separator << quoted(name) << ": " << quoted(value);
    separator = ", ";
  }
  out << "}}";
}

std::string registers_of(const Hart &hart) {
  std::ostringstream text;
  for (uint32_t i = 0; i < 32; ++i) {
    const std::string name = register_name(i);
    text << (i % 4 == 0 ? "  " : "   ") << std::string(4 - name.size(), ' ') << name << " 0x" << hexadecimal(hart.x[i])
         << (i % 4 == 3 ? "\n" : "");
  }
  for (uint32_t loop = 0; loop < 2; ++loop) {
    const HardwareLoop &state = hart.loops[loop];
    text << "  loop " << loop << ": start 0x" << hexadecimal(state.start) << ", end 0x" << hexadecimal(state.end)
         << ", count " << state.count << '\n';
  }
  return text.str();
}

// Read from the program's file, as a fetch may be what failed.
std::string instruction_at(const Program &program, uint32_t pc) {
  for (const Segment &segment : program.segments) {
    const uint64_t offset = uint64_t{pc} - segment.address;
    if (pc < segment.address || offset + 2 > segment.data.size()) {
      continue;
    }
    uint32_t bits = 0;
    for (uint64_t i = 0; i < 4 && offset + i < segment.data.size(); ++i) {
      bits |= uint32_t{segment.data[offset + i]} << (8 * i);
    }
    const std::optional<Instruction> instruction = decode(bits);
    return instruction ? disassemble(*instruction, pc) : "unknown";
  }
  return "not in the program's file";
}

std::string place_of(const Soc &soc, const Program &program, size_t core) {
  const Hart &hart = *soc.harts()[core];
  const std::string &function = soc.profile().function_name(soc.profile().function_at(hart.pc));
  return soc.core_name(core) + " at 0x" + hexadecimal(hart.pc) + " in " + function + ": " +
         instruction_at(program, hart.pc) + '\n';
}

}  // namespace

void check_writable(const std::string &path) {
  // Who reads a pipe must not see it closed.
  std::error_code unknown;
  if (!std::filesystem::is_fifo(path, unknown) && !std::ofstream(path, std::ios::app)) {
    throw BadFile(path + ": cannot be written");
  }
}

std::string describe_places(const Soc &soc, const Program &program) {
  std::string text;
  for (size_t core = 0; core < soc.harts().size(); ++core) {
    if (soc.harts()[core]->running) {
      text += place_of(soc, program, core);
    }
  }
  return text;
}

void write_json(const std::string &path, const Soc &soc, const Result &result) {
  std::ofstream out = open(path);
  out << "{\n  \"schema\": \"tinsmith.soc/1\",\n  \"outcome\": \"" << kOutcomeNames[static_cast<size_t>(result.outcome)]
      << "\",\n  \"exit_code\": " << result.exit_code << ",\n  \"cycles\": " << result.cycles
      << ",\n  \"reason\": " << quoted(result.reason) << ",\n  \"cores\": [";
  List cores(out);
  for (size_t core = 0; core < soc.harts().size(); ++core) {
    cores.next() << "    {\"name\": " << quoted(soc.core_name(core)) << ", ";
    write_counters(out, total_of(soc, core));
    out << ",\n      \"functions\": [";
    write_functions(out, soc, core);
    out << "],\n      \"regions\": [";
    write_regions(out, soc, core);
    out << "],\n      \"stages\": [";
    write_stages(out, soc, core);
    out << "]}";
  }
  out << "\n  ],\n  \"devices\": [";
  List devices(out);
  for (const Attached &device : soc.attached()) {
    devices.next() << "    {\"name\": " << quoted(device.name) << ", \"kind\": " << quoted(device.kind)
                   << ", \"jobs\": " << device.jobs << ", \"busy_cycles\": " << device.busy_cycles
                   << ", \"bank_waits\": " << device.bank_waits << ", \"bytes_loaded\": " << device.bytes_loaded
                   << ", \"bytes_stored\": " << device.bytes_stored << ", \"parts\": {";
    const char *separator = "";
    for (const auto &[part, cycles] : device.parts) {
      out << separator << quoted(part) << ": " << cycles;
      separator = ", ";
    }
    out << "}}";
  }
  out << "\n  ]\n}\n";
  close(out, path);
}

void write_trace(const std::string &path, const Soc &soc) {
  std::ofstream out = open(path);
  out << "{\"traceEvents\": [";
  List events(out);
  events.next() << "{\"ph\": \"M\", \"pid\": 1, \"name\": \"process_name\", \"args\": {\"name\": \"chip\"}}";
  std::vector<Slice> slices = soc.profile().slices();
  std::vector<bool> has_slices(soc.tracks());
  for (const Slice &slice : slices) {
    has_slices[slice.track] = true;
  }
  for (size_t track = 0; track < soc.tracks(); ++track) {
    if (!has_slices[track]) {
      continue;
    }
    write_metadata(events.next(), track, "thread_name", quoted(soc.track_name(track)));
    write_metadata(events.next(), track, "thread_sort_index", std::to_string(track));
  }
  // What contains others comes before them.
  std::sort(slices.begin(), slices.end(), [](const Slice &a, const Slice &b) {
    return std::tie(a.track, a.began, b.ended) < std::tie(b.track, b.began, a.ended);
  });
  for (const Slice &slice : slices) {
    write_slice(events.next(), slice);
  }
  out << "\n]}\n";
  close(out, path);
}

std::string describe_fault(const Soc &soc, const Program &program, const Result &result) {
  std::ostringstream text;
  text << "fault at cycle " << result.cycles << ": " << result.reason << '\n';
  for (size_t core = 0; core < soc.harts().size(); ++core) {
    const Hart &hart = *soc.harts()[core];
    if (result.culprit ? core != *result.culprit : !hart.running) {
      continue;
    }
    text << place_of(soc, program, core) << registers_of(hart);
  }
  return text.str();
}

}  // namespace tinsmith::soc
