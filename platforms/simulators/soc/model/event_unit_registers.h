// Registers of the event unit, offsets in a core's own window; for its own sources only.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_EVENT_UNIT_REGISTERS_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_EVENT_UNIT_REGISTERS_H_

#include <cstdint>
#include <string>

#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc::event_unit {

enum Register : uint32_t {
  kMask = 0x00,
  kMaskAnd = 0x04,
  kMaskOr = 0x08,
  kBuffer = 0x1C,
  kBufferMasked = 0x20,
  kBufferClear = 0x28,
  kWait = 0x38,
  kWaitClear = 0x3C,
  kDispatchFifo = 0x80,
  kTeam = 0x84,
  kMutexRegister = 0xC0,
  kSoftware = 0x100,  // 4 bytes for each event
  kBarrierBase = 0x200,
  kBarrierBytes = 0x20,
};

// Of each barrier.
enum BarrierRegister : uint32_t {
  kTriggerMask = 0x0,
  kStatus = 0x4,
  kSummary = 0x8,
  kTargetMask = 0xC,
  kTrigger = 0x10,
  kTriggerSelf = 0x14,
  kTriggerWait = 0x18,
  kTriggerWaitClear = 0x1C,
};

constexpr uint32_t kSoftwareEvents = 8;

// What an access gets that sleeps.
constexpr LoadResult kNotYet = {0, false};

constexpr uint32_t bit(uint32_t number) {
  return 1U << number;
}

[[noreturn]] inline void fault_no_register(uint32_t offset) {
  throw Fault("the event unit has no register at offset " + std::to_string(offset) + " for such an access");
}

}  // namespace tinsmith::soc::event_unit

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_EVENT_UNIT_REGISTERS_H_
