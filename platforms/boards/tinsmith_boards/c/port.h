/* What the harness needs of the machine below it: files, a counter, the stack, a way out. */
#ifndef TINSMITH_PORT_H_
#define TINSMITH_PORT_H_

#include <stdbool.h>
#include <stdint.h>

/* Opens a file of the runner's directory; negative when that fails. */
int32_t port_open_read(const char *name);
int32_t port_open_write(const char *name);

/* Each returns how many bytes were NOT transferred: 0 is success. */
uint32_t port_read(int32_t file, void *data, uint32_t bytes);
uint32_t port_write(int32_t file, const void *data, uint32_t bytes);
void port_close(int32_t file);

/* Shows a text to the person at the terminal. */
void port_print(const char *text);

_Noreturn void port_exit(uint32_t status);

/* The lowest address of the stack, or NULL where the stack cannot be painted (host). */
uint32_t *port_stack_limit(void);

#if defined(TINSMITH_CLUSTER_CORES)
/* Before the cores of a cluster start: paints the stacks of those that serve forks. */
void port_prepare_workers(void);
#endif

/* Whether a core that serves forks has used its stack to the end; it reaches into another core's from there. */
bool port_worker_stack_is_full(void);

#endif  // TINSMITH_PORT_H_
