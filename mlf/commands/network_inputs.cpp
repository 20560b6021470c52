#include "commands/network_inputs.h"

#include <fmt/core.h>

#include <utility>

#include "support/error.h"

namespace mlf::program {

using support::get_or_throw;

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

}  // namespace mlf::program
