"""What select() calls the CPUs."""

def condition_of(cpu):
    """The condition of the platforms of a CPU; whatever is none of ours counts as the host.

    Args:
      cpu: a key of CPU_FLAGS.

    Returns:
      a string, for the keys of select().
    """
    if cpu == "host":
        return "//conditions:default"
    return str(Label("//platforms:is_" + cpu.replace("-", "_")))
