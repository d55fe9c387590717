/* a > b for floats on Arm CPUs without an FPU: compiler-rt of the zig wheel says yes when one of them is no number. */
#if defined(__clang__) && defined(__arm__)
#define CONVENTION __attribute__((pcs("aapcs")))

CONVENTION int __aeabi_fcmplt(float lhs, float rhs);
CONVENTION int __aeabi_fcmpgt(float lhs, float rhs);

CONVENTION int __aeabi_fcmpgt(float lhs, float rhs) {
  return __aeabi_fcmplt(rhs, lhs);
}
#endif
