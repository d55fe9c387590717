// Float kernels must give the same bits everywhere: no fused multiply-add, no reassociation. GCC ignores the standard
// pragma, so the build also passes -ffp-contract=off; this header is the second lock.
#ifndef TINSMITH_KERNELS_REFERENCE_FLOAT_RULES_H_
#define TINSMITH_KERNELS_REFERENCE_FLOAT_RULES_H_

#if defined(__FAST_MATH__)
#error "the reference kernels need IEEE-754 arithmetic: compile them without -ffast-math"
#endif

#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC optimize("-ffp-contract=off")
#endif

#endif  // TINSMITH_KERNELS_REFERENCE_FLOAT_RULES_H_
