// metadata.json: the structures of mlf/model_library.h under their own names.
#include "mlf/model_library.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.h"

namespace mlf::python {
namespace {

namespace nb = nanobind;

void bind_target(nb::module_& module) {
  nb::class_<Target>(module, "Target", "A compilation target.")
      .def_ro("text", &Target::text)
      .def_ro("kind", &Target::kind)
      .def_ro("tag", &Target::tag)
      .def_ro("keys", &Target::keys)
      .def_ro("device_type", &Target::device_type)
      .def_prop_ro("host",
                   [](const Target& target) {
                     return target.host ? std::optional(*target.host) : std::nullopt;
                   })
      .def("__repr__", [](const Target& target) { return "Target(" + target.text + ")"; });
}

void bind_memory(nb::module_& module) {
  nb::class_<FileRef>(module, "File", "A member of an archive.")
      .def_ro("name", &FileRef::name)
      .def_ro("size", &FileRef::size)
      .def("__repr__", [](const FileRef& file) { return "File(" + file.name + ")"; });
  nb::class_<IoTensor>(module, "IoTensor", "An input or output, sorted by name in metadata.")
      .def_ro("name", &IoTensor::name)
      .def_ro("size_bytes", &IoTensor::size_bytes)
      .def_ro("dtype", &IoTensor::dtype);
  nb::class_<MainMemory>(module, "MainMemory", "Memory of main on one type of device, in bytes.")
      .def_ro("device", &MainMemory::device)
      .def_ro("workspace_size_bytes", &MainMemory::workspace_size_bytes)
      .def_ro("constants_size_bytes", &MainMemory::constants_size_bytes)
      .def_ro("io_size_bytes", &MainMemory::io_size_bytes)
      .def_ro("inputs", &MainMemory::inputs)
      .def_ro("outputs", &MainMemory::outputs);
}

}  // namespace

void bind_model_library(nb::module_& module) {
  bind_target(module);
  bind_memory(module);
  nb::enum_<Style>(module, "Style")
      .value("full_model", Style::full_model)
      .value("operator_only", Style::operator_only);
  nb::enum_<Executor>(module, "Executor")
      .value("aot", Executor::aot)
      .value("graph", Executor::graph);
  nb::class_<Module>(module, "Module", "A module as metadata.json has it.")
      .def_ro("name", &Module::name)
      .def_ro("model_name", &Module::model_name)
      .def_ro("export_datetime", &Module::export_datetime)
      .def_ro("style", &Module::style)
      .def_ro("executors", &Module::executors)
      .def_prop_ro("targets",
                   [](const Module& self) {
                     std::vector<Target> targets;
                     for (const ModuleTarget& target : self.targets) {
                       targets.push_back(target.target);
                     }
                     return targets;
                   })
      .def_prop_ro("main_memory", [](const Module& self) { return self.memory.main; })
      .def_prop_ro("sources", [](const Module& self) { return self.files.sources; })
      .def_prop_ro("objects", [](const Module& self) { return self.files.objects; })
      .def_prop_ro("headers", [](const Module& self) { return self.files.headers; })
      .def_prop_ro("parameters", [](const Module& self) { return self.files.parameters; })
      .def("__repr__", [](const Module& self) { return "Module(" + self.name + ")"; });
}

}  // namespace mlf::python
