"""What other builds want to know of a bundle, each in its own language."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from tinsmith_target import Target

# Some builds want an address and nobody says one: a name that never is anybody's (RFC 2606).
_ADDRESS = "https://tinsmith.invalid/"
_LONGEST_COMPONENT = 32
_CORES = {
    "cortex-m0": "Cortex-M0",
    "cortex-m3": "Cortex-M3",
    "cortex-m4": "Cortex-M4",
    "cortex-m7": "Cortex-M7",
    "cortex-m33": "Cortex-M33",
    "cortex-m55": "Cortex-M55",
}


@dataclass(frozen=True)
class Facts:
    """name: of the bundle, a C identifier. networks: C names. sources, headers: of `src/`, sorted. main: the headers
    that a program includes.
    """

    name: str
    version: str
    target: Target
    networks: Sequence[str]
    sources: Sequence[str]
    headers: Sequence[str]
    main: Sequence[str]

    @property
    def library(self) -> str:
        """The name under which builds know it, that of no target of CMake's own such as `test`."""
        return f"tinsmith_{self.name}"

    @property
    def component(self) -> str:
        """The same in CMSIS packs, whose schema takes no longer one; digits tell apart what begins alike."""
        if len(self.name) <= _LONGEST_COMPONENT:
            return self.name
        digits = hashlib.sha256(self.name.encode()).hexdigest()[:8]
        return f"{self.name[: _LONGEST_COMPONENT - 9]}_{digits}"

    @property
    def sentence(self) -> str:
        """What it is."""
        return f"Neural network {', '.join(self.networks)} in plain C for {self.target.name}"


def manifests(facts: Facts) -> dict[str, bytes]:
    """Place in the bundle -> content."""
    texts = {
        "CMakeLists.txt": _cmake(facts),
        "sources.cmake": _sources(facts),
        "idf_component.yml": _idf(facts),
        "library.json": _platformio(facts),
        "library.properties": _arduino(facts),
        "zephyr/CMakeLists.txt": _zephyr_cmake(facts),
        "zephyr/Kconfig": _zephyr_kconfig(facts),
        "zephyr/module.yml": _zephyr_module(facts),
        pack_name(facts): _pack(facts),
    }
    return {place: text.encode() for place, text in texts.items()}


def pack_name(facts: Facts) -> str:
    """CMSIS packs are called vendor.name.pdsc."""
    return f"Tinsmith.{facts.library}.pdsc"


def _sources(facts: Facts) -> str:
    lines = "\n".join(f"  ${{CMAKE_CURRENT_LIST_DIR}}/src/{name}" for name in facts.sources)
    return f"# All C files of the bundle.\nset(TINSMITH_SOURCES\n{lines})\n"


def _cmake(facts: Facts) -> str:
    library = facts.library
    return f"""\
# {facts.sentence}: a library for add_subdirectory(), a component of ESP-IDF, or a project of its own that checks it.
include(${{CMAKE_CURRENT_LIST_DIR}}/sources.cmake)

if(ESP_PLATFORM)
  idf_component_register(SRCS ${{TINSMITH_SOURCES}} INCLUDE_DIRS src)
  target_compile_options(${{COMPONENT_LIB}} PRIVATE -ffp-contract=off)
  return()
endif()

cmake_minimum_required(VERSION 3.13...3.30)
project({library} C)

# An archive: a program gets of it what it calls, and of several bundles each kernel once.
add_library({library} STATIC ${{TINSMITH_SOURCES}})
# The folder is no part of what a project around it may install and export.
target_include_directories({library} PUBLIC $<BUILD_INTERFACE:${{CMAKE_CURRENT_SOURCE_DIR}}/src>)
target_compile_features({library} PRIVATE c_std_11)
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options({library} PRIVATE -ffunction-sections -fdata-sections -ffp-contract=off)
endif()

if(CMAKE_SOURCE_DIR STREQUAL CMAKE_CURRENT_SOURCE_DIR)
  add_executable({library}_check example/main.c)
  target_compile_features({library}_check PRIVATE c_std_11)
  target_link_libraries({library}_check PRIVATE {library})
endif()
"""


def _idf(facts: Facts) -> str:
    return f"""\
version: "{facts.version}"
description: {facts.sentence}
dependencies:
  idf: ">=4.4"
"""


def _platformio(facts: Facts) -> str:
    manifest = {
        "name": facts.library,
        "version": facts.version,
        "description": facts.sentence,
        "keywords": ["neural network", "inference"],
        "authors": [{"name": "Tinsmith"}],
        "frameworks": "*",
        "platforms": "*",
        "headers": list(facts.main),
        "build": {"srcDir": "src", "includeDir": "src", "flags": ["-ffp-contract=off"]},
    }
    return json.dumps(manifest, indent=2) + "\n"


def _arduino(facts: Facts) -> str:
    return f"""\
name={facts.library}
version={facts.version}
author=Tinsmith
maintainer=Tinsmith
sentence={facts.sentence}
paragraph=The examples show whether it computes on the board what it should.
category=Data Processing
url={_ADDRESS}
architectures=*
includes={",".join(facts.main)}
dot_a_linkage=true
"""


def _zephyr_module(facts: Facts) -> str:
    return f"""\
name: {facts.library}
build:
  cmake: zephyr
  kconfig: zephyr/Kconfig
"""


def _zephyr_kconfig(facts: Facts) -> str:
    return f"""\
config {facts.library.upper()}
\tbool "Network {", ".join(facts.networks)}"
\thelp
\t  {facts.sentence}.
"""


def _zephyr_cmake(facts: Facts) -> str:
    library = facts.library
    return f"""\
if(CONFIG_{library.upper()})
  include(${{CMAKE_CURRENT_LIST_DIR}}/../sources.cmake)
  # No zephyr_library(), whose archives are linked whole: bundles of one program may have kernels in common.
  add_library({library} STATIC ${{TINSMITH_SOURCES}})
  target_include_directories({library} PUBLIC ${{CMAKE_CURRENT_LIST_DIR}}/../src)
  target_compile_options({library} PRIVATE -ffp-contract=off)
  target_link_libraries({library} PRIVATE zephyr_interface)
  target_link_libraries(app PUBLIC {library})
endif()
"""


def _pack(facts: Facts) -> str:
    core = _CORES.get(facts.target.cpu)
    accepted = f'      <accept Dcore="{core}"/>\n' if core else ""
    files = [("include", "src/")]
    files += [("header", f"src/{name}") for name in facts.main]
    files += [("source", f"src/{name}") for name in facts.sources]
    rows = "\n".join(
        f"        <file category={quoteattr(category)} name={quoteattr(name)}/>"
        for category, name in files
    )
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<package schemaVersion="1.7.7" xmlns:xs="http://www.w3.org/2001/XMLSchema-instance"
         xs:noNamespaceSchemaLocation="PACK.xsd">
  <vendor>Tinsmith</vendor>
  <name>{escape(facts.library)}</name>
  <description>{escape(facts.sentence)}</description>
  <url>{_ADDRESS}</url>
  <license>LICENSE</license>
  <releases>
    <release version="{facts.version}">Generated by Tinsmith {facts.version}.</release>
  </releases>
  <conditions>
    <condition id="target">
      <description>What the C is for</description>
{accepted}      <require Tcompiler="*"/>
    </condition>
  </conditions>
  <components>
    <component Cclass="Machine Learning" Cgroup="Network" Csub={quoteattr(facts.component)} Cversion="{facts.version}"
               condition="target">
      <description>{escape(facts.sentence)}</description>
      <files>
{rows}
      </files>
    </component>
  </components>
</package>
"""
