// The same fetch engine, which ends each copy at once.

#define TINSMITH_FETCH_EARLY 1

#include "host.c"
