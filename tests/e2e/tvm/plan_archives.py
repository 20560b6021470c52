"""`mlf optimize ARCHIVE --only ram -o OUT` on archives with TIR in every text that TVM prints, and with several pools.

  - A text that shows the whole plan is changed, its metadata section too; no number of the old size
    is left in a function, and `mlf verify` holds.
  - Old TVMScript has no `pool_args`: it is refused, by name.
  - A network with two pools of its caller gets smaller ones and computes the same (plan_run.py).
  - TVM v0.16 puts two tensors that are there at once into the same bytes of one pool if they are in
    conflict with something in the other pool: mlf says so, and the poisoned pool agrees.

Usage: PYTHON_OF_A_TVM_VENV plan_archives.py
"""

import re
import unittest

import program_case
import support

import need_tvm  # noqa: F401: skips where there is no TVM
import tvm

import builds
import exporter
import networks
import plan_programs
import plan_run

IS_OLD = tvm.__version__.startswith("0.9")


def network():
    [found] = [one for one in networks.all_networks() if one.name == "int8_convolution"]
    return found.module


class Texts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = support.directory_of(cls)
        cls.factory = builds.aot(network(), builds.C_PLANNED)
        (cls.module,) = cls.factory.lowered_ir_mods.values()

    def archive(self, text):
        path = self.directory / "module.tar"
        exporter.export(self.factory, path)
        exporter.add_members(path, {"src/tir-1.txt": text})
        return path

    def texts(self):
        yield "str", str(self.module)
        for metadata in (True, False):
            yield f"astext, metadata {metadata}", self.module.astext(show_meta_data=metadata)
            if not IS_OLD:  # v0.9 cannot print pools in TVMScript
                yield f"script, metadata {metadata}", self.module.script(show_meta=metadata)
        yield "save_json", tvm.ir.save_json(self.module)

    def test_that_show_a_plan_are_changed(self):
        sections = 0
        for name, text in self.texts():
            with self.subTest(text=name):
                archive, planned = self.archive(text), self.directory / "planned.tar"
                ((pool,),) = [one["pools"] for one in self.plan(archive)]
                self.assertLess(pool["best"], pool["declared"])
                support.run_ok("optimize", archive, "--only", "ram", "-o", planned)
                support.run_ok("verify", planned)
                ((now,),) = [one["pools"] for one in self.plan(planned)]
                self.assertEqual(now["declared"], pool["best"])
                size = re.compile(rf"\b{pool['declared']}\b")
                self.assertRegex(text, size)
                # What TVM says in the module's attributes of how it was built stays: FunctionInfo, in
                # the text or in its metadata.
                left = size.findall(support.members_of(planned)["src/tir-1.txt"].decode())
                self.assertLessEqual(len(left), 2 if "main_func_info" in text else 0)
                sections += "#[metadata]" in text and "AllocatedPoolInfo" in text
        self.assertGreater(sections, 0)

    def plan(self, archive):
        return support.json_of("plan", "--json", archive)["modules"]

    def refuse(self, archive, message):
        planned = self.directory / "refused.tar"
        result = support.run_to(1, "optimize", archive, "--only", "ram", "-o", planned)
        self.assertIn(message, result.stderr.decode())
        self.assertFalse(planned.exists())

    @unittest.skipUnless(IS_OLD, "this TVM prints new TVMScript")
    def test_that_are_old_tvmscript_are_refused(self):
        with self.assertRaisesRegex(tvm.TVMError, "Do not know how to print .*AllocatedPoolInfo"):
            self.module.script()
        functions = {}
        for name, function in self.module.functions.items():
            attrs = {key: value for key, value in function.attrs.items() if key != "pool_args"}
            functions[name] = tvm.tir.PrimFunc(
                function.params,
                function.body,
                function.ret_type,
                function.buffer_map,
                function.preflattened_buffer_map,
                tvm.ir.make_node("DictAttrs", **attrs),
            )
        archive = self.archive(tvm.IRModule(functions).script())
        self.refuse(archive, "src/tir-1.txt: a text in this dialect, old_tvmscript, does not show a")


@unittest.skipIf(IS_OLD, "this TVM has no pools of two kinds")
class Pools(program_case.Directory):
    def archive(self, fast):
        """The network with a pool of so many bytes for what fits, and one for the rest."""
        from tvm.ir import memory_pools

        target = tvm.target.Target("c", host="c")
        hint = memory_pools.PoolInfoProperties(size_hint_bytes=fast)
        pools = memory_pools.WorkspaceMemoryPools(
            [
                memory_pools.WorkspacePoolInfo("fast", [target], hint),
                memory_pools.WorkspacePoolInfo("slow", [target]),
            ]
        )
        factory = builds.aot(network(), builds.C_PLANNED, workspace_memory_pools=pools)
        path = self.directory / f"fast-{fast}-usmp" / "module.tar"
        path.parent.mkdir()
        exporter.export(factory, path)
        exporter.add_members(path, exporter.captured_tir(factory))
        return path

    def test_of_which_one_gets_smaller(self):
        for fast, smaller in ((1400, "fast"), (300, "slow")):
            with self.subTest(fast=fast):
                archive = self.archive(fast)
                (module,) = support.json_of("plan", "--json", archive)["modules"]
                gains = {pool["name"]: pool["gain"] for pool in module["pools"]}
                self.assertEqual([name for name, gain in gains.items() if gain], [smaller])
                judge = plan_run.Judge()
                judge.archive(archive)
                self.assertEqual((judge.faults, judge.not_run), ([], []))
                self.assertEqual((judge.networks, judge.moved), (1, 1))
                self.assertGreater(judge.wrong, 0)

    def test_that_tvm_laid_out_wrong_are_refused(self):
        archive = self.archive(1600)
        planned = self.directory / "planned.tar"
        result = support.run_to(1, "optimize", "--only", "ram", archive, "-o", planned)
        why = "'sid_3_let' is put over 'sid_2_let', which is still in use"
        self.assertIn(why, result.stderr.decode())
        self.assertNotEqual(support.run("verify", archive).returncode, 0)
        root = support.unpacked(archive, self.directory / "archive")
        [document] = dict(plan_run.networks(archive)).values()
        program = plan_programs.Network(root, document, self.directory / "work")
        with self.assertRaises(plan_programs.Failed):
            program.outputs("poisoned", 1)


if __name__ == "__main__":
    unittest.main()
