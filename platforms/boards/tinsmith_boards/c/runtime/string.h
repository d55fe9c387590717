/* The three functions of <string.h> that generated code may use on a board without a C library. */
#ifndef TINSMITH_STRING_H_
#define TINSMITH_STRING_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void *memcpy(void *restrict destination, const void *restrict source, size_t bytes);
void *memmove(void *destination, const void *source, size_t bytes);
void *memset(void *destination, int value, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif  // TINSMITH_STRING_H_
