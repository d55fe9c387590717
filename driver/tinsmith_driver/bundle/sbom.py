"""The bill of materials of a bundle: SPDX 2.3 as JSON, after the specification of that version."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SBOM_NAME = "sbom.spdx.json"

# Required by SPDX; a real one would make other bytes of the same input.
_CREATED = "1970-01-01T00:00:00Z"
_NONE = "NOASSERTION"


@dataclass(frozen=True)
class Origin:
    """A model that files are made of. files: their names in the bundle."""

    name: str
    sha256: str
    files: Sequence[str]


def sbom(
    name: str,
    version: str,
    files: Mapping[str, bytes],
    licenses: Mapping[str, str],
    origins: Sequence[Origin],
) -> bytes:
    """The document.

    name, version: of the bundle. files: all but the document itself, by their place. licenses: SPDX expressions of
    those that have one.
    """
    places = sorted(files)
    entries = [_file(place, files[place], licenses.get(place, "")) for place in places]
    known = sorted({licenses[place] for place in places if licenses.get(place)})
    code = hashlib.sha1(
        "".join(sorted(hashlib.sha1(files[place]).hexdigest() for place in places)).encode()
    ).hexdigest()
    package = {
        "SPDXID": "SPDXRef-Package",
        "name": name,
        "versionInfo": version,
        "downloadLocation": _NONE,
        "filesAnalyzed": True,
        "packageVerificationCode": {
            "packageVerificationCodeValue": code,
            "packageVerificationCodeExcludedFiles": [f"./{SBOM_NAME}"],
        },
        "licenseConcluded": _NONE,
        "licenseDeclared": _NONE,
        "licenseInfoFromFiles": known or [_NONE],
        "copyrightText": _NONE,
        "primaryPackagePurpose": "LIBRARY",
    }
    models = [_model(number, origin) for number, origin in enumerate(origins)]
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{name}-{version}-{code}",
        "creationInfo": {"created": _CREATED, "creators": [f"Tool: tinsmith-{version}"]},
        "packages": [package, *models],
        "files": entries,
        "relationships": [*_relationships(places, origins)],
    }
    return (json.dumps(document, indent=2) + "\n").encode()


def _file(place: str, data: bytes, license_: str) -> dict[str, object]:
    return {
        "SPDXID": _identifier(place),
        "fileName": f"./{place}",
        "fileTypes": ["SOURCE" if place.endswith((".c", ".h", ".ino")) else "TEXT"],
        "checksums": [
            {"algorithm": "SHA1", "checksumValue": hashlib.sha1(data).hexdigest()},
            {"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()},
        ],
        "licenseConcluded": license_ or _NONE,
        "licenseInfoInFiles": [license_ or _NONE],
        "copyrightText": _NONE,
    }


def _model(number: int, origin: Origin) -> dict[str, object]:
    return {
        "SPDXID": f"SPDXRef-Model-{number}",
        "name": origin.name,
        "downloadLocation": _NONE,
        "filesAnalyzed": False,
        "checksums": [{"algorithm": "SHA256", "checksumValue": origin.sha256}],
        "licenseConcluded": _NONE,
        "licenseDeclared": _NONE,
        "copyrightText": _NONE,
    }


def _relationships(places: Sequence[str], origins: Sequence[Origin]) -> list[dict[str, str]]:
    found = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-Package")]
    found += [("SPDXRef-Package", "CONTAINS", _identifier(place)) for place in places]
    for number, origin in enumerate(origins):
        found += [
            (_identifier(place), "GENERATED_FROM", f"SPDXRef-Model-{number}")
            for place in origin.files
        ]
    return [
        {"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second}
        for first, kind, second in found
    ]


def _identifier(place: str) -> str:
    """SPDX knows letters, digits, `.` and `-`; the digest tells places apart that these do not."""
    digest = hashlib.sha256(place.encode()).hexdigest()[:8]
    return f"SPDXRef-File-{re.sub(r'[^A-Za-z0-9.]+', '-', place).strip('-')}-{digest}"
