#include "platforms/simulators/soc/model/diana_constants.h"

namespace tinsmith::soc {
namespace {

struct Constant {
  const char *name;
  uint32_t DianaConstants::*field;
};

#define CONSTANT(field) {#field, &DianaConstants::field}

constexpr Constant kConstants[] = {
    CONSTANT(job_begin),
    CONSTANT(load_begin),
    CONSTANT(instruction_begin),
    CONSTANT(copy_begin),
    CONSTANT(bytes_per_cycle),
    CONSTANT(pass_begin),
    CONSTANT(block_end),
    CONSTANT(strided_block),
    CONSTANT(fully_connected_end),
    CONSTANT(add_vector),
    CONSTANT(fully_connected_outputs),
    CONSTANT(job_instructions),
    CONSTANT(depthwise_loop),
    CONSTANT(overlap),
    CONSTANT(queue),
    CONSTANT(weight_bytes),
    CONSTANT(l1_base),
    CONSTANT(l1_bytes),
    CONSTANT(l1_bank_bytes),
};

#undef CONSTANT

constexpr uint32_t kMostWeightBytes = 1U << 24;
constexpr uint32_t kMostInstructions = 1U << 10;
constexpr uint32_t kWordBytes = 16;  // of L1 and of the weight memory

}  // namespace

DianaConstants diana_constants(Settings &settings) {
  DianaConstants constants;
  for (const Constant &constant : kConstants) {
    constants.*constant.field = settings.take(constant.name, constants.*constant.field);
  }
  if (constants.bytes_per_cycle == 0 || constants.queue == 0) {
    settings.refuse("bytes move, and a job runs: expected bytes_per_cycle and queue of 1 or more");
  }
  if (constants.job_instructions == 0 || constants.job_instructions > kMostInstructions) {
    settings.refuse("job_instructions is 1 to 1024, not " + std::to_string(constants.job_instructions));
  }
  if (constants.weight_bytes == 0 || constants.weight_bytes > kMostWeightBytes) {
    settings.refuse("weight_bytes is 1 to 16777216, not " + std::to_string(constants.weight_bytes));
  }
  if (constants.l1_bank_bytes == 0 || constants.l1_bank_bytes % kWordBytes != 0 ||
      constants.fully_connected_outputs % kWordBytes != 0) {
    settings.refuse("l1_bank_bytes and fully_connected_outputs are multiples of 16");
  }
  return constants;
}

}  // namespace tinsmith::soc
