/* The memory helpers of the Arm run-time ABI (RTABI 4.3.4), which compilers call in place of memcpy and memset. */
#if defined(__arm__)
#include <stddef.h>
#include <string.h>

void __aeabi_memcpy(void *destination, const void *source, size_t bytes);
void __aeabi_memcpy4(void *destination, const void *source, size_t bytes);
void __aeabi_memcpy8(void *destination, const void *source, size_t bytes);
void __aeabi_memmove(void *destination, const void *source, size_t bytes);
void __aeabi_memmove4(void *destination, const void *source, size_t bytes);
void __aeabi_memmove8(void *destination, const void *source, size_t bytes);
void __aeabi_memset(void *destination, size_t bytes, int value);
void __aeabi_memset4(void *destination, size_t bytes, int value);
void __aeabi_memset8(void *destination, size_t bytes, int value);
void __aeabi_memclr(void *destination, size_t bytes);
void __aeabi_memclr4(void *destination, size_t bytes);
void __aeabi_memclr8(void *destination, size_t bytes);

void __aeabi_memcpy(void *destination, const void *source, size_t bytes) {
  (void)memcpy(destination, source, bytes);
}

void __aeabi_memmove(void *destination, const void *source, size_t bytes) {
  (void)memmove(destination, source, bytes);
}

/* The ABI swaps the last two arguments of memset. */
void __aeabi_memset(void *destination, size_t bytes, int value) {
  (void)memset(destination, value, bytes);
}

void __aeabi_memclr(void *destination, size_t bytes) {
  (void)memset(destination, 0, bytes);
}

void __aeabi_memcpy4(void *, const void *, size_t) __attribute__((alias("__aeabi_memcpy")));
void __aeabi_memcpy8(void *, const void *, size_t) __attribute__((alias("__aeabi_memcpy")));
void __aeabi_memmove4(void *, const void *, size_t) __attribute__((alias("__aeabi_memmove")));
void __aeabi_memmove8(void *, const void *, size_t) __attribute__((alias("__aeabi_memmove")));
void __aeabi_memset4(void *, size_t, int) __attribute__((alias("__aeabi_memset")));
void __aeabi_memset8(void *, size_t, int) __attribute__((alias("__aeabi_memset")));
void __aeabi_memclr4(void *, size_t) __attribute__((alias("__aeabi_memclr")));
void __aeabi_memclr8(void *, size_t) __attribute__((alias("__aeabi_memclr")));
#endif
