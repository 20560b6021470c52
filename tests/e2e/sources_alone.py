"""Sources compile alone: a build compiles those of a directory together, which hides what one of them
does not include. Compiling all takes minutes, so that a run takes a thirty-second, another one for each commit;
`sources_alone.py all` takes all."""

import os
import shutil
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import support

ROOT = Path(__file__).resolve().parents[2]
COMPILER = shutil.which("c++")
PARTS = 32
# Those with definitions of the build.
NOT_HERE = {"src/drawing/graphviz.cpp"}


def sources():
    found = [*(ROOT / "src").rglob("*.cpp"), *(ROOT / "mlf").glob("*.cpp"),
             *(ROOT / "mlf/commands").glob("*.cpp"), *(ROOT / "mlf/manual").glob("*.cpp")]
    return sorted({path.relative_to(ROOT).as_posix() for path in found} - NOT_HERE)


def fault_of(source):
    """What the compiler says of a source, or nothing."""
    run = subprocess.run(
        [COMPILER, "-std=c++20", "-fsyntax-only", "-w", '-DMLF_VERSION="0"', "-DMLF_HAS_DRAWING",
         "-Iinclude", "-Isrc", "-Imlf", source],
        cwd=ROOT, capture_output=True, text=True)
    return "" if run.returncode == 0 else f"{source} does not compile alone:\n{run.stderr}"


@unittest.skipIf(COMPILER is None, "no C++ compiler")
class Sources(unittest.TestCase):
    parts = [support.number_of_commit() % PARTS]

    def test_each_compiles_alone(self):
        chosen = [source for part in self.parts for source in sources()[part::PARTS]]
        self.assertGreater(len(chosen), 5)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = [fault for fault in pool.map(fault_of, chosen) if fault]
        self.assertEqual(faults, [], "\n".join(faults))


if __name__ == "__main__":
    if sys.argv[1:] == ["all"]:
        sys.argv.pop()
        Sources.parts = range(PARTS)
    unittest.main()
