/* Which extension the kernels are built for, under the names that programs written for CMSIS-NN test. */
#ifndef ARM_NN_MATH_TYPES_H
#define ARM_NN_MATH_TYPES_H

#ifndef TINSMITH_NN_FORCE_C

/** The DSP extension is there; so it is on cores that have MVE. */
#if defined(__ARM_FEATURE_DSP) && !defined(ARM_MATH_DSP)
#define ARM_MATH_DSP 1
#endif

/** MVE is there: arm_fully_connected_s8() wants what arm_vector_sum_s8() makes. */
#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1) && !defined(ARM_MATH_MVEI)
#define ARM_MATH_MVEI 1
#endif

#endif /* TINSMITH_NN_FORCE_C */

#endif /* ARM_NN_MATH_TYPES_H */
