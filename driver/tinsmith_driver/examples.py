"""An example of each command, for its help. Tests parse all of them, and run those that are cheap."""

from collections.abc import Mapping

_DIGITS = "examples/digits/digits"

EXAMPLES: Mapping[str, str] = {
    "check": f"tinsmith check {_DIGITS}_int8.tflite --target cortex-m4 --ram 64k",
    "compile": f"tinsmith compile {_DIGITS}_int8.tflite --target cortex-m4 -o out",
    "run": f"""tinsmith run {_DIGITS}_int8.tflite --target cortex-m4 \\
      --inputs {_DIGITS}_test.npz --samples 8 --outputs y.npz""",
    "verify": f"""tinsmith verify {_DIGITS}_int8.tflite --target cortex-m4 \\
      --inputs {_DIGITS}_test.npz --samples 8 --layers""",
    "explore": f"tinsmith explore {_DIGITS}_int8.tflite --target host --most 4",
    "quantize": f"""tinsmith quantize {_DIGITS}_float.tflite --scheme int8 \\
      --calibration {_DIGITS}_calibration.npz -o digits.tflite""",
    "reduce": "tinsmith reduce model.tflite --target cortex-m4 -o smallest.tsm",
    "measure": f"""tinsmith measure {_DIGITS}_int8.tflite --target host \\
      --json row.json""",
    "gather": "tinsmith gather row.json --markdown table.md",
    "diff": "tinsmith diff before.json after.json --fail-on-regression",
    "objects": "tinsmith objects --target cortex-m4 -o objects",
    "check-plan": "tinsmith check-plan out/plan.json",
    "show": f"tinsmith show {_DIGITS}_int8.tflite --after fuse-activations",
    "plugins": "tinsmith plugins",
    "targets": "tinsmith targets",
    "passes": "tinsmith passes",
    "demo": "tinsmith demo --target cortex-m4",
    "bench": "tinsmith bench list",
}


def epilog(command: str) -> str:
    """What stands below a command's help."""
    return f"example:\n  {EXAMPLES[command]}"
