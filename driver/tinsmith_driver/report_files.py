"""Where reports go: to the files that were asked for, else to a folder of the user's own among temporary files."""

import os
import stat
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tinsmith_ir import UsageError
from tinsmith_ir.escape import visible

from tinsmith_driver.html import html_report
from tinsmith_driver.layers_csv import layers_csv
from tinsmith_driver.report import json_bytes
from tinsmith_driver.report_types import Report
from tinsmith_driver.writing import STANDARD_OUTPUT

JSON, PAGE, LAYERS = "report.json", "report.html", "layers.csv"


@dataclass(frozen=True)
class ReportPlaces:
    """Files for the report as JSON, as a page, and for its layers as CSV; None for none."""

    json: Path | None = None
    page: Path | None = None
    layers: Path | None = None


def folder_places(folder: Path) -> ReportPlaces:
    """All three, in one folder."""
    return ReportPlaces(folder / JSON, folder / PAGE, folder / LAYERS)


def default_folder(network: str, target: str) -> Path:
    """The same for the same network and target, so that the next report takes the place of the last.

    network: its name in C. Raises UsageError where that folder is not the user's own, whom others could have write
    elsewhere through a link in it.
    """
    root = Path(tempfile.gettempdir()) / f"tinsmith-report-{os.getuid()}"
    try:
        root.mkdir(mode=0o700, exist_ok=True)
        found = root.lstat()
    except OSError as error:
        raise UsageError(f"{root}: {error.strerror}") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise UsageError(f"{root}: expected a folder that only its owner, this user, writes to")
    return root / f"{network}-{target}"


def report_bytes(
    report: Report, places: ReportPlaces, trace: str | None = None, traced: bytes | None = None
) -> dict[Path, bytes]:
    """What the files of `places` hold. trace, traced: as of `html_report`."""
    files: dict[Path, bytes] = {}
    if places.json is not None:
        files[places.json] = json_bytes(report)
    if places.page is not None:
        files[places.page] = html_report(report, trace, traced).encode()
    if places.layers is not None:
        files[places.layers] = layers_csv(report)
    return files


def written_line(files: Mapping[Path, bytes], places: ReportPlaces) -> str:
    """Where reports are, in one line: `report: PAGE (and report.json, layers.csv)`; "" if there are none."""
    named = (places.page, places.json, places.layers)
    found = [path for path in named if path and path in files and path != STANDARD_OUTPUT]
    if not found:
        return ""
    folder = found[0].parent
    others = [path.name if path.parent == folder else str(path) for path in found[1:]]
    beside = f" (and {', '.join(others)})" if others else ""
    return visible(f"report: {found[0]}{beside}")
