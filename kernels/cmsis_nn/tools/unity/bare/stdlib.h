/* Memory for the unit tests on a board: taken from one array, all of it free again when the next test starts. */
#ifndef TINSMITH_NN_TOOLS_STDLIB_H
#define TINSMITH_NN_TOOLS_STDLIB_H

#include <stddef.h>

void *tinsmith_unity_take(size_t bytes);

#define malloc(bytes) tinsmith_unity_take(bytes)
#define free(memory) ((void)(memory))

#endif /* TINSMITH_NN_TOOLS_STDLIB_H */
