/* Which of the three implementations is built: exactly one of TINSMITH_NN_MVE, TINSMITH_NN_DSP, TINSMITH_NN_C is 1; and
 * the names that objects know it by.
 *
 * The compiler's feature macros decide; define TINSMITH_NN_FORCE_C to build plain C on any core (tests do).
 */
#ifndef TINSMITH_NN_IMPLEMENTATION_H
#define TINSMITH_NN_IMPLEMENTATION_H

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "these kernels, and weights arranged for them, are for little-endian cores; this compiler builds big-endian code"
#endif

/** Raised when a layout, a scratch size or a signature of tinsmith_nn.h changes; generated code asserts the version it
 * was made for. */
#define TINSMITH_NN_VERSION 4

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 1) && !defined(TINSMITH_NN_FORCE_C)
#define TINSMITH_NN_MVE 1
#define TINSMITH_NN_DSP 0
#define TINSMITH_NN_C 0
#define TINSMITH_NN_NAMED(name, version) name##_mve_v##version
#elif defined(__ARM_FEATURE_DSP) && !defined(TINSMITH_NN_FORCE_C)
#define TINSMITH_NN_MVE 0
#define TINSMITH_NN_DSP 1
#define TINSMITH_NN_C 0
#define TINSMITH_NN_NAMED(name, version) name##_dsp_v##version
#else
#define TINSMITH_NN_MVE 0
#define TINSMITH_NN_DSP 0
#define TINSMITH_NN_C 1
#define TINSMITH_NN_NAMED(name, version) name##_c_v##version
#endif

/* What a function whose arguments depend on implementation and version is called in objects. A caller built for others
 * does not link: "undefined reference to `tinsmith_convolve_packed_s8_dsp_v4'". It costs neither code nor data. */
#define TINSMITH_NN_EXPANDED(name, version) TINSMITH_NN_NAMED(name, version)
#define TINSMITH_NN_SYMBOL(name) TINSMITH_NN_EXPANDED(name, TINSMITH_NN_VERSION)

#endif /* TINSMITH_NN_IMPLEMENTATION_H */
