"""Builds without an archive, and single functions: what capture and export_tir make of them.

Usage: PYTHON_OF_A_TVM_VENV devices.py
"""

import contextlib
import json
import unittest
import warnings

import hook_support as hook

import mlf_tvmc
import program_case
import support
import tvm
from tvm import relay, te

DLDEVICE = {"c": 1, "llvm": 1, "cuda": 2, "opencl": 4}


def softmax_network():
    data = relay.var("data", shape=(1, 8))
    return tvm.IRModule.from_expr(relay.nn.softmax(relay.exp(relay.tanh(data))))


def build(module, target, host, executor="graph"):
    # The generated C has no vector types, and LLVM in one of the wheels fails on some.
    with tvm.transform.PassContext(opt_level=3, config={"tir.disable_vectorize": True}):
        executor = relay.backend.Executor(executor)
        return relay.build(module, tvm.target.Target(target, host=host), executor=executor)


def build_for_microcontroller(module, executor, name="default"):
    config = {"tir.disable_vectorize": True, "tir.usmp.enable": False}
    with tvm.transform.PassContext(opt_level=3, config=config):
        target = tvm.target.Target("c", host="c")
        runtime = relay.backend.Runtime("crt")
        return relay.build(module, target, executor=executor, runtime=runtime, mod_name=name)


def two_device_network(gpu):
    data = relay.var("data", shape=(1, 8))
    on_gpu = relay.annotation.on_device(relay.exp(data), gpu, constrain_result=True)
    back = relay.op.device_copy(on_gpu, gpu, tvm.cpu())
    result = relay.annotation.on_device(relay.tanh(back), tvm.cpu(), constrain_result=True)
    return tvm.IRModule.from_expr(relay.Function([data], result))


def increment():
    data = te.placeholder((8,), name="A")
    result = te.compute((8,), lambda i: data[i] + 1.0, name="B")
    return te.create_schedule(result.op), [data, result]


class Captures(program_case.Directory):
    def export(self, captured):
        """The names of the files that export_tir writes."""
        paths = mlf_tvmc.export_tir(captured, self.directory / "tir")
        return {path.name for path in paths}

    def check_whole(self):
        for path in (self.directory / "tir").glob("*.tvm.json"):
            written = path.with_name(path.name.replace(".tvm.", "."))
            self.assertIsNone(hook.difference(path.read_text(), written.read_text()), path)

    def read(self, name):
        return json.loads((self.directory / "tir" / name).read_text())

    def functions(self, name):
        return {function["name"] for function in self.read(name)["functions"]}


def files(*stems):
    return {stem + end for stem in stems for end in (".txt", ".tvm.json", ".json")}


class Devices(Captures):
    def check(self, kind, host, outcome):
        with mlf_tvmc.capture(("lowered", "codegen")) as captured, outcome:
            build(softmax_network(), kind, host)
        device = f"tir-{DLDEVICE[kind]}"
        self.assertEqual(self.export(captured), files(device, device + ".codegen", "tir-1.codegen"))
        kernels = {"tvmgen_default_fused_tanh_exp", "tvmgen_default_fused_nn_softmax"}
        self.assertEqual(self.functions(f"{device}.json"), kernels)
        self.assertEqual(self.functions("tir-1.codegen.json"), kernels)
        on_device = self.functions(f"{device}.codegen.json")
        self.assertTrue(on_device and all("_kernel" in name for name in on_device), on_device)
        self.assertIn("threadIdx.x", json.dumps(self.read(f"{device}.json")))
        self.assertIn("threadIdx.x", json.dumps(self.read(f"{device}.codegen.json")))
        self.check_whole()

    def test_a_device_with_its_generator_is_captured(self):
        self.check("opencl", "c", contextlib.nullcontext())

    def test_a_device_with_a_main_on_the_host_is_captured(self):
        for host in ("c", "llvm"):
            with mlf_tvmc.capture(("lowered", "codegen")) as captured:
                build(softmax_network(), "opencl", host, "aot")
            self.assertEqual(self.export(captured), files("tir-1", "tir-1.codegen", "tir-4", "tir-4.codegen"))
            self.check_whole()

    def test_a_device_without_its_generator_is_captured(self):
        for host in ("c", "llvm"):
            self.check("cuda", host, self.assertRaises(tvm.TVMError))

    def test_kernels_on_two_devices_are_captured(self):
        cuda = tvm.target.Target("cuda", host="llvm")
        llvm = tvm.target.Target("llvm", host="llvm")
        with mlf_tvmc.capture() as captured, self.assertRaises(tvm.TVMError):
            relay.build(two_device_network(tvm.cuda()), target=[cuda, llvm])
        self.assertEqual(self.export(captured), files("tir-1", "tir-2"))
        self.assertEqual(self.functions("tir-1.json"), {"tvmgen_default_fused_tanh"})
        self.assertEqual(self.functions("tir-2.json"), {"tvmgen_default_fused_exp"})

    def test_builds_for_the_virtual_machine_are_captured(self):
        with mlf_tvmc.capture(("lowered", "codegen")) as captured:
            with tvm.transform.PassContext(opt_level=3, config={"tir.disable_vectorize": True}):
                relay.vm.compile(softmax_network(), target="llvm")
        self.assertEqual(self.export(captured), files("tir-1", "tir-1.codegen"))

    def test_builds_for_the_virtual_machine_with_two_devices_are_captured(self):
        opencl = tvm.target.Target("opencl", host="llvm")
        llvm = tvm.target.Target("llvm", host="llvm")
        with mlf_tvmc.capture() as captured:
            with tvm.transform.PassContext(opt_level=3, config={"tir.disable_vectorize": True}):
                relay.vm.compile(two_device_network(tvm.cl()), target=[opencl, llvm])
        self.assertEqual(self.export(captured), files("tir-1", "tir-4"))
        self.assertIn("threadIdx.x", json.dumps(self.read("tir-4.json")))

    def test_a_build_that_fails_before_there_is_tir_leaves_nothing(self):
        sides = [relay.var("left", shape=(2,)), relay.var("right", shape=(3,))]
        contradiction = tvm.IRModule.from_expr(relay.Function(sides, relay.add(*sides)))
        with mlf_tvmc.capture() as captured, self.assertRaises(tvm.error.DiagnosticError):
            build(contradiction, "c", "c")
        self.assertEqual(captured.builds, [])


class Passes(Captures):
    def test_modules_before_and_after_passes_are_captured(self):
        stages = ("before:tir.LowerTVMBuiltin", "after:tir.UnrollLoop")
        with mlf_tvmc.capture(stages) as captured:
            build(softmax_network(), "c", "c")
        stems = ("tir-1.before-tir.LowerTVMBuiltin", "tir-1.after-tir.UnrollLoop")
        self.assertEqual(self.export(captured), files(*stems))
        # The one runs over all kernels at once, the other one by one.
        self.assertEqual(*(self.functions(stem + ".json") for stem in stems))

    def test_a_missing_stage_is_reported(self):
        expected = {
            "topology": "only builds for the AOT executor have a main function",
            "after:tir.UnrolLoop": "that pass did not run; did you mean tir.UnrollLoop",
            "after:FuseOps": "no TIR passes through that pass",
        }
        with mlf_tvmc.capture(expected) as captured:
            build(softmax_network(), "c", "c")
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            self.assertEqual(self.export(captured), set())
        said = "\n".join(str(warning.message) for warning in seen)
        for stage, reason in expected.items():
            self.assertIn(f"no TIR at stage '{stage}': {reason}", said)

    def test_instruments_of_an_active_context_are_entered_again(self):
        seen = []

        @tvm.instrument.pass_instrument
        class Other:
            def run_before_pass(self, module, info):
                seen.append(info.name)

        config = {"tir.disable_vectorize": True}
        with tvm.transform.PassContext(config=config, instruments=[Other()]):
            with mlf_tvmc.capture("codegen") as captured:
                relay.build(softmax_network(), tvm.target.Target("c", host="c"))
        self.assertEqual(self.export(captured), files("tir-1.codegen"))
        self.assertIn("tir.LowerTVMBuiltin", seen)

    def test_constants_that_tvm_evaluates_are_no_builds(self):
        constants = [relay.const([1.0, 2.0]), relay.const([3.0, 4.0])]
        module = tvm.IRModule.from_expr(relay.Function([], relay.add(*constants)))
        with mlf_tvmc.capture() as captured:
            with tvm.transform.PassContext(opt_level=3):
                folded = relay.transform.FoldConstant()(module)
        self.assertIsInstance(folded["main"].body, relay.Constant)
        self.assertEqual(captured.builds, [])

    def test_a_directory_that_cannot_be_written_is_an_error(self):
        with mlf_tvmc.capture() as captured:
            build(softmax_network(), "c", "c")
        (self.directory / "tir").touch()
        with self.assertRaisesRegex(mlf_tvmc.ExportError, "tir: cannot write TIR: ") as caught:
            self.export(captured)
        self.assertEqual(caught.exception.exit_code, 74)

    def test_when_switched_off_nothing_is_captured(self):
        with mlf_tvmc.capture(enabled=False) as captured:
            build(softmax_network(), "c", "c")
        self.assertEqual(self.export(captured), set())

    def test_capturing_leaves_tvm_as_it_was(self):
        context = tvm.transform.PassContext
        before = (context.__init__, relay.build_module.BuildModule.build, context.current())
        with mlf_tvmc.capture():
            pass
        after = (context.__init__, relay.build_module.BuildModule.build, context.current())
        self.assertEqual(before, after)


class Operators(Captures):
    def setUp(self):
        with mlf_tvmc.capture(("lowered", "codegen")) as self.captured:
            target = tvm.target.Target("c", host="c")
            self.library = tvm.build(*increment(), target=target, name="increment")
        self.archive = self.directory / "module.tar"

    def test_an_operator_archive_gets_the_twin_of_its_tir_and_other_stages(self):
        mlf_tvmc.export_model_library_format(self.library, self.archive, ("lowered", "codegen"))
        self.assertEqual(
            hook.own_names(self.archive), files("tir-1", "tir-1.codegen") | {"mlf.json"}
        )
        (module,) = self.library.ir_module_by_target.values()
        twin = hook.member(self.archive, "src/tir-1.tvm.json")
        self.assertEqual(twin, tvm.ir.save_json(module))
        support.run_ok("verify", self.archive)

    def test_attributes_with_compiled_code_are_left_out_with_a_warning(self):
        yes = tvm.runtime.String("yes")
        (pair,) = self.library.ir_module_by_target.items()
        with_code = pair[1].with_attr("external_mods", [self.library]).with_attr("kept", yes)
        self.library.ir_module_by_target = {pair[0]: with_code}
        message = "at stage 'lowered' is captured without its attribute 'external_mods'"
        with self.assertWarnsRegex(mlf_tvmc.CaptureWarning, message):
            mlf_tvmc.export_model_library_format(self.library, self.archive)
        expected = tvm.ir.save_json(pair[1].with_attr("kept", yes))
        read = tvm.ir.load_json(hook.member(self.archive, "src/tir-1.tvm.json"))
        tvm.ir.assert_structural_equal(read, tvm.ir.load_json(expected))
        self.assertEqual(set(map(str, read.attrs.keys())), {"runtime", "kept"})

    def test_modules_and_functions_have_json(self):
        (module,) = self.library.ir_module_by_target.values()
        (function,) = module.functions.values()
        for node in (module, function):
            document = mlf_tvmc.get_json(node)
            self.assertEqual(document["format"], "mlf-tir")
            self.assertEqual(len(document["functions"]), 1)
            self.assertEqual(document["losses"], [])

    def test_results_of_tvm_build_have_json(self):
        document = mlf_tvmc.get_json(self.library)
        self.assertEqual([one["name"] for one in document["functions"]], ["increment"])


class Products(Captures):
    """get_json of what relay.build returns."""

    KERNELS = {"tvmgen_default_fused_tanh_exp", "tvmgen_default_fused_nn_softmax"}

    def functions_of(self, product):
        return {one["name"] for one in mlf_tvmc.get_json(product)["functions"]}

    def test_an_aot_factory_has_json(self):
        factory = build_for_microcontroller(softmax_network(), relay.backend.Executor("aot"))
        self.assertEqual(len(self.functions_of(factory) - {"__tvm_main__"}), 2)

    def test_a_graph_executors_factory_and_its_lib_have_json_inside_a_capture(self):
        with mlf_tvmc.capture():
            factory = build(softmax_network(), "opencl", "c")
        self.assertEqual(self.functions_of(factory), self.KERNELS)
        self.assertEqual(self.functions_of(factory.lib), self.KERNELS)

    def test_several_targets_are_one_document(self):
        executor = relay.backend.Executor("aot")
        with tvm.transform.PassContext(opt_level=3, config={"tir.disable_vectorize": True}):
            target = tvm.target.Target("opencl", host="c")
            factory = relay.build(softmax_network(), target, executor=executor)
        self.assertEqual(self.functions_of(factory), self.KERNELS | {"__tvm_main__"})

    def test_without_a_capture_the_message_has_the_line_to_add(self):
        factory = build(softmax_network(), "opencl", "c")
        with self.assertRaisesRegex(mlf_tvmc.ExportError, "build inside 'with mlf_tvmc.capture"):
            mlf_tvmc.get_json(factory)


@unittest.skipUnless(
    tvm.get_global_func("relay.ext.ccompiler", allow_missing=True), "this TVM has no such generator"
)
class ExternalGenerator(Captures):
    """Part of the network goes to a generator of its own, which leaves compiled code."""

    SYMBOL = "tvmgen_default_ccompiler_main_0"

    def network(self):
        data = relay.var("data", shape=(8, 8))
        external = relay.Function([data], relay.multiply(data, data))
        for name in ("Primitive", "Inline"):
            external = external.with_attr(name, tvm.tir.IntImm("int32", 1))
        external = external.with_attr("Compiler", "ccompiler")
        module = tvm.IRModule()
        callee = relay.GlobalVar(self.SYMBOL)
        module[callee] = external.with_attr("global_symbol", self.SYMBOL)
        module = relay.transform.InferType()(module)
        data = relay.var("data", shape=(8, 8))
        module["main"] = relay.Function([data], relay.nn.relu(callee(relay.exp(data))))
        return relay.transform.InferType()(module)

    def test_the_archive_has_everything_but_the_compiled_code(self):
        archive = self.directory / "module.tar"
        executor = relay.backend.Executor("aot")
        factory = build_for_microcontroller(self.network(), executor)
        with self.assertWarnsRegex(mlf_tvmc.CaptureWarning, "its attribute 'external_mods'"):
            mlf_tvmc.export_model_library_format(factory, archive)
        support.run_ok("verify", archive)
        network = json.loads(hook.member(archive, "src/default.topology.json"))
        self.assertIn(self.SYMBOL, [call["name"] for call in network["calls"]])


class WithoutCapture(Captures):
    """What a product itself has kept."""

    def test_a_stage_that_was_not_captured_is_an_error(self):
        with mlf_tvmc.capture("topology"):
            factory = build_for_microcontroller(softmax_network(), relay.backend.Executor("aot"))
        with self.assertRaisesRegex(
            mlf_tvmc.ExportError, r"of this build \(codegen\): build inside"
        ):
            stages = ("topology", "lowered", "codegen")
            mlf_tvmc.export_model_library_format(factory, self.directory / "module.tar", stages)

    def test_an_aot_build_has_its_lowered_module(self):
        archive = self.directory / "module.tar"
        factory = build_for_microcontroller(softmax_network(), relay.backend.Executor("aot"))
        mlf_tvmc.export_model_library_format(factory, archive)
        self.assertLess(files("tir-1"), hook.own_names(archive))
        with self.assertRaisesRegex(mlf_tvmc.ExportError, "build inside 'with mlf_tvmc.capture"):
            mlf_tvmc.export_model_library_format(factory, archive, ("codegen",))

    def test_modules_that_share_an_archive_have_files_of_their_own(self):
        archive = self.directory / "module.tar"
        executor = relay.backend.Executor("aot")
        names = ("first", "second")
        factories = [build_for_microcontroller(softmax_network(), executor, name) for name in names]
        mlf_tvmc.export_model_library_format(factories, archive)
        networks = {f"{name}.{kind}.json" for name in names for kind in ("topology", "graph")}
        expected = files("tir-1", "tir-1-c") | networks | {"mlf.json"}
        self.assertEqual(hook.own_names(archive), expected)
        support.run_ok("verify", archive)

    def test_a_network_and_tir_of_one_name_are_told_apart_or_refused(self):
        """Both end in .topology.json; TVM lets a module be called tir-1."""
        archive = self.directory / "module.tar"
        stages = ("topology", "lowered")
        with mlf_tvmc.capture(stages):
            executor = relay.backend.Executor("aot")
            factory = build_for_microcontroller(softmax_network(), executor, "tir-1")
        with self.assertRaisesRegex(mlf_tvmc.ExportError, "lead to one member"):
            mlf_tvmc.export_model_library_format(factory, archive, stages)
        self.assertEqual(hook.own_names(archive), {"tir-1.relay"})
        mlf_tvmc.export_model_library_format(factory, archive)
        manifest = json.loads(hook.member(archive, "src/mlf.json"))
        self.assertEqual([entry["member"] for entry in manifest["tir"]], ["src/tir-1.json"])
        network = json.loads(hook.member(archive, "src/tir-1.topology.json"))
        self.assertEqual(network["format"], "mlf-topology")

    def test_a_build_for_the_graph_executor_needs_a_capture(self):
        archive = self.directory / "module.tar"
        factory = build_for_microcontroller(softmax_network(), relay.backend.Executor("graph"))
        with self.assertRaisesRegex(mlf_tvmc.ExportError, "TVM does not keep the TIR"):
            mlf_tvmc.export_model_library_format(factory, archive)
        self.assertFalse(archive.exists())


if __name__ == "__main__":
    unittest.main()
