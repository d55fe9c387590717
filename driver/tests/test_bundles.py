"""Bundles: folders that other builds take, compiled with their `src/` as only folder of headers, and run."""

import hashlib
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

import pytest
from tinsmith_c.testing import host_compiler
from tinsmith_driver.benchmarks.bundle_boards import built_by_clang, printed
from tinsmith_driver.bundle.includes import quoted_includes
from tinsmith_driver.cli import main
from tinsmith_driver.demonstration import find_example
from tinsmith_emulators import MissingEmulatorError, need_emulator
from tinsmith_target import target
from tinsmith_toolchains import find_zig
from tinsmith_toolchains.tools import run_tool

EXAMPLE = find_example()
BOTH = """graph 2 "both" {
  input %a/x: i8[1,4]<0.5, 3>
  input %b: f32[1,4]
  %y: i8[1,4]<0.25, 0> = relu6(%a/x)
  %z: f32[1,4] = mul(%b, %b)
  output %y
  output %z
}
"""
COUNTING = """graph 2 "counting" {
  input %x: f32[2]
  state %sum: f32[2] = [10.0, 20.0] next %next
  %next: f32[2] = add(%sum, %x)
  output %next
}
"""
HEADER_USER = """\
#include "{name}.h"
#include "{name}_check.h"
int use(void) {{ return {name}_check(0) == {upper}_ERROR_ARENA ? 0 : 1; }}
"""

SKETCH_PROGRAM = """\
#include <stdint.h>
#include <stdio.h>
static struct {{
  void begin(long) {{}}
  void print(const char *text) {{ fputs(text, stdout); }}
  void println(const char *text) {{ puts(text); }}
}} Serial;
static void delay(int) {{}}
#include "{sketch}"
int main() {{
  setup();
  loop();
}}
"""


PROJECT = """\
cmake_minimum_required(VERSION 3.16)
project(user CXX)
include(FetchContent)
foreach(name first second)
  FetchContent_Declare(${name} SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/${name}/bundle)
  FetchContent_MakeAvailable(${name})
endforeach()
add_library(wrapper STATIC wrapper.cpp)
target_link_libraries(wrapper PRIVATE tinsmith_first tinsmith_second)
add_executable(user main.cpp)
target_link_libraries(user PRIVATE wrapper)
install(TARGETS wrapper tinsmith_first tinsmith_second EXPORT user DESTINATION lib)
install(EXPORT user DESTINATION lib)
"""


def bundle(folder: Path, *options: str | Path, model: Path = EXAMPLE.model) -> Path:
    made = folder / "bundle"
    arguments = ["compile", model, *options, "--no-progress", "--bundle", made]
    assert main([*map(str, arguments)]) == 0
    return made


def text_file(folder: Path, text: str, name: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def run_on_host(folders: list[Path], main_file: Path, place: Path) -> str:
    """By the host's own compiler, which knows nothing of ours."""
    compiler = host_compiler()
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    place.mkdir(exist_ok=True)
    objects: list[Path] = []
    for folder in folders:
        archive = place / f"{folder.parent.name}.a"
        made: list[Path] = []
        for source in sorted((folder / "src").glob("*.c")):
            made.append(place / f"{folder.parent.name}_{source.stem}.o")
            own = [compiler, "-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"]
            command = [*own, f"-I{folder / 'src'}", "-c", source, "-o", made[-1]]
            subprocess.run(command, check=True)
        subprocess.run(["ar", "rcD", archive, *made], check=True)
        objects.append(archive)
    program = place / "program"
    includes = [f"-I{folder / 'src'}" for folder in folders]
    subprocess.run(
        [compiler, "-std=c11", *includes, main_file, *objects, "-o", program], check=True
    )
    return subprocess.run([program], capture_output=True, text=True, check=False).stdout


def test_a_bundle_runs_where_nothing_of_ours_is(tmp_path: Path) -> None:
    made = bundle(tmp_path, "--target", "host")
    said = run_on_host([made], made / "example" / "main.c", tmp_path / "build")
    assert said == "digits_int8: PASS (0)\n"


@pytest.mark.parametrize("name", ["cortex-m4", "cortex-m55", "riscv32"])
def test_a_bundle_runs_on_a_board(name: str, tmp_path: Path) -> None:
    try:
        need_emulator(target(name).board)
    except MissingEmulatorError as error:
        pytest.skip(str(error))
    made = bundle(tmp_path, "--target", name, "--inputs", EXAMPLE.inputs)
    elf = built_by_clang([made], made / "example" / "main.c", target(name), tmp_path)
    assert printed(target(name), elf, tmp_path) == "digits_int8: PASS (0)\n"


def test_a_check_fails_where_an_output_differs(tmp_path: Path) -> None:
    made = bundle(tmp_path, "--target", "host")
    check = made / "src" / "digits_int8_check.c"
    text = check.read_text()
    head, numbers = text.split("expected_0[10] TINSMITH_ALIGNED = {\n")
    first = re.search(r"\d+", numbers)
    assert first is not None
    wrong = f"{(int(first[0]) + 1) % 256}{numbers[first.end() :]}"
    check.write_text(f"{head}expected_0[10] TINSMITH_ALIGNED = {{\n{wrong}")
    said = run_on_host([made], made / "example" / "main.c", tmp_path / "build")
    assert said == "digits_int8: FAIL (1)\n"


@pytest.mark.parametrize("name", ["host", "cortex-m55"])
def test_names_are_told_apart_and_includes_lie_in_one_folder(name: str, tmp_path: Path) -> None:
    made = bundle(tmp_path, "--target", name)
    files = [path for path in made.rglob("*") if path.is_file() and path.suffix in (".c", ".h")]
    names = Counter(path.name.lower() for path in files)
    assert [twice for twice, count in names.items() if count > 1] == []
    inside = {path.name for path in (made / "src").iterdir()}
    for path in files:
        assert [x for x in quoted_includes(path.read_text()) if x not in inside] == []


def test_only_kernels_that_are_called_are_there(tmp_path: Path) -> None:
    made = bundle(tmp_path, "--target", "host")
    sources = {path.stem for path in (made / "src").glob("*.c")}
    assert "tinsmith_reference_conv2d_s8" in sources
    assert not {name for name in sources if "f32" in name or "lstm" in name or "mve" in name}


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    found: list[dict[Path, bytes]] = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        made = bundle(tmp_path / name, "--target", "cortex-m4")
        found.append(
            {p.relative_to(made): p.read_bytes() for p in sorted(made.rglob("*")) if p.is_file()}
        )
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--io", "external"),
        ("--io", "external", "--ram", "fast=64,slow=1MiB"),
        ("--stream-input",),
        ("--weights-section", ".weights"),
    ],
)
def test_inputs_of_any_type_lie_wherever_they_may(options: tuple[str, ...], tmp_path: Path) -> None:
    model = text_file(tmp_path, BOTH, "both.tsm")
    made = bundle(tmp_path, "--target", "host", *options, model=model)
    said = run_on_host([made], made / "example" / "main.c", tmp_path / "build")
    assert said == "both: PASS (0)\n"


def test_states_begin_anew_in_each_check(tmp_path: Path) -> None:
    made = bundle(tmp_path, "--target", "host", model=text_file(tmp_path, COUNTING, "c.tsm"))
    main_file = made / "example" / "main.c"
    again = re.sub(r"(  failed \+= .*\n)", r"\1\1", main_file.read_text())
    main_file.write_text(again)
    said = run_on_host([made], main_file, tmp_path / "build")
    assert said == "counting: PASS (0)\n" * 2


def test_two_bundles_are_one_program(tmp_path: Path) -> None:
    folders: list[Path] = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        folders.append(bundle(tmp_path / name, "--target", "host", "--name", name))
    both = tmp_path / "main.c"
    both.write_text("""
#include <stdio.h>
#include "first_check.h"
#include "second_check.h"
static _Alignas(16) uint8_t arena[FIRST_ARENA_BYTES];
int main(void) { printf("%d %d", first_check(arena), second_check(arena)); return 0; }
""")
    assert run_on_host(folders, both, tmp_path / "build") == "0 0"


def test_several_networks_share_kernels_and_an_arena(tmp_path: Path) -> None:
    more = text_file(tmp_path, BOTH.replace('"both"', '"más"'), "more.tsm")
    made = bundle(tmp_path, more, "--shared-arena", "--target", "host")
    said = run_on_host([made], made / "example" / "main.c", tmp_path / "build")
    assert said == "digits_int8: PASS (0)\nm_s: PASS (0)\n"


def test_shared_arenas_of_two_bundles_have_headers_of_two_names(tmp_path: Path) -> None:
    folders: list[Path] = []
    for first, second in (("ant", "bee"), ("cat", "dog")):
        (tmp_path / first).mkdir()
        models = [
            text_file(tmp_path, BOTH.replace('"both"', f'"{name}"'), f"{name}.tsm")
            for name in (first, second)
        ]
        options = (models[1], "--shared-arena", "--target", "host")
        folders.append(bundle(tmp_path / first, *options, model=models[0]))
    user = tmp_path / "main.c"
    user.write_text("""
#include <stdio.h>
#include "ant_and_bee_shared_arena.h"
#include "ant_check.h"
#include "cat_and_dog_shared_arena.h"
#include "dog_check.h"
static _Alignas(16) uint8_t first[ANT_AND_BEE_SHARED_ARENA_BYTES];
static _Alignas(16) uint8_t second[CAT_AND_DOG_SHARED_ARENA_BYTES];
int main(void) { printf("%d %d", ant_check(first), dog_check(second)); return 0; }
""")
    assert run_on_host(folders, user, tmp_path / "build") == "0 0"


def test_many_networks_of_long_names_give_files_that_systems_take(tmp_path: Path) -> None:
    names = [f"{letter}{'network' * 5}" for letter in "abcdefg"]
    models = [
        text_file(tmp_path, BOTH.replace('"both"', f'"{name}"'), f"{name}.tsm") for name in names
    ]
    options = (*models[1:], "--shared-arena", "--target", "host")
    made = bundle(tmp_path, *options, model=models[0])
    assert f"project(tinsmith_{names[0]}_and_6_more C)" in (made / "CMakeLists.txt").read_text()
    said = run_on_host([made], made / "example" / "main.c", tmp_path / "build")
    assert said.count("PASS (0)") == len(names)


@pytest.mark.parametrize("name", ["m.v2-final", "3d", "while", "new", "test", "string", "main"])
def test_headers_are_for_every_dialect_whatever_the_model_is_called(
    name: str, tmp_path: Path
) -> None:
    model = tmp_path / f"{name}.tflite"
    model.write_bytes(EXAMPLE.model.read_bytes())
    made = bundle(tmp_path, "--target", "host", "--io", "external", model=model)
    (check,) = (made / "src").glob("*_check.h")
    own = check.name.removesuffix("_check.h")
    user = tmp_path / "user"
    user.write_text(HEADER_USER.format(name=own, upper=own.upper()))
    for language, standards in (("c", ("c99", "c11")), ("c++", ("c++17", "c++20"))):
        for standard in standards:
            compiler = [find_zig().executable, "cc" if language == "c" else "c++", "-x", language]
            options = [f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
            command = [*compiler, *options, f"-I{made / 'src'}", "-c", user]
            run_tool([*map(str, command), "-o", str(tmp_path / "user.o")])
    said = run_on_host([made], made / "example" / "main.c", tmp_path / "build")
    assert said.endswith(": PASS (0)\n")


@pytest.mark.parametrize("options", [(), ("--io", "external")])
def test_builds_with_more_warnings_find_none(options: tuple[str, ...], tmp_path: Path) -> None:
    model = text_file(tmp_path, BOTH, "both.tsm")
    made = bundle(tmp_path, "--target", "cortex-m4", *options, model=model)
    user = tmp_path / "user"
    user.write_text(HEADER_USER.format(name="both", upper="BOTH"))
    strict = (
        "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-align -Wdouble-promotion"
    )
    # Kernels compare floats on purpose; headers are compiled by others, too.
    for command, path in (
        (("cc", "-x", "c", "-std=c11"), made / "src" / "both.c"),
        (("cc", "-x", "c", "-std=c11", "-Wfloat-equal"), user),
        (("c++", "-x", "c++", "-std=c++17", "-Wfloat-equal"), user),
    ):
        own = [*strict.split(), "-Werror", f"-I{made / 'src'}", "-c", path]
        arguments = [find_zig().executable, *command, *own, "-o", tmp_path / "made.o"]
        run_tool([*map(str, arguments)])


@pytest.mark.parametrize("kind", ["Debug", "MinSizeRel"])
def test_two_bundles_are_parts_of_a_project_that_is_installed(kind: str, tmp_path: Path) -> None:
    if shutil.which("cmake") is None or host_compiler() is None:
        pytest.skip("no CMake and compiler on this machine")
    around = tmp_path / "a project"
    around.mkdir()
    for name in ("first", "second"):
        (around / name).mkdir()
        bundle(around / name, "--target", "host", "--name", name)
    (around / "CMakeLists.txt").write_text(PROJECT)
    (around / "wrapper.cpp").write_text("""
#include "first_check.h"
#include "second_check.h"
alignas(16) static uint8_t arena[FIRST_ARENA_BYTES];
int check() { return first_check(arena) + second_check(arena); }
""")
    (around / "main.cpp").write_text("int check();\nint main() { return check(); }\n")
    made = around / "build"
    configure = ["cmake", "-S", around, "-B", made, f"-DCMAKE_BUILD_TYPE={kind}", "-Werror=dev"]
    run_tool([*map(str, configure)])
    run_tool(["cmake", "--build", str(made), "-j2"])
    run_tool([str(made / "user")])
    run_tool(["cmake", "--install", str(made), "--prefix", str(around / "installed")])
    assert (around / "installed" / "lib" / "libtinsmith_second.a").is_file()


def test_the_sketch_is_a_program_where_there_is_a_port(tmp_path: Path) -> None:
    made = bundle(tmp_path, "--target", "host", "--io", "external")
    program = tmp_path / "program.cc"
    program.write_text(SKETCH_PROGRAM.format(sketch=made / "examples" / "check" / "check.ino"))
    compiler = str(find_zig().executable)
    objects: list[str] = []
    for source in sorted((made / "src").glob("*.c")):
        objects.append(str(tmp_path / f"{source.stem}.o"))
        run_tool([compiler, "cc", "-c", str(source), "-o", objects[-1]])
    command = [compiler, "c++", "-std=c++17", "-Wall", "-Werror", f"-I{made / 'src'}"]
    run_tool([*command, str(program), *objects, "-o", str(tmp_path / "program")])
    said = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True)
    assert said.stdout == "digits_int8: PASS\n"


def test_the_bill_of_materials_names_every_file(tmp_path: Path) -> None:
    made = bundle(tmp_path, "--target", "cortex-m4")
    document = json.loads((made / "sbom.spdx.json").read_text())
    files = {entry["fileName"]: entry for entry in document["files"]}
    there = {f"./{path.relative_to(made).as_posix()}" for path in made.rglob("*") if path.is_file()}
    assert files.keys() == there - {"./sbom.spdx.json"}
    for name, entry in files.items():
        sums = {one["algorithm"]: one["checksumValue"] for one in entry["checksums"]}
        assert sums["SHA256"] == hashlib.sha256((made / name).read_bytes()).hexdigest()
    kernel = files["./src/tinsmith_cmsis_nn_src_common_softmax.c"]
    assert kernel["licenseConcluded"] == "Apache-2.0"
    assert files["./src/digits_int8.c"]["licenseConcluded"] == "NOASSERTION"
    known = {
        document["SPDXID"],
        *(entry["SPDXID"] for entry in (*document["packages"], *document["files"])),
    }
    assert len(known) == 1 + len(document["packages"]) + len(document["files"])
    for relation in document["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= known


def test_manifests_name_files_that_are_there(tmp_path: Path) -> None:
    made = bundle(tmp_path, "--target", "cortex-m4")
    sources = {path.name for path in (made / "src").glob("*.c")}
    cmake = (made / "sources.cmake").read_text()
    assert set(re.findall(r"src/(\S+\.c)", cmake)) == sources
    (pack,) = made.glob("*.pdsc")
    package = ElementTree.parse(pack).getroot()
    assert pack.name == f"{package.findtext('vendor')}.{package.findtext('name')}.pdsc"
    named = [file.get("name", "") for file in package.iter("file")]
    assert [name for name in named if not (made / name).exists()] == []
    assert {Path(name).name for name in named if name.endswith(".c")} == sources
    library = json.loads((made / "library.json").read_text())
    assert (made / "src" / library["headers"][0]).is_file()
    properties = dict(
        line.split("=", 1) for line in (made / "library.properties").read_text().splitlines()
    )
    required = {
        "name",
        "version",
        "author",
        "maintainer",
        "sentence",
        "paragraph",
        "category",
        "url",
    }
    assert required | {"architectures"} <= properties.keys()
    assert properties["includes"] == "digits_int8.h"
    assert (made / "examples" / "check" / "check.ino").is_file()


def test_names_are_no_longer_than_what_manifests_may_have(tmp_path: Path) -> None:
    components: list[str] = []
    for end in ("first", "other"):
        (tmp_path / end).mkdir()
        made = bundle(tmp_path / end, "--target", "host", "--name", f"{'long_name_' * 6}{end}")
        (pack,) = made.glob("*.pdsc")
        component = ElementTree.parse(pack).getroot().find(".//component")
        assert component is not None
        components.append(component.get("Csub", ""))
        assert f"Machine Learning:Network:{components[-1]}`" in (made / "README.md").read_text()
        assert len(json.loads((made / "library.json").read_text())["name"]) <= 63
    assert max(map(len, components)) <= 32
    assert len(set(components)) == 2


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("--target", "pulp-open", "--bundle", "new"), 1, "need a runtime of the chip"),
        (
            ("--target", "host", "--bundle", "full"),
            2,
            "expected a folder that is empty or not there",
        ),
        (("--target", "host"), 2, "expected a folder to write to, -o DIR or --bundle DIR"),
        (("--target", "host", "-o", "out", "--inputs", "x.npz"), 2, "expected --bundle beside it"),
        (("--target", "host", "--bundle", "new", "--inputs", "lost.npz"), 2, "lost.npz"),
        (("--target", "host", "--bundle", "new", "-o", "new"), 2, "--bundle collides with -o"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_written(
    options: tuple[str, ...],
    status: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "own.c").touch()
    assert main(["compile", str(EXAMPLE.model), "--no-progress", *options]) == status
    assert message in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["full"]
