"""`mlf optimize ARCHIVE --only ram -o OUT`, judged by running both.

For every archive with memory pools, the C of ARCHIVE and of OUT is compiled with gcc and run on the
same 200 random inputs:
  as it is       outputs are the same bytes, and gcc -Wall says nothing that it did not say before
  poisoned pool  the same, while every byte that the new plan calls dead is overwritten around every
                 kernel, and every byte that is used later is the same behind it
  sanitized      the same, under AddressSanitizer and UBSan, on 20 of them, with MLF_EVERY_ARCHIVE=1 on all
  Cortex-M       the same, of two networks in qemu-system-arm where that and arm-none-eabi-gcc are
OUT holds together (`mlf verify`), has the same members, and planned again it is the same file.
The same holds for `--reorder`, where that gives another archive.
Would the harness notice? Plans with two buffers in one byte are, each of them, and so are calls that
are exchanged though one needs what the other computes.
"""

import re
import sys
import tarfile

import generated_c
import memory_truth
import plan_programs
import support

RUNS = 200
# Loops and places do not depend on values, so that few say the same. The first are the extremes.
SLOW_RUNS = {} if support.EVERY_ARCHIVE else {"sanitized": 20, "cortex-m": 20}
# A wrong plan is compiled anew, and is wrong in a small network as in a large one.
MOST_POOL_OF_WRONG_PLANS = 64 * 1024
CORTEX_M = ("tvm-0.9-qnn_conv-aot-c-usmp default", "tvm-0.18/control_ops-aot-packed-usmp default")


def archives():
    return support.archives_with_c(support.is_planned)


def networks(archive):
    """The topologies with workspace pools, by module."""
    for name, document, _ in memory_truth.networks(archive):
        if document is not None and plan_programs.workspace_pools(document):
            yield name, document


def pool_bytes(document):
    return sum(pool["bytes"] for pool in plan_programs.workspace_pools(document).values())


# --- Plans that are wrong ------------------------------------------------------------------------


def let_of(name, old):
    """A let of a buffer in C: its offset is the second group."""
    return re.compile(rf"(void\* {re.escape(name)} = \(&\(.*\[)({old})(\]\)\);)")


def definition(text, symbol):
    """The part of a file with the body of a function."""
    begin = re.search(rf"{re.escape(symbol)}\([^;{{]*\) {{", text).start()
    return begin, text.index("\n}\n", begin)


def move_let(network, symbol, name, old, new):
    for source in network.sources:
        text = source.read_text()
        if not re.search(rf"{re.escape(symbol)}\([^;{{]*\) {{", text):
            continue
        begin, end = definition(text, symbol)
        body, count = let_of(name, old).subn(rf"\g<1>{new}\3", text[begin:end])
        assert count == 1, f"{symbol}: {name} at {old} is there {count} times"
        source.write_text(text[:begin] + body + text[end:])
        return
    raise AssertionError(f"no definition of {symbol}")


def pool_index(document, pool):
    return list(plan_programs.workspace_pools(document)).index(pool)


def wrong_plans(document):
    """Plans that put the first byte of one buffer over the last one of another that is used later:
    (function of the let, the buffer, its storage or None, the wrong offset, its bytes)."""
    regions = list(plan_programs.regions_of(document))
    tensors, scratches = [], []
    for call in document["calls"]:
        through = plan_programs.lists_of(call["position"], regions)[1]
        for argument in call["arguments"]:
            if argument["writes"] is None or argument["storage"] is None:
                continue
            storage = document["storages"][argument["storage"]]
            if storage["pool"] not in plan_programs.workspace_pools(document):
                continue
            pool = pool_index(document, storage["pool"])
            for region in through:
                if region.pool == pool and region.offset != storage["offset"]:
                    new = region.offset + region.bytes - 1
                    main = document["provenance"]["symbol"]
                    tensors.append((main, storage, argument["storage"], new, storage["bytes"]))
        kernel = document["kernels"][call["kernel"]]
        for workspace in kernel["workspaces"]:
            if workspace["memory"] != "pool":
                continue
            pool = pool_index(document, workspace["pool"])
            for region in through:
                if region.pool == pool:
                    new = region.offset + region.bytes - 1
                    scratches.append((kernel["symbol"], workspace, None, new, workspace["bytes"]))
    return tensors[:1] + scratches[:1]


def is_noticed(network, kind, runs, right):
    """Whether the network does not run any more, or has other outputs."""
    try:
        return network.outputs(kind, runs) != right
    except plan_programs.Failed:
        return True


def notices(network, plan, right):
    """Whether a wrong plan, patched into the C by hand, is noticed; `right` are the outputs."""
    symbol, buffer, storage, new, size = plan
    with network.edited() as document:
        pool = document["pools"][buffer["pool"]]
        move_let(network, symbol, buffer["name"], buffer["offset"], new)
        network.resize(pool, max(pool["bytes"], new + size))
        if storage is not None:
            document["storages"][storage]["offset"] = new
        return is_noticed(network, "poisoned", RUNS, right)


def calls_of(network):
    """The statements of main that call kernels, in their file, and their places there."""
    symbols = [one["symbol"] for one in network.document["kernels"]]
    call = re.compile(rf"^  if \((?:{'|'.join(map(re.escape, symbols))})\(.*\) != 0 \) return -1;$", re.M)
    main = re.compile(rf"{re.escape(network.document['provenance']['symbol'])}\([^;{{]*\) {{")
    for source in network.sources:
        text = source.read_text()
        if main.search(text):
            begin, end = definition(text, network.document["provenance"]["symbol"])
            return source, list(call.finditer(text, begin, end))
    raise AssertionError("main has no definition")


def dependent_neighbours(document):
    """Calls that read what the call in front of them writes."""
    written = [
        {argument["writes"] for argument in call["arguments"]} - {None} for call in document["calls"]
    ]
    for i, call in enumerate(document["calls"][1:]):
        if any(argument["reads"] in written[i] for argument in call["arguments"]):
            yield i


def notices_exchange(network, first, right):
    """Whether it is noticed that the call `first` and the next one are exchanged in the C."""
    source, calls = calls_of(network)
    text, (a, b) = source.read_text(), calls[first : first + 2]
    with network.edited():
        source.write_text(text[: a.start()] + b[0] + text[a.end() : b.start()] + a[0] + text[b.end() :])
        return is_noticed(network, "poisoned", RUNS, right)


# --- Plans that mlf makes ------------------------------------------------------------------------


def members(archive):
    with tarfile.open(archive) as tar:
        return [(one.name, one.mode, one.mtime, one.uid, one.uname) for one in tar.getmembers()]


class Judge:
    def __init__(self):
        self.faults, self.not_run = [], []
        self.networks = self.moved = self.reordered = self.wrong = 0

    def expect(self, truth, text):
        if not truth:
            self.faults.append(text)

    def end(self, text):
        """Prints what was found; the exit code of the test."""
        for line in self.not_run:
            print(f"not run: {line}")
        for line in self.faults:
            print(f"FAULT: {line}")
        print(f"{text}; {len(self.faults)} faults, {len(self.not_run)} not run")
        return 1 if self.faults else 0

    def plan(self, name, archive, before, directory):
        """Judges the archive with its new offsets: its path, and its networks."""
        planned = directory / "planned.tar"
        support.run_ok("optimize", archive, "--only", "ram", "-o", planned)
        self.file(name, archive, planned, directory)
        after = dict(networks(planned))
        for module, document in before.items():
            self.network(f"{name} {module}", archive, document, planned, after[module], directory)
        return planned, after

    def offsets(self, archive):
        """The new offsets alone: no other order, and no wrong plans."""
        before = dict(networks(archive))
        if before:
            with support.temporary_directory() as directory:
                self.plan(archive.stem, archive, before, directory)

    def archive(self, archive):
        name = memory_truth.name_of(archive)
        before = dict(networks(archive))
        if not before:
            return
        with support.temporary_directory() as directory:
            planned, after = self.plan(name, archive, before, directory)
            self.reorder(name, archive, before, planned, directory / "order")
            [*documents] = after.values()
            if len(documents) == 1 and pool_bytes(documents[0]) <= MOST_POOL_OF_WRONG_PLANS:
                self.wrong_plans(name, planned, directory)

    def reorder(self, name, archive, before, planned, directory):
        directory.mkdir()
        reordered = directory / "reordered.tar"
        support.run_ok("optimize", archive, "--only", "ram", "--reorder", "-o", reordered)
        if reordered.read_bytes() == planned.read_bytes():
            return
        self.reordered += 1
        self.file(name, archive, reordered, directory, "--reorder")
        after = dict(networks(reordered))
        least = dict(networks(planned))
        for module, document in before.items():
            self.expect(
                pool_bytes(after[module]) < pool_bytes(least[module]),
                f"{name} {module}: the other order needs no less",
            )
            label = f"{name} {module}, reordered"
            self.network(label, archive, document, reordered, after[module], directory)
        if "-packed" not in name:
            self.wrong_orders(name, reordered, directory)

    def right(self, archive, directory):
        """The only network of an archive, read from its C, and its outputs."""
        root = support.stock(archive, directory / "stock")
        [document] = dict(networks(root)).values()
        network = plan_programs.Network(root, document, directory / "right")
        return network, network.outputs("plain", RUNS)

    def wrong_orders(self, name, reordered, directory):
        network, right = self.right(reordered, directory)
        pairs = list(dependent_neighbours(network.document))
        self.expect(pairs, f"{name}: no calls to exchange")
        for first in pairs:
            self.wrong += 1
            noticed = notices_exchange(network, first, right)
            self.expect(noticed, f"{name}: no check noticed that call {first} comes later")

    def file(self, name, archive, planned, directory, *options):
        self.expect(members(archive) == members(planned), f"{name}: other members")
        verified = support.run("verify", planned)
        self.expect(verified.returncode == 0, f"{name}: mlf verify: {verified.stdout.decode()}")
        again = directory / "again.tar"
        support.run_ok("optimize", planned, "--only", "ram", *options, "-o", again)
        self.expect(again.read_bytes() == planned.read_bytes(), f"{name}: planned again, it differs")

    def network(self, name, archive, document, planned, after, directory):
        now, ours = pool_bytes(document), pool_bytes(after)
        self.networks += 1
        self.moved += ours < now
        print(f"{name:62}{now:>10}{ours:>10}{100 * (now - ours) / now:>8.1f} %", flush=True)
        self.expect(ours <= now, f"{name}: {ours} bytes, and {now} before")
        self.computes_the_same(name, archive, document, planned, after, directory)

    def computes_the_same(self, name, archive, document, planned, after, directory):
        try:
            work = directory / after["module"]
            old = plan_programs.Network(
                support.unpacked(archive, work / "before"), document, work / "before-work"
            )
            new = plan_programs.Network(support.unpacked(planned, work / "after"), after, work / "after-work")
            self.expect(
                sorted(old.warnings()) == sorted(new.warnings()), f"{name}: other warnings of gcc"
            )
            right = old.outputs("plain", RUNS)
            self.expect(len(right) > 0, f"{name}: no outputs")
            for kind in ("plain", "poisoned", "sanitized"):
                runs = SLOW_RUNS.get(kind, RUNS)
                wanted = right[: len(right) // RUNS * runs]
                self.expect(new.outputs(kind, runs) == wanted, f"{name}: other outputs ({kind})")
            if name in CORTEX_M:
                self.cortex_m(name, old, new)
        except generated_c.CannotRun as why:
            self.not_run.append(f"{name}: {why}")
        except plan_programs.Failed as why:
            self.faults.append(f"{name}: {why}")

    def cortex_m(self, name, old, new):
        if not plan_programs.can_build("cortex-m"):
            self.not_run.append(f"{name}: no arm-none-eabi-gcc or qemu-system-arm")
            return
        runs = SLOW_RUNS.get("cortex-m", RUNS)
        right = old.outputs("cortex-m", runs)
        self.expect(len(right) > 0, f"{name}: no outputs of Cortex-M")
        self.expect(new.outputs("cortex-m", runs) == right, f"{name}: other outputs (Cortex-M)")

    def wrong_plans(self, name, planned, directory):
        network, right = self.right(planned, directory)
        for plan in wrong_plans(network.document):
            self.wrong += 1
            noticed = notices(network, plan, right)
            self.expect(noticed, f"{name}: no check noticed {plan}")


def main():
    judge = Judge()
    print(f"{'NETWORK':62}{'NOW':>10}{'PLANNED':>10}{'LESS':>10}")
    for archive in archives():
        judge.archive(archive)
    assert judge.networks > 0
    assert judge.reordered > 0
    assert judge.wrong > 0
    return judge.end(f"{judge.networks} networks, {judge.moved} of them in less memory; {judge.reordered} archives "
                     f"in another order; {judge.wrong} wrong plans")


if __name__ == "__main__":
    sys.exit(main())
