"""`mlf optimize ARCHIVE --only ram --in-place -o OUT`, judged by running both as plan_run.py does.

Of every archive with memory pools in which results over their inputs make a pool smaller: outputs
are the same bytes, as it is, with a poisoned pool and sanitized; the pools have the size that the
finding says; two values that share bytes are a pair that the finding names. The same after
`--reorder`, which does not go together with `--in-place`.
Would running notice a wrong claim? In small networks, a result is put over an input that the TIR
does not prove to be read element by element before it is written: both behind everything else, so
that nothing but this sharing is wrong.
"""

import sys

import memory_truth
import plan_programs
import plan_run
import support

RUNS = 20


def plan_of(archive):
    """Pools by module."""
    document = support.json_of("plan", "--json", archive)
    return {module["name"]: module["pools"] for module in document["modules"]}


def gains(archive):
    return any(
        pool["in_place"] is not None for pools in plan_of(archive).values() for pool in pools
    )


# --- Plans that mlf makes ------------------------------------------------------------------------


def sharing(pool):
    """Pairs of buffers with an element in one place that are there at one time."""
    buffers = [one for one in pool["buffers"] if one["bytes"]]
    for i, one in enumerate(buffers):
        for other in buffers[i + 1 :]:
            apart = (
                one["offset"] + one["bytes"] <= other["offset"]
                or other["offset"] + other["bytes"] <= one["offset"]
            )
            if not apart and any(a[0] < b[1] and b[0] < a[1] for a in one["live"] for b in other["live"]):
                yield {one["name"], other["name"]}


def check_archive(judge, archive):
    name = memory_truth.name_of(archive)
    before = dict(plan_run.networks(archive))
    with support.temporary_directory() as directory:
        planned = directory / "planned.tar"
        support.run_ok("optimize", archive, "--only", "ram", "--in-place", "-o", planned)
        judge.file(name, archive, planned, directory)
        after = dict(plan_run.networks(planned))
        promised, written = plan_of(archive), plan_of(planned)
        for module, document in before.items():
            for old, new in zip(promised[module], written[module], strict=True):
                size = old["best"] if old["in_place"] is None else old["in_place"]
                judge.expect(new["declared"] == size, f"{name}: {new['declared']} bytes, not {size}")
                judge.expect(new["refused"] == [], f"{name}: {new['refused']}")
                judge.expect(new["lower_bound"] <= size, f"{name}: bound {new['lower_bound']}")
                proven = [{pair["from"], pair["to"]} for pair in new["over_inputs"]]
                pairs = list(sharing(new))
                judge.expect(all(pair in proven for pair in pairs), f"{name}: {pairs}")
                judge.expect(old["in_place"] is None or pairs, f"{name}: nothing is shared")
            work = directory / module
            judge.network(f"{name} {module}", archive, document, planned, after[module], work)


def check_reordered(judge, archive):
    """The two one after the other: results in place in an archive that has another order by now."""
    document = support.json_of("plan", "--json", archive)
    orders = [one["order"]["calls"] for one in document["modules"] if one["order"] is not None]
    if all(order == sorted(order) for order in orders):
        return
    with support.temporary_directory() as directory:
        reordered = directory / f"reordered-{archive.parent.name}" / "module.tar"
        reordered.parent.mkdir()
        support.run_ok("optimize", archive, "--only", "ram", "--reorder", "-o", reordered)
        if gains(reordered):
            check_archive(judge, reordered)


# --- Claims that are wrong -----------------------------------------------------------------------


def wrong_claims(document, pool):
    """(storage that is read, storage that is written): of one call that is the last reader, both of
    main, there at one time, and not among the pairs that are proven."""
    buffers = {one["storage"]: one for one in pool["buffers"] if one["storage"] is not None}
    proven = {(pair["from"], pair["to"]) for pair in pool["over_inputs"]}
    for call in document["calls"]:
        arguments = [one for one in call["arguments"] if one["storage"] in buffers]
        for read in arguments:
            for written in arguments:
                if read["reads"] is None or written["writes"] is None or read is written:
                    continue
                old, new = buffers[read["storage"]], buffers[written["storage"]]
                is_last = document["values"][read["reads"]]["last_use"] == call["position"]
                both = old["live"][-1][1] > new["live"][0][0]
                if is_last and both and (old["name"], new["name"]) not in proven:
                    yield read["storage"], written["storage"]


def is_noticed(network, claim, right):
    with network.edited() as document:
        [pool] = plan_programs.workspace_pools(document).values()
        place = (pool["bytes"] + 15) // 16 * 16
        for at in claim:
            storage = document["storages"][at]
            main = document["provenance"]["symbol"]
            plan_run.move_let(network, main, storage["name"], storage["offset"], place)
            storage["offset"] = place
        network.resize(pool, place + max(document["storages"][at]["bytes"] for at in claim))
        return plan_run.is_noticed(network, "plain", RUNS, right)


def check_wrong_claims(judge, archive):
    """Each of a small archive's; the number of those that were noticed."""
    noticed = 0
    with support.temporary_directory() as directory:
        root = support.stock(archive, directory / "stock")
        documents = dict(plan_run.networks(root))
        if len(documents) != 1:
            return 0
        [(module, document)] = documents.items()
        if plan_run.pool_bytes(document) > plan_run.MOST_POOL_OF_WRONG_PLANS:
            return 0
        plans = plan_of(root)[module]
        if len(plans) != 1:
            return 0
        network = plan_programs.Network(root, document, directory / "right")
        right = network.outputs("plain", RUNS)
        for claim in wrong_claims(document, plans[0]):
            judge.wrong += 1
            found = is_noticed(network, claim, right)
            noticed += found
            if not found:
                print(f"  {memory_truth.name_of(archive)}: {claim} makes no difference")
    return noticed


def main():
    judge = plan_run.Judge()
    noticed = 0
    print(f"{'NETWORK':48}{'NOW':>10}{'IN PLACE':>10}{'LESS':>10}")
    for archive in plan_run.archives():
        if gains(archive):
            check_archive(judge, archive)
        check_reordered(judge, archive)
        noticed += check_wrong_claims(judge, archive)
    assert judge.networks > 0
    assert noticed > 0
    return judge.end(f"{judge.networks} networks, {judge.moved} of them in less memory; {judge.wrong} claims that "
                     f"are not proven, {noticed} of them noticed")


if __name__ == "__main__":
    sys.exit(main())
