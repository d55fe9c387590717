"""The command tinsmith-plan: files in and out, one line, exit statuses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tinsmith_allocation.command import main

# The example of MiniMalloc's README.
FIVE = "id,lower,upper,size\nb1,0,3,4\nb2,3,9,4\nb3,0,9,4\nb4,9,21,4\nb5,0,21,4\n"


def written(folder: Path, text: str, name: str = "buffers.csv") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def as_json(**fields: object) -> str:
    return json.dumps({"tinsmith_plan": 1, **fields})


def block(name: str, size: int, first: int, last: int, **more: object) -> dict[str, object]:
    return {"name": name, "size": size, "first_step": first, "last_step": last, **more}


@pytest.mark.parametrize("name", ["plan.csv", "plan.json"])
def test_a_plan_is_written_and_holds(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    buffers, plan = written(tmp_path, FIVE), str(tmp_path / name)
    assert main([buffers, "-o", plan]) == 0
    assert capsys.readouterr().out.startswith(
        "arena 12 bytes, optimal (bound 12 bytes), 5 blocks, "
    )
    assert main([buffers, "--check", plan]) == 0
    assert "the plan holds: arena 12 bytes" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["buffers.csv", name])


def test_csv_is_what_minimalloc_writes(tmp_path: Path) -> None:
    buffers, plan = written(tmp_path, FIVE), tmp_path / "plan.csv"
    assert main([buffers, "-o", str(plan)]) == 0
    lines = plan.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "id,lower,upper,size,offset"
    assert [line.rsplit(",", 1)[0] for line in lines[1:]] == FIVE.splitlines()[1:]


def test_a_plan_that_is_read_as_buffers_keeps_its_offsets(tmp_path: Path) -> None:
    text = "id,start,end,size,alignment,offset\na,0,1,4,4,8\nb,0,1,4,1,\nc,1,2,16,4,12\n"
    plan = tmp_path / "plan.json"
    assert main([written(tmp_path, text), "-o", str(plan)]) == 0
    found = json.loads(plan.read_text(encoding="utf-8"))
    assert [item["offset"] for item in found["blocks"]] == [8, 0, 12]
    assert (found["arena"], found["bound"], found["status"]) == (28, 28, "optimal")


def test_what_does_not_fit_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    buffers = written(tmp_path, FIVE)
    assert main([buffers, "--capacity", "12"]) == 0
    assert "fits 12 bytes" in capsys.readouterr().out
    assert main([buffers, "--capacity", "11"]) == 1
    assert "does not fit 11 bytes: proven" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("plan", "status", "said"),
    [
        (
            FIVE.replace("size", "size,offset").replace(",4\n", ",4,0\n"),
            1,
            "both hold bytes 0 to 3",
        ),
        ("id,lower,upper,size,offset\nb1,0,3,4,0\n", 1, "block b2 has no offset"),
        ("id,lower,upper,size,offset\nz,0,3,4,0\n", 3, "block z is none of the buffers"),
        (FIVE, 3, "block b1 has no offset: expected a plan"),
    ],
)
def test_a_plan_that_does_not_hold_is_refused(
    plan: str, status: int, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    buffers, given = written(tmp_path, FIVE), written(tmp_path, plan, "plan.csv")
    assert main([buffers, "--check", given]) == status
    assert said in capsys.readouterr().err


def test_a_plan_is_held_to_the_sizes_of_the_buffers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = str(tmp_path / "plan.csv")
    assert main([written(tmp_path, FIVE), "-o", plan]) == 0
    larger = written(tmp_path, FIVE.replace("b3,0,9,4", "b3,0,9,5"), "larger.csv")
    assert main([larger, "--check", plan]) == 1
    assert "both hold bytes" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: expected a column id"),
        ("id,lower,upper\n", "line 1: expected a column size"),
        ("id,lower,size\n", "line 1: expected a column upper"),
        ("id,lower,upper,size,colour\n", "line 1: unknown column 'colour'"),
        ("id,lower,start,upper,size\n", "line 1: two columns say the same"),
        (FIVE + "b6,0,1\n", "line 7: expected 4 fields, got 3"),
        (FIVE + "b6,0,one,4\n", "line 7: expected an integer as upper, got 'one'"),
        (FIVE + "b6,3,3,4\n", "line 7: block b6: lifetime ends at step 2"),
        (FIVE + "b6,3,4,0\n", "line 7: block b6: expected at least 1 byte"),
        (FIVE + "b5,3,4,4\n", "line 7: a block b5 stands above already"),
        ("id,lower,upper,size,gaps\na,0,9,4,2-3\n", "line 2: gaps are not supported"),
        ("id,lower,upper,size,offset\na,0,9,4,0\nb,0,9,4,2\n", "share byte 2"),
    ],
)
def test_a_bad_csv_is_told_with_its_line(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "plan.csv"
    assert main([written(tmp_path, text), "-o", str(output)]) == 3
    assert said in capsys.readouterr().err
    assert not output.exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "line 1, column 2"),
        ("[]", "the file: expected an object, got []"),
        ("[" * 100_000, "nested too deep"),
        ('{"blocks": []}', 'expected "tinsmith_plan": 1, got None'),
        (as_json(), 'expected "blocks"'),
        (as_json(blocks=(), models=()), 'expected "models" or "blocks", got both'),
        (as_json(blocks=(), together=()), '"together" is for files with "models"'),
        (as_json(blocks=[block("a", 4, 0, 1, colour=1)]), "blocks[0]: unknown field 'colour'"),
        (as_json(blocks=[block("a", 4, 0, 1), 7]), "blocks[1]: expected an object, got 7"),
        (as_json(blocks=[{"name": "a"}]), "blocks[0].size: expected an integer, got nothing"),
        (
            as_json(blocks=[block("a", 4, 0, 1, alignment=3)]),
            "blocks[0]: block a: expected a power",
        ),
        (as_json(blocks=[block("a", 4, 0, 1)] * 2), "blocks[1]: a block a stands above already"),
        (
            as_json(blocks=[block("a", 4, 0, 1)], leaves=[{"output": "a", "source": "z"}]),
            "no block has the name a or z",
        ),
        (
            as_json(blocks=[block("a", 4, 0, 1)], leaves=[{"output": "a"}]),
            "leaves[0].source: expected a text, got nothing",
        ),
        (
            as_json(models=[{"name": "m", "blocks": "x"}]),
            'models[0].blocks: expected a list, got "x"',
        ),
    ],
)
def test_a_bad_json_is_told_with_its_place(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([written(tmp_path, text, "buffers.json")]) == 3
    assert said in capsys.readouterr().err


def test_models_and_leaves_are_planned_and_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    leaves = [{"output": "y", "source": "x", "at_most": 0}]
    models = [
        {"name": "m", "blocks": [block("x", 8, 0, 1), block("y", 4, 1, 2)], "leaves": leaves},
        {"name": "n", "blocks": [block("x", 6, 0, 1)]},
        {"name": "o", "blocks": [block("x", 5, 0, 1)]},
    ]
    text = as_json(models=models, together=[["m", "n"]], capacity=14)
    buffers, plan = written(tmp_path, text, "buffers.json"), str(tmp_path / "plan.json")
    assert main([buffers, "-o", plan]) == 0
    said = capsys.readouterr().out
    assert "arena 14 bytes, optimal (bound 14 bytes), 4 blocks of 3 models, fits 14" in said
    assert main([buffers, "--check", plan]) == 0
    apart = text.replace('[["m", "n"]]', '[["m", "n", "o"]]')
    assert main([written(tmp_path, apart, "apart.json"), "--check", plan]) == 1
    assert "run at the same time" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing.csv"], "cannot read nothing.csv"),
        (["buffers.txt"], "expected a name that ends in .csv or .json"),
        (["buffers.csv", "-o", "plan.txt"], "expected a name that ends in .csv or .json"),
        (["buffers.csv", "-o", "buffers.csv"], "expected another file than the buffers"),
        (["buffers.csv", "-o", "missing/plan.csv"], "cannot write missing/plan.csv"),
        (["buffers.csv", "-o", "p.csv", "--check", "p.csv"], "--check writes nothing"),
        (["joint.json", "-o", "plan.csv"], "CSV can say neither models nor leaves"),
    ],
)
def test_wrong_use_is_told(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, FIVE)
    written(tmp_path, as_json(models=[{"name": "m", "blocks": ()}]), "joint.json")
    assert main(arguments) == 2
    assert said in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"buffers.csv", "joint.json"}


@pytest.mark.parametrize("option", [["--capacity", "0"], ["--effort", "-1"], ["--colour", "red"]])
def test_wrong_options_are_refused(option: list[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as found:
        main([written(tmp_path, FIVE), *option])
    assert found.value.code == 2


def test_it_is_a_module_to_run(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "tinsmith_allocation", written(tmp_path, FIVE)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert "arena 12 bytes" in result.stdout
