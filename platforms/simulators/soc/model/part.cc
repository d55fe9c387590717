#include "platforms/simulators/soc/model/part.h"

#include <sstream>

#include "platforms/simulators/soc/model/number.h"

namespace tinsmith::soc {
namespace {

constexpr const char kMemory[] = "memory";
constexpr const char kDevice[] = "device";

void parse_setting(const std::string &word, Part &part) {
  const size_t equals = word.find('=');
  const std::optional<uint64_t> number =
      equals == std::string::npos ? std::nullopt : parse_number(word.substr(equals + 1));
  if (equals == 0 || !number || *number > UINT32_MAX) {
    throw BadFile(part.where + ": expected KEY=NUMBER, a number of 32 bits and no spaces, found '" + word + "'");
  }
  if (!part.numbers.emplace(word.substr(0, equals), static_cast<uint32_t>(*number)).second) {
    throw BadFile(part.where + ": '" + word.substr(0, equals) + "' is given a second time");
  }
}

}  // namespace

uint32_t Settings::take(const std::string &key) {
  const auto found = left_.find(key);
  if (found == left_.end()) {
    refuse("'" + key + "=NUMBER' is missing");
  }
  const uint32_t number = found->second;
  left_.erase(found);
  return number;
}

uint32_t Settings::take(const std::string &key, uint32_t otherwise) {
  return left_.count(key) != 0 ? take(key) : otherwise;
}

void Settings::finish() const {
  if (!left_.empty()) {
    refuse("nothing of such a part is called '" + left_.begin()->first + "'");
  }
}

void Settings::refuse(const std::string &what) const {
  throw BadFile(where_ + ": " + what);
}

std::optional<Part> parse_part(const std::string &line, const std::string &where) {
  std::istringstream words(line);
  std::string first;
  words >> first;
  if (first != kMemory && first != kDevice) {
    return std::nullopt;
  }
  Part part = {"", "", where, {}};
  if (!(words >> part.name) || (first == kDevice && !(words >> part.kind))) {
    throw BadFile(where + ": expected `memory NAME KEY=NUMBER …` or `device NAME KIND KEY=NUMBER …`, found '" + line +
                  "'");
  }
  for (std::string word; words >> word;) {
    parse_setting(word, part);
  }
  return part;
}

}  // namespace tinsmith::soc
