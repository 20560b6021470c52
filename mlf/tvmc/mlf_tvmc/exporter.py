"""Export TIR to an archive, to a directory, or as a dictionary."""

import pathlib

from . import archive, build_directory, delivery, serialise, tvm_api
from . import stages as stages_
from .build import Build, TargetKey
from .capture import find_builds
from .errors import INPUT_OUTPUT, USAGE, ExportError


def _build_of(product, stages):
    """Return the build of a product of relay.build or tvm.build."""
    builds = [*find_builds(product), Build(lowered=tvm_api.modules_of(product))]
    lacks = [[stage.name for stage in stages if not build.was_asked_for(stage)] for build in builds]
    least = min(lacks, key=len)
    if least:
        raise ExportError(
            f"TVM does not keep the TIR of this build ({', '.join(least)}): "
            "build inside 'with mlf_tvmc.capture(stages=…)'",
            USAGE,
        )
    return builds[lacks.index(least)]


def _products(mods):
    return mods if isinstance(mods, list) else [mods]


def _builds_of(mods, stages):
    return [_build_of(product, stages) for product in _products(mods)]


def is_captured(mods):
    """Return whether a capture has the build of each of these products."""
    return all(find_builds(product) for product in _products(mods))


def export_model_library_format(
    mods, file_name, stages=("lowered",), enabled=True, save_json=True
):
    """Write an archive as TVM does, and add TIR, network and manifest.

    Replaces `tvm.micro.export_model_library_format`, and returns its result.

    `mods`: what relay.build or tvm.build returned, or several of them. `stages`: see `capture`. Without a
    capture, only "lowered" of the AOT executor and of operators is available. With `enabled=False` this is
    TVM's function. With `save_json=False` the archive gets the text alone, which lacks the data of constants
    and some attributes.

    Raises ExportError; the archive is then as TVM wrote it, except that a build without capture writes none.
    Anything else that is missing in the archive gives a CaptureWarning.
    """
    export = tvm_api.exporter()
    if not enabled:
        return export(mods, file_name)
    wanted = stages_.parse(stages)
    builds = _builds_of(mods, wanted)
    written = export(mods, file_name)
    archive.add_tir(written, delivery.files_of(builds, wanted, save_json))
    return written


def add_tir(mods, written, stages, save_json):
    """Add the TIR of `mods` to the archive that TVM wrote of them."""
    wanted = stages_.parse(stages)
    archive.add_tir(written, delivery.files_of(_builds_of(mods, wanted), wanted, save_json))


def export_tir(captured, directory, save_json=True):
    """Write the TIR of a Capture into a directory, and return the paths of the TIR.

    For builds that have no archive: several kinds of devices, other runtimes and executors, failed code
    generation. Every command of mlf takes the directory like an archive. Files are named as in an archive,
    without `src/`: `tir-2.txt` is the text of DLDeviceType 2, `tir-2.tvm.json` TVM's save_json of it,
    `tir-2.json` mlf's JSON, `tir-2.codegen.txt` another stage. `build.json` lists modules, targets and
    stages; mlf adds the network and its manifest `mlf.json`.

    Creates the directory if it is missing, and replaces TIR of an earlier export in it. If several builds
    have one name, the second is the module `default-2`, and so on.

    With `save_json=False` writes texts only.

    Raises ExportError; files written until then stay.
    """
    try:
        return build_directory.write(
            captured.builds, captured.stages, pathlib.Path(directory), save_json
        )
    except OSError as error:
        raise ExportError(f"{directory}: cannot write TIR: {error.strerror}", INPUT_OUTPUT) from error


def _found(product, stage, target):
    """Return the target, if there is one, and the functions of a product at a stage."""
    if not tvm_api.is_product(product):
        return TargetKey.common(tvm_api.targets_of(product)), product
    build = _build_of(product, (stage,))
    keys = [key for key, _ in build.modules(stage)]
    meant = [key for key in keys if target is None or key.is_called(target)]
    if not meant:
        known = f"known are {', '.join(key.kind for key in keys)}" if keys else build.why_nothing(stage)
        raise ExportError(f"there is no TIR for this target at stage '{stage.name}': {known}", USAGE)
    return meant[0] if len(meant) == 1 else None, build.whole(stage, meant)


def get_json(product, stage="lowered", target=None):
    """Return TIR as a dictionary: the document of schemas/tir.schema.json.

    `product`: an IRModule or PrimFunc of TVM, or what relay.build or tvm.build returned, or the `lib` of
    that. Of a build, `stage` is a stage of `capture`. `target` selects the functions of one target (default:
    all targets): a Target, its text or dictionary, its kind such as "opencl", or its DLDeviceType. Builds for
    the graph executor, and other stages than "lowered", must run inside `mlf_tvmc.capture()` or with the hook on.

    Leaves out attributes of a module that TVM cannot serialise, with a CaptureWarning for each. Raises
    ExportError for anything else, and if mlf is missing or fails.
    """
    (wanted,) = stages_.parse((stage,))
    key, module = _found(product, wanted, target)
    twin = serialise.lossless(module, "the module")
    stem = f"tir-{key.device_type if key else 0}{wanted.file_suffix}"
    return build_directory.document_of(delivery.Captured(wanted, key, stem, module), twin)
