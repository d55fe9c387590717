// What generated C asks of what copies from a remote memory: the interface between a network whose constants lie where
// no core loads from (HyperRAM, flash behind a controller), and the chip that it runs on. Whoever integrates such a
// network gives both functions.
//
// Generated C promises: both functions are called by one core, of a cluster by core 0; both addresses are multiples of
// 4, `from` in the remote memory and `to` in the memory that the arena lies in; between a start and the wait that ends
// it nobody touches what it writes. A run waits for the last copy that it starts, and so for all.

#ifndef TINSMITH_FETCH_H_
#define TINSMITH_FETCH_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Begin to copy `bytes` bytes, any number from 1 on. Returns a ticket for the wait, at once or when a queue has room:
// any number of copies may be under way. They happen in the order of their starts.
uint32_t tinsmith_fetch_start(void *to, const void *from, uint32_t bytes);

// Return when the copy with that ticket has ended, and all that were started before it. A ticket may be waited for
// again, and after later ones.
void tinsmith_fetch_wait(uint32_t ticket);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TINSMITH_FETCH_H_
