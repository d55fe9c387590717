#include "platforms/simulators/soc/model/diana_analog_constants.h"

#include "platforms/simulators/soc/model/diana_macro.h"

namespace tinsmith::soc {
namespace {

#define CONSTANT(field) {#field, &DianaAnalogConstants::field}

constexpr DianaConstant<DianaAnalogConstants> kConstants[] = {
    CONSTANT(line_write),        CONSTANT(evaluation_1x1), CONSTANT(evaluation),       CONSTANT(post_vector),
    CONSTANT(adc_gain),          CONSTANT(output_bits),    CONSTANT(symmetric_output), CONSTANT(any_sequence),
    CONSTANT(wide_inputs),       CONSTANT(row_order),      CONSTANT(sign_pattern),     CONSTANT(line_columns),
    CONSTANT(low_column_blocks), CONSTANT(counts_columns), CONSTANT(scale_packets),    CONSTANT(noise),
    CONSTANT(noise_seed),
};

#undef CONSTANT

constexpr uint32_t kMostPackets = 1U << 13;  // that an instruction's field can say
constexpr uint32_t kMostGain = 1U << 20;

}  // namespace

DianaAnalogConstants diana_analog_constants(Settings &settings) {
  DianaAnalogConstants constants;
  take_shared(settings, constants);
  take_constants(settings, constants, kConstants);
  if (constants.adc_gain == 0 || constants.adc_gain > kMostGain) {
    settings.refuse("adc_gain is 1 to 1048576, not " + std::to_string(constants.adc_gain));
  }
  if (constants.output_bits < 2 || constants.output_bits > 8) {
    settings.refuse("output_bits is 2 to 8, not " + std::to_string(constants.output_bits));
  }
  if (constants.line_columns == 0 || constants.line_columns % 32 != 0 ||
      constants.line_columns > DianaMacro::kColumns) {
    settings.refuse("line_columns is a multiple of 32, 512 at most, not " + std::to_string(constants.line_columns));
  }
  if (constants.scale_packets == 0 || constants.scale_packets > kMostPackets) {
    settings.refuse("scale_packets is 1 to 8192, not " + std::to_string(constants.scale_packets));
  }
  return constants;
}

}  // namespace tinsmith::soc
