#include "archives.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "mlf/archive.h"
#include "unit/tir/compare/corpus.h"

namespace mlf::tir::c {

namespace fs = std::filesystem;

namespace {

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

/// Module `m` of `m_lib0.c`; an operator archive has only `lib0.c`.
std::string module_of(const SourceFile& file) {
  const std::string_view name = base_name(file.name);
  const std::size_t end = name.rfind("_lib");
  return end == name.npos ? std::string() : std::string(name.substr(0, end));
}

/// The `m` of the first `tvmgen_m_` in a captured module, for archives of several.
std::string captured_module(const Pair& pair) {
  for (const std::string& module : modules(pair.files)) {
    if (pair.json.find("tvmgen_" + module + "_") != std::string::npos) return module;
  }
  return module_of(pair.files.front());
}

std::string target_kind(const fs::path& directory, const std::string& part) {
  std::string target = corpus::contents(directory / ("target-" + part + ".txt"));
  if (target.empty()) target = corpus::contents(directory / "target.txt");
  return target.substr(0, target.find_first_of(" \n"));
}

}  // namespace

std::vector<fs::path> archives(const fs::path& root) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().filename() == "module.tar") found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

std::vector<SourceFile> c_files(const fs::path& tar) {
  const auto archive = archive::Archive::open(tar.string());
  if (!archive) throw std::runtime_error(to_string(archive.error()));
  std::vector<SourceFile> files;
  for (const archive::Member& member : archive->members()) {
    if (!member.name.ends_with(".c")) continue;
    files.push_back({member.name, std::string(*archive->read(member))});
  }
  return files;
}

CSources sources_for(const std::vector<SourceFile>& files, std::string_view module,
                     std::string_view target_kind) {
  CSources sources;
  for (const SourceFile& file : files) {
    if (module_of(file) != module) continue;
    const CFile described = describe_c(file.text);
    const std::string kind = described.target.substr(0, described.target.find(' '));
    if (!described.functions.empty() && kind != target_kind) continue;
    sources.files.push_back({{}, file.name, file.text, "codegen"});
  }
  return sources;
}

std::set<std::string> target_kinds(const std::vector<SourceFile>& files) {
  std::set<std::string> kinds;
  for (const SourceFile& file : files) {
    const CFile described = describe_c(file.text);
    if (described.functions.empty()) continue;
    kinds.insert(described.target.substr(0, described.target.find(' ')));
  }
  return kinds;
}

std::set<std::string> modules(const std::vector<SourceFile>& files) {
  std::set<std::string> names;
  for (const SourceFile& file : files) names.insert(module_of(file));
  return names;
}

std::vector<Pair> pairs(const fs::path& root) {
  std::vector<Pair> found;
  for (const fs::path& json : corpus::save_json_files(root)) {
    const fs::path directory = json.parent_path();
    const std::string name = json.stem().string();
    if (!fs::exists(directory / "module.tar") || !name.starts_with("save-")) continue;
    Pair pair{.name = fs::relative(json, root).string(),
              .json = corpus::contents(json),
              .files = c_files(directory / "module.tar"),
              .module = {},
              .target_kind = target_kind(directory, name.substr(5))};
    pair.module = captured_module(pair);
    found.push_back(std::move(pair));
  }
  return found;
}

bool shows_tables() {
  return std::getenv("MLF_SHOW_TABLES") != nullptr;
}

}  // namespace mlf::tir::c
