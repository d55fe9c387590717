// DIANA's analog accelerator for networks: the accelerator where the compiler makes code for CORE-V, its twin
// elsewhere. Records of networks are the compiler's, so there is no encoder.

#if defined(__riscv_xcvalu)
#include "../analog.c"
#else
#include "../analog_host.c"
#include "../analog_twin.c"
#endif
