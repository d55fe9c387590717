#include "platforms/simulators/soc/model/udma.h"

#include <algorithm>

#include "platforms/simulators/soc/isa/disassemble.h"

namespace tinsmith::soc {
namespace {

enum Register : uint32_t {
  kSource = 0x00,
  kTarget = 0x04,
  kBytes = 0x08,
  kStart = 0x0C,
  kStarted = 0x10,
  kDone = 0x14,
  kFree = 0x18,
};

constexpr uint32_t kAlignment = 4;

[[noreturn]] void fault_no_register(uint32_t offset) {
  throw Fault("the uDMA has no register at offset " + std::to_string(offset) + " for such an access");
}

}  // namespace

UdmaTiming udma_timing(Settings &settings) {
  const UdmaTiming timing = {settings.take("queue"), settings.take("setup"), settings.take("burst"),
                             settings.take("command"), settings.take("kilocycle_bytes")};
  if (timing.queue == 0 || timing.burst == 0 || timing.kilocycle_bytes == 0) {
    settings.refuse("a uDMA moves something: expected queue, burst and kilocycle_bytes of 1 or more");
  }
  return timing;
}

uint32_t Udma::read(uint32_t offset, uint64_t) {
  switch (offset) {
    case kSource:
      return written_.source;
    case kTarget:
      return written_.target;
    case kBytes:
      return written_.bytes;
    case kStarted:
      return started_;
    case kDone:
      return done_;
    case kFree:
      return timing_.queue - static_cast<uint32_t>(copies_.size());
    default:
      fault_no_register(offset);
  }
}

void Udma::write(uint32_t offset, uint32_t value, uint64_t now) {
  switch (offset) {
    case kSource:
      written_.source = value;
      return;
    case kTarget:
      written_.target = value;
      return;
    case kBytes:
      written_.bytes = value;
      return;
    case kStart:
      return start(now);
    default:
      fault_no_register(offset);
  }
}

void Udma::start(uint64_t now) {
  if (copies_.size() == timing_.queue) {
    throw Fault("the uDMA: a copy is started while " + std::to_string(timing_.queue) +
                " are under way, and no more may be; wait until FREE is not 0");
  }
  if (written_.bytes == 0 || written_.source % kAlignment != 0 || written_.target % kAlignment != 0) {
    throw Fault("the uDMA: a copy of " + std::to_string(written_.bytes) + " bytes from 0x" +
                hexadecimal(written_.source) + " to 0x" + hexadecimal(written_.target) +
                "; expected one byte or more, and addresses that are multiples of 4");
  }
  copies_.push_back(written_);
  set_up_.push_back(now + timing_.setup);
  started_ += 1;
  if (copies_.size() == 1) {
    began_ = now;
    begin(now);
  }
}

// The first copy of the queue, when the one before it has ended.
void Udma::begin(uint64_t now) {
  moved_ = 0;
  begin_burst(std::max(now, set_up_.front()));
}

uint32_t Udma::burst_bytes() const {
  return std::min(timing_.burst, copies_.front().bytes - moved_);
}

void Udma::begin_burst(uint64_t now) {
  const uint64_t thousandths = uint64_t{burst_bytes()} * 1000;
  next_ = now + timing_.command + (thousandths + timing_.kilocycle_bytes - 1) / timing_.kilocycle_bytes;
}

void Udma::finish(AcceleratorPort &port, uint64_t now) {
  const DeviceCopy done = copies_.front();
  port.worked("copy " + std::to_string(done.bytes) + " B from 0x" + hexadecimal(done.source) + " to 0x" +
                  hexadecimal(done.target),
              began_, now);
  copies_.pop_front();
  set_up_.pop_front();
  done_ += 1;
  next_ = kNever;
  if (!copies_.empty()) {
    began_ = now;
    begin(now);
  }
  port.raise(0, now);
}

void Udma::advance(AcceleratorPort &port, uint64_t now) {
  const uint32_t bytes = burst_bytes();
  const DeviceCopy &copy = copies_.front();
  const uint64_t load_waits = port.load(copy.source + moved_, burst_.data(), bytes, now);
  const uint64_t store_waits = port.store(copy.target + moved_, burst_.data(), bytes, now + load_waits);
  moved_ += bytes;
  if (moved_ == copy.bytes) {
    finish(port, now);
  } else {
    begin_burst(now + load_waits + store_waits);
  }
}

}  // namespace tinsmith::soc
