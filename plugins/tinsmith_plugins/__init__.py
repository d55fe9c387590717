"""What a library brings to the `tinsmith` command, how plug-ins are found, and all of them put together."""

from tinsmith_plugins.find import ENTRY_POINT_GROUP, Found, find_plugins, load_plugin
from tinsmith_plugins.plugin import (
    BackendEntry,
    BackendSetting,
    Converter,
    Exporter,
    ImportCase,
    ImportChoices,
    Importer,
    KernelFiles,
    ModelSource,
    PassEntry,
    Plugin,
    Runner,
    Setting,
    Stage,
    kernel_folder,
)
from tinsmith_plugins.registry import TOGETHER, Registry

__all__ = [
    "ENTRY_POINT_GROUP",
    "TOGETHER",
    "BackendEntry",
    "BackendSetting",
    "Converter",
    "Exporter",
    "Found",
    "ImportCase",
    "ImportChoices",
    "Importer",
    "KernelFiles",
    "ModelSource",
    "PassEntry",
    "Plugin",
    "Registry",
    "Runner",
    "Setting",
    "Stage",
    "find_plugins",
    "kernel_folder",
    "load_plugin",
]
