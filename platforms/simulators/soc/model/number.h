// Numbers as people write them.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NUMBER_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NUMBER_H_

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <system_error>

namespace tinsmith::soc {

// Digits and nothing else, decimal, or hexadecimal behind 0x; nothing if there are none, or too many for 64 bits.
inline std::optional<uint64_t> parse_number(const std::string &text) {
  const bool is_hexadecimal = text.rfind("0x", 0) == 0 || text.rfind("0X", 0) == 0;
  const char *const end = text.data() + text.size();
  uint64_t value = 0;
  const auto [stop, error] =
      std::from_chars(text.data() + (is_hexadecimal ? 2 : 0), end, value, is_hexadecimal ? 16 : 10);
  return error == std::errc() && stop == end ? std::optional<uint64_t>(value) : std::nullopt;
}

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_NUMBER_H_
