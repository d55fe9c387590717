#include "platforms/simulators/soc/model/diana_device.h"

#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/model/regions.h"

namespace tinsmith::soc {
namespace {

enum Control : uint32_t {
  kTrigger = 0x00,
  kAcquire = 0x04,
  kFinished = 0x08,
  kStatus = 0x0C,
  kRunningJob = 0x10,
  kSoftClear = 0x14,
};

constexpr uint32_t kNoneFree = ~0U;

bool disturb(const DeviceCopy &one, const DeviceCopy &other) {
  const bool matters = one.writes || other.writes;
  return matters && meet(one.target, one.bytes, other.target, other.bytes);
}

}  // namespace

void DianaDevice::fault_no_register(uint32_t offset) const {
  throw Fault(title() + ": there is no register at offset 0x" + hexadecimal(offset).substr(5) + " for such an access");
}

size_t DianaDevice::under_way() const {
  return waiting_.size() + (engine_->is_idle() ? 0 : 1) + (copier_.is_idle() ? 0 : 1);
}

uint32_t DianaDevice::read(uint32_t offset, uint64_t) {
  switch (offset) {
    case kAcquire:
      return under_way() < shared_.queue ? registers_.number : kNoneFree;
    case kFinished:
      return finished_;
    case kStatus:
      return under_way() == 0 ? 0 : 1;
    case kRunningJob:
      return last_begun_;
    default:
      if (!registers_.layout->has(offset)) {
        fault_no_register(offset);
      }
      return registers_.words[(offset - DianaLayout::kFirst) / 4];
  }
}

void DianaDevice::write(uint32_t offset, uint32_t value, uint64_t now) {
  if (offset == kTrigger) {
    return trigger(value, now);
  }
  if (offset == kSoftClear) {
    return clear();
  }
  if (!registers_.layout->has(offset)) {
    fault_no_register(offset);
  }
  registers_.words[(offset - DianaLayout::kFirst) / 4] = value;
}

void DianaDevice::trigger(uint32_t value, uint64_t now) {
  if (value != 0) {
    throw Fault(title() + ": " + std::to_string(value) + " is written to TRIGGER; expected 0");
  }
  if (under_way() >= shared_.queue) {
    throw Fault(title() + ": a job is triggered while " + std::to_string(under_way()) +
                " are under way, and no more may be; wait until STATUS is 0 (or ACQUIRE gives a number)");
  }
  check(registers_);
  waiting_.push_back(registers_);
  registers_.number += 1;
  begin_jobs(now);
}

void DianaDevice::clear() {
  waiting_.clear();
  engine_->drop();
  copier_.drop();
  update_uses();
}

// With overlap, each unit takes the first job of its kind; otherwise the first job waits for both.
void DianaDevice::begin_jobs(uint64_t now) {
  for (DianaUnit *unit : {engine_.get(), static_cast<DianaUnit *>(&copier_)}) {
    const bool copies = unit == &copier_;
    const auto first = shared_.overlap == 0 ? waiting_.begin()
                                            : std::find_if(waiting_.begin(), waiting_.end(),
                                                           [&](const auto &job) { return job.is_copy() == copies; });
    const bool is_free = unit->is_idle() && (shared_.overlap != 0 || next_time() == kNever);
    if (is_free && first != waiting_.end() && first->is_copy() == copies) {
      begin(*unit, first, now);
    }
  }
  update_uses();
}

void DianaDevice::begin(DianaUnit &unit, std::deque<DianaJob>::iterator job, uint64_t now) {
  last_begun_ = job->number;
  unit.begin(*job, now);
  waiting_.erase(job);
}

// Units that work side by side do not wait for each other.
void DianaDevice::update_uses() {
  uses_.clear();
  if (!engine_->is_idle()) {
    engine_->add_uses(uses_);
  }
  const size_t of_engine = uses_.size();
  if (!copier_.is_idle()) {
    copier_.add_uses(uses_);
  }
  for (size_t i = 0; i < of_engine; ++i) {
    for (size_t j = of_engine; j < uses_.size(); ++j) {
      if (disturb(uses_[i], uses_[j])) {
        throw Fault(title() + ": a copy " + std::string(uses_[j].writes ? "writes" : "reads") + " " +
                    std::to_string(uses_[j].bytes) + " bytes from 0x" + hexadecimal(uses_[j].target) +
                    " on while a job " + (uses_[i].writes ? "writes" : "reads") + " " + std::to_string(uses_[i].bytes) +
                    " bytes from 0x" + hexadecimal(uses_[i].target) + " on; let one end before the other is triggered");
      }
    }
  }
}

void DianaDevice::advance(DianaUnit &unit, AcceleratorPort &port, uint64_t now) {
  if (unit.next_time() > now || !unit.advance(port, now)) {
    return;
  }
  finished_ += 1;
  port.raise(0, now);
}

void DianaDevice::advance(AcceleratorPort &port, uint64_t now) {
  advance(*engine_, port, now);
  advance(copier_, port, now);
  begin_jobs(now);
}

}  // namespace tinsmith::soc
