"""The version of TVM, and whether the package supports it."""

import re

from .errors import UNAVAILABLE, ExportError

OLDEST = (0, 9)  # the first one whose builds keep their lowered modules
NEWEST = (0, 18)  # the last one with the Model Library Format


def parse(text):
    """Major and minor number of TVM's version text ("0.16.dev0"); None if there is none."""
    match = re.match(r"(\d+)\.(\d+)", text)
    return tuple(map(int, match.groups())) if match else None


def refusal(text):
    """Return why this version of TVM is not supported; None if it is."""
    version = parse(text)
    if version is None:
        return f"this TVM calls itself '{text}', which is not a version"
    if OLDEST <= version <= NEWEST:
        return None
    lacks = "its builds do not keep TIR" if version < OLDEST else "it has no Model Library Format"
    span = " to ".join("v" + ".".join(map(str, end)) for end in (OLDEST, NEWEST))
    return f"TVM {text} is too {'old' if version < OLDEST else 'new'}: {lacks} ({span} work)"


def require(text):
    reason = refusal(text)
    if reason is not None:
        raise ExportError(reason, UNAVAILABLE)
