#include "platforms/simulators/soc/model/device_kinds.h"

#include <map>

#include "platforms/simulators/soc/model/diana_analog.h"
#include "platforms/simulators/soc/model/diana_digital.h"
#include "platforms/simulators/soc/model/neureka.h"
#include "platforms/simulators/soc/model/toy_accelerator.h"
#include "platforms/simulators/soc/model/udma.h"

namespace tinsmith::soc {
namespace {

// Made when first asked for, as others add their kinds before main() in any order.
std::map<std::string, MakeDevice> &kinds() {
  static std::map<std::string, MakeDevice> known = {
      {"diana_analog",
       [](Settings &settings) { return std::make_unique<DianaAnalog>(diana_analog_constants(settings)); }},
      {"diana_digital", [](Settings &settings) { return std::make_unique<DianaDigital>(diana_constants(settings)); }},
      {"neureka", [](Settings &settings) { return std::make_unique<Neureka>(neureka_timing(settings)); }},
      {"toy", [](Settings &) { return std::make_unique<ToyAccelerator>(); }},
      {"udma", [](Settings &settings) { return std::make_unique<Udma>(udma_timing(settings)); }},
  };
  return known;
}

}  // namespace

bool add_device_kind(const std::string &kind, MakeDevice make) {
  kinds()[kind] = std::move(make);
  return true;
}

std::unique_ptr<Accelerator> make_device(const std::string &kind, Settings &settings) {
  const auto found = kinds().find(kind);
  if (found == kinds().end()) {
    std::string names;
    for (const auto &[name, make] : kinds()) {
      names += (names.empty() ? "" : ", ") + name;
    }
    settings.refuse("no kind of device is called '" + kind + "'; there are " + names);
  }
  return found->second(settings);
}

}  // namespace tinsmith::soc
