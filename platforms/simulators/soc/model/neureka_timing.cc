#include "platforms/simulators/soc/model/neureka_timing.h"

namespace tinsmith::soc {
namespace {

struct Constant {
  const char *name;
  uint32_t NeurekaTiming::*field;
};

#define CONSTANT(field) {#field, &NeurekaTiming::field}

constexpr Constant kConstants[] = {
    CONSTANT(load_begin),           CONSTANT(load_pixels_1x1),    CONSTANT(load_end_1x1),
    CONSTANT(prepare_1x1),          CONSTANT(prepare_3x3),        CONSTANT(prepare_depthwise),
    CONSTANT(compute_end_3x3),      CONSTANT(depthwise_l1_words), CONSTANT(scale_end),
    CONSTANT(bias_accesses),        CONSTANT(bias_end),           CONSTANT(store_end_1x1),
    CONSTANT(prefetch_prepare_1x1), CONSTANT(prefetch_handover),  CONSTANT(weight_memory),
};

#undef CONSTANT

}  // namespace

NeurekaTiming neureka_timing(Settings &settings) {
  NeurekaTiming timing;
  for (const Constant &constant : kConstants) {
    timing.*constant.field = settings.take(constant.name, timing.*constant.field);
  }
  return timing;
}

}  // namespace tinsmith::soc
