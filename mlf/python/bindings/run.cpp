// Runs a network on this computer.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <tuple>
#include <utility>

#include "bindings.h"
#include "errors.h"
#include "mlf/deployment.h"
#include "mlf/profile.h"
#include "mlf/run.h"
#include "strings.h"

namespace mlf::python {
namespace {

namespace nb = nanobind;

/// Name, element type, shape and bytes of an array of NumPy.
using Array = std::tuple<std::string, std::string, std::vector<std::int64_t>, nb::bytes>;

std::vector<Tensor> tensors_of(const std::vector<Array>& arrays) {
  std::vector<Tensor> tensors;
  for (const auto& [name, type, shape, bytes] : arrays) {
    const auto dtype = tir::parse_dtype(type);
    if (!dtype) {
      raise({ErrorKind::usage, "input '" + name + "' has elements of type " + type, {}});
    }
    tensors.push_back({name, *dtype, shape, std::string(bytes.c_str(), bytes.size())});
  }
  return tensors;
}

/// More seconds than a timeout can represent are as good as none.
std::chrono::milliseconds timeout_of(double seconds) {
  return std::chrono::ceil<std::chrono::milliseconds>(
      std::min(seconds_above_0(seconds), std::chrono::duration<double>(1e9)));
}

nb::tuple array_of(const Tensor& tensor) {
  return nb::make_tuple(str(tensor.name), numpy_type(tensor.dtype), tensor.shape,
                        nb::bytes(tensor.bytes.data(), tensor.bytes.size()));
}

/// What `use` makes of the network of a module, by its index.
template <class Use>
auto with_network(const Deployment& deployment, std::size_t module, Use use) {
  using Used = decltype(use(std::declval<const Network&>()));
  return deployment.networks().and_then([&](const Networks& networks) -> Used {
    for (const Network& network : networks.found) {
      if (network.module == module) return use(network);
    }
    return tl::unexpected(Diagnostic{ErrorKind::check_failed, "this module has no network", {}});
  });
}

RunResult run(const Deployment& self, std::size_t module, const std::vector<Array>& inputs,
              std::optional<std::uint64_t> seed, RecordedCalls calls, const std::string& cpu,
              const std::string& command, const std::vector<std::string>& flags, double seconds) {
  const RunOptions options{.inputs = tensors_of(inputs),
                           .seed = seed,
                           .calls = calls,
                           .cpu = cpu,
                           .compiler = {.command = command, .flags = flags},
                           .timeout = timeout_of(seconds)};
  return value_or_raise(without_gil([&] {
    return with_network(
        self, module, [&](const Network& network) { return run_network(self, network, options); });
  }));
}

/// The document of a profile.
nb::str profile(const Deployment& self, std::size_t module, const std::string& cpu,
                const std::vector<Array>& inputs, std::uint64_t seed, const std::string& command,
                const std::vector<std::string>& flags, std::uint64_t runs, double seconds,
                std::optional<std::uint64_t> hertz,
                std::optional<std::pair<double, double>> cycles) {
  const RunOptions options{.inputs = tensors_of(inputs),
                           .seed = seed,
                           .cpu = cpu,
                           .compiler = {.command = command, .flags = flags},
                           .timeout = timeout_of(seconds)};
  Profile profile = value_or_raise(without_gil([&] {
    return with_network(self, module, [&](const Network& network) {
      return profile_network(self, network, options, runs);
    });
  }));
  if (hertz) {
    std::optional<CyclesPerInstruction> assumed;
    if (cycles) {
      assumed = {.min = cycles->first, .max = cycles->second, .source = std::string(kStatedByUser)};
    }
    value_or_raise(set_clock(profile, *hertz, std::move(assumed)));
  }
  return str(to_json(profile, JsonLayout::compact));
}

/// What the file lost, one sentence each.
std::vector<std::string> instrument(const Deployment& self, std::size_t module,
                                    const std::filesystem::path& output) {
  return value_or_raise(without_gil([&] {
    return with_network(self, module, [&](const Network& network) {
      return write_instrumented(self, network, output.native());
    });
  }));
}

std::vector<std::string> remove_instruments(const Deployment& self,
                                            const std::filesystem::path& output) {
  return value_or_raise(
      without_gil([&] { return write_without_instruments(self, output.native()); }));
}

nb::list outputs(const RunResult& self) {
  nb::list arrays;
  for (const Tensor& one : self.outputs) arrays.append(array_of(one));
  return arrays;
}

nb::list calls(const RunResult& self) {
  nb::list arrays;
  for (const RecordedTensor& one : self.calls) arrays.append(array_of(one.tensor));
  return arrays;
}

}  // namespace

void bind_run(nb::module_& module) {
  nb::enum_<RecordedCalls>(module, "RecordedCalls")
      .value("nothing", RecordedCalls::nothing)
      .value("results", RecordedCalls::results);
  nb::class_<RunResult>(module, "RunResult")
      .def_prop_ro("outputs", &outputs,
                   nb::for_getter(
                       nb::sig("def outputs(self, /) -> list[tuple[str, str, list[int], bytes]]")))
      .def_prop_ro(
          "calls", &calls,
          nb::for_getter(nb::sig("def calls(self, /) -> list[tuple[str, str, list[int], bytes]]")));
  module.def("run", &run, nb::arg("archive"), nb::arg("module"), nb::arg("inputs"),
             nb::arg("seed").none(), nb::arg("calls"), nb::arg("cpu"), nb::arg("compiler"),
             nb::arg("flags"), nb::arg("seconds"));
  module.def("profile", &profile, nb::arg("archive"), nb::arg("module"), nb::arg("cpu"),
             nb::arg("inputs"), nb::arg("seed"), nb::arg("compiler"), nb::arg("flags"),
             nb::arg("runs"), nb::arg("seconds"), nb::arg("hertz").none(),
             nb::arg("cycles").none());
  module.def("instrument", &instrument,
             nb::sig("def instrument(archive: Archive, module: int, "
                     "output: str | os.PathLike[str]) -> list[str]"));
  module.def("remove_instruments", &remove_instruments,
             nb::sig("def remove_instruments(archive: Archive, "
                     "output: str | os.PathLike[str]) -> list[str]"));
}

}  // namespace mlf::python
