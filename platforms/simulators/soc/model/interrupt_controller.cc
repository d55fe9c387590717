#include "platforms/simulators/soc/model/interrupt_controller.h"

namespace tinsmith::soc {
namespace {

enum Register : uint32_t {
  kMask = 0x00,
  kMaskSet = 0x04,
  kMaskClear = 0x08,
  kStatus = 0x0C,
  kStatusSet = 0x10,
  kStatusClear = 0x14,
  kAcknowledged = 0x18,
  kAcknowledgedSet = 0x1C,
  kAcknowledgedClear = 0x20,
  kSocEvent = 0x24,
};

[[noreturn]] void fault_no_register(uint32_t offset) {
  throw Fault("the interrupt controller has no register at offset " + std::to_string(offset) + " for such an access");
}

}  // namespace

void InterruptController::change_status(uint32_t status, uint64_t now) {
  status_ = status;
  if (hart_ != nullptr) {
    hart_->request_interrupts(status_ & mask_, now);
  }
}

void InterruptController::raise(uint32_t line, uint64_t now) {
  change_status(status_ | 1U << line, now);
}

// Whoever clears the queue's line takes its first event; the line asks again for the next one.
uint32_t InterruptController::next_soc_event(uint32_t status) {
  const uint32_t line = 1U << description_.fc_interrupt_soc;
  if ((status & line) != 0 || soc_events_.empty()) {
    return status;
  }
  soc_event_ = soc_events_.front();
  soc_events_.pop_front();
  return soc_events_.empty() ? status : status | line;
}

void InterruptController::acknowledge_interrupt(uint32_t line, uint64_t now) {
  acknowledged_ |= 1U << line;
  const uint32_t status = status_ & ~(1U << line);
  change_status(line == description_.fc_interrupt_soc ? next_soc_event(status) : status, now);
}

void InterruptController::queue_soc_event(uint32_t number, uint64_t now) {
  if (soc_events_.size() < description_.fc_soc_event_queue) {
    soc_events_.push_back(number);
    raise(description_.fc_interrupt_soc, now);
  }
}

uint32_t InterruptController::load(uint32_t offset) const {
  switch (offset) {
    case kMask:
      return mask_;
    case kStatus:
      return status_;
    case kAcknowledged:
      return acknowledged_;
    case kSocEvent:
      return soc_event_;
    default:
      fault_no_register(offset);
  }
}

void InterruptController::store(uint32_t offset, uint32_t value, uint64_t now) {
  switch (offset) {
    case kMask:
      mask_ = value;
      break;
    case kMaskSet:
      mask_ |= value;
      break;
    case kMaskClear:
      mask_ &= ~value;
      break;
    case kStatus:
      return change_status(next_soc_event(value), now);
    case kStatusSet:
      return change_status(status_ | value, now);
    case kStatusClear:
      return change_status(next_soc_event(status_ & ~value), now);
    case kAcknowledged:
      acknowledged_ = value;
      return;
    case kAcknowledgedSet:
      acknowledged_ |= value;
      return;
    case kAcknowledgedClear:
      acknowledged_ &= ~value;
      return;
    default:
      fault_no_register(offset);
  }
  change_status(status_, now);
}

}  // namespace tinsmith::soc
