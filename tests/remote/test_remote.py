"""Actions through BuildGrid and two workers: what runs, what is remembered, what fails and how."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from client import Client
from cluster import Cluster, cluster
from protocol import code, connect, reapi


@pytest.fixture(scope="module")
def running() -> Iterator[Cluster]:
    with cluster(workers=2) as started:
        yield started


@pytest.fixture(scope="module")
def client(running: Cluster) -> Iterator[Client]:
    with connect(running.address) as channel:
        yield Client(channel)


def _shell(script: str, *outputs: str, **environment: str) -> reapi.Command:
    command = reapi.Command(arguments=["/bin/sh", "-c", script], output_paths=outputs)
    for name, value in sorted(environment.items()):
        command.environment_variables.add(name=name, value=value)
    return command


def test_second_request_for_an_action_is_a_hit(client: Client) -> None:
    command = _shell("cat greeting > out; echo said; echo warned >&2", "out")
    first = client.start(command, {"greeting": (b"hello", False)}).response()
    second = client.start(command, {"greeting": (b"hello", False)}).response()
    assert (first.status.code, first.result.exit_code) == (code.OK, 0)
    (output,) = first.result.output_files
    assert (output.path, client.read(output.digest)) == ("out", b"hello")
    assert client.read(first.result.stdout_digest) == b"said\n"
    assert client.read(first.result.stderr_digest) == b"warned\n"
    assert (first.cached_result, second.cached_result) == (False, True)
    assert second.result.output_files == first.result.output_files


def test_other_input_is_a_miss(client: Client) -> None:
    command = _shell("cat data > out", "out")
    client.start(command, {"data": (b"one", False)}).response()
    response = client.start(command, {"data": (b"two", False)}).response()
    assert not response.cached_result
    assert client.read(response.result.output_files[0].digest) == b"two"


def test_failing_command_reports_its_status_and_is_not_remembered(client: Client) -> None:
    command = _shell("echo broken >&2; exit 3")
    for _ in range(2):
        response = client.start(command).response()
        assert (response.status.code, response.result.exit_code) == (code.OK, 3)
        assert client.read(response.result.stderr_digest) == b"broken\n"
        assert not response.cached_result


def test_missing_program_fails_as_in_a_shell(client: Client) -> None:
    response = client.start(reapi.Command(arguments=["./absent"])).response()
    assert response.result.exit_code == 127
    assert b"absent" in client.read(response.result.stderr_digest)


def test_command_that_takes_too_long_is_ended(client: Client) -> None:
    command = _shell("echo begun; sleep 600")
    response = client.start(command, timeout_seconds=1).response()
    assert response.status.code == code.DEADLINE_EXCEEDED
    assert client.read(response.result.stdout_digest) == b"begun\n"


def test_environment_and_inputs_are_those_declared(client: Client) -> None:
    script = "pwd > /dev/null; echo $A-$HOME-$TINSMITH; ls"
    response = client.start(_shell(script, A="1"), {"only": (b"", False)}).response()
    assert client.read(response.result.stdout_digest) == b"1--\nonly\n"


def test_executable_bits_go_both_ways(client: Client) -> None:
    script = "./tool > plain; cp tool made; chmod +x made"
    tool = b"#!/bin/sh\necho from the tool\n"
    response = client.start(_shell(script, "plain", "made"), {"tool": (tool, True)}).response()
    made, plain = sorted(response.result.output_files, key=lambda file: file.path)
    assert client.read(plain.digest) == b"from the tool\n"
    assert (made.is_executable, plain.is_executable) == (True, False)


def test_output_folder_comes_back_as_a_tree(client: Client) -> None:
    script = "mkdir -p out/deep; echo 1 > out/deep/file; ln -s deep/file out/link; mkdir out/empty"
    response = client.start(_shell(script, "out")).response()
    (output,) = response.result.output_directories
    tree = reapi.Tree.FromString(client.read(output.tree_digest))
    assert [(link.name, link.target) for link in tree.root.symlinks] == [("link", "deep/file")]
    assert [folder.name for folder in tree.root.directories] == ["deep", "empty"]
    assert [file.name for child in tree.children for file in child.files] == ["file"]


def test_older_clients_name_files_and_folders_apart(client: Client) -> None:
    command = _shell(
        "echo 1 > a/b/file; mkdir a/folder; echo 2 > a/folder/file; ln -s file a/b/link"
    )
    command.output_files.extend(["a/b/file", "a/b/link", "a/not-made"])
    command.output_directories.append("a/folder")
    result = client.start(command).response().result
    assert [file.path for file in result.output_files] == ["a/b/file"]
    assert [folder.path for folder in result.output_directories] == ["a/folder"]
    links = [(link.path, link.target) for link in result.output_file_symlinks]
    assert links == [("a/b/link", "file")]


def test_an_action_that_writes_into_its_input_spoils_no_other(client: Client) -> None:
    inputs = {"shared": (b"as it was", False)}
    client.start(_shell("chmod u+w shared; echo spoilt > shared"), inputs).response()
    for number in range(3):
        response = client.start(_shell("cat shared", N=str(number)), inputs).response()
        assert client.read(response.result.stdout_digest) == b"as it was"


def test_large_files_go_both_ways(client: Client) -> None:
    content = bytes(range(256)) * (20 << 10)
    script = "cat large large > out"
    response = client.start(_shell(script, "out"), {"large": (content, False)}).response()
    (output,) = response.result.output_files
    assert client.read(output.digest) == 2 * content


def test_two_workers_share_the_queue(client: Client, running: Cluster, tmp_path: Path) -> None:
    """Each action ends when it has seen the other begin: neither could alone."""
    script = "touch {0}/{1}; while [ ! -e {0}/{2} ]; do sleep 0.05; done"
    commands = [_shell(script.format(tmp_path, *pair)) for pair in (("a", "b"), ("b", "a"))]
    started = [client.start(command, timeout_seconds=60) for command in commands]
    results = [one.response().result for one in started]
    assert [result.exit_code for result in results] == [0, 0]
    workers = {result.execution_metadata.worker for result in results}
    assert workers == {"worker-1", "worker-2"}
