// Which kinds of devices a chip's file may name in `device` lines.
//
// A device from elsewhere is a class of its own sources, compiled and linked with the simulator, which says
//
//   const bool known = tinsmith::soc::add_device_kind("kind", [](Settings &settings) { return …; });
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DEVICE_KINDS_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DEVICE_KINDS_H_

#include <functional>
#include <memory>
#include <string>

#include "platforms/simulators/soc/model/accelerator.h"
#include "platforms/simulators/soc/model/part.h"

namespace tinsmith::soc {

// Takes what it knows of the line's numbers; `base`, `bytes` and `event` are the chip's.
using MakeDevice = std::function<std::unique_ptr<Accelerator>(Settings &settings)>;

// Returns true, for the initialization of a constant. Of two kinds of one name the later holds.
bool add_device_kind(const std::string &kind, MakeDevice make);

// Raises BadFile if there is no such kind.
std::unique_ptr<Accelerator> make_device(const std::string &kind, Settings &settings);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DEVICE_KINDS_H_
