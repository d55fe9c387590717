// Setting up hardware loops, and the rules of CV32E40P that a program must keep.

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {
namespace {

constexpr uint32_t kLeastBody = 12;  // bytes: three instructions
constexpr uint32_t kLeastNesting = 8;

}  // namespace

void Hart::fault_if_active(uint32_t loop) const {
  if (loops[loop].count != 0) {
    throw Fault("hardware loop " + std::to_string(loop) + " is set up again while it runs");
  }
}

void Hart::set_loop_start(uint32_t loop, uint32_t address) {
  fault_if_active(loop);
  loops[loop].start = address;
}

void Hart::set_loop_end(uint32_t loop, uint32_t address) {
  fault_if_active(loop);
  loops[loop].end = address;
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
  if (checked.start % 4 != 0 || checked.end % 4 != 0 || pc % 4 != 0) {
    throw Fault(name + ": its set-up, start and end must be aligned to 4 bytes");
  }
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
