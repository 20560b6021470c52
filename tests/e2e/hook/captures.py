"""Captures as people use them: contexts, threads, captures in captures, and what is asked of them.

Usage: PYTHON_OF_A_TVM_VENV captures.py
"""

import contextlib
import os
import pathlib
import re
import tempfile
import threading
import unittest
from unittest import mock

import hook_support as hook

import mlf_tvmc
import support
from mlf_tvmc import tvm_api
from mlf_tvmc.capture import capture_for_archives
import tvm
from tvm import relay

import devices

_AOT = relay.backend.Executor("aot")
_GRAPH = relay.backend.Executor("graph")
_CONFIG = {"tir.disable_vectorize": True, "tir.usmp.enable": False}


def state_of_tvm():
    """What a capture replaces."""
    context = tvm.transform.PassContext
    return context.__init__, relay.build_module.BuildModule.build, context.current()


def config():
    return tvm.transform.PassContext(opt_level=3, config=_CONFIG)


def build(name="default"):
    return devices.build_for_microcontroller(devices.softmax_network(), _AOT, name)


class Contexts(devices.Captures):
    def test_a_context_older_than_the_capture_is_captured(self):
        context = tvm.transform.PassContext(opt_level=3, config=_CONFIG)
        with mlf_tvmc.capture("lowered,codegen") as captured, context:
            relay.build(devices.softmax_network(), tvm.target.Target("c", host="c"))
        self.assertEqual(self.export(captured), devices.files("tir-1", "tir-1.codegen"))

    def test_builds_without_an_end_are_captured_before_the_capture_ends(self):
        with mlf_tvmc.capture() as captured:
            with tvm.transform.PassContext(opt_level=3, config=_CONFIG):
                relay.vm.compile(devices.softmax_network(), target="llvm")
            self.assertEqual(self.export(captured), devices.files("tir-1"))

    def test_builds_without_an_end_end_with_the_next_build(self):
        with mlf_tvmc.capture() as captured:
            with tvm.transform.PassContext(opt_level=3, config=_CONFIG):
                for _ in range(2):
                    relay.vm.compile(devices.softmax_network(), target="llvm")
        self.assertEqual(self.export(captured), devices.files("tir-1", "tir-1-llvm"))
        self.assertEqual(*(self.functions(f"{stem}.json") for stem in ("tir-1", "tir-1-llvm")))

    def test_whatever_ends_a_capture_its_builds_are_kept_and_tvm_is_as_it_was(self):
        before = state_of_tvm()
        for kind in (KeyboardInterrupt, SystemExit, ValueError):
            with self.assertRaises(kind), mlf_tvmc.capture() as captured:
                build()
                raise kind
            self.assertEqual(self.export(captured), devices.files("tir-1"))
            self.assertEqual(state_of_tvm(), before)


class Exporting(devices.Captures):
    def export_archive(self, factory, stages):
        archive = self.directory / "module.tar"
        mlf_tvmc.export_model_library_format(factory, archive, stages)
        return archive


class Several(Exporting):
    def test_a_capture_may_be_entered_again_but_not_inside_itself(self):
        before = state_of_tvm()
        captured = mlf_tvmc.capture()
        with captured:
            build()
            with self.assertRaisesRegex(RuntimeError, "already active"), captured:
                pass
        self.assertEqual(state_of_tvm(), before)
        with captured:
            build()
        self.assertEqual(len(captured.builds), 2)

    def test_captures_in_captures_keep_the_stages_that_each_was_asked_for(self):
        with mlf_tvmc.capture("topology") as outer:
            with mlf_tvmc.capture("lowered,codegen") as inner:
                factory = build()
        self.assertEqual([len(captured.builds) for captured in (outer, inner)], [1, 1])
        for stages in ("topology", "codegen", "lowered,codegen"):
            archive = self.export_archive(factory, stages)
            stages = stages.split(",")
            self.assertEqual(hook.own_names(archive), hook.expected_names(stages))

    def test_builds_in_several_threads_are_told_apart(self):
        factories = {}

        def build_in_thread():
            factories["second"] = build("second")

        @tvm.instrument.pass_instrument
        class Interrupting:
            def run_before_pass(self, module, info):
                if info.name == "tir.LowerTVMBuiltin" and not factories:
                    thread = threading.Thread(target=build_in_thread)
                    thread.start()
                    thread.join()

        with mlf_tvmc.capture("codegen") as captured:
            with tvm.transform.PassContext(3, config=_CONFIG, instruments=[Interrupting()]):
                factories["first"] = relay.build(
                    devices.softmax_network(),
                    tvm.target.Target("c", host="c"),
                    executor=_AOT,
                    runtime=relay.backend.Runtime("crt"),
                    mod_name="first",
                )
        self.assertEqual(len(captured.builds), 2)
        other = {"first": "second", "second": "first"}
        for name, factory in factories.items():
            text = hook.member(self.export_archive(factory, "codegen"), "src/tir-1.codegen.txt")
            self.assertIn(f"tvmgen_{name}_fused_nn_softmax", text)
            self.assertNotIn(f"tvmgen_{other[name]}_", text)


class OfArchives(Exporting):
    def test_for_archives_of_the_default_stage_no_pass_is_watched(self):
        watched = AssertionError("a pass is watched")
        with mock.patch.object(tvm_api, "instrument", side_effect=watched):
            with capture_for_archives("lowered"), hook.LoweredModules() as lowered:
                factory = devices.build_for_microcontroller(devices.softmax_network(), _GRAPH)
                archive = self.export_archive(factory, "lowered")
            with self.assertRaisesRegex(AssertionError, str(watched)):
                capture_for_archives("lowered,codegen").__enter__()
        self.assertEqual(hook.own_names(archive), hook.expected_names(["lowered"]))
        (module,) = lowered.last.values()
        self.assertEqual(hook.member(archive, "src/tir-1.tvm.json"), tvm.ir.save_json(module))


class Archives(unittest.TestCase):
    def test_where_nothing_is_kept_nothing_can_be_added(self):
        message = f"{os.devnull}: not a regular file, it cannot be replaced"
        with self.assertRaisesRegex(mlf_tvmc.ExportError, message):
            mlf_tvmc.export_model_library_format(build(), os.devnull)
        self.assertTrue(pathlib.Path(os.devnull).is_char_device())


class Readme(unittest.TestCase):
    def test_examples_do_what_their_comments_state(self):
        pages = (support.SOURCE / "mlf" / "tvmc" / "README.md", support.SOURCE / "mlf" / "guide" / "capture.md")
        text = "".join(page.read_text() for page in pages)
        examples = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        # options.py runs the one that changes TVM for the whole process.
        examples = [example for example in examples if ".install()" not in example]
        names = {
            "module": devices.softmax_network(),
            "target": tvm.target.Target("c", host="c"),
            "executor": _AOT,
            "runtime": relay.backend.Runtime("crt"),
            "relay": relay,
            "tvm": tvm,
        }
        here = os.getcwd()
        self.addCleanup(os.chdir, here)
        for example, written in zip(examples, ("tir-1.topology.json", "tir-4.json", "tir-1.json"), strict=True):
            with tempfile.TemporaryDirectory() as directory:
                os.chdir(directory)
                # These wheels have no OpenCL.
                with contextlib.suppress(tvm.TVMError), config():
                    exec(example, names)
                self.assertTrue(pathlib.Path("tir", written).is_file(), written)
                os.chdir(here)


class Documents(unittest.TestCase):
    def test_a_module_that_tvm_serialises_in_part_gives_a_warning(self):
        factory = build()
        (module,) = factory.lowered_ir_mods.values()
        with self.assertWarnsRegex(mlf_tvmc.CaptureWarning, "its attribute 'external_mods'"):
            document = mlf_tvmc.get_json(module.with_attr("external_mods", [factory.lib]))
        names = {function["name"] for function in document["functions"]}
        self.assertEqual(names, {var.name_hint for var in module.functions})

    def test_a_product_without_a_module_is_an_error(self):
        with self.assertRaisesRegex(mlf_tvmc.ExportError, "TVM cannot serialise the module: "):
            mlf_tvmc.get_json(5)


if __name__ == "__main__":
    unittest.main()
