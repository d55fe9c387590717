/* Words to the debugger or emulator: "Semihosting for AArch32 and AArch64" (Arm). */
#ifndef FIRMWARE_SEMIHOSTING_H_
#define FIRMWARE_SEMIHOSTING_H_

#include <stdint.h>

void semihosting_print(const char *text);
_Noreturn void semihosting_exit(uint32_t status);

#endif
