"""What `--cc` and `mlf run` start has limits, and is gone with all that it made, however mlf ends."""

import pathlib
import resource
import signal
import subprocess
import unittest

import program_case
import support

QNN = support.ARCHIVES / "tvm-0.18-qnn_conv-aot-c.tar"

def is_alive(pid):
    try:
        return ") Z " not in pathlib.Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):  # it may end while it is read
        return False


def users_of(directory):
    """The processes with a temporary directory of mlf in this one."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"TMPDIR={directory}/".encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:  # of another user, or it has ended
            pass
    return found


class Compilers(program_case.Temporaries):
    def compiler(self, script, name="cc"):
        path = self.directory / name
        path.write_text("#!/bin/sh\n" + script)
        path.chmod(0o755)
        return path

    def compiler_to(self, script):
        """A compiler whose programs are this script."""
        program = self.compiler(script, "program")
        return self.compiler(f"case $* in *' -c '*) exit ;; esac\nfor last; do :; done; cp {program} $last\n")

    def refused(self, c):
        """What mlf says of an archive with this C."""
        members = {"metadata.json": support.METADATA, "codegen/host/src/default_lib0.c": c}
        return self.refused_run("report", "--cc", "gcc", self.tar(members, "c.tar"))

    def refused_run(self, *arguments):
        message = support.refused(65, *arguments, env=self.environment)
        self.assertTrue(self.is_clean())
        return message

    def test_end_with_mlf(self):
        pid = self.directory / "pid"
        script = (
            f"setsid sh -c 'exec 2>&-; sleep 600' & echo $! > {pid}.new\n"
            f'mktemp > /dev/null; mv {pid}.new {pid}; exec 2>&-; sleep 600\n'
        )
        for command, made in (("report", self.compiler), ("run --random 1", self.compiler_to)):
            compiler = made(script)
            for ending in (signal.SIGTERM, signal.SIGINT, signal.SIGKILL):
                with self.subTest(command, ending=ending.name):
                    pid.unlink(missing_ok=True)
                    program = subprocess.Popen(
                        [support.PROGRAM, *command.split(), "--cc", compiler, QNN], env=self.environment
                    )
                    program_case.wait_for(pid.exists)
                    program.send_signal(ending)
                    self.assertEqual(program.wait(), -ending)
                    program_case.wait_for(lambda: not is_alive(int(pid.read_text())) and self.is_clean())

    def test_of_a_run_end_with_its_time(self):
        """With all that they started, also where they close standard error."""
        pid = self.directory / "pid"
        compiler = self.compiler_to(
            f"mktemp > /dev/null; setsid sh -c 'echo $$ > {pid}; exec 2>&-; sleep 600' &\n"
            f"while ! test -s {pid}; do :; done; exec 2>&-; sleep 600\n"
        )
        self.assertIn("2 s", self.refused_run("run", "--random", "1", "--seconds", "2", "--cc", compiler, QNN))
        self.assertFalse(is_alive(int(pid.read_text())))

    def test_that_stop_their_parent_end_with_their_time(self):
        """And many chains of processes, each in a session of its own. On a busy machine, the program may end with
        its outputs before mlf has counted the processes."""
        for case in ("run-stopparent", "run-forks2"):
            with self.subTest(case):
                archive = support.SOURCE / "tests/data/cases" / f"{case}.tar.gz"
                result = support.run("run", "--random", "1", "--seconds", "2", archive, env=self.environment)
                if result.returncode != 0 or case != "run-forks2":
                    self.assertEqual((result.returncode, result.stdout), (65, b""))
                    self.assertRegex(result.stderr, b"took longer than 2 s|made more than 256 processes")
                self.assertEqual(users_of(self.temporary), [])
                self.assertTrue(self.is_clean())

    def test_that_leave_programs_are_not_waited_for(self):
        pid = self.directory / "pid"
        compiler = self.compiler(f'sleep 600 & echo $! > {pid}; exec gcc "$@"\n')
        support.run_ok("report", "--cc", compiler, QNN, env=self.environment)
        self.assertFalse(is_alive(int(pid.read_text())))
        self.assertTrue(self.is_clean())

    def test_open_files_within_a_limit(self):
        """And leave none of many that they made, also in directories."""
        seen = self.directory / "seen"
        script = f'ulimit -Hn > {seen}; cd "$TMPDIR" && mkdir -p a/b && seq 2000 | (cd a/b && xargs touch)\n'
        for command, made in (("report", self.compiler), ("run --random 1", self.compiler_to)):
            with self.subTest(command):
                compiler = made(script + "exit 1\n")
                support.run(*command.split(), "--cc", compiler, QNN, env=self.environment)
                self.assertLessEqual(int(seen.read_text()), 1024)
                self.assertTrue(self.is_clean())
                seen.unlink()

    def test_are_ended_when_they_make_many_files(self):
        compiler = self.compiler('cd "$TMPDIR"; i=0; while :; do i=$((i+1)); : > "made$i"; done\n')
        self.assertIn("made more than 10,000 files", self.refused_run("report", "--cc", compiler, QNN))

    def test_are_named_when_they_write_no_object(self):
        for script, message in (
            ("exit 0", "wrote no object file or program"),
            ("exit 3", "ended with exit code 3"),
            ("kill -KILL $$", "ended with signal 9 (Killed)"),
            ("for last; do :; done; echo junk > $last", "wrote no object file or program"),
            ("for last; do :; done; mkfifo $last", "wrote no object file or program"),
            ("for last; do :; done; mkdir $last", "wrote no object file or program"),
        ):
            compiler = self.compiler(script + "\n")
            for command in ("report", "run --random 1"):
                with self.subTest(command, script=script):
                    said = self.refused_run(*command.split(), "--cc", compiler, QNN)
                    self.assertIn(message, said)
                    self.assertRegex(said, "compiler|/cc ")

    def test_may_have_several_words(self):
        compiler = self.compiler('exec "$@"\n', "launcher")
        for command in (f"{compiler} gcc", f" {compiler}  gcc -O1 "):
            for arguments in (("report",), ("run", "--random", "1"), ("profile", "--cpu", "host")):
                support.run_ok(*arguments, "--cc", command, "--cflags=", QNN)

    def test_are_not_empty(self):
        for arguments in (("report",), ("check", "--ram", "1M"), ("run", "--random", "1"), ("diff", QNN),
                          ("optimize", "-o", "-"), ("profile", "--cpu", "host")):  # fmt: skip
            for empty in (["--cc", ""], ["--cc="], ["--cc", " "]):
                self.assertIn("--cc: the value is empty", support.refused(64, *arguments, *empty, QNN))

    def test_without_open_files_are_not_blamed(self):
        for most in (10, 12):
            limits = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))}
            result = support.run("run", "--random", "1", QNN, **limits)
            self.assertIn(result.returncode, (65, 74), result.stderr)
            self.assertIn(b"Too many open files", result.stderr)

    def test_make_no_file_without_end(self):
        text = self.refused("char a[8ull << 30] = {1};\n")
        self.assertIn("was not compiled: the compiler", text)

    def test_show_nothing_of_other_files(self):
        secret = self.directory / "secret"
        secret.write_text("hunter2 is a secret\n")
        for c in (f'#include "{secret}"\n', f'__asm__(".include \\"{secret}\\"");\n'):
            text = self.refused(c)
            self.assertNotIn("hunter2", text)
            self.assertIn("secret:1", text)

    def test_say_what_the_assembler_says(self):
        self.assertIn("no such instruction", self.refused('__asm__("frobnicate");\n'))


if __name__ == "__main__":
    unittest.main()
