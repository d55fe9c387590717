"""Programs in assembly with a handler of traps: s11 tells the slot of the table that was entered."""

RECORD = """
handler:
  csrr s2, mcause
  csrr s3, mepc
  csrr s4, mstatus
  csrr s5, mip
  addi s7, s7, 1
  mret
"""

TIMER = """
  li s0, TIMER
  li t1, {period}
  sw t1, 0x10(s0)
  li t1, {configuration}
  sw t1, 0(s0)
"""
ONE_SHOT = "1 | 2 | 4 | 32"
CYCLIC = "1 | 2 | 4 | 16"


def with_handler(handler: str, main: str) -> str:
    """`main` with a table of jumps to `handler`, which main's trap_table names."""
    table = ".balign 256\ntable:\n.rept 32\n  jal s11, handler\n.endr\n"
    return f"  j main\n.option norvc\n{table}{handler}\nmain:\n{main}"
