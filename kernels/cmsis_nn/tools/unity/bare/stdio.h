/* What the unit tests print on a board: nothing. */
#ifndef TINSMITH_NN_TOOLS_STDIO_H
#define TINSMITH_NN_TOOLS_STDIO_H

#define printf(...) ((void)0)

#endif /* TINSMITH_NN_TOOLS_STDIO_H */
