// What generated C asks of a DMA engine: the interface between a network whose program copies beside the core, and the
// chip that it runs on. Whoever integrates such a network gives the functions that it calls.
//
// Generated C promises: between the start of a copy and the wait for its token nobody writes what it reads, or touches
// what it writes; every token that was started is waited for; tokens are below TINSMITH_DMA_TOKENS. Several copies may
// be started with one token; the wait ends all of them. A copy may touch what one started before it touches: to whoever
// looks at memory, copies happen in the order of their starts.

#ifndef TINSMITH_DMA_H_
#define TINSMITH_DMA_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TINSMITH_DMA_TOKENS 32u

// Begin to copy `rows` rows of `bytes` bytes each, whose first bytes lie so many bytes apart on either side. Returns at
// once, or when a queue has room.
void tinsmith_dma_start(uint32_t token, void *destination, const void *source, uint32_t bytes, uint32_t rows,
                        uint32_t destination_stride, uint32_t source_stride);

// Return when every copy that was started with the token has ended, and all that were started before the last of them.
void tinsmith_dma_wait(uint32_t token);

// The same of an engine of which a program expects no order: a copy touches nothing that one under way touches, a wait
// ends the copies of its token alone. This costs least.
void tinsmith_dma_start_unordered(uint32_t token, void *destination, const void *source, uint32_t bytes, uint32_t rows,
                                  uint32_t destination_stride, uint32_t source_stride);
void tinsmith_dma_wait_unordered(uint32_t token);

// The same for bytes that lie together on both sides: one row.
void tinsmith_dma_start_bytes_unordered(uint32_t token, void *destination, const void *source, uint32_t bytes);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // TINSMITH_DMA_H_
