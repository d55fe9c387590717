// Registers of the event unit; for its own sources only.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_EVENT_UNIT_REGISTERS_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_EVENT_UNIT_REGISTERS_H_

#include <cstdint>
#include <string>

#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc::event_unit {

// Of each core.
enum CoreRegister : uint32_t {
  kMask = 0x00,
  kMaskAnd = 0x04,
  kMaskOr = 0x08,
  kInterruptMask = 0x0C,
  kInterruptMaskAnd = 0x10,
  kInterruptMaskOr = 0x14,
  kBuffer = 0x1C,
  kBufferMasked = 0x20,
  kBufferInterruptMasked = 0x24,
  kBufferClear = 0x28,
  kSoftwareMask = 0x2C,
  kSoftwareMaskAnd = 0x30,
  kSoftwareMaskOr = 0x34,
  kWait = 0x38,
  kWaitClear = 0x3C,
  kCoreBytes = 0x40,
};

// In a core's own window, whose core registers lie at its start.
enum WindowRegister : uint32_t {
  kDispatchFifo = 0x80,
  kTeam = 0x84,
  kMutexRegister = 0xC0,
  kSoftware = 0x100,  // 4 bytes for each event, as in the next two
  kSoftwareWait = 0x140,
  kSoftwareWaitClear = 0x180,
  kBarriers = 0x200,
};

// In the window on the peripheral interconnect, for everybody. The cores' registers lie at its start, one after the
// other.
enum PeripheralRegister : uint32_t {
  kPeripheralBarriers = 0x400,
  kPeripheralSoftware = 0x600,
  kSocEvent = 0x700,
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
  kBarrierBytes = 0x20,
};

constexpr uint32_t kBarrierCount = 8;
constexpr uint32_t kSoftwareEvents = 8;
constexpr uint32_t kSocEventValid = 1U << 31;

// What an access gets that sleeps.
constexpr LoadResult kNotYet = {0, false};

constexpr uint32_t bit(uint32_t number) {
  return 1U << number;
}

// Whether `offset` lies among `count` registers of 4 bytes at `base`.
constexpr bool among(uint32_t offset, uint32_t base, uint32_t count) {
  return offset - base < 4 * count;
}

[[noreturn]] inline void fault_no_register(uint32_t offset) {
  throw Fault("the event unit has no register at offset " + std::to_string(offset) + " for such an access");
}

}  // namespace tinsmith::soc::event_unit

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_EVENT_UNIT_REGISTERS_H_
