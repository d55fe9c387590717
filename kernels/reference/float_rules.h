// Float kernels must give the same bits everywhere: no fused multiply-add, no reassociation, no flushing of subnormal
// numbers. GCC ignores the standard pragma, so the build also passes -ffp-contract=off; this header is the second lock.
#ifndef TINSMITH_KERNELS_REFERENCE_FLOAT_RULES_H_
#define TINSMITH_KERNELS_REFERENCE_FLOAT_RULES_H_

#if defined(__FAST_MATH__)
#error "the reference kernels need IEEE-754 arithmetic: compile them without -ffast-math"
#endif

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
// MVE takes subnormal floats for zero, whatever FPSCR says (Armv8-M manual, StandardFPSCRValue), and clang turns loops
// into MVE all the same. It does not where an operation might trap; GCC leaves floats alone without -ffast-math.
#pragma clang fp exceptions(maytrap)
#endif
#elif defined(__GNUC__)
#pragma GCC optimize("-ffp-contract=off")
#endif

#endif  // TINSMITH_KERNELS_REFERENCE_FLOAT_RULES_H_
