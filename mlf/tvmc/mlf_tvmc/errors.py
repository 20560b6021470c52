"""Errors of the hook."""

# The exit codes are those of sysexits.h, as in mlf; tvmc's own codes are smaller.
USAGE = 64
UNAVAILABLE = 69
INPUT_OUTPUT = 74


class ExportError(Exception):
    """TIR could not be written. The archive is as TVM wrote it.

    `exit_code` is the exit code of the program: that of mlf if mlf failed.
    """

    def __init__(self, message, exit_code):
        super().__init__(message)
        self.exit_code = exit_code


class CaptureWarning(UserWarning):
    """A part of the TIR was not captured; the message says which and why."""
