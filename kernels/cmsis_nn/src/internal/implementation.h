/* Which of the three implementations is built: exactly one of TINSMITH_NN_MVE, TINSMITH_NN_DSP, TINSMITH_NN_C is 1.
 *
 * The compiler's feature macros decide; define TINSMITH_NN_FORCE_C to build plain C on any core (tests do).
 */
#ifndef TINSMITH_NN_INTERNAL_IMPLEMENTATION_H
#define TINSMITH_NN_INTERNAL_IMPLEMENTATION_H

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1) && !defined(TINSMITH_NN_FORCE_C)
#define TINSMITH_NN_MVE 1
#define TINSMITH_NN_DSP 0
#define TINSMITH_NN_C 0
#elif defined(__ARM_FEATURE_DSP) && !defined(TINSMITH_NN_FORCE_C)
#define TINSMITH_NN_MVE 0
#define TINSMITH_NN_DSP 1
#define TINSMITH_NN_C 0
#else
#define TINSMITH_NN_MVE 0
#define TINSMITH_NN_DSP 0
#define TINSMITH_NN_C 1
#endif

#endif /* TINSMITH_NN_INTERNAL_IMPLEMENTATION_H */
