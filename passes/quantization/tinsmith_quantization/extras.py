"""What errors say where a part of this library wants what only an extra installs."""


def needs(part: str, package: str, extra: str) -> str:
    """`part` says what was asked for, `package` what it imports, `extra` what of this library installs that."""
    return f"{part} needs {package}, which is not installed: pip install 'tinsmith-quantization[{extra}]'"
