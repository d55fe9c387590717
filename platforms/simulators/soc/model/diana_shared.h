// The constants that models of both of DIANA's accelerators have, each with its source: how a job begins, loads and
// copies, what may be under way at once, and where L1 is.
//
// "match": MATCH's cost model of DIANA. "tinyvers": read in the RTL of TinyVers, the sister chip, whose array is 8x8
// where DIANA's is 16x16. "dory": DORY's and its driver library's use of the chip. "fitted": to HTVM's published
// latencies. "inferred": from what such sources do. "estimate": nobody's number. Cycles unless they say otherwise. What
// an estimate moves is said of the four networks of HTVM's Table I as the digital accelerator has them: DSCNN 455,
// MobileNet 1477, ResNet 309, ToyAdmos 94 thousand cycles.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_SHARED_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_SHARED_H_

#include <cstdint>

#include "platforms/simulators/soc/model/part.h"

namespace tinsmith::soc {

struct DianaShared {
  // A job: before its first load, and before each load, be there something to load or not [estimate: with the digital
  // accelerator's seven loads and 64 + 256 bytes, 100 of the 474 cycles that a job took with its software, fitted; 10
  // cycles more or less of a load are 18, 88, 1 and 7 thousand cycles of the networks].
  uint32_t job_begin = 3;
  uint32_t load_begin = 11;
  // Each further instruction of a job [tinyvers: three states between two layers].
  uint32_t instruction_begin = 3;
  // A copy, before its first byte [estimate: a part of the 36 that a copy took with its software, fitted; match has 70.
  // ResNet's 3072 copies of rows of HTVM make 25 thousand cycles of it, all other copies less than one].
  uint32_t copy_begin = 8;
  // Bytes that copies and loads move in a cycle [match; of 4, 8, 16 and 32 the only one that fits HTVM's latencies].
  uint32_t bytes_per_cycle = 16;

  // What is doubtful, as HTVM saw the chip. Instructions of a job, without the one that stops [HTVM sends 1; tinyvers'
  // memory holds 16].
  uint32_t job_instructions = 1;
  // 1: copies move while jobs compute [inferred: separate engines in hardware; HTVM waits for each].
  uint32_t overlap = 0;
  // Jobs under way at most; the first runs, with overlap the first of either kind [HTVM: 1].
  uint32_t queue = 1;

  // L1's address on the chip, to which the accelerators' are relative, and its bytes [match].
  uint32_t l1_base = 0;
  uint32_t l1_bytes = 0x40000;
  // From a bank of L1 to the next, in bytes [inferred: DORY copies 512 pixels of 64 bytes to 4 banks, and goes on 512
  // words of 16 bytes behind].
  uint32_t l1_bank_bytes = 0x10000;
};

// As a `device` line says, by the names of the fields; those above where it says nothing. Raises BadFile for what makes
// no accelerator.
void take_shared(Settings &settings, DianaShared &constants);

// One more of a model's constants, by its name.
template <typename Constants>
struct DianaConstant {
  const char *name;
  uint32_t Constants::*field;
};

template <typename Constants, size_t count>
void take_constants(Settings &settings, Constants &constants, const DianaConstant<Constants> (&table)[count]) {
  for (const DianaConstant<Constants> &constant : table) {
    constants.*constant.field = settings.take(constant.name, constants.*constant.field);
  }
}

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_MODEL_DIANA_SHARED_H_
