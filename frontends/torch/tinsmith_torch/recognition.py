"""How a file of `torch.export.save` is told from others, without PyTorch."""

LARGEST_FILE_BYTES = 2**31 - 1
_ZIP = b"PK\x03\x04"
_MODEL = b"/models/"
_FORMAT = b"/archive_format"


def is_pt2(data: bytes) -> bool:
    """Whether `data` is an archive that names a program, as `torch.export.save` writes it; it may be damaged.

    Names stand in the directory at the end of an archive; other files of PyTorch are archives, too.
    """
    return data.startswith(_ZIP) and _MODEL in data and _FORMAT in data
