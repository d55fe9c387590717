// A line of a chip's file that adds a part: `memory NAME KEY=NUMBER …` or `device NAME KIND KEY=NUMBER …`.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_PART_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_PART_H_

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>

namespace tinsmith::soc {

// A file that cannot be used as what it is given for.
class BadFile : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a part's line says of it. Whoever makes the part takes each number by its key; all raise BadFile.
class Settings {
 public:
  Settings(std::string where, std::map<std::string, uint32_t> numbers)
      : where_(std::move(where)), left_(std::move(numbers)) {
  }

  // One that must be there.
  uint32_t take(const std::string &key);

  // One that is `otherwise` where the line does not say.
  uint32_t take(const std::string &key, uint32_t otherwise);

  // Refuses numbers that nobody took.
  void finish() const;

  // Refuses the line: what was expected, and found.
  [[noreturn]] void refuse(const std::string &what) const;

 private:
  std::string where_;
  std::map<std::string, uint32_t> left_;
};

struct Part {
  std::string name;
  std::string kind;   // of a device; "" is a memory
  std::string where;  // the line, for messages
  std::map<std::string, uint32_t> numbers;

  Settings settings() const {
    return {where, numbers};
  }
};

// The part that a line adds, or none if it is no such line. Raises BadFile.
std::optional<Part> parse_part(const std::string &line, const std::string &where);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_PART_H_
