// The instruction tables of the extensions.
#ifndef TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_TABLES_H_
#define TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_TABLES_H_

#include "platforms/simulators/soc/isa/instruction.h"

namespace tinsmith::soc {

Rows rv32i_rows();
Rows rv32m_rows();
Rows rv32f_rows();
Rows system_rows();  // Zicsr, Zifencei, traps
Rows xcvalu_rows();
Rows xcvbi_rows();
Rows xcvbitmanip_rows();
Rows xcvhwlp_rows();
Rows xcvmac_rows();
Rows xcvmem_rows();  // with xcvelw
Rows xcvsimd_rows();

}  // namespace tinsmith::soc

#endif  // TINSMITH_PLATFORMS_SIMULATORS_SOC_ISA_TABLES_H_
