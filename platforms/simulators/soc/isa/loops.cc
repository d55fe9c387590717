// Setting up hardware loops, and the rules of CV32E40P that a program must keep.

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kAlignment = 4;   // of start and end, whose lower bits are not kept
constexpr uint32_t kLeastBody = 12;  // bytes: three instructions
constexpr uint32_t kLeastNesting = 8;

}  // namespace

void Hart::fault_if_active(uint32_t loop) const {
  if (loops[loop].count != 0) {
    throw Fault("hardware loop " + std::to_string(loop) + " is set up again while it runs");
  }
}

// A handler may write back what it found, whether the loop runs or not.
void Hart::set_loop_address(uint32_t loop, uint32_t HardwareLoop::*part, uint32_t address) {
  const uint32_t kept = address & ~(kAlignment - 1);
  if (loops[loop].*part != kept) {
    fault_if_active(loop);
  }
  loops[loop].*part = kept;
}

void Hart::set_loop_start(uint32_t loop, uint32_t address) {
  set_loop_address(loop, &HardwareLoop::start, address);
}

void Hart::set_loop_end(uint32_t loop, uint32_t address) {
  set_loop_address(loop, &HardwareLoop::end, address);
}

uint32_t Hart::loop_address(uint32_t words) const {
  if (pc % kAlignment != 0) {
    throw Fault("a set-up of a hardware loop that counts from its own address must be aligned to 4 bytes");
  }
  return pc + kAlignment * words;
}

// A handler that interrupted a loop may set its count to zero, use the loop itself, and restore it at last.
void Hart::set_loop_count(uint32_t loop, uint32_t count) {
  if (inside_loop()) {
    fault_if_active(loop);
  }
  loops[loop].count = count;
  if (count != 0) {
    check_loop(loop);
  }
}

void Hart::check_loop(uint32_t loop) const {
  const HardwareLoop &checked = loops[loop];
  const std::string name = "hardware loop " + std::to_string(loop);
  if (checked.end < checked.start || checked.end - checked.start < kLeastBody) {
    throw Fault(name + ": its body must hold three instructions or more");
  }
  const bool nested =
      loops[0].count != 0 && loops[1].count != 0 && loops[0].start >= loops[1].start && loops[0].start < loops[1].end;
  if (nested && loops[1].end < loops[0].end + kLeastNesting) {
    throw Fault("hardware loop 1 must end 8 bytes or more behind loop 0, the inner one");
  }
}

}  // namespace tinsmith::soc
