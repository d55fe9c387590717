"""What no file of this repository may say: where somebody's machine keeps things, or which host serves packages."""

import re

import pytest
from checkout import ROOT, files

# Put together from halves, so that this file does not find itself.
_FORBIDDEN = {
    "a path of somebody's machine": [
        "/wo" + "rk/",
        "/ro" + "ot/",
        "/tmp" + "/w/",
        "/home" + "/[a-z]",
    ],
    "the host of a package registry": [
        "py" + r"pi\.org",
        "pythonhos" + r"ted\.org",
        "npm" + r"js\.(org|com)",
        r"deb\.deb" + r"ian\.org",
        "cra" + r"tes\.io",
    ],
}


def test_nothing_forbidden_is_written() -> None:
    findings: list[str] = []
    for path in files():
        try:
            lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue  # a model or recorded samples
        for what, patterns in _FORBIDDEN.items():
            pattern = re.compile("|".join(patterns))
            findings += [
                f"{path}:{number}: {what}: {line.strip()[:100]}"
                for number, line in enumerate(lines, start=1)
                if pattern.search(line)
            ]
    if findings:
        pytest.fail("\n".join(findings), pytrace=False)


def test_text_ends_with_a_newline_and_has_no_trailing_blanks() -> None:
    findings: list[str] = []
    for path in files(".py", ".bzl", ".c", ".h", ".toml", "BUILD", "WORKSPACE", "MODULE.bazel"):
        text = (ROOT / path).read_text(encoding="utf-8")
        if text and not text.endswith("\n"):
            findings.append(f"{path}: no newline at the end")
        findings += [
            f"{path}:{number}: blanks at the end"
            for number, line in enumerate(text.splitlines(), start=1)
            if line != line.rstrip()
        ]
    if findings:
        pytest.fail("\n".join(findings), pytrace=False)
