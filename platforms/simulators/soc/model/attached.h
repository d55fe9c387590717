// A device that a chip's file adds, and what is counted of it.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_ATTACHED_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_ATTACHED_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platforms/simulators/soc/model/accelerator.h"
#include "platforms/simulators/soc/model/description.h"
#include "platforms/simulators/soc/model/regions.h"

namespace tinsmith::soc {

struct Attached {
  std::string name;
  std::string kind;
  uint32_t event = 0;      // the first of four
  bool reaches_l1 = true;  // beside the memories that the chip's file adds
  bool reaches_l2 = false;
  bool reaches_remote = false;  // memories where cores do not get
  DeviceRegion region;
  std::unique_ptr<Accelerator> device;
  size_t track = 0;  // the first of its tracks, counted from the first device's

  bool reaches(const MemoryRegion &memory, const Memories &memories) const {
    return &memory == &memories.l1()   ? reaches_l1
           : memory.remote             ? reaches_remote
           : &memory == &memories.l2() ? reaches_l2
                                       : true;
  }

  uint64_t jobs = 0;
  uint64_t busy_cycles = 0;  // of its jobs, from beginning to end
  uint64_t bank_waits = 0;   // cycles by which banks of L1 were not free
  uint64_t bytes_loaded = 0;
  uint64_t bytes_stored = 0;
  std::map<std::string, uint64_t> parts{};  // cycles of its jobs' parts, by kind
};

// Raises BadFile: no such kind, or a place that another device, or a memory, has.
std::vector<Attached> attached_to(const Description &description, const Memories &memories);

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_ATTACHED_H_
