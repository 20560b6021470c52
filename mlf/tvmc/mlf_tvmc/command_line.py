"""The program: tvmc-mlf, or python -m mlf_tvmc."""

import sys
import warnings

from . import script, switch, tvmc
from . import stages as stages_
from .errors import USAGE, CaptureWarning, ExportError

HELP = """\
Run tvmc, or a Python script that calls TVM, and add TIR to the archives that it exports.

  tvmc-mlf compile MODEL --target=c --executor=aot --output-format=mlf …
  MLF_TIR_EXPORT=1 python -m mlf_tvmc SCRIPT.py …

Options, besides those of tvmc:
  --no-tir-export      run tvmc, and add nothing
  --tir-stages STAGES  where to capture TIR: topology, lowered (default), codegen,
                       before:PASS, after:PASS; several with commas
  --tir-folder DIRECTORY
                       also write the TIR of all builds here, for every output format, and
                       even if code generation fails; mlf reads it like an archive
  --no-save-json       write texts only: archives stay smaller, but TIR lacks the data of
                       constants
  --tir-help           print this; --help prints tvmc's help, too

Environment: MLF_TIR_EXPORT=1|0 switches the export on or off (default: on for tvmc, off for
scripts), MLF_TIR_STAGES lists stages, MLF_PROGRAM names the program mlf.
Exit codes: those of tvmc or of the script; else 64 wrong use, 69 TVM or mlf is missing or has
the wrong version, 74 input/output error, and those of mlf.
"""


class _Options:
    """The arguments of tvmc-mlf; `rest` are all others, in their order."""

    def __init__(self, arguments):
        self.enabled = switch.from_environment()
        self.stages = switch.stages_from_environment()
        self.directory = None
        self.save_json = True
        self.help = False
        self.rest = []
        remaining = iter(arguments)
        for argument in remaining:
            # Arguments after a script's name belong to the script.
            if self.script is not None or not self._take(argument, remaining):
                self.rest.append(argument)

    @property
    def script(self):
        return self.rest[0] if self.rest and self.rest[0].endswith(".py") else None

    @property
    def is_on(self):
        """Return whether archives get TIR: those of tvmc by default, those of scripts on request, such as a
        directory."""
        if self.script is None or self.directory is not None:
            return self.enabled is not False
        return bool(self.enabled)

    @property
    def stage_names(self):
        return [stage.name for stage in stages_.parse(self.stages)]

    def _take(self, argument, remaining):
        """Return whether an argument is one of tvmc-mlf, and read its value."""
        name, equals, value = argument.partition("=")
        attribute = {"--tir-stages": "stages", "--tir-folder": "directory"}.get(name)
        if attribute is not None:
            value = value if equals else next(remaining, None)
            if not value:
                raise ExportError(f"{name} needs a value", USAGE)
            setattr(self, attribute, value)
        elif argument == "--no-tir-export":
            self.enabled = False
        elif argument == "--no-save-json":
            self.save_json = False
        elif argument == "--tir-help":
            self.help = True
        else:
            return False
        return True


def _run(options):
    if options.help:
        print(HELP, end="")
        return 0
    stages = options.stage_names if options.is_on else ()
    if options.script is not None:
        script.run(options.script, options.rest[1:], stages, options.is_on, options.directory,
                   options.save_json)
        return 0
    if {"-h", "--help"} & set(options.rest):
        # tvmc prints its own help and ends the process.
        print(HELP, flush=True)
    if options.is_on:
        return tvmc.run(options.rest, stages, options.directory, options.save_json)
    return tvmc.run_plain(options.rest)


def _print_message(kind, message):
    print(f"tvmc-mlf: {kind}: {message}", file=sys.stderr)


def _show_warning(message, category, *where, **options):
    if issubclass(category, CaptureWarning):
        _print_message("warning", message)
    else:
        _show_other_warning(message, category, *where, **options)


_show_other_warning = warnings.showwarning


def main(arguments=None):
    """Run the program, and return its exit code."""
    warnings.showwarning = _show_warning
    # An archive and a directory may give the same warning.
    warnings.simplefilter("once", CaptureWarning)
    try:
        return _run(_Options(sys.argv[1:] if arguments is None else arguments))
    except ExportError as error:
        _print_message("error", error)
        return error.exit_code
