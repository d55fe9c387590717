// DIANA's digital accelerator for networks: the accelerator where the compiler makes code for CORE-V, its twin
// elsewhere.

#include "../encode.c"

#if defined(__riscv_xcvalu)
#include "../diana.c"
#else
#include "../host.c"
#include "../twin.c"
#endif
