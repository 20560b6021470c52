"""What the system may do to a run of mlf: refuse a call, kill the run, fill the disk. strace does it."""

import errno
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import program_case
import support

MEMBERS = {"metadata.json": support.METADATA, "src/tir-1.txt": support.NETWORK}
CHANGES = "linkat,renameat,unlinkat,mkdirat,fsync"


def strace(injections, *arguments):
    """The command line of mlf under strace, which injects each `CALL:WHAT`."""
    command = ["strace", "-f", "-qq", "-o", "/dev/null"]
    for injection in injections:
        command += ["-e", f"inject={injection}"]
    return [*command, support.PROGRAM, *map(str, arguments)]


def run(injections, *arguments):
    result = subprocess.run(strace(injections, *arguments), capture_output=True, check=False)
    return result.returncode, result.stderr.decode()


def calls_of(*arguments):
    """The calls that change a directory, in their order."""
    with tempfile.NamedTemporaryFile() as log:
        subprocess.run(
            ["strace", "-f", "-qq", "-o", log.name, "-e", f"trace={CHANGES}",
             support.PROGRAM, *map(str, arguments)],
            check=True,
        )  # fmt: skip
        lines = pathlib.Path(log.name).read_text().splitlines()
    return [line.split(maxsplit=1)[1].split("(")[0] for line in lines]


def each_call(calls):
    """(call, how many of its name came before it and with it)"""
    seen = {}
    for call in calls:
        seen[call] = seen.get(call, 0) + 1
        yield call, seen[call]


class Faults(program_case.Directory):
    def archive(self, mode="w"):
        path = self.directory / "module.tar"
        path.write_bytes(support.make_tar(MEMBERS, mode))
        return path

    def unpacked(self):
        path = self.directory / "unpacked"
        shutil.rmtree(path, ignore_errors=True)
        for name, content in MEMBERS.items():
            (path / name).parent.mkdir(parents=True, exist_ok=True)
            (path / name).write_text(content)
            os.utime(path / name, (1, 1))
        return path

    def files(self, path):
        return {str(p.relative_to(path)): p.read_bytes() for p in path.rglob("*") if not p.is_dir()}

    def temporaries(self):
        return sorted(p.name for p in self.directory.rglob(".mlf-*"))


class InADirectory(Faults):
    """Whatever happens between two files: `verify` notices, the next run heals."""

    def check(self, prepare, arguments, injection, ends):
        """One run for every call that changes the directory, which ends there."""
        path = prepare()
        before = self.files(path)
        whole = [before] if support.run("verify", path).returncode == 0 else []
        calls = calls_of("process", *arguments, path)
        after = self.files(path)
        whole.append(after)
        for call, count in each_call(calls):
            if call == "fsync" and injection.startswith("signal"):
                continue  # between two changes it makes no difference where a run ends
            path = prepare()
            code, stderr = run([f"{call}:{injection}:when={count}"], "process", *arguments, path)
            where = (call, count, stderr)
            self.assertTrue(ends(code), (code, where))
            now = {k: v for k, v in self.files(path).items() if ".mlf-" not in k}
            held = support.run("verify", path).returncode == 0
            self.assertEqual(held, now in whole, where)
            support.run_ok("process", *arguments, path)
            self.assertEqual(self.files(path), after, where)

    def processed(self, *arguments):
        path = self.unpacked()
        support.run_ok("process", *arguments, path)
        return path

    def test_a_run_that_is_killed_is_healed_by_the_next(self):
        self.check(self.unpacked, [], "signal=SIGKILL", lambda code: code == -signal.SIGKILL)

    def test_a_run_that_is_ended_is_healed_by_the_next(self):
        self.check(self.unpacked, [], "signal=SIGTERM", lambda code: code == -signal.SIGTERM)

    def test_a_full_disk_is_healed_by_the_next_run(self):
        self.check(self.unpacked, [], "error=ENOSPC", lambda code: code == 74)

    def test_an_update_that_removes_files_is_healed_too(self):
        def prepare():
            path = self.processed()
            tir = path / "src" / "tir-1.txt"
            tir.rename(path / "src" / "tir-2.txt")
            return path

        self.check(prepare, [], "signal=SIGKILL", lambda code: code == -signal.SIGKILL)

    def test_an_update_that_removes_all_files_is_healed_too(self):
        def prepare():
            path = self.processed()
            (path / "src" / "tir-1.txt").unlink()
            return path

        self.check(prepare, [], "signal=SIGKILL", lambda code: code == -signal.SIGKILL)

    def test_a_temporary_is_no_member_and_goes(self):
        path = self.unpacked()
        run(["renameat:signal=SIGKILL:when=2"], "process", path)
        self.assertEqual(len(self.temporaries()), 1)
        self.assertNotIn(b".mlf-", support.run("inspect", path).stdout)
        # Even by a run that finds nothing to do.
        (path / "src" / "tir-1.txt").unlink()
        for left in ("mlf.json", "tir-1.json"):
            (path / "src" / left).unlink(missing_ok=True)
        support.run_ok("process", path)
        self.assertEqual(self.temporaries(), [])


class OfATar(Faults):
    def test_a_signal_takes_the_temporary_along(self):
        for name in ("SIGHUP", "SIGINT", "SIGTERM"):
            path = self.archive()
            before = path.read_bytes()
            code, _ = run([f"linkat:signal={name}"], "process", path)
            self.assertEqual(code, -getattr(signal, name))
            self.assertEqual(path.read_bytes(), before)
            self.assertEqual(self.temporaries(), [])

    def test_an_ignored_signal_stays_ignored(self):
        path = self.archive()
        result = subprocess.run(
            strace(["linkat:signal=SIGHUP"], "process", path),
            check=False, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN),
        )  # fmt: skip
        self.assertEqual(result.returncode, 0)
        support.run_ok("verify", path)

    def test_what_a_killed_run_leaves_goes_with_the_next(self):
        path = self.archive()
        support.run_ok("process", path)
        after = path.read_bytes()
        for output in ([], ["-o", self.directory / "out.tar"]):
            target = output[-1] if output else path
            path = self.archive()
            code, _ = run(["renameat:signal=SIGKILL"], "process", path, *output)
            self.assertEqual(code, -signal.SIGKILL)
            self.assertEqual(len(self.temporaries()), 1)
            support.run_ok("process", path, *output)
            self.assertEqual(target.read_bytes(), after)
            self.assertEqual(self.temporaries(), [])

    def test_temporaries_with_names_are_removed_too(self):
        path = self.archive()
        before = path.read_bytes()
        # Without /proc an unnamed file could not be named later, so it has a name from the start.
        no_tmpfile = "?access,?faccessat,?faccessat2:error=ENOENT"
        code, _ = run([no_tmpfile, "fsync:signal=SIGTERM"], "process", path)
        self.assertEqual((code, path.read_bytes(), self.temporaries()), (-15, before, []))
        code, _ = run([no_tmpfile, "fsync:signal=SIGKILL"], "process", path)
        self.assertEqual((code, len(self.temporaries())), (-9, 1))
        support.run_ok("process", path)
        self.assertEqual(self.temporaries(), [])

    def test_a_run_that_is_alive_keeps_its_temporary(self):
        path, out = self.archive(), self.directory / "out.tar"
        slow = subprocess.Popen(strace(["renameat:delay_enter=1s"], "process", path, "-o", out))
        while not self.temporaries():
            time.sleep(0.01)
        alive = self.temporaries()
        support.run_ok("process", path, "-o", out)
        self.assertEqual(self.temporaries(), alive)
        self.assertEqual(slow.wait(), 0)
        self.assertEqual(self.temporaries(), [])
        support.run_ok("verify", out)


class NetworkFileSystems(Faults):
    """NFS, SMB and quotas refuse some calls. mlf works without them, or fails and changes no file."""

    def outcome(self, injections, *arguments):
        """The exit code and the message of a run that leaves either the old archive or a complete one."""
        path = self.archive()
        before = path.read_bytes()
        code, stderr = run(injections, "process", path, *arguments)
        target = self.directory / "out.tar" if arguments else path
        self.assertEqual(self.temporaries(), [])
        if code == 0:
            support.run_ok("verify", target)
            self.assertNotEqual(target.read_bytes(), before)
        else:
            self.assertEqual(path.read_bytes(), before)
            self.assertFalse(arguments and target.exists())
        return code, stderr

    def trace(self, calls, *arguments):
        """The calls of a run, each as strace prints it."""
        with tempfile.NamedTemporaryFile() as log:
            command = ["strace", "-qq", "-o", log.name, "-e", f"trace={calls}", support.PROGRAM]
            subprocess.run([*command, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)
            return pathlib.Path(log.name).read_text().splitlines()

    def test_an_archive_that_the_system_does_not_describe_is_an_error_of_reading(self):
        out = self.directory / "out.tar"
        described = self.trace("newfstatat", "process", self.archive(), "-o", out)
        out.unlink()
        named = [i for i, call in enumerate(described, 1) if "module.tar" in call]
        self.assertTrue(named)
        for i in named:
            for error in ("EACCES", "EIO"):
                code, stderr = self.outcome([f"newfstatat:error={error}:when={i}"], "-o", out)
                self.assertIn(code, (0, 74), stderr)
                out.unlink(missing_ok=True)

    def test_files_without_a_name_are_not_needed(self):
        opened = self.trace("openat", "process", self.archive())
        unnamed = [i for i, call in enumerate(opened, 1) if "O_TMPFILE" in call]
        self.assertTrue(unnamed)
        for error in ("EOPNOTSUPP", "EISDIR"):
            for i in unnamed:
                self.assertEqual(self.outcome([f"openat:error={error}:when={i}"]), (0, ""))

    def test_locks_may_need_files_that_are_open_for_writing(self):
        self.assertEqual(self.outcome(["flock:error=EBADF:when=1"]), (0, ""))
        opened = self.trace("openat,flock", "process", self.archive())
        self.assertFalse([call for call in opened if "module.tar" in call and "O_RDWR" in call])

    def test_without_locks_nothing_is_changed_in_place(self):
        for error in ("ENOLCK", "EOPNOTSUPP", "ENOSYS"):
            code, stderr = self.outcome([f"flock:error={error}"])
            self.assertEqual(code, 74)
            self.assertIn("cannot lock the archive for a change", stderr)
            self.assertIn("choose another output path (-o OUT)", stderr)
            self.assertEqual(self.outcome([f"flock:error={error}"], "-o", self.directory / "out.tar"), (0, ""))
            (self.directory / "out.tar").unlink()

    def test_a_file_that_another_computer_replaced_is_opened_again(self):
        calls = self.trace("newfstatat,fstat,flock", "process", self.archive())
        after = next(i for i, call in enumerate(calls) if call.startswith("flock"))
        # The first call for an open file behind the lock.
        is_open_file = re.compile(r"fstat\(|newfstatat\(\d+, \"\"").match
        stale = next(i for i, call in enumerate(calls) if i > after and is_open_file(call))
        name = calls[stale].split("(")[0]
        count = sum(call.startswith(name + "(") for call in calls[: stale + 1])
        self.assertEqual(self.outcome([f"{name}:error=ESTALE:when={count}"]), (0, ""))

    def first_write_of_the_archive(self, *output):
        """Which of all calls of write it is. Sanitizers write to pipes of their own."""
        with tempfile.NamedTemporaryFile() as log:
            command = ["strace", "-qq", "-y", "-o", log.name, "-e", "trace=write", support.PROGRAM, "process"]
            path = self.archive()
            subprocess.run([*command, path, *output], check=True)
            files = [call.split(",")[0] for call in pathlib.Path(log.name).read_text().splitlines()]
        if output:
            output[1].unlink()
        return files.index([file for file in files if str(self.directory) in file][-1]) + 1

    def test_a_quota_that_is_reached_leaves_everything_as_it_was(self):
        for output in ([], ["-o", self.directory / "out.tar"]):
            with self.subTest(output=output):
                call = self.first_write_of_the_archive(*output)
                code, stderr = self.outcome([f"write:error=EDQUOT:when={call}"], *output)
                self.assertEqual(code, 74)
                self.assertIn(os.strerror(errno.EDQUOT), stderr)

    def test_refused_calls_leave_everything_as_it_was(self):
        for output in ([], ["-o", self.directory / "out.tar"]):
            for call, error in (
                ("linkat", "EPERM"),  # no hard links
                ("linkat", "EOPNOTSUPP"),
                ("renameat", "EACCES"),  # of SMB, over a file that is open
                ("renameat", "EBUSY"),
                ("renameat", "ESTALE"),
                ("fsync", "EDQUOT"),
                ("linkat", "EDQUOT"),
                ("renameat", "EDQUOT"),
            ):
                with self.subTest(call=call, error=error, output=output):
                    code, stderr = self.outcome([f"{call}:error={error}"], *output)
                    self.assertEqual(code, 74)
                    self.assertIn(os.strerror(getattr(errno, error)), stderr)

    def test_standard_output_may_fail_when_it_is_closed(self):
        for command in ("inspect", "report"):
            closed = self.trace("close", command, self.archive())
            count = next(i for i, call in enumerate(closed, 1) if call.startswith("close(1)"))
            code, stderr = run([f"close:error=EDQUOT:when={count}"], command, self.archive())
            self.assertEqual(code, 74)
            self.assertIn("cannot write standard output: Disk quota exceeded", stderr)


class Reading(Faults):
    def test_a_stale_file_is_an_error_of_reading(self):
        path = self.archive()
        command = strace(["pread64:error=ESTALE"], "verify", path)
        command[1:1] = ["-P", str(path)]
        result = subprocess.run(command, capture_output=True, check=False)
        self.assertEqual(result.returncode, 74, result.stderr)
        self.assertIn(b"cannot read: Stale file handle", result.stderr)

    def test_a_read_error_is_not_damage(self):
        for packer in ("gzip", "xz", "zstd"):
            if shutil.which(packer) is None:
                continue
            path = self.archive()
            packed = subprocess.run([packer, "-c", path], capture_output=True, check=True).stdout
            path.write_bytes(packed)
            command = strace(["read:error=EIO"], "verify", path)
            command[1:1] = ["-P", str(path)]  # only reads of this file
            result = subprocess.run(command, capture_output=True, check=False)
            self.assertEqual(result.returncode, 74, (packer, result.stderr))
            self.assertIn(b"cannot read: Input/output error", result.stderr)


class Attributes(Faults):
    """Extended attributes: kept, or a warning that they are lost, or an error of the disk."""

    NAME = "user.origin"

    def setUp(self):
        self.path = self.archive()
        try:
            os.setxattr(self.path, self.NAME, b"here")
        except OSError as error:
            self.skipTest(f"no extended attributes in {self.directory}: {error}")

    def outcome(self, *injections):
        code, stderr = run(injections, "process", self.path)
        return code, stderr.replace(str(self.path), "PATH"), os.listxattr(self.path)

    def test_attributes_are_kept(self):
        self.assertEqual(self.outcome(), (0, "", [self.NAME]))

    def test_attributes_that_the_system_withholds_are_reported(self):
        for call, error in (
            ("fgetxattr", "EPERM"),
            ("fgetxattr", "EACCES"),
            ("fsetxattr", "EPERM"),
            ("fsetxattr", "EOPNOTSUPP"),
        ):
            self.setUp()
            code, stderr, left = self.outcome(f"{call}:error={error}")
            self.assertEqual((code, left), (0, []))
            self.assertIn(
                "mlf: warning: PATH: the extended attribute 'user.origin' is lost: ", stderr
            )
            support.run_ok("verify", self.path)

    def test_attributes_that_the_disk_refuses_are_an_error(self):
        for call, error in (
            ("flistxattr", "EIO"),
            ("fgetxattr", "EIO"),
            ("fsetxattr", "EIO"),
            ("fsetxattr", "ENOSPC"),
        ):
            self.setUp()
            before = self.path.read_bytes()
            code, stderr, left = self.outcome(f"{call}:error={error}")
            self.assertEqual((code, left), (74, [self.NAME]), stderr)
            self.assertEqual(self.path.read_bytes(), before)
            self.assertIn("extended attribute", stderr)

    def test_a_file_system_without_attributes_loses_none(self):
        code, stderr, _ = self.outcome("flistxattr:error=EOPNOTSUPP")
        self.assertEqual((code, stderr), (0, ""))


class ArchivesThatShrink(program_case.Directory):
    """The program maps an archive, and an update copies its members from the file."""

    def test_are_an_error_of_reading(self):
        archive, more = self.directory / "module.tar", self.directory / "tir-2.txt"
        archive.write_bytes(support.make_tar(MEMBERS))
        os.mkfifo(more)
        run = subprocess.Popen(
            [support.PROGRAM, "process", "--tir", more, archive], stderr=subprocess.PIPE
        )
        # The archive is open once a process waits for the FIFO's other end.
        with more.open("w") as fifo:
            os.truncate(archive, 0)
            fifo.write(support.LEGACY_TEXT)
        error = run.communicate()[1]
        self.assertEqual(run.returncode, 74, error)
        self.assertEqual(error.count(b"mlf: error: "), 1)
        self.assertEqual(sorted(os.listdir(self.directory)), ["module.tar", "tir-2.txt"])


def main():
    # The leak sanitizer of a build for tests cannot work beside strace.
    options = [os.environ.get("ASAN_OPTIONS"), "detect_leaks=0"]
    os.environ["ASAN_OPTIONS"] = ":".join(filter(None, options))
    try:
        works = subprocess.run(["strace", "-o", "/dev/null", "true"], check=False).returncode == 0
    except FileNotFoundError:
        support.skip("strace is not installed")
    if not works:
        support.skip("strace may not trace here")
    return 0 if unittest.main(exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
