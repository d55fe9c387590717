#include "platforms/simulators/soc/model/job_queue.h"

#include <algorithm>

#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {
namespace {

enum Register : uint32_t {
  kTrigger = 0x00,
  kAcquire = 0x04,
  kFinished = 0x08,
  kStatus = 0x0C,
  kRunningJob = 0x10,
  kSoftClear = 0x14,
  kJob = 0x20,
};

constexpr uint32_t kNumbers = 256;  // of jobs, until they begin anew

}  // namespace

JobQueue::Context *JobQueue::find(State state) {
  const auto found = std::find_if(contexts_.begin(), contexts_.end(),
                                  [state](const Context &context) { return context.state == state; });
  return found == contexts_.end() ? nullptr : &*found;
}

// Numbers rise in the order of the triggers, as one job at a time is written.
const JobQueue::Context *JobQueue::first_triggered() const {
  const Context *first = nullptr;
  for (const Context &context : contexts_) {
    if (context.state == State::kTriggered && (first == nullptr || context.job < first->job)) {
      first = &context;
    }
  }
  return first;
}

const std::vector<uint32_t> *JobQueue::running() const {
  const Context *first = first_triggered();
  return first == nullptr ? nullptr : &first->words;
}

void JobQueue::finish() {
  const Context *first = first_triggered();
  last_ = first->job;
  finished_ += 1;
  contexts_[static_cast<size_t>(first - contexts_.data())].state = State::kFree;
}

uint32_t JobQueue::acquire() {
  if (find(State::kBeingWritten) != nullptr) {
    return kBeingWritten;
  }
  Context *context = find(State::kFree);
  if (context == nullptr) {
    return kAllTaken;
  }
  *context = {State::kBeingWritten, acquired_++, std::vector<uint32_t>(words_)};
  return context->job % kNumbers;
}

uint32_t JobQueue::status() const {
  uint32_t status = 0;
  for (size_t i = 0; i < contexts_.size(); ++i) {
    status |= (contexts_[i].state != State::kFree ? 1U : 0U) << 8 * i;
  }
  return status;
}

uint32_t JobQueue::running_job() const {
  const Context *first = first_triggered();
  return (first == nullptr ? last_ : first->job) % kNumbers;
}

void JobQueue::clear() {
  for (Context &context : contexts_) {
    context.state = State::kFree;
  }
}

uint32_t &JobQueue::word(uint32_t offset) {
  const uint32_t index = (offset - kJob) / 4;
  if (index >= words_) {
    throw Fault("the accelerator has no register at offset " + std::to_string(offset) + " for such an access");
  }
  Context *context = find(State::kBeingWritten);
  if (context == nullptr) {
    throw Fault("the accelerator: a job is written, but none is acquired");
  }
  return context->words[index];
}

uint32_t JobQueue::read(uint32_t offset) {
  switch (offset) {
    case kAcquire:
      return acquire();
    case kFinished:
      return finished_;
    case kStatus:
      return status();
    case kRunningJob:
      return running_job();
    default:
      return word(offset);
  }
}

void JobQueue::write(uint32_t offset, uint32_t value) {
  if (offset == kSoftClear) {
    return clear();
  }
  if (offset != kTrigger) {
    word(offset) = value;
    return;
  }
  Context *context = find(State::kBeingWritten);
  if (context == nullptr) {
    throw Fault("the accelerator: a job is triggered, but none is acquired");
  }
  if (value != 0) {
    throw Fault("the accelerator: jobs that wait for a later trigger are not modelled; write 0");
  }
  context->state = State::kTriggered;
}

}  // namespace tinsmith::soc
