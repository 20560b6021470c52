#include "unit/process/process_fixture.h"

#include <stdexcept>

#include "unit/archive/tar_builder.h"
#include "unit/graph/networks.h"

namespace mlf::test {
namespace {

constexpr std::string_view kMetadata =
    R"({"version": 7, "modules": {"default": {"model_name": "default", "style": "full-model",
    "export_datetime": "2024-01-01 00:00:00Z", "executors": ["aot"], "target": ["c -keys=cpu "],
    "memory": {"functions": {"main": [], "operator_functions": []}}}}})";

}  // namespace

std::string legacy_text(int value) {
  return "@main = primfn() -> ()\n  attr = {\"global_symbol\": \"main\"}\n{\n  @tir.ret(" +
         std::to_string(value) + ", dtype=int32)\n}\n";
}

std::string network_of(const std::string& arguments) {
  return graph::script({graph::main_of({"x", "output"}, graph::call("tvmgen_default_a", arguments)),
                        graph::unary("tvmgen_default_a")});
}

std::string sound_network() {
  return network_of("x_buffer.data, output_buffer.data");
}

std::string ProcessTest::make(const Members& members, std::string_view name) const {
  return make_with(kMetadata, members, name);
}

std::string ProcessTest::make_with(std::string_view metadata, const Members& members,
                                   std::string_view name) const {
  TarBuilder tar;
  tar.directory("./").file("./metadata.json", metadata);
  for (const auto& [member, text] : members) tar.file("./" + member, text);
  return write(name, tar.finish());
}

ProcessReport ProcessTest::process(const std::string& path, const ProcessOptions& options) {
  auto report = process_archive(path, options);
  if (!report) throw std::runtime_error(to_string(report.error()));
  return *std::move(report);
}

Diagnostic ProcessTest::refused(const std::string& path, const ProcessOptions& options) {
  const auto report = process_archive(path, options);
  if (report) throw std::runtime_error("not refused: " + path);
  return report.error();
}

std::vector<std::string> ProcessTest::members(const std::string& path) {
  return names(open_good(path));
}

std::string ProcessTest::content(const std::string& path, std::string_view member) {
  const archive::Archive archive = open_good(path);
  const archive::Member* found = archive.find(member);
  if (found == nullptr) throw std::runtime_error("no member " + std::string(member));
  return std::string(*archive.read(*found));
}

}  // namespace mlf::test
