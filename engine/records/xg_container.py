"""The packing of an `.xg` file: a picture for the file explorer, then an archive of files, each packed by zlib.

The archive is found from the end of the file: the last 36 bytes give the length of the packed list of files and of the
packed files before it. Unpacking is always bounded, since a few packed kilobytes can expand to gigabytes.
Source: the format published at extremegammon.com/xgformat.aspx, and real files.
"""

import struct
import zlib

from engine.errors import Refused
from engine.records.limits import Limits

_TRAILER = struct.Struct("<6I12x")
"""Checksum, number of files, version, length of the list, length of the files, whether the list is packed."""
_ENTRY = 532
"""Bytes of an entry in the list: name and path (each 256: length, then characters), then `_SIZES`."""
_SIZES = struct.Struct("<4IB3x")
"""Unpacked and packed length, offset of the file, checksum, and 0 if it is packed."""
_MAX_FILES = 64
_MATCH_FILE = b"temp.xg"


def inflated(packed: bytes, most: int) -> bytes:
    """Unpack data of zlib. Raises Refused: `inflates_too_much` past `most` bytes, `damaged_file`."""
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(packed, most + 1)
    except zlib.error:
        raise Refused("damaged_file") from None
    if len(data) > most:
        raise Refused("inflates_too_much", limit=most)
    return data


def match_records(data: bytes, limits: Limits) -> bytes:
    """Return the file `temp.xg` of the archive: the records of the match, 2,560 bytes each.

    Raises Refused (`damaged_file`, `inflates_too_much`).
    """
    if len(data) < _TRAILER.size:
        raise Refused("damaged_file")
    _, count, _, list_length, files_length, list_packed = _TRAILER.unpack_from(data, len(data) - _TRAILER.size)
    list_start = len(data) - _TRAILER.size - list_length
    files_start = list_start - files_length
    if files_start < 0 or not 1 <= count <= _MAX_FILES:
        raise Refused("damaged_file")
    entries = data[list_start : list_start + list_length]
    if list_packed:
        entries = inflated(entries, count * _ENTRY)
    for number in range(count):
        entry = entries[number * _ENTRY : (number + 1) * _ENTRY]
        if len(entry) < _ENTRY:
            break
        if entry[1 : 1 + entry[0]].lower() == _MATCH_FILE:
            _, packed_length, start, _, stored = _SIZES.unpack_from(entry, _ENTRY - _SIZES.size)
            packed = data[files_start + start : min(files_start + start + packed_length, list_start)]
            return packed if stored else inflated(packed, limits.inflated_bytes)
    raise Refused("damaged_file")
