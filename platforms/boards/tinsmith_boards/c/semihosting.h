/* One semihosting call: operation number and parameter block in, result out.
 *
 * Call numbers and traps as in "Semihosting for AArch32 and AArch64" (Arm) and "RISC-V Semihosting".
 */
#ifndef TINSMITH_SEMIHOSTING_H_
#define TINSMITH_SEMIHOSTING_H_

#include <stdint.h>

#define SEMIHOSTING_OPEN 0x01u
#define SEMIHOSTING_CLOSE 0x02u
#define SEMIHOSTING_WRITE0 0x04u
#define SEMIHOSTING_WRITE 0x05u
#define SEMIHOSTING_READ 0x06u
#define SEMIHOSTING_EXIT_EXTENDED 0x20u

#if defined(__arm__)
static inline uintptr_t semihosting_call(uint32_t operation, const void *arguments) {
  register uintptr_t r0 __asm__("r0") = operation;
  register const void *r1 __asm__("r1") = arguments;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}
#elif defined(__riscv)
/* The three instructions must be uncompressed and on one page: 16-byte alignment keeps them together. It comes first,
 * since LLVM pads with an illegal instruction once compressed ones are off. */
static inline uintptr_t semihosting_call(uint32_t operation, const void *arguments) {
  register uintptr_t a0 __asm__("a0") = operation;
  register const void *a1 __asm__("a1") = arguments;
  __asm__ volatile(
      ".balign 16\n\t.option push\n\t.option norvc\n\t"
      "slli x0, x0, 0x1f\n\tebreak\n\tsrai x0, x0, 7\n\t.option pop"
      : "+r"(a0)
      : "r"(a1)
      : "memory");
  return a0;
}
#else
#error "semihosting is for Arm and RISC-V"
#endif

#endif  // TINSMITH_SEMIHOSTING_H_
