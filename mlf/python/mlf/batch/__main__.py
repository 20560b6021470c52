"""The command: python -m mlf.batch run --out DATASET URL…

Exit status: 0 done; 1 no archive was found, some failed, or the scheduler is gone.
"""

from __future__ import annotations

import argparse
import os
import sys

from .run import LostScheduler, Options, run


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(prog="python -m mlf.batch", description=__doc__,
                                   formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = made.add_subparsers(dest="command", required=True)
    command = commands.add_parser(
        "run",
        help="read archives and write their tables",
        epilog="Exit status: 0 done; 1 no archive was found, or some failed, in this run or before.",
    )
    command.add_argument("urls", nargs="+", metavar="URL", help="a path or URL, maybe with * and **")
    command.add_argument("--out", required=True, help="directory or URL of the dataset")
    command.add_argument("--scheduler", default="processes", help="address of a Dask scheduler")
    command.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="of processes")
    command.add_argument("--timeout", type=float, default=60, help="seconds for one archive")
    command.add_argument("--memory", type=int, default=2048, help="MiB for one archive")
    command.add_argument("--retries", type=int, default=2, help="where storage or workers fail")
    command.add_argument("--flush", type=int, default=256, help="archives in one file of the dataset")
    return made


def main() -> int:
    given = vars(parser().parse_args())
    given.pop("command")
    try:
        done = run(Options(**given))
    except LostScheduler as error:
        print(error, file=sys.stderr)
        return 1
    if not done.read and not done.skipped:
        print("no archive found", file=sys.stderr)
        return 1
    said = f"{done.read} read, {done.skipped} skipped, {done.failed} failed"
    print(said, file=sys.stderr)
    return 1 if done.failed else 0


if __name__ == "__main__":
    sys.exit(main())
