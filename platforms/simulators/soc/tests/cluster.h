// For test programs in assembly: addresses of pulp-open, hardware loops (LLVM has none), regions, start and end.
#define L1 0x10000000
#define L2_DATA 0x1C020000
#define EVENT_UNIT 0x10204000
#define DMA 0x10204400
#define TIMER 0x10200400
#define CONTROL 0x10200000
#define ACCELERATOR 0x10201000
#define STDOUT 0x1A10F000
#define EXIT 0x1A1040A0

#define EU_MASK 0x00
#define EU_WAIT_CLEAR 0x3C
#define EU_DISPATCH 0x80
#define EU_TEAM 0x84
#define EU_MUTEX 0xC0
#define EU_BARRIER_MEMBERS 0x200
#define EU_BARRIER_TARGETS 0x20C
#define EU_BARRIER_WAIT_CLEAR 0x21C
#define DISPATCH_AND_BARRIER ((1 << 18) | (1 << 16))

.option norelax

// The numbers of registers, for instructions put together by hand.
.set .Lrn_zero, 0
.set .Lrn_t0, 5
.set .Lrn_t1, 6
.set .Lrn_t2, 7
.set .Lrn_a0, 10
.set .Lrn_a1, 11
.set .Lrn_a2, 12
.set .Lrn_a5, 15
.set .Lrn_s11, 27

// cv.setup loop, rs, end: `rs` times what follows, up to the label `end`.
.macro loop_setup loop, rs, end
9901:
  .word (((\end - 9901b) >> 2) << 20) | (.Lrn_\rs << 15) | (4 << 12) | (7 << 8) | (\loop << 7) | 0x2B
.endm

.macro region_begin number
  slti zero, zero, \number
.endm

.macro region_end number
  sltiu zero, zero, \number
.endm

.macro exit_with status
  li t0, EXIT
  li t1, (1 << 31) | \status
  sw t1, 0(t0)
.endm

// All `cores` of the cluster wait for each other at barrier 0, which one of them has set up by then.
.macro barrier_setup cores
  li t0, EVENT_UNIT
  li t1, (1 << \cores) - 1
  sw t1, EU_BARRIER_MEMBERS(t0)
  sw t1, EU_BARRIER_TARGETS(t0)
  li t1, 1 << 16
  sw t1, EU_MASK(t0)
.endm

.macro barrier_wait
  li t0, EVENT_UNIT
  cv.elw t1, EU_BARRIER_WAIT_CLEAR(t0)
.endm
