/* What the kernels tell compilers: where inlining or unrolling would cost more code and stack than it gains.
 */
#ifndef TINSMITH_NN_INTERNAL_COMPILER_H
#define TINSMITH_NN_INTERNAL_COMPILER_H

#define TINSMITH_NOINLINE __attribute__((noinline))

/** For functions that are variants by a constant argument. */
#define TINSMITH_ALWAYS_INLINE static inline __attribute__((always_inline))

/** Before a loop that is already as wide as it should be. GCC does not unroll at -O2. */
#if defined(__clang__)
#define TINSMITH_NO_UNROLL _Pragma("clang loop unroll(disable) vectorize(disable)")
#else
#define TINSMITH_NO_UNROLL
#endif

/** Before a function whose assembly takes nearly all registers. GCC finds none for some operands ("impossible
 * constraints") without optimization, and with it where it inlines those that need one more (TINSMITH_NEEDS_ALL).
 */
#if !defined(__GNUC__) || defined(__clang__)
#define TINSMITH_NEEDS_MOST static inline
#define TINSMITH_NEEDS_ALL TINSMITH_ALWAYS_INLINE
#elif defined(__OPTIMIZE__)
#define TINSMITH_NEEDS_MOST static inline
#define TINSMITH_NEEDS_ALL TINSMITH_NOINLINE static
#else
#define TINSMITH_NEEDS_MOST static inline __attribute__((optimize("O2")))
#define TINSMITH_NEEDS_ALL TINSMITH_NOINLINE static __attribute__((optimize("O2")))
#endif

/** Compute `value` here: compilers that start all products of a block at once run out of registers. */
#define TINSMITH_KEEP_ORDER(value) __asm__ volatile("" : "+r"(value))

#endif /* TINSMITH_NN_INTERNAL_COMPILER_H */
