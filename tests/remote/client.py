"""A client of a cluster's execution service, as small as the tests need it: Bazel is the real one."""

from collections.abc import Iterator

import grpc
from content import Store, digest_of
from protocol import ExecutionStub, Operation, reapi

_EXECUTE_SECONDS = 240.0


class Client:
    """Uploads actions and asks for their results."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.store = Store(channel)
        self._execution = ExecutionStub(channel)

    def start(
        self,
        command: reapi.Command,
        inputs: dict[str, tuple[bytes, bool]] | None = None,
        timeout_seconds: int | None = None,
    ) -> "Running":
        """inputs: content of each file and whether it is a program, by name or by `folder/name`."""
        contents: dict[str, bytes] = {}

        def add(content: bytes) -> reapi.Digest:
            digest = digest_of(content)
            contents[digest.hash] = content
            return digest

        folders: dict[str, reapi.Directory] = {"": reapi.Directory()}
        for path, (content, executable) in sorted((inputs or {}).items()):
            folder, _, name = path.rpartition("/")
            directory = folders.setdefault(folder, reapi.Directory())
            directory.files.add(name=name, digest=add(content), is_executable=executable)
        root = folders.pop("")
        for name, directory in sorted(folders.items()):
            root.directories.add(name=name, digest=add(directory.SerializeToString()))
        action = reapi.Action(
            command_digest=add(command.SerializeToString()),
            input_root_digest=add(root.SerializeToString()),
        )
        if timeout_seconds is not None:
            action.timeout.seconds = timeout_seconds
        digest = add(action.SerializeToString())
        self.store.write(dict(contents))
        request = reapi.ExecuteRequest(action_digest=digest)
        return Running(self, self._execution.Execute(request, timeout=_EXECUTE_SECONDS))

    def read(self, digest: reapi.Digest) -> bytes:
        """The content of an output."""
        return next(self.store.read([digest]))[1] if digest.size_bytes else b""


class Running:
    """An action that was sent."""

    def __init__(self, client: Client, operations: Iterator[Operation]) -> None:
        self._client = client
        self._operations = operations

    def response(self) -> reapi.ExecuteResponse:
        """What the service says when all is done."""
        for operation in self._operations:
            if operation.done:
                response = reapi.ExecuteResponse()
                operation.response.Unpack(response)
                return response
        raise AssertionError("the service ended the stream before the operation")
