#include "run/program.h"

#include <fmt/core.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <variant>

#include "edit/call_slots.h"
#include "edit/edited_archive.h"

namespace mlf::run {
namespace {

using graph::Argument;
using graph::Call;
using graph::Topology;

/// The name of the function that main calls in place of a kernel.
std::string hook_of(graph::CallId call) {
  return fmt::format("mlf_call_{}", index(call));
}

/// What a program that measures calls uses, behind a runtime with `mlf_now`. Of each call, and last
/// of the network, `mlf_times` has the beginning and the end. Not inlined, so that every call has
/// the same overhead.
constexpr std::string_view kTimes = R"c(
__attribute__((noinline)) void mlf_enter(unsigned long call) { mlf_times[2 * call] = mlf_now(); }

__attribute__((noinline)) void mlf_leave(unsigned long call) {
  const uint64_t now = mlf_now();
  mlf_times[2 * call + 1] = now;
}

/* Takes any arguments. */
__asm__(".text\n.globl mlf_empty\n" MLF_EMPTY);

static void *volatile mlf_null;

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

/// Lines of C, and those that save the tensors of calls that a plan records.
class CText {
 protected:
  explicit CText(const RunPlan& plan) : plan_(plan), network_(*plan.network) {
    for (const RecordedTensor& one : plan.records) records_[one.call].push_back(&one);
  }

  template <class... Parts>
  void line(fmt::format_string<Parts...> format, Parts&&... parts) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Parts>(parts)...);
    text_ += '\n';
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

  const RunPlan& plan_;
  const Topology& network_;
  std::map<graph::CallId, std::vector<const RecordedTensor*>> records_;
  std::string text_;
};

/// The functions that are called in place of kernels.
class HookWriter : CText {
 public:
  explicit HookWriter(const RunPlan& plan) : CText(plan) {}

  /// They save tensors.
  std::string saving() {
    for (std::size_t i = 0; i < network_.calls.size() && !records_.empty(); ++i) {
      const graph::CallId id{static_cast<std::uint32_t>(i)};
      const Call& call = network_[id];
      const std::string& kernel = network_.kernel_of(call).symbol;
      const Signature signature = signature_of(call);
      const auto data = [&](std::size_t argument) {
        return plan_.is_packed ? fmt::format("((DLTensor *)args[{}].v_handle)->data", argument)
                               : fmt::format("a{}", argument);
      };
      line("int32_t {}{};", kernel, signature.parameters);
      line("int32_t {}{} {{", hook_of(id), signature.parameters);
      save(id, false, data);
      line("  const int32_t status = {}({});", kernel, signature.arguments);
      save(id, true, data);
      line("  return status;\n}}\n");
    }
    return std::move(text_);
  }

  /// They take times. Of each call there is another hook around an empty kernel, the times of
  /// which are the overhead.
  std::string timed() {
    const std::size_t calls = network_.calls.size();
    line("static uint64_t mlf_times[{}];", 2 * (calls + 1));
    line("static uint64_t mlf_overheads[{}];", kOverheads * calls + 2);
    text_ += kTimes;
    std::string calibration;
    for (std::size_t i = 0; i < calls; ++i) {
      const graph::CallId id{static_cast<std::uint32_t>(i)};
      const Signature signature = signature_of(network_[id]);
      const std::string empty = fmt::format("mlf_empty_{}", i);
      const std::string twin = fmt::format("mlf_twin_{}", i);
      const std::string& kernel = network_.kernel_of(network_[id]).symbol;
      line("int32_t {}{};", kernel, signature.parameters);
      line("int32_t {}{} __asm__(\"mlf_empty\");", empty, signature.parameters);
      for (const auto& [name, callee] : {std::pair(hook_of(id), kernel), std::pair(twin, empty)}) {
        line("__attribute__((noinline)) int32_t {}{} {{", name, signature.parameters);
        line("  mlf_enter({});", i);
        line("  const int32_t status = {}({});", callee, signature.arguments);
        line("  mlf_leave({});\n  return status;\n}}\n", i);
      }
      calibration += fmt::format(
          "  now[0] = mlf_now();\n  {0}({1});\n  now[1] = mlf_now();\n  {2}({1});\n"
          "  now[2] = mlf_now();\n  memcpy(now + 3, mlf_times + {3}, 16);\n  now += {4};\n",
          twin, signature.nulls, empty, 2 * i, kOverheads);
    }
    line("static void mlf_calibrate(void) {{\n  uint64_t *now = mlf_overheads;\n{}", calibration);
    line("  mlf_enter({0});\n  mlf_leave({0});\n  memcpy(now, mlf_times + {1}, 16);\n}}\n", calls,
         2 * calls);
    return std::move(text_);
  }

 private:
  /// The parameters of a call's kernel, as a list in C, and their names.
  struct Signature {
    std::string parameters;
    std::string arguments;
    std::string nulls;  ///< as many null pointers and zeros
  };

  Signature signature_of(const Call& call) const {
    if (plan_.is_packed || plan_.entry.function.empty()) {
      return {std::string(kPackedParameters), "args, codes, count, result, code, resource",
              "mlf_null, mlf_null, 0, mlf_null, mlf_null, mlf_null"};
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < call.arguments.size(); ++i) names.push_back(fmt::format("a{}", i));
    return {fmt::format("(void *{})", fmt::join(names, ", void *")),
            fmt::format("{}", fmt::join(names, ", ")),
            fmt::format("{}", fmt::join(std::vector<std::string>(names.size(), "mlf_null"), ", "))};
  }
};

class ProgramWriter : CText {
 public:
  ProgramWriter(const RunPlan& plan, const Program& program) : CText(plan), program_(program) {}

  std::string write() {
    text_ = program_.runtime;
    if (is_timed()) text_ += HookWriter(plan_).timed();
    if (plan_.entry.function.empty()) {
      if (!is_timed()) kernels();
      begin();
      graph();
    } else {
      if (!is_timed()) text_ += HookWriter(plan_).saving();
      if (!plan_.header.empty()) line("#include \"{}\"", plan_.header);
      if (plan_.takes_tensors) {
        const std::size_t tensors = plan_.inputs.size() + plan_.outputs.size();
        line("int32_t {}({});", plan_.entry.function,
             fmt::join(std::vector<std::string>(tensors, "void *"), ", "));
      } else if (plan_.header.empty()) {
        declare_packed(plan_.entry.function);
      }
      for (const deployment::GivenPool& pool : plan_.pools) {
        if (pool.data.empty()) continue;
        line("static unsigned char mlf_pool_{}[{}] __attribute__((aligned(64))) = {{{}}};",
             pool.name, pool.bytes, pool.data);
      }
      begin();
      main_function();
    }
    line("  return mlf_end();\n}}");
    return std::move(text_);
  }

 private:
  bool is_timed() const { return program_.timed_runs > 0; }

  void declare_packed(const std::string& symbol) {
    line("int32_t {}{};", symbol, kPackedParameters);
  }

  void begin() {
    line("int main(void) {{");
    line("  mlf_begin();");
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
    begin_runs();
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
    end_runs();
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
    packed_call(is_timed() ? hook_of(id) : network_.kernel_of(call).symbol, tensors);
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
    // TVM's wrapper has pools behind the tensors, and main reads their codes from the same list.
    const std::size_t pools = symbol == plan_.entry.function ? network_.pools.size() : 0;
    for (std::size_t i = 0; i < tensors.size() + pools; ++i) {
      if (i < tensors.size()) {
        values += fmt::format("{}{{.v_handle = &tensor_{}}}", i == 0 ? "" : ", ", i);
      }
      codes += i == 0 ? "7" : ", 7";  // kTVMDLTensorHandle
    }
    line("    TVMValue args[] = {{{}}}, result;", values);
    line("    int codes[] = {{{}}}, code;", codes);
    checked(fmt::format("{}(args, codes, {}, &result, &code, NULL)", symbol, tensors.size()),
            symbol == plan_.entry.function);
    line("  }}");
  }

  // --- AOT --------------------------------------------------------------------------------------

  void begin_runs() {
    if (!is_timed()) return;
    line("  for (long run = 0; run < {}; ++run) {{", program_.timed_runs);
    line("  mlf_calibrate();\n  mlf_rewind();");
  }

  void end_runs() {
    if (!is_timed()) return;
    line("  mlf_save(mlf_times, sizeof mlf_times);");
    line("  mlf_save(mlf_overheads, sizeof mlf_overheads);\n  }}");
  }

  /// Calls a function that returns 0 if it succeeds. The time of the network's entry is taken.
  void checked(const std::string& call, bool is_entry) {
    if (!is_timed() || !is_entry) return line("    mlf_check({});", call);
    const std::size_t calls = network_.calls.size();
    line("    mlf_enter({});\n    const int status = {};\n    mlf_leave({});", calls, call, calls);
    line("    mlf_check(status);");
  }

  void main_function() {
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    for (const InputTensor& input : plan_.inputs) {
      inputs.push_back(fmt::format("input_{}", inputs.size()));
      line("  void *{} = mlf_memory({});", inputs.back(), input.tensor.bytes.size());
    }
    for (const Tensor& output : plan_.outputs) {
      outputs.push_back(fmt::format("output_{}", outputs.size()));
      line("  void *{} = mlf_memory({});", outputs.back(), output.bytes.size());
    }
    if (!plan_.header.empty()) c_arguments(inputs, outputs);
    begin_runs();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      line("  mlf_read({}, {});", inputs[i], plan_.inputs[i].tensor.bytes.size());
    }
    if (plan_.takes_tensors) {
      std::vector<std::string> tensors = inputs;
      tensors.insert(tensors.end(), outputs.begin(), outputs.end());
      checked(fmt::format("{}({})", plan_.entry.function, fmt::join(tensors, ", ")), true);
    } else if (plan_.header.empty()) {
      std::vector<PackedTensor> tensors;
      for (std::size_t i = 0; i < inputs.size(); ++i)
        add(tensors, inputs[i], plan_.inputs[i].tensor);
      for (std::size_t i = 0; i < outputs.size(); ++i) add(tensors, outputs[i], plan_.outputs[i]);
      packed_call(plan_.entry.function, tensors);
    } else {
      c_call();
    }
    end_runs();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      line("  mlf_save({}, {});", outputs[i], plan_.outputs[i].bytes.size());
    }
  }

  static void add(std::vector<PackedTensor>& tensors, const std::string& memory,
                  const Tensor& tensor) {
    tensors.push_back({memory, tensor.dtype, tensor.shape});
  }

  /// `.x = input_0` for each tensor.
  static std::vector<std::string> initializers(const std::vector<std::string>& members,
                                               std::vector<std::string> values) {
    if (members.size() != values.size()) return values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = fmt::format(".{} = {}", members[i], values[i]);
    }
    return values;
  }

  /// The structs that the entry takes.
  void c_arguments(const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs) {
    std::size_t count = 0;
    for (const CStruct& one : plan_.entry.structs) {
      std::vector<std::string> fields;
      if (one.name.ends_with("_inputs")) fields = initializers(plan_.entry.inputs, inputs);
      if (one.name.ends_with("_outputs")) fields = initializers(plan_.entry.outputs, outputs);
      if (one.name.ends_with("_workspace_pools")) {
        for (const deployment::GivenPool& pool : plan_.pools) {
          fields.push_back(pool.data.empty()
                               ? fmt::format(".{} = mlf_memory({})", pool.name, pool.bytes)
                               : fmt::format(".{0} = mlf_pool_{0}", pool.name));
        }
      }
      // Devices are null: the application has the drivers that use them.
      if (fields.empty()) fields = {"0"};
      line("  struct {} argument_{} = {{{}}};", one.name, count++, fmt::join(fields, ", "));
    }
  }

  void c_call() {
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < plan_.entry.structs.size(); ++i) {
      arguments.push_back(fmt::format("&argument_{}", i));
    }
    checked(fmt::format("{}({})", plan_.entry.function, fmt::join(arguments, ", ")), true);
  }

  const Program& program_;
};

/// The hook of a kernel is in another file.
void export_static(const std::string& symbol, std::string_view text,
                   std::vector<edit::Edit>& edits) {
  constexpr std::string_view kStatic = "static";
  const std::string head = fmt::format("{} int32_t {}(", kStatic, symbol);
  for (std::size_t at = text.find(head); at != text.npos; at = text.find(head, at + 1)) {
    edits.push_back({edit::at(at, at + kStatic.size()), std::string(kStatic.size(), ' ')});
  }
}

}  // namespace

edit::EditedMembers with_hooks(const Deployment& deployment, const Network& network) {
  edit::EditedMembers edited(deployment);
  const edit::MainCalls main = edit::calls_of_main(edited, network);
  const std::string& member = main.member->name;
  std::vector<edit::Edit> edits;
  std::string declarations;
  std::set<std::string> symbols;
  for (std::size_t i = 0; i < main.slots.size(); ++i) {
    const edit::CallSlot& slot = main.slots[i];
    const std::string hook = hook_of(graph::CallId{static_cast<std::uint32_t>(i)});
    if (!slot.callee)
      edit::refuse("a call of '" + slot.symbol + "' is not in its statement", member);
    edits.push_back({slot.callee->range, hook});
    if (symbols.insert(slot.symbol).second) export_static(slot.symbol, main.text, edits);
    // Without parameters, because the program contains the definition. In the first line, so that
    // line numbers do not change.
    declarations += fmt::format("int {}(); ", hook);
  }
  if (main.text.starts_with('#')) declarations += '\n';
  edited.replace({member, declarations + edit::apply(main.text, std::move(edits))});
  return edited;
}

std::string program_text(const RunPlan& plan, const Program& program) {
  return ProgramWriter(plan, program).write();
}

}  // namespace mlf::run
