#include "run/program.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <variant>

namespace mlf::run {
namespace {

using graph::Argument;
using graph::Call;
using graph::Topology;

/// The common part of all programs. TVM's runtime provides the functions at its end.
constexpr std::string_view kRuntime = R"c(
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tvm/runtime/c_backend_api.h"

static FILE *mlf_inputs;
static FILE *mlf_results;

static void mlf_fail(const char *why) {
  fprintf(stderr, "mlf: %s\n", why);
  exit(3);
}

static void *mlf_memory(size_t bytes) {
  const size_t size = (bytes + 64) / 64 * 64;
  void *memory = aligned_alloc(64, size);
  if (memory == NULL) mlf_fail("there is not enough memory");
  return memset(memory, 0, size);
}

static void mlf_read(void *memory, size_t bytes) {
  if (fread(memory, 1, bytes, mlf_inputs) != bytes) mlf_fail("the inputs cannot be read");
}

static void mlf_save(const void *memory, size_t bytes) {
  if (fwrite(memory, 1, bytes, mlf_results) != bytes) mlf_fail("the results cannot be written");
}

static void mlf_begin(void) {
  mlf_inputs = fopen("inputs", "rb");
  mlf_results = fopen("results", "wb");
  if (mlf_inputs == NULL || mlf_results == NULL) mlf_fail("its files cannot be opened");
}

static void mlf_check(int status) {
  if (status == 0) return;
  fprintf(stderr, "mlf: the network returned %d\n", status);
  exit(3);
}

void *TVMBackendAllocWorkspace(int device_type, int device_id, uint64_t bytes, int code, int bits) {
  (void)device_type, (void)device_id, (void)code, (void)bits;
  return mlf_memory(bytes);
}

int TVMBackendFreeWorkspace(int device_type, int device_id, void *memory) {
  (void)device_type, (void)device_id;
  free(memory);
  return 0;
}

void TVMAPISetLastError(const char *message) {
  fprintf(stderr, "mlf: the network says: %s\n", message);
}

)c";

constexpr std::string_view kPackedParameters =
    "(TVMValue *args, int *codes, int count, TVMValue *result, int *code, void *resource)";

/// A DLTensor as an expression.
std::string tensor_of(const std::string& memory, const tir::DType dtype,
                      const std::vector<std::int64_t>& shape) {
  return fmt::format(
      "{{.data = {}, .device = {{kDLCPU, 0}}, .ndim = {}, .dtype = {{{}, {}, {}}}, "
      ".shape = (int64_t[]){{{}}}, .strides = NULL, .byte_offset = 0}}",
      memory, shape.size(), static_cast<int>(dtype.code), dtype.bits, dtype.lanes,
      shape.empty() ? "1" : fmt::format("{}", fmt::join(shape, ", ")));
}

struct PackedTensor {
  std::string memory;
  tir::DType dtype;
  std::vector<std::int64_t> shape;
};

class ProgramWriter {
 public:
  explicit ProgramWriter(const RunPlan& plan) : plan_(plan), network_(*plan.network) {
    for (const RecordedTensor& one : plan.records) records_[one.call].push_back(&one);
  }

  std::string write() {
    text_ = kRuntime;
    if (plan_.entry.symbol.empty()) {
      kernels();
      begin();
      graph();
    } else {
      hooks();
      if (!plan_.entry.header.empty()) line("#include \"{}\"", plan_.entry.header);
      if (plan_.entry.header.empty()) declare_packed(plan_.entry.symbol);
      for (const GivenPool& pool : plan_.pools) {
        if (pool.data.empty()) continue;
        line("static unsigned char mlf_pool_{}[{}] __attribute__((aligned(64))) = {{{}}};",
             pool.name, pool.bytes, pool.data);
      }
      begin();
      main_function();
    }
    line("  return fclose(mlf_results) == 0 ? 0 : 3;\n}}");
    return std::move(text_);
  }

 private:
  template <class... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
    text_ += '\n';
  }

  void declare_packed(const std::string& symbol) {
    line("int32_t {}{};", symbol, kPackedParameters);
  }

  void begin() {
    line("int main(void) {{");
    line("  mlf_begin();");
  }

  /// `data` returns, for an argument, the C expression of the pointer to it.
  template <class Data>
  void save(graph::CallId call, bool results, const Data& data) {
    const auto found = records_.find(call);
    if (found == records_.end()) return;
    for (const RecordedTensor* one : found->second) {
      if (one->is_result != results) continue;
      line("  mlf_save({}, {});", data(one->argument), one->tensor.bytes.size());
    }
  }

  // --- The graph executor -----------------------------------------------------------------------

  void kernels() {
    for (const graph::Kernel& kernel : network_.kernels) declare_packed(kernel.symbol);
  }

  void graph() {
    std::vector<std::uint64_t> sizes(network_.storages.size());
    for (std::size_t i = 0; i < sizes.size(); ++i)
      sizes[i] = network_.storages[i].bytes.value_or(0);
    for (const graph::Value& value : network_.values) {
      std::uint64_t& size = sizes[index(value.storage)];
      size = std::max(size, value.bytes.value_or(0));
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      line("  void *storage_{} = mlf_memory({});", i, sizes[i]);
    }
    for (const InputTensor& input : plan_.inputs) {
      line("  mlf_read({}, {});", memory_of(input.value), input.tensor.bytes.size());
    }
    // Calls and copies in the order of their positions.
    std::map<graph::Position, std::variant<graph::CallId, const graph::Copy*>> steps;
    for (std::size_t i = 0; i < network_.calls.size(); ++i) {
      steps.emplace(network_.calls[i].position, graph::CallId{static_cast<std::uint32_t>(i)});
    }
    for (const graph::Copy& copy : network_.copies) steps.emplace(copy.position, &copy);
    for (const auto& [position, step] : steps) {
      if (const auto* const call = std::get_if<graph::CallId>(&step)) {
        graph_call(*call);
      } else {
        const graph::Copy& copy = *std::get<const graph::Copy*>(step);
        line("  memmove({}, {}, {});", memory_of(copy.writes), memory_of(*copy.reads),
             copy.bytes.value_or(0));
      }
    }
    for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
      line("  mlf_save({}, {});", memory_of(*network_.outputs[i].value),
           plan_.outputs[i].bytes.size());
    }
  }

  std::string memory_of(graph::ValueId value) const {
    return fmt::format("storage_{}", index(network_[value].storage));
  }

  void graph_call(graph::CallId id) {
    const Call& call = network_[id];
    std::vector<PackedTensor> tensors;
    for (const Argument& argument : call.arguments) {
      tensors.push_back({fmt::format("storage_{}", index(*argument.storage)), argument.type.dtype,
                         argument.type.shape.value_or(std::vector<std::int64_t>{})});
    }
    const auto data = [&](std::size_t argument) { return tensors[argument].memory; };
    save(id, false, data);
    packed_call(network_.kernel_of(call).symbol, tensors);
    save(id, true, data);
  }

  void packed_call(const std::string& symbol, const std::vector<PackedTensor>& tensors) {
    line("  {{");
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      line("    DLTensor tensor_{} = {};", i,
           tensor_of(tensors[i].memory, tensors[i].dtype, tensors[i].shape));
    }
    std::string values;
    std::string codes;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      values += fmt::format("{}{{.v_handle = &tensor_{}}}", i == 0 ? "" : ", ", i);
      codes += i == 0 ? "7" : ", 7";  // kTVMDLTensorHandle
    }
    line("    TVMValue args[] = {{{}}}, result;", values);
    line("    int codes[] = {{{}}}, code;", codes);
    line("    mlf_check({}(args, codes, {}, &result, &code, NULL));", symbol, tensors.size());
    line("  }}");
  }

  // --- AOT --------------------------------------------------------------------------------------

  /// The functions that main calls in place of kernels.
  void hooks() {
    for (const auto& [id, records] : records_) {
      const Call& call = network_[id];
      const std::string& kernel = network_.kernel_of(call).symbol;
      std::vector<std::string> names;
      for (std::size_t i = 0; i < call.arguments.size(); ++i)
        names.push_back(fmt::format("a{}", i));
      const std::string unpacked = fmt::format("(void *{})", fmt::join(names, ", void *"));
      const std::string parameters = plan_.is_packed ? std::string(kPackedParameters) : unpacked;
      const std::string arguments = plan_.is_packed ? "args, codes, count, result, code, resource"
                                                    : fmt::format("{}", fmt::join(names, ", "));
      const auto data = [&](std::size_t argument) {
        return plan_.is_packed ? fmt::format("((DLTensor *)args[{}].v_handle)->data", argument)
                               : names[argument];
      };
      line("int32_t {}{};", kernel, parameters);
      line("int32_t {}{} {{", hook_of(id), parameters);
      save(id, false, data);
      line("  const int32_t status = {}({});", kernel, arguments);
      save(id, true, data);
      line("  return status;\n}}\n");
    }
  }

  void main_function() {
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    for (const InputTensor& input : plan_.inputs) {
      inputs.push_back(fmt::format("input_{}", inputs.size()));
      line("  void *{} = mlf_memory({});", inputs.back(), input.tensor.bytes.size());
      line("  mlf_read({}, {});", inputs.back(), input.tensor.bytes.size());
    }
    for (const Tensor& output : plan_.outputs) {
      outputs.push_back(fmt::format("output_{}", outputs.size()));
      line("  void *{} = mlf_memory({});", outputs.back(), output.bytes.size());
    }
    if (plan_.entry.header.empty()) {
      std::vector<PackedTensor> tensors;
      for (std::size_t i = 0; i < inputs.size(); ++i)
        add(tensors, inputs[i], plan_.inputs[i].tensor);
      for (std::size_t i = 0; i < outputs.size(); ++i) add(tensors, outputs[i], plan_.outputs[i]);
      packed_call(plan_.entry.symbol, tensors);
    } else {
      c_call(inputs, outputs);
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      line("  mlf_save({}, {});", outputs[i], plan_.outputs[i].bytes.size());
    }
  }

  static void add(std::vector<PackedTensor>& tensors, const std::string& memory,
                  const Tensor& tensor) {
    tensors.push_back({memory, tensor.dtype, tensor.shape});
  }

  void c_call(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs) {
    std::vector<std::string> arguments;
    for (const std::string& name : plan_.entry.structs) {
      arguments.push_back(fmt::format("&argument_{}", arguments.size()));
      std::vector<std::string> fields;
      if (name.ends_with("_inputs")) fields = inputs;
      if (name.ends_with("_outputs")) fields = outputs;
      if (name.ends_with("_workspace_pools")) {
        for (const GivenPool& pool : plan_.pools) {
          fields.push_back(pool.data.empty()
                               ? fmt::format(".{} = mlf_memory({})", pool.name, pool.bytes)
                               : fmt::format(".{0} = mlf_pool_{0}", pool.name));
        }
      }
      // Devices are null: the application has the drivers that use them.
      if (fields.empty()) fields = {"0"};
      line("  struct {} argument_{} = {{{}}};", name, arguments.size() - 1,
           fmt::join(fields, ", "));
    }
    line("  mlf_check({}({}));", plan_.entry.symbol, fmt::join(arguments, ", "));
  }

  const RunPlan& plan_;
  const Topology& network_;
  std::map<graph::CallId, std::vector<const RecordedTensor*>> records_;
  std::string text_;
};

}  // namespace

std::string hook_of(graph::CallId call) {
  return fmt::format("mlf_call_{}", index(call));
}

std::string program_text(const RunPlan& plan) {
  return ProgramWriter(plan).write();
}

}  // namespace mlf::run
