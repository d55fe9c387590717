"""Content by digest: what a worker reads from and writes to the store of the cluster, and keeps at hand on its disk.

The store is any that speaks the Remote Execution API (ContentAddressableStorage and ByteStream), SHA-256.
"""

import hashlib
import os
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import grpc
from protocol import ByteStreamStub, ContentAddressableStorageStub, bytestream, reapi

# Messages stay below the 4 MiB that a gRPC server takes by default.
_BATCH_BYTES = 3 << 20
_BATCH_COUNT = 400
_CHUNK_BYTES = 1 << 20
_RPC_SECONDS = 300.0

# Of every file at hand, so that one written to by an action is noticed and fetched again.
_UNTOUCHED_NS = 946_684_800 * 10**9


class MissingContentError(Exception):
    """The store does not hold what an action names; its client may upload it and try again."""


def digest_of(content: bytes) -> reapi.Digest:
    """The name of a content."""
    return reapi.Digest(hash=hashlib.sha256(content).hexdigest(), size_bytes=len(content))


def digest_of_file(path: Path) -> reapi.Digest:
    """The name of a file's content, read piece by piece."""
    with path.open("rb") as file:
        return reapi.Digest(
            hash=hashlib.file_digest(file, "sha256").hexdigest(), size_bytes=path.stat().st_size
        )


class Store:
    """The cluster's contents."""

    def __init__(self, channel: grpc.Channel, instance: str = "") -> None:
        self._instance = instance
        self._contents = ContentAddressableStorageStub(channel)
        self._streams = ByteStreamStub(channel)

    def read(self, digests: Iterable[reapi.Digest]) -> Iterator[tuple[reapi.Digest, bytes]]:
        """Each content in turn. Raises MissingContentError."""
        small: list[reapi.Digest] = []
        for digest in digests:
            if digest.size_bytes > _BATCH_BYTES:
                yield digest, b"".join(self._stream(digest))
            else:
                small.append(digest)
        for batch in _batches(small):
            request = reapi.BatchReadBlobsRequest(instance_name=self._instance, digests=batch)
            answer = self._contents.BatchReadBlobs(request, timeout=_RPC_SECONDS)
            found = {
                entry.digest.hash: entry for entry in answer.responses if not entry.status.code
            }
            for digest in batch:
                if digest.hash not in found:
                    raise MissingContentError(f"the store has no {digest.hash}/{digest.size_bytes}")
                yield digest, found[digest.hash].data

    def write(self, contents: dict[str, bytes | Path]) -> None:
        """Uploads what the store lacks. contents: by hash; a Path is read when its turn comes."""
        digests = {
            hash_: reapi.Digest(hash=hash_, size_bytes=_size(content))
            for hash_, content in contents.items()
        }
        request = reapi.FindMissingBlobsRequest(
            instance_name=self._instance, blob_digests=digests.values()
        )
        missing = self._contents.FindMissingBlobs(
            request, timeout=_RPC_SECONDS
        ).missing_blob_digests
        for digest in missing:
            if digest.size_bytes > _BATCH_BYTES:
                self._upload(digest, contents[digest.hash])
        for batch in _batches(digest for digest in missing if digest.size_bytes <= _BATCH_BYTES):
            update = reapi.BatchUpdateBlobsRequest(instance_name=self._instance)
            for digest in batch:
                update.requests.add(digest=digest, data=_bytes(contents[digest.hash]))
            answer = self._contents.BatchUpdateBlobs(update, timeout=_RPC_SECONDS)
            for entry in answer.responses:
                if entry.status.code:
                    raise OSError(f"the store refused {entry.digest.hash}: {entry.status.message}")

    def _stream(self, digest: reapi.Digest) -> Iterator[bytes]:
        name = self._resource(f"blobs/{digest.hash}/{digest.size_bytes}")
        try:
            request = bytestream.ReadRequest(resource_name=name)
            for answer in self._streams.Read(request, timeout=_RPC_SECONDS):
                yield answer.data
        except grpc.RpcError as error:
            if _code(error) is grpc.StatusCode.NOT_FOUND:
                raise MissingContentError(f"the store has no {name}") from error
            raise

    def _upload(self, digest: reapi.Digest, content: bytes | Path) -> None:
        name = self._resource(f"uploads/{uuid.uuid4()}/blobs/{digest.hash}/{digest.size_bytes}")

        def requests() -> Iterator[bytestream.WriteRequest]:
            offset = 0
            for chunk in _chunks(content):
                yield bytestream.WriteRequest(
                    resource_name=name,
                    write_offset=offset,
                    data=chunk,
                    finish_write=offset + len(chunk) == digest.size_bytes,
                )
                offset += len(chunk)

        self._streams.Write(requests(), timeout=_RPC_SECONDS)

    def _resource(self, path: str) -> str:
        return f"{self._instance}/{path}" if self._instance else path


class ContentAtHand:
    """Contents of a store in a folder, to be linked into the input folders of actions. Several workers may share it."""

    def __init__(self, folder: Path, store: Store) -> None:
        self._folder = folder
        self._store = store
        self._directories: dict[str, reapi.Directory] = {}
        for executable in (False, True):
            (folder / _kind(executable)).mkdir(parents=True, exist_ok=True)

    def message(self, digest: reapi.Digest) -> bytes:
        """A small content, straight from the store."""
        return b"" if not digest.size_bytes else next(self._store.read([digest]))[1]

    def directories(self, root: reapi.Digest) -> dict[str, reapi.Directory]:
        """Every directory of an input tree by its hash; one read from the store for each level that is new."""
        found: dict[str, reapi.Directory] = {}
        level = {root.hash: root}
        while level:
            new = [digest for hash_, digest in level.items() if hash_ not in self._directories]
            for digest, content in self._store.read(digest for digest in new if digest.size_bytes):
                self._directories[digest.hash] = reapi.Directory.FromString(content)
            found |= {hash_: self._directories.get(hash_, reapi.Directory()) for hash_ in level}
            level = {
                node.digest.hash: node.digest
                for hash_ in level
                for node in found[hash_].directories
                if node.digest.hash not in found
            }
        return found

    def fetch(self, files: Iterable[reapi.FileNode]) -> None:
        """Brings what is not at hand, or no longer as it was, from the store."""
        wanted: dict[str, reapi.Digest] = {}
        modes: dict[str, set[bool]] = {}
        for node in files:
            if not self._is_at_hand(node):
                wanted[node.digest.hash] = node.digest
                modes.setdefault(node.digest.hash, set()).add(node.is_executable)
        empty = ((digest, b"") for digest in wanted.values() if not digest.size_bytes)
        full = self._store.read(digest for digest in wanted.values() if digest.size_bytes)
        for digest, content in chain(empty, full):
            for executable in modes[digest.hash]:
                self._keep(self._path(digest, executable), content, executable)

    def link(self, node: reapi.FileNode, path: Path) -> None:
        """A fetched file at another place of the same disk."""
        os.link(self._path(node.digest, node.is_executable), path)

    def _is_at_hand(self, node: reapi.FileNode) -> bool:
        try:
            status = self._path(node.digest, node.is_executable).stat()
        except FileNotFoundError:
            return False
        return (status.st_size, status.st_mtime_ns, status.st_mode & 0o777) == (
            node.digest.size_bytes,
            _UNTOUCHED_NS,
            _mode(node.is_executable),
        )

    def _keep(self, path: Path, content: bytes, executable: bool) -> None:
        """Whole or not at all, whoever else writes the same."""
        handle, name = tempfile.mkstemp(dir=self._folder)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).chmod(_mode(executable))
        os.utime(name, ns=(_UNTOUCHED_NS, _UNTOUCHED_NS))
        Path(name).replace(path)

    def _path(self, digest: reapi.Digest, executable: bool) -> Path:
        return self._folder / _kind(executable) / digest.hash


def _kind(executable: bool) -> str:
    return "programs" if executable else "files"


def _mode(executable: bool) -> int:
    return 0o555 if executable else 0o444


def _batches(digests: Iterable[reapi.Digest]) -> Iterator[list[reapi.Digest]]:
    batch: list[reapi.Digest] = []
    size = 0
    for digest in digests:
        if batch and (size + digest.size_bytes > _BATCH_BYTES or len(batch) == _BATCH_COUNT):
            yield batch
            batch, size = [], 0
        batch.append(digest)
        size += digest.size_bytes
    if batch:
        yield batch


def _size(content: bytes | Path) -> int:
    return content.stat().st_size if isinstance(content, Path) else len(content)


def _bytes(content: bytes | Path) -> bytes:
    return content.read_bytes() if isinstance(content, Path) else content


def _chunks(content: bytes | Path) -> Iterator[bytes]:
    if isinstance(content, bytes):
        yield from (content[at : at + _CHUNK_BYTES] for at in range(0, len(content), _CHUNK_BYTES))
    else:
        with content.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                yield chunk


def _code(error: grpc.RpcError) -> grpc.StatusCode | None:
    return error.code() if isinstance(error, grpc.Call) else None
