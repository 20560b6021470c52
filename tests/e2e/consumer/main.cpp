// Prints the functions of an archive's TIR, with nothing but the public API.
#include <mlf/deployment.h>

#include <cstdio>

namespace {

int fail(const mlf::Diagnostics& diagnostics) {
  std::fputs(to_string(diagnostics.front()).c_str(), stderr);
  return exit_code(diagnostics.front().kind);
}

void print_functions(const mlf::tir::Module& module) {
  namespace f = mlf::tir::f;
  const mlf::tir::NodeMap functions = module.root().map(f::IRModule::functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    std::puts(std::string(functions.key(i).text(f::GlobalVar::name_hint)).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  const auto deployment = mlf::Deployment::open(argv[1]);
  if (!deployment) return fail(deployment.error());
  for (const mlf::TirSource& source : deployment->tir_sources()) {
    const auto document = deployment->document(source);
    if (!document) return fail(document.error());
    print_functions((*document)->module);
  }
  return 0;
}
