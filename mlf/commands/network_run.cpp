#include "commands/network_run.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "commands/budget_file.h"
#include "support/error.h"

namespace mlf::program {

using support::get_or_throw;

namespace {

/// Adds those of "x=x.npy", or of a file with names.
void add_inputs(const std::string& argument, std::vector<Tensor>& inputs) {
  const auto refuse = [&](const std::string& why) {
    throw support::Error(ErrorKind::usage, fmt::format("--input {}: {}", argument, why));
  };
  const std::size_t equals = argument.find('=');
  const bool has_name = equals != argument.npos;
  auto tensors = get_or_throw(load_tensors(has_name ? argument.substr(equals + 1) : argument));
  if (has_name) {
    if (tensors.size() != 1) refuse(fmt::format("the file has {} arrays", tensors.size()));
    tensors.front().name = argument.substr(0, equals);
  }
  for (Tensor& one : tensors) {
    if (one.name.empty()) refuse(fmt::format("say which input it is: NAME={}", argument));
    inputs.push_back(std::move(one));
  }
}

}  // namespace

EnumNames<std::string> processor_names() {
  EnumNames<std::string> names;
  for (const std::string& name : processors()) names.push_back({name, name, {}});
  return names;
}

void add_network_options(CLI::App& app, NetworkRunArguments& options) {
  add_option(app, "--module", options.module, {"MODULE", "Inputs"},
             "The module to run, if the archive has several");
  add_option(app, "--input", options.inputs, {"NAME=FILE", "Inputs"},
             "Values of an input, as x=x.npy; or of inputs by their names: inputs.npz; repeatable");
}

void add_run_limits(CLI::App& app, NetworkRunArguments& options) {
  add_option(app, "--seconds", options.seconds, {"S", "Limits"},
             fmt::format("End the network after S seconds (default {})", options.seconds))
      ->capture_default_str()
      ->check(number_above_0());
  add_option(app, "--memory", options.memory, {"N", "Limits"},
             fmt::format("End the network if it needs more than N (default {})", options.memory))
      ->capture_default_str()
      ->check(size_with_unit());
}

RunOptions run_options(const NetworkRunArguments& arguments, const DeploymentOptions& limits) {
  constexpr double kMostSeconds = 1e9;  // more might not fit into the clock
  RunOptions options{.cpu = arguments.cpu,
                     .compiler = {.command = arguments.compiler.command,
                                  .flags = flags_of(arguments.compiler, limits)},
                     .timeout = std::chrono::ceil<std::chrono::milliseconds>(
                         std::chrono::duration<double>(std::min(arguments.seconds, kMostSeconds))),
                     .memory = get_or_throw(number_of(arguments.memory))};
  for (const std::string& argument : arguments.inputs) add_inputs(argument, options.inputs);
  return options;
}

void warn_if_invalid(const graph::Topology& network, const Console& console) {
  if (const graph::Check* check = network.first_error()) {
    console.warn(fmt::format("the network is not valid: {}", check->detail));
  }
}

}  // namespace mlf::program
