// The generator of the chip's events, as PULP's soc_event_generator: software triggers them, masks say who hears of
// them.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_SOC_EVENTS_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_SOC_EVENTS_H_

#include <array>
#include <cstdint>

namespace tinsmith::soc {

class SocEvents {
 public:
  SocEvents() {
    fabric_controller_mask_.fill(~0U);
    cluster_mask_.fill(~0U);
  }

  // Whether a mask is at the offset.
  static bool has_mask(uint32_t offset);

  // Any register but the trigger, which cannot be read.
  uint32_t load(uint32_t offset) const;

  // Returns the software events, bits 7:0, that the store triggers.
  uint32_t store(uint32_t offset, uint32_t value);

  // Whether event `number`, below 256, is passed on.
  bool reaches_fabric_controller(uint32_t number) const {
    return passes(fabric_controller_mask_, number);
  }
  bool reaches_cluster(uint32_t number) const {
    return passes(cluster_mask_, number);
  }

 private:
  using Mask = std::array<uint32_t, 8>;  // a bit for each event that is held back

  static bool passes(const Mask &mask, uint32_t number) {
    return (mask[number / 32] & 1U << number % 32) == 0;
  }

  Mask fabric_controller_mask_;
  Mask cluster_mask_;
};

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_SOC_EVENTS_H_
