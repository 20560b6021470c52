"""Malformed tars, made from a good one by one change each."""

import gzip
import io
import tarfile

import support

GOOD = support.make_tar({"metadata.json": support.METADATA, "src/tir-1.txt": support.LEGACY_TEXT})


def _header_of(data, name):
    """Offset of the ustar header of a member."""
    return data.index(b"./" + name.encode() + b"\0")


def _with_field(data, name, begin, field):
    """The tar with a field of a member's header replaced, and the checksum made right again."""
    at = _header_of(data, name)
    header = bytearray(data[at : at + support.BLOCK])
    header[begin : begin + len(field)] = field
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return data[:at] + bytes(header) + data[at + support.BLOCK :]


def _with_member(edit):
    info = tarfile.TarInfo("./x")
    edit(info)
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, content in {"metadata.json": support.METADATA}.items():
            first = tarfile.TarInfo("./" + name)
            first.size = len(content)
            tar.addfile(first, io.BytesIO(content.encode()))
        tar.addfile(info, io.BytesIO(bytes(info.size)))
    return buffer.getvalue()


def truncated_in_content():
    return GOOD[: _header_of(GOOD, "metadata.json") + support.BLOCK + 100]


def truncated_in_header():
    return GOOD[: _header_of(GOOD, "src/tir-1.txt") + 100]


def without_end():
    end = GOOD.rstrip(b"\0")
    return end + bytes(-len(end) % support.BLOCK)


def bad_checksum():
    at = _header_of(GOOD, "src/tir-1.txt")
    return GOOD[: at + 148] + b"000000\0 " + GOOD[at + 156 :]


def size_not_octal():
    return _with_field(GOOD, "src/tir-1.txt", 124, b"0000000009x\0")


def escaping_name():
    return _with_member(lambda info: setattr(info, "name", "../evil"))


def absolute_name():
    return _with_member(lambda info: setattr(info, "name", "/etc/passwd"))


def control_character_in_name():
    return _with_member(lambda info: setattr(info, "name", "./a\x1b[31mb"))


def duplicate_member():
    return _with_member(lambda info: setattr(info, "name", "./metadata.json"))


def hard_link():
    def edit(info):
        info.name, info.type, info.linkname = "./src/tir-1.txt", tarfile.LNKTYPE, "./metadata.json"

    return _with_member(edit)


def metadata_is_a_link():
    info = tarfile.TarInfo("./metadata.json")
    info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        tar.addfile(info)
    return buffer.getvalue()


def garbage_behind_the_end():
    return GOOD + b"x" * support.BLOCK


def no_metadata():
    return support.make_tar({"src/tir-1.txt": support.LEGACY_TEXT})


def only_zeros():
    return bytes(10240)


def not_a_tar():
    return b"PK\x03\x04" + bytes(2000)


def cut_gzip():
    return gzip.compress(GOOD, mtime=0)[:-20]


def gzip_bomb():
    return gzip.compress(GOOD[:-1024] + bytes(1 << 26), mtime=0)


def pax_size_contradicts():
    record = b"size=99999"
    line = b"%d %s\n" % (len(record) + 4, record)
    assert len(line) == len(record) + 4
    info = tarfile.TarInfo("././@PaxHeader")
    info.type, info.size = b"x", len(line)
    head = info.tobuf(tarfile.USTAR_FORMAT) + line.ljust(support.BLOCK, b"\0")
    tar = _with_member(lambda info: None)
    at = _header_of(tar, "metadata.json")
    return tar[:at] + head + tar[at:]


def sparse_member():
    return _with_field(GOOD, "src/tir-1.txt", 156, b"S")


def negative_size():
    return _with_field(GOOD, "src/tir-1.txt", 124, b"\xff" * 12)
