// What the debugger is told of registers and memory, and what it changes in them.

#include <algorithm>

#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/tool/gdb.h"
#include "platforms/simulators/soc/tool/gdb_registers.h"
#include "platforms/simulators/soc/tool/gdb_text.h"

namespace tinsmith::soc {
namespace {

// Of packet X: bytes that would mean something to the link come as '}' and themselves with one bit changed.
std::string unescape(const std::string &data) {
  std::string bytes;
  for (size_t i = 0; i < data.size(); ++i) {
    const bool is_escape = data[i] == '}' && i + 1 < data.size();
    bytes += is_escape ? static_cast<char>(data[++i] ^ 0x20) : data[i];
  }
  return bytes;
}

}  // namespace

std::string Gdb::answer_query(const std::string &packet) {
  constexpr const char *kReadDescription = "qXfer:features:read:target.xml:";
  if (starts_with(packet, "qSupported")) {
    return "PacketSize=4000;QStartNoAckMode+;qXfer:features:read+;swbreak+;hwbreak+;vContSupported+";
  }
  if (packet == "QStartNoAckMode") {
    link_.stop_acknowledging();
    return kDone;
  }
  if (starts_with(packet, kReadDescription)) {
    return read_description(packet.substr(std::string(kReadDescription).size()));
  }
  if (starts_with(packet, "qRcmd,")) {
    return to_hex(tell_state());
  }
  if (packet == "qfThreadInfo") {
    return "m1";
  }
  if (packet == "qsThreadInfo") {
    return "l";
  }
  if (starts_with(packet, "qThreadExtraInfo")) {
    return to_hex(soc_.core_name(core_));
  }
  if (packet == "qC") {
    return "QC1";
  }
  return packet == "qAttached" ? "0" : kUnknown;
}

std::string Gdb::read_registers() {
  std::string digits;
  for (uint32_t number = 0; number < kGeneralRegisters; ++number) {
    digits += word_to_hex(*read_register(hart(), number));
  }
  return digits;
}

std::string Gdb::write_registers(const std::string &digits) {
  if (digits.size() > 8 * kGeneralRegisters || digits.size() % 8 != 0) {
    return kRefused;
  }
  for (size_t i = 0; i < digits.size(); i += 8) {
    if (!parse_hex_word(digits.substr(i, 8))) {
      return kRefused;
    }
  }
  for (size_t i = 0; i < digits.size(); i += 8) {
    write_register(hart(), static_cast<uint32_t>(i / 8), *parse_hex_word(digits.substr(i, 8)));
  }
  return kDone;
}

std::string Gdb::read_one_register(const std::string &digits) {
  const std::optional<uint32_t> number = parse_hex(digits);
  const std::optional<uint32_t> value = number ? read_register(hart(), *number) : std::nullopt;
  return value ? word_to_hex(*value) : kRefused;
}

std::string Gdb::write_one_register(const std::string &text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos) {
    return kRefused;
  }
  const std::optional<uint32_t> number = parse_hex(text.substr(0, equals));
  const std::optional<uint32_t> value = parse_hex_word(text.substr(equals + 1));
  return number && value && write_register(hart(), *number, *value) ? kDone : kRefused;
}

// As much as there is memory; none of it is an error.
std::string Gdb::read_memory(const std::string &range) {
  const std::optional<Range> wanted = parse_range(range);
  if (!wanted) {
    return kRefused;
  }
  const uint32_t bytes = std::min<uint32_t>(wanted->second, GdbLink::kMostBytes / 2);
  std::string digits;
  uint8_t byte = 0;
  for (uint32_t i = 0; i < bytes && soc_.peek(wanted->first + i, 1, &byte); ++i) {
    digits += to_hex(byte);
  }
  return digits.empty() && bytes != 0 ? kRefused : digits;
}

std::string Gdb::write_memory(const std::string &text, bool binary) {
  const size_t colon = text.find(':');
  const std::optional<Range> range = colon == std::string::npos ? std::nullopt : parse_range(text.substr(0, colon));
  if (!range) {
    return kRefused;
  }
  const std::string data = text.substr(colon + 1);
  const std::optional<std::string> bytes = binary ? unescape(data) : parse_hex_bytes(data);
  if (!bytes || bytes->size() != range->second) {
    return kRefused;
  }
  const auto *source = reinterpret_cast<const uint8_t *>(bytes->data());
  const bool done = bytes->empty() || soc_.poke(range->first, range->second, source);
  return done ? kDone : kRefused;
}

// The part of target.xml that is asked for; it has no bytes that would have to be escaped.
std::string Gdb::read_description(const std::string &range) {
  static const std::string kDescription = describe_registers();
  const std::optional<Range> wanted = parse_range(range);
  if (!wanted || wanted->first > kDescription.size()) {
    return kRefused;
  }
  const std::string part =
      kDescription.substr(wanted->first, std::min<size_t>(wanted->second, GdbLink::kMostBytes - 1));
  return (wanted->first + part.size() == kDescription.size() ? "l" : "m") + part;
}

// What `monitor` with any words prints.
std::string Gdb::tell_state() const {
  std::string text = "cycle " + std::to_string(now_) + "\n";
  for (size_t core = 0; core < soc_.harts().size(); ++core) {
    const Hart &hart = *soc_.harts()[core];
    const std::string &function = soc_.profile().function_name(soc_.profile().function_at(hart.pc));
    const char *state = !hart.running ? "not started" : hart.asleep ? "asleep" : "runs";
    text += soc_.core_name(core) + ": " + state + ", at 0x" + hexadecimal(hart.pc) + " in " + function + "\n";
  }
  return text;
}

}  // namespace tinsmith::soc
