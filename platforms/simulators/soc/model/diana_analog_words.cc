#include "platforms/simulators/soc/model/diana_analog_words.h"

#include "platforms/simulators/soc/isa/disassemble.h"
#include "platforms/simulators/soc/isa/hart.h"

namespace tinsmith::soc {
namespace {

constexpr const char *kNames[] = {
    "skip",
    "reserved",
    "input pointer",
    "output pointer",
    "partial sum pointer",
    "residual pointer",
    "BN pointer",
    "C",
    "K",
    "ix",
    "iy",
    "precision",
    "kernel",
    "ox",
    "oy",
    "ox unroll",
    "stride",
    "padding",
    "processing blocks",
    "inits and offsets",
    "column blocks",
    "timing",
    "stop",
    "analog range",
    "reserved",
    "weight packet size",
    "BN packet size",
    "scales",
    "leaky ReLU",
    "LDO",
    "reserved",
    "reserved",
};

}  // namespace

void refuse_word(const DianaHalves &words, DianaAnalogWord word, const std::string &expected) {
  const auto number = static_cast<uint32_t>(word);
  throw Fault("DIANA analog: word " + std::to_string(number) + " (" + kNames[number] + ") of an instruction holds 0x" +
              hexadecimal(words[number]).substr(4) + "; expected " + expected);
}

}  // namespace tinsmith::soc
