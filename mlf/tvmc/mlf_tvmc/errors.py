"""Errors of the hook."""

# The program's exit codes are those of sysexits.h, as mlf's are; tvmc's own codes are smaller.
USAGE = 64
UNAVAILABLE = 69
INPUT_OUTPUT = 74


class ExportError(Exception):
    """TIR could not be written. The archive is as TVM wrote it.

    `exit_code` is what the program returns for it: mlf's own code where mlf failed.
    """

    def __init__(self, message, exit_code):
        super().__init__(message)
        self.exit_code = exit_code


class CaptureWarning(UserWarning):
    """A part of the TIR was not captured; the message says which and why."""
