// The text of packets: hexadecimal numbers and bytes, and short answers.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_GDB_TEXT_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_GDB_TEXT_H_

#include <cstdint>
#include <optional>
#include <string>

namespace tinsmith::soc {

inline constexpr const char *kDone = "OK";
inline constexpr const char *kRefused = "E01";
inline constexpr const char *kUnknown = "";

inline bool starts_with(const std::string &text, const std::string &start) {
  return text.rfind(start, 0) == 0;
}

// Two digits.
inline std::string to_hex(uint8_t byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  return {kDigits[byte >> 4], kDigits[byte & 15]};
}

inline std::string to_hex(const std::string &bytes) {
  std::string digits;
  for (const char byte : bytes) {
    digits += to_hex(static_cast<uint8_t>(byte));
  }
  return digits;
}

// The four bytes of a word, the lowest first.
inline std::string word_to_hex(uint32_t word) {
  std::string digits;
  for (int shift = 0; shift < 32; shift += 8) {
    digits += to_hex(static_cast<uint8_t>(word >> shift));
  }
  return digits;
}

// A number of one to eight digits, the highest first.
inline std::optional<uint32_t> parse_hex(const std::string &digits) {
  uint32_t value = 0;
  for (const char c : digits) {
    const size_t digit = std::string("0123456789abcdefABCDEF").find(c);
    if (digit == std::string::npos) {
      return std::nullopt;
    }
    value = value << 4 | static_cast<uint32_t>(digit < 16 ? digit : digit - 6);
  }
  return digits.empty() || digits.size() > 8 ? std::nullopt : std::optional<uint32_t>(value);
}

inline std::optional<std::string> parse_hex_bytes(const std::string &digits) {
  std::string bytes;
  for (size_t i = 0; i < digits.size(); i += 2) {
    const std::optional<uint32_t> byte = parse_hex(digits.substr(i, 2));
    if (!byte || i + 1 == digits.size()) {
      return std::nullopt;
    }
    bytes += static_cast<char>(*byte);
  }
  return bytes;
}

inline std::optional<uint32_t> parse_hex_word(const std::string &digits) {
  const std::optional<std::string> bytes = parse_hex_bytes(digits);
  if (!bytes || bytes->size() != 4) {
    return std::nullopt;
  }
  uint32_t word = 0;
  for (size_t i = 4; i-- > 0;) {
    word = word << 8 | static_cast<uint8_t>((*bytes)[i]);
  }
  return word;
}

struct Range {
  uint32_t first;
  uint32_t second;
};

// Two numbers with a comma between.
inline std::optional<Range> parse_range(const std::string &text) {
  const size_t comma = text.find(',');
  if (comma == std::string::npos) {
    return std::nullopt;
  }
  const std::optional<uint32_t> first = parse_hex(text.substr(0, comma));
  const std::optional<uint32_t> second = parse_hex(text.substr(comma + 1));
  return first && second ? std::optional<Range>({*first, *second}) : std::nullopt;
}

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_TOOL_GDB_TEXT_H_
