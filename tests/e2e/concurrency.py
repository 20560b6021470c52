"""Many processes at once on one archive: every reader sees a whole archive, the end is the usual one."""

import shutil
import subprocess
import sys

import support

WRITERS = 6
ROUNDS = 3


def start(path, constants):
    return subprocess.Popen(
        [support.PROGRAM, "process", "--constants", constants, path], stderr=subprocess.PIPE
    )


def main():
    with support.temporary_directory() as directory:
        original = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"
        alone, shared = directory / "alone.tar", directory / "shared.tar"
        shutil.copyfile(original, alone)
        shutil.copyfile(original, shared)
        support.run_ok("process", alone)
        untouched = support.members_of(original)
        for _ in range(ROUNDS):
            writers = [start(shared, ("inline", "none", "npy")[i % 3]) for i in range(WRITERS)]
            while any(writer.poll() is None for writer in writers):
                members = support.members_of(shared)
                assert untouched.items() <= members.items()
            for writer in writers:
                assert writer.wait() == 0, writer.stderr.read()
                writer.stderr.close()
        support.run_ok("process", shared)
        assert shared.read_bytes() == alone.read_bytes()
        assert sorted(path.name for path in directory.iterdir()) == ["alone.tar", "shared.tar"]
    return 0


if __name__ == "__main__":
    sys.exit(main())
