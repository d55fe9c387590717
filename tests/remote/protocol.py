"""The messages and services of the Remote Execution and Remote Workers APIs, as BuildGrid's wheel has them."""

import json

import grpc
from buildgrid._protos.build.bazel.remote.execution.v2 import (  # pyright: ignore[reportMissingTypeStubs]
    remote_execution_pb2 as reapi,
)
from buildgrid._protos.build.bazel.remote.execution.v2.remote_execution_pb2_grpc import (
    ContentAddressableStorageStub,
    ExecutionStub,
)
from buildgrid._protos.google.bytestream import (  # pyright: ignore[reportMissingTypeStubs]
    bytestream_pb2 as bytestream,
)
from buildgrid._protos.google.bytestream.bytestream_pb2_grpc import ByteStreamStub
from buildgrid._protos.google.devtools.remoteworkers.v1test2 import (  # pyright: ignore[reportMissingTypeStubs]
    bots_pb2 as bots,
)
from buildgrid._protos.google.devtools.remoteworkers.v1test2.bots_pb2_grpc import BotsStub
from buildgrid._protos.google.longrunning.operations_pb2 import Operation
from buildgrid._protos.google.rpc import (  # pyright: ignore[reportMissingTypeStubs]
    code_pb2 as code,
)

# A busy server turns requests away; each of ours may be repeated.
_RETRIES: dict[str, object] = {
    "maxAttempts": 5,
    "initialBackoff": "0.5s",
    "maxBackoff": "10s",
    "backoffMultiplier": 3,
    "retryableStatusCodes": ["UNAVAILABLE", "RESOURCE_EXHAUSTED"],
}

__all__ = [
    "BotsStub",
    "ByteStreamStub",
    "ContentAddressableStorageStub",
    "ExecutionStub",
    "Operation",
    "bots",
    "bytestream",
    "code",
    "connect",
    "reapi",
]


def connect(address: str) -> grpc.Channel:
    """address: HOST:PORT of a server within the same network."""
    service: dict[str, object] = {"methodConfig": [{"name": [{}], "retryPolicy": _RETRIES}]}
    return grpc.insecure_channel(address, options=[("grpc.service_config", json.dumps(service))])
