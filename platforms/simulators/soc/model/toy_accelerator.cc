#include "platforms/simulators/soc/model/toy_accelerator.h"

#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kTrigger = 0x00;
constexpr uint32_t kStatus = 0x0C;
constexpr uint32_t kJob = 0x20;
constexpr uint64_t kCyclesPerWord = 3;  // two loads and a store through one port

}  // namespace

uint32_t ToyAccelerator::read(uint32_t offset, uint64_t) {
  if (offset == kStatus) {
    return next_ == kNever ? 0 : 1;
  }
  if (offset >= kJob && offset < kJob + 4 * job_.size()) {
    return job_[(offset - kJob) / 4];
  }
  throw Fault("the accelerator has no register at offset " + std::to_string(offset));
}

void ToyAccelerator::write(uint32_t offset, uint32_t value, uint64_t now) {
  if (next_ != kNever) {
    throw Fault("the accelerator is written to while it runs");
  }
  if (offset == kTrigger) {
    done_words_ = 0;
    began_ = now;
    next_ = now + 1;
  } else if (offset >= kJob && offset < kJob + 4 * job_.size()) {
    job_[(offset - kJob) / 4] = value;
  } else {
    throw Fault("the accelerator has no register at offset " + std::to_string(offset));
  }
}

void ToyAccelerator::advance(AcceleratorPort &port, uint64_t now) {
  if (done_words_ == job_[3]) {
    next_ = kNever;
    port.raise(0, now);
    port.worked("add " + std::to_string(job_[3]) + " words", began_, now);
    return;
  }
  const uint32_t offset = 4 * done_words_;
  uint32_t first_waits = 0;
  uint32_t second_waits = 0;
  uint32_t sum_waits = 0;
  const uint32_t first = port.load(job_[0] + offset, 4, now, first_waits);
  const uint32_t second = port.load(job_[1] + offset, 4, now + first_waits + 1, second_waits);
  const uint64_t stored_at = now + first_waits + second_waits + 2;
  port.store(job_[2] + offset, 4, first + second, stored_at, sum_waits);
  next_ = now + kCyclesPerWord + first_waits + second_waits + sum_waits;
  done_words_ += 1;
}

}  // namespace tinsmith::soc
