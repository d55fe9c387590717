// CORE-V branches that compare with a number (xcvbi).

#include "platforms/simulators/soc/isa/bits.h"
#include "platforms/simulators/soc/isa/hart.h"
#include "platforms/simulators/soc/isa/tables.h"

namespace tinsmith::soc {
namespace {

template <bool if_equal>
void branch(Hart &hart, const Instruction &i) {
  const bool equal = hart.x[i.rs1] == sign_extend(i.rs2, 5);
  if (equal == if_equal) {
    hart.take_branch(hart.pc + i.immediate);
  }
}

}  // namespace

Rows xcvbi_rows() {
  return {
      {"cv.beqimm", "s,b,p", 0x0000600B, 0x0000707F, Kind::kBranch, branch<true>},
      {"cv.bneimm", "s,b,p", 0x0000700B, 0x0000707F, Kind::kBranch, branch<false>},
  };
}

}  // namespace tinsmith::soc
