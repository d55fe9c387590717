#include "platforms/simulators/soc/model/elf.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "platforms/simulators/soc/model/description.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kHeaderBytes = 52;
constexpr uint32_t kRiscv = 243;
constexpr uint32_t kExecutable = 2;
constexpr uint32_t kLoad = 1;
constexpr uint32_t kExecutableFlag = 1;
constexpr uint32_t kSymbolTable = 2;
constexpr uint32_t kCodeFlag = 4;  // of a section
constexpr uint32_t kNoType = 0;
constexpr uint32_t kFunctionType = 2;
constexpr uint32_t kSegmentHeaderBytes = 32;
constexpr uint32_t kSectionHeaderBytes = 40;
constexpr uint32_t kSymbolBytes = 16;
constexpr uint32_t kReservedSections = 0xFF00;

// Little-endian numbers of a file; what lies beyond its end is an error.
class Reader {
 public:
  Reader(const std::string &path, std::vector<uint8_t> bytes) : path_(path), bytes_(std::move(bytes)) {
  }

  uint32_t number(uint64_t offset, uint32_t size) const {
    need(offset, size);
    uint32_t value = 0;
    for (uint32_t i = 0; i < size; ++i) {
      value |= uint32_t{bytes_[offset + i]} << (8 * i);
    }
    return value;
  }

  uint32_t word(uint64_t offset) const {
    return number(offset, 4);
  }

  uint32_t half(uint64_t offset) const {
    return number(offset, 2);
  }

  size_t size() const {
    return bytes_.size();
  }

  std::vector<uint8_t> slice(uint64_t offset, uint64_t size) const {
    need(offset, size);
    const auto begin = bytes_.begin() + static_cast<ptrdiff_t>(offset);
    return {begin, begin + static_cast<ptrdiff_t>(size)};
  }

  std::string text(uint64_t offset) const {
    std::string result;
    for (; number(offset, 1) != 0; ++offset) {
      result += static_cast<char>(bytes_[offset]);
    }
    return result;
  }

  [[noreturn]] void fail(const std::string &what) const {
    throw BadFile(path_ + ": " + what);
  }

 private:
  void need(uint64_t offset, uint64_t size) const {
    if (offset + size > bytes_.size()) {
      fail("expected " + std::to_string(size) + " bytes at offset " + std::to_string(offset) + ", but the file has " +
           std::to_string(bytes_.size()) + "; it is cut off or damaged");
    }
  }

  std::string path_;
  std::vector<uint8_t> bytes_;
};

void check_header(const Reader &file) {
  const std::string expected = "expected an ELF file for 32-bit RISC-V, found ";
  if (file.size() < kHeaderBytes || file.word(0) != 0x464C457F) {
    file.fail(expected + "no ELF file, of " + std::to_string(file.size()) + " bytes");
  }
  if (file.number(4, 1) != 1 || file.number(5, 1) != 1 || file.half(18) != kRiscv) {
    file.fail(expected + "one of " + (file.number(4, 1) == 1 ? "32" : "64") + " bits, " +
              (file.number(5, 1) == 1 ? "little" : "big") + "-endian, for machine " + std::to_string(file.half(18)) +
              " (RISC-V is " + std::to_string(kRiscv) + ")");
  }
  if (file.half(16) != kExecutable) {
    file.fail("not linked to an executable (ELF type " + std::to_string(file.half(16)) + ", expected " +
              std::to_string(kExecutable) + ")");
  }
  if ((file.half(44) != 0 && file.half(42) != kSegmentHeaderBytes) ||
      (file.half(48) != 0 && file.half(46) != kSectionHeaderBytes)) {
    file.fail("its headers have another size than those of ELF32");
  }
  if (file.word(24) % 2 != 0) {
    file.fail("its entry is at an odd address");
  }
}

std::vector<Segment> read_segments(const Reader &file) {
  std::vector<Segment> segments;
  const uint32_t table = file.word(28);
  for (uint32_t i = 0; i < file.half(44); ++i) {
    const uint64_t header = uint64_t{table} + uint64_t{i} * kSegmentHeaderBytes;
    const uint32_t in_memory = file.word(header + 20);
    if (file.word(header) != kLoad || in_memory == 0) {
      continue;
    }
    if (file.word(header + 16) > in_memory) {
      file.fail("a segment is larger in the file than in memory");
    }
    segments.push_back({file.word(header + 8), file.word(header + 12), in_memory,
                        (file.word(header + 24) & kExecutableFlag) != 0,
                        file.slice(file.word(header + 4), file.word(header + 16))});
  }
  return segments;
}

struct Sections {
  uint64_t table;
  uint32_t count;

  uint64_t header(uint32_t index) const {
    return table + uint64_t{index} * kSectionHeaderBytes;
  }
};

// Labels of assembly have no type; in code they count as functions, except the assembler's own.
bool names_code(const Reader &file, const Sections &sections, uint64_t symbol, const std::string &name) {
  const uint32_t type = file.number(symbol + 12, 1) & 15;
  const uint32_t section = file.half(symbol + 14);
  if (section == 0 || section >= sections.count || section >= kReservedSections || name.empty()) {
    return false;
  }
  const bool in_code = (file.word(sections.header(section) + 8) & kCodeFlag) != 0;
  const bool local_label = name[0] == '.' || name[0] == '$';
  return type == kFunctionType || (type == kNoType && in_code && !local_label);
}

void read_symbols(const Reader &file, const Sections &sections, uint32_t index, std::vector<Function> &functions) {
  const uint64_t table = sections.header(index);
  const uint64_t first = file.word(table + 16);
  const uint64_t names = file.word(sections.header(file.word(table + 24)) + 16);
  for (uint64_t symbol = first; symbol + kSymbolBytes <= first + file.word(table + 20); symbol += kSymbolBytes) {
    const std::string name = file.text(names + file.word(symbol));
    if (names_code(file, sections, symbol, name)) {
      functions.push_back({file.word(symbol + 4), file.word(symbol + 8), name});
    }
  }
}

std::vector<Function> read_functions(const Reader &file) {
  const Sections sections = {file.word(32), file.half(48)};
  std::vector<Function> functions;
  for (uint32_t i = 0; i < sections.count; ++i) {
    if (file.word(sections.header(i) + 4) == kSymbolTable) {
      read_symbols(file, sections, i, functions);
    }
  }
  std::stable_sort(functions.begin(), functions.end(), [](const Function &a, const Function &b) {
    return a.address != b.address ? a.address < b.address : a.bytes > b.bytes;
  });
  return functions;
}

// Labels without a size reach to the next, or to the end of their segment.
void give_sizes(std::vector<Function> &functions, const std::vector<Segment> &segments) {
  for (size_t i = 0; i < functions.size(); ++i) {
    Function &function = functions[i];
    for (const Segment &segment : segments) {
      const uint32_t offset = function.address - segment.address;
      if (function.bytes == 0 && offset < segment.bytes_in_memory) {
        function.bytes = segment.bytes_in_memory - offset;
        break;
      }
    }
    const bool last = i + 1 == functions.size();
    if (!last && functions[i + 1].address != function.address) {
      function.bytes = std::min(function.bytes, functions[i + 1].address - function.address);
    }
  }
}

}  // namespace

Program read_elf(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::error_code unknown;
  if (!stream || std::filesystem::is_directory(path, unknown)) {
    throw BadFile(path + ": cannot be read");
  }
  const Reader file(path, {std::istreambuf_iterator<char>(stream), {}});
  check_header(file);
  Program program = {file.word(24), read_segments(file), read_functions(file)};
  give_sizes(program.functions, program.segments);
  return program;
}

}  // namespace tinsmith::soc
