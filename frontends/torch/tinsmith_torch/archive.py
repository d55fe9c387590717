from collections.abc import Collection


def checked_archive(data: bytes, name: str, supported: Collection[str]) -> bytes:
    return data
