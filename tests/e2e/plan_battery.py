"""`mlf optimize ARCHIVE --only ram -o OUT`, with `--in-place` and `--reorder`, on thousands of small archives
(battery_archives.py): what is written computes the same as what it was written from.

Both are compiled with gcc and run on equal inputs, in a pool that is filled with zeros and in one
that is not, with bytes in front of it and behind it that have to stay: outputs are the same bytes,
and the pool is no smaller than what is used. Archives without oddities are sound: none of them may
be refused. What is refused of the others is printed.

    plan_battery.py            a hundred archives
    MLF_BATTERY=10000 plan_battery.py [FIRST SEED]

Would it notice? Results that are wrong by hand, a buffer that moved onto another one or a pool
that is cut short, are: most of them, for not every overlap changes what comes out.
"""

import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import unittest

import battery_archives
import generated_c
import program_case
import support

ARCHIVES = int(os.environ.get("MLF_BATTERY", "120"))
FIRST = int(sys.argv.pop()) if sys.argv[-1].isdigit() else 0
BATCH = 50
VARIANTS = {"offsets": [], "in_place": ["--in-place"], "reorder": ["--reorder"]}
CODE, WRAPPER = battery_archives.CODE, battery_archives.WRAPPER
HEADER = battery_archives.HEADER
JOBS = 2

# One archive after the other, each in a process of its own: what one overwrites is its own affair.
DRIVER = """
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int32_t (*Main)(void*, void*, uint8_t*);
typedef struct { const char* name; Main main; int seed, type, output, pool; } Case;
enum { kGuard = 65536, kRuns = 3 };

static void fill(uint8_t* bytes, size_t count, uint32_t seed) {
  for (size_t i = 0; i < count; ++i) {
    seed ^= seed << 13; seed ^= seed >> 17; seed ^= seed << 5;
    bytes[i] = (uint8_t)(seed >> 7);
  }
}

/* Small numbers of each type, so that nothing is lost in rounding. */
static void set_input(void* input, const Case* one, int run) {
  uint8_t noise[64];
  fill(noise, sizeof noise, 1u + 977u * (uint32_t)one->seed + (uint32_t)run);
  for (int i = 0; i < 64; ++i) {
    switch (one->type) {
      SETTERS
    }
  }
}

static void run(const Case* one, int poison) {
  size_t whole = 2 * kGuard + (size_t)one->pool;
  uint8_t* memory = aligned_alloc(64, (whole + 63) / 64 * 64);
  uint8_t* guard = malloc(whole);
  uint8_t* input = aligned_alloc(64, 8192);
  uint8_t* output = aligned_alloc(64, 65536);
  fill(guard, whole, 12345);
  for (int i = 0; i < kRuns; ++i) {
    memcpy(memory, guard, whole);
    memset(memory + kGuard, poison, (size_t)one->pool);
    memset(input, 0, 8192);
    memset(output, 92, 65536);
    set_input(input, one, i);
    one->main(input, output, memory + kGuard);
    int is_whole = memcmp(memory, guard, kGuard) == 0 &&
                   memcmp(memory + kGuard + one->pool, guard + kGuard + one->pool, kGuard) == 0;
    printf("%s %d %d %d ", one->name, poison, i, is_whole);
    for (int k = 0; k < one->output; ++k) printf("%02x", output[k]);
    printf("\\n");
  }
  fflush(stdout);
}

int main(void) {
  for (size_t i = 0; i < sizeof kCases / sizeof *kCases; ++i) {
    for (int poison = 0; poison < 2; ++poison) {
      pid_t child = fork();
      if (child == 0) { alarm(10); run(&kCases[i], poison * 165); _exit(0); }
      int status = 0;
      waitpid(child, &status, 0);
    }
  }
  return 0;
}
"""


def pool_bytes(members):
    return int(re.search(r"global_workspace\[(\d+)\]", members[WRAPPER])[1])


class Case:
    """One program: an archive's own, or one that was written of it."""

    def __init__(self, name, seed, archive, members):
        self.name, self.seed, self.archive = name, seed, archive
        self.code, self.pool = members[CODE], pool_bytes(members)

    def text(self):
        """The C with names of its own."""
        renamed = self.code.replace("tvmgen_default_", f"tvmgen_{self.name}_")
        kept = re.findall(r"^static [^;]*?(\w+);$", renamed, re.M)
        for variable in kept:
            renamed = re.sub(rf"\b{variable}\b", f"{variable}_{self.name}", renamed)
        return renamed

    def row(self):
        main = f"(Main)tvmgen_{self.name}___tvm_main__"
        ctype = list(battery_archives.SIZES).index(self.archive.input_type)
        sizes = f"{ctype}, {self.archive.output_bytes}, {self.pool}"
        return f'{{"{self.name}", {main}, {self.seed}, {sizes}}},'


def driver_of(cases):
    rows = "\n".join(one.row() for one in cases)
    setters = "\n".join(
        f"case {i}: (({ctype}*)input)[i] = noise[i] & 7; break;"
        for i, ctype in enumerate(battery_archives.SIZES)
    )
    head, _, body = DRIVER.replace("SETTERS", setters).partition("enum {")
    return head + f"static const Case kCases[] = {{\n{rows}\n}};\nenum {{" + body


def outputs_of(cases, directory):
    """What each program prints, by its name: a list of (is whole, bytes), twice three runs."""
    source = directory / "all.c"
    source.write_text("\n".join(one.text() for one in cases) + driver_of(cases))
    program = directory / "all"
    flags = ["-O0", "-w", "-std=gnu11", "-fno-strict-aliasing", f"-I{generated_c.HEADERS}"]
    subprocess.run(["gcc", *flags, "-include", "string.h", source, "-lm", "-o", program], check=True)
    printed = subprocess.run([program], capture_output=True, text=True, check=True, timeout=300)
    found = collections.defaultdict(list)
    for line in printed.stdout.splitlines():
        name, _, _, is_whole, *output = line.split(" ")
        found[name].append((is_whole == "1", output[0] if output else ""))
    return found


RUNS = 6


def difference(before, after):
    """Why a program is not the one that it was written from; nothing where it is."""
    if len(after) != RUNS:
        return "it does not end well"
    if before[:3] != before[3:]:
        return "what it was written from depends on what was in the pool"
    if not all(is_whole for is_whole, _ in after):
        return "it writes outside of its pool"
    return None if after == before else "its outputs are other bytes"


class Outcome:
    """What happened to some archives."""

    def __init__(self):
        self.wrong = []
        self.bad_cases = []  # archives that leave their pool before they are changed
        self.counts = collections.Counter()
        self.refused = collections.Counter()
        self.seen = collections.Counter()
        self.refused_sound = []
        self.saved = [0, 0]

    def add(self, other):
        self.wrong += other.wrong
        self.bad_cases += other.bad_cases
        self.refused_sound += other.refused_sound
        self.saved = [a + b for a, b in zip(self.saved, other.saved, strict=True)]
        for name in ("counts", "refused", "seen"):
            getattr(self, name).update(getattr(other, name))


def unpacked(data):
    return {name: content.decode() for name, content in support.members_of(data).items()}


def written(members, options, directory):
    """The archive that `mlf optimize` writes of one; None where it refuses, and what it says."""
    path, out = directory / "module.tar", directory / "out.tar"
    path.write_bytes(battery_archives.tar_of(members))
    out.unlink(missing_ok=True)
    result = support.run("optimize", "--only", "ram", path, "-o", out, *options)
    if result.returncode == 0:
        return unpacked(out.read_bytes()), ""
    message = result.stderr.decode()
    assert result.returncode == 1 and not out.exists(), message
    return None, message


def plan(seed, directory, outcome):
    """The archive as it is and as each option writes it; those that are refused are counted."""
    archive = battery_archives.archive(seed)
    cases = [Case(f"a{seed}", seed, archive, archive.members)]
    for variant, options in VARIANTS.items():
        members, message = written(archive.members, options, directory)
        outcome.counts[f"{variant} " + ("refused" if members is None else "written")] += 1
        if members is None:
            if not archive.oddities:
                outcome.refused_sound.append(f"seed {seed} ({variant}): {message}")
            continue
        one = Case(f"a{seed}{variant}", seed, archive, members)
        if all(one.code != known.code or one.pool != known.pool for known in cases):
            cases.append(one)
        if variant == "offsets":
            outcome.saved[0] += cases[0].pool
            outcome.saved[1] += one.pool
    is_refused = outcome.counts["offsets refused"] > outcome.counts["seen refused"]
    outcome.counts["seen refused"] = outcome.counts["offsets refused"]
    for oddity in archive.oddities or ["none"]:
        outcome.seen[oddity] += 1
        outcome.refused[oddity] += is_refused
    return cases


def judge(seeds):
    """Plans and runs some archives in one program."""
    outcome = Outcome()
    with support.temporary_directory() as directory:
        by_seed = {seed: plan(seed, directory, outcome) for seed in seeds}
        found = outputs_of([one for cases in by_seed.values() for one in cases], directory)
    for seed, (original, *results) in by_seed.items():
        before = found[original.name]
        if len(before) != RUNS or not all(is_whole for is_whole, _ in before):
            outcome.bad_cases.append(seed)
        for one in results:
            why = difference(before, found[one.name])
            if why is not None:
                outcome.wrong.append(f"{one.name}, with {original.archive.oddities}: {why}")
    return outcome


def report(outcome):
    print(f"{'ODDITY':22}{'ARCHIVES':>10}{'REFUSED':>10}{'%':>8}")
    for oddity, count in sorted(outcome.seen.items()):
        refused = outcome.refused[oddity]
        print(f"{oddity:22}{count:>10}{refused:>10}{100 * refused / count:>8.1f}")
    for variant in VARIANTS:
        is_written = outcome.counts[f"{variant} written"]
        is_refused = outcome.counts[f"{variant} refused"]
        print(f"{variant}: {is_written} written, {is_refused} refused "
              f"({100 * is_refused / (is_written + is_refused):.1f} %)")
    before, after = outcome.saved
    print(f"pools of those that are written: {before} bytes, {after} afterwards")
    print(f"{len(outcome.wrong)} wrong", flush=True)


# --- What is refused, one by one ---------------------------------------------------------------------

PLACE = r"'tvmgen_default_\w+' \(codegen/host/src/default_lib1\.c:\d+\)"
UNWRITTEN = rf"{PLACE} may read byte \d+ of '\w+', which is not known to be written"
# Code that is none of TVM's: the network says so.
NOT_READ = "the network is not certain: |cannot be followed|is not understood"
REFUSED = {
    "behind": rf"{UNWRITTEN}|{PLACE} may touch byte -\d+ of '\w+', which is before it",
    # The tensor behind may be the result, which the network itself shows.
    "beyond": rf"{UNWRITTEN}|over '\w+' and reads that afterwards",
    "two_halves": rf"{UNWRITTEN}|share bytes",
    "read_first": UNWRITTEN,
    "late_init": UNWRITTEN,
    "scratch_left": rf"{PLACE} may read byte 0 of '\w+' before it has written that",
    "scratch_unwritten": rf"{PLACE} may read byte \d+ of '\w+' before it has written that",
    # A workspace beyond its place is over the next one, which the network itself shows.
    "scratch_beyond": rf"{PLACE} may read byte \d+ of '\w+' before it has written that"
    r"|is put over '[\w.]+', which is in use then",
    "moving_pointer": rf"{PLACE}: '\w+' is used at an unknown offset",
    "extern": rf"{PLACE}: '\w+' is passed to 'mem\w+', which may access any part of it",
    "early_return": rf"{PLACE} may return before it has written everything|{NOT_READ}",
    "state": NOT_READ,
    "kept_pointer": NOT_READ,
    "call_in_branch": NOT_READ,
    "main_writes": NOT_READ,
    "pool_with_offset": "is not what its parameter",
    "pointer_in_main": "which nothing wrote",
}
WRITTEN = ["cast_wide", "called_swapped", "local"]


class OneByOne(program_case.Directory):
    def planned(self, oddity):
        """Some archives with it, what `mlf optimize` makes of each, and its message."""
        for seed in range(5):
            archive = battery_archives.archive_of(["unary", oddity], seed)
            if oddity not in battery_archives.Network.ODD or archive.oddities:
                yield archive, *written(archive.members, [], self.directory)

    def test_what_is_not_proven_is_refused_with_its_place(self):
        for oddity, pattern in REFUSED.items():
            with self.subTest(oddity=oddity):
                messages = [message for _, _, message in self.planned(oddity)]
                self.assertGreater(len(messages), 2)
                for message in messages:
                    self.assertRegex(message, pattern)

    def test_what_is_proven_is_written(self):
        for oddity in WRITTEN:
            with self.subTest(oddity=oddity):
                results = list(self.planned(oddity))
                self.assertGreater(len(results), 2)
                for archive, members, message in results:
                    self.assertIsNotNone(members, message)
                    self.assertLess(pool_bytes(members), pool_bytes(archive.members))

    def test_a_workspace_on_the_stack_stays_in_the_sum(self):
        for archive, members, message in self.planned("local"):
            self.assertIsNotNone(members, message)
            total = pool_bytes(members) + 16
            self.assertIn(f'"workspace_size_bytes": {total}', members["metadata.json"])
            self.assertIn(f"WORKSPACE_SIZE {total}\n", members[HEADER])
            self.assertNotEqual(archive.members["metadata.json"], members["metadata.json"])


    def test_an_unused_pool_stays(self):
        archive = battery_archives.archive_of([])
        for options in VARIANTS.values():
            members, said = written(archive.members, options, self.directory)
            self.assertEqual(members, archive.members, said)

    def test_a_kernel_that_gets_different_pools_is_refused(self):
        archive = battery_archives.archive_of(["again"], 1)
        for swapped, message in ((None, None), (1, "is given another pool by another call")):
            members = battery_archives.with_two_pools(archive.members, swapped)
            result, said = written(members, [], self.directory)
            if message is None:
                self.assertIsNotNone(result, said)
            else:
                self.assertRegex(said, message)


# --- Would it notice? --------------------------------------------------------------------------------


def moved_onto_another(code, choose):
    """One buffer of main in the place of another one."""
    lets = list(re.finditer(r"(void\* sid_\d+_let = \(&\(global_workspace_0_var\[)(\d+)", code))
    if len({let[2] for let in lets}) < 2:
        return None
    one = choose.choice(lets)
    other = choose.choice([let for let in lets if let[2] != one[2]])
    return code[: one.start()] + one[1] + other[2] + code[one.end() :]


class Notices(program_case.Directory):
    """Of 30 sound archives, what was written and is wrong by hand then."""

    @classmethod
    def setUpClass(cls):
        """By its seed, each archive and the members of what was written of it."""
        cls.archives = {}
        with support.temporary_directory() as directory:
            for seed in range(FIRST, FIRST + 30):
                archive = battery_archives.archive_of(["unary", "scratch", "binary", "nested"], seed)
                members, message = written(archive.members, [], directory)
                assert members is not None, message
                cls.archives[seed] = archive, members

    def wrong(self, change):
        """How many wrong results there are, and how many are noticed."""
        pairs = []
        for seed, (archive, members) in self.archives.items():
            changed = change(members, random.Random(seed))
            if changed is not None:
                before = Case(f"a{seed}", seed, archive, archive.members)
                pairs.append((before, Case(f"a{seed}w", seed, archive, changed)))
        found = outputs_of([one for pair in pairs for one in pair], self.directory)
        noticed = [difference(found[a.name], found[b.name]) is not None for a, b in pairs]
        return len(noticed), sum(noticed)

    def test_buffers_in_one_place_are_detected(self):
        def change(members, choose):
            code = moved_onto_another(members[CODE], choose)
            return None if code is None else {**members, CODE: code}

        count, noticed = self.wrong(change)
        print(f"buffers in one place: {noticed} of {count} noticed", flush=True)
        self.assertGreater(count, 10)
        self.assertGreater(noticed, count // 3)

    def test_a_pool_that_is_one_byte_too_small_is_detected(self):
        def change(members, _):
            size = pool_bytes(members)
            text = members[WRAPPER].replace(f"workspace[{size}]", f"workspace[{size - 1}]")
            return {**members, WRAPPER: text}

        count, noticed = self.wrong(change)
        print(f"pools that are one byte too small: {noticed} of {count} noticed", flush=True)
        self.assertEqual(noticed, count)

    def test_a_result_that_depends_on_old_bytes_is_detected(self):
        archive = battery_archives.archive_of(["read_first"], 1)
        case = Case("a", 1, archive, archive.members)
        found = outputs_of([case], self.directory)["a"]
        self.assertRegex(difference(found, found), "depends on what was in the pool")


class Battery(unittest.TestCase):
    maxDiff = None

    def test_what_is_written_computes_the_same(self):
        seeds = range(FIRST, FIRST + ARCHIVES)
        batches = [seeds[i : i + BATCH] for i in range(0, len(seeds), BATCH)]
        outcome = Outcome()
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for one in pool.map(judge, batches):
                outcome.add(one)
        report(outcome)
        self.assertEqual(outcome.wrong, [])
        self.assertEqual(outcome.bad_cases, [])
        self.assertEqual(outcome.refused_sound, [])
        self.assertGreater(outcome.counts["offsets written"], ARCHIVES // 8)
        self.assertGreater(outcome.counts["offsets refused"], ARCHIVES // 8)


if __name__ == "__main__":
    unittest.main()
