#include "platforms/simulators/soc/model/diana_shared.h"

namespace tinsmith::soc {
namespace {

#define CONSTANT(field) {#field, &DianaShared::field}

constexpr DianaConstant<DianaShared> kConstants[] = {
    CONSTANT(job_begin),       CONSTANT(load_begin),       CONSTANT(instruction_begin), CONSTANT(copy_begin),
    CONSTANT(bytes_per_cycle), CONSTANT(job_instructions), CONSTANT(overlap),           CONSTANT(queue),
    CONSTANT(l1_base),         CONSTANT(l1_bytes),         CONSTANT(l1_bank_bytes),
};

#undef CONSTANT

constexpr uint32_t kMostInstructions = 1U << 10;
constexpr uint32_t kWordBytes = 16;  // of L1

}  // namespace

void take_shared(Settings &settings, DianaShared &constants) {
  take_constants(settings, constants, kConstants);
  if (constants.bytes_per_cycle == 0 || constants.queue == 0) {
    settings.refuse("bytes move, and a job runs: expected bytes_per_cycle and queue of 1 or more");
  }
  if (constants.job_instructions == 0 || constants.job_instructions > kMostInstructions) {
    settings.refuse("job_instructions is 1 to 1024, not " + std::to_string(constants.job_instructions));
  }
  if (constants.l1_bank_bytes == 0 || constants.l1_bank_bytes % kWordBytes != 0) {
    settings.refuse("l1_bank_bytes is a multiple of 16, not " + std::to_string(constants.l1_bank_bytes));
  }
}

}  // namespace tinsmith::soc
