#include "model_library/files.h"

#include <algorithm>

#include "support/c_files.h"
#include "support/characters.h"
#include "support/numbers.h"
#include "support/prefix_table.h"

namespace mlf::model_library {
namespace {

/// The part of `text` between `prefix` and `suffix`; nullopt if it lacks one of them.
std::optional<std::string_view> between(std::string_view text, std::string_view prefix,
                                        std::string_view suffix) {
  if (text.size() < prefix.size() + suffix.size()) return std::nullopt;
  if (!text.starts_with(prefix) || !text.ends_with(suffix)) return std::nullopt;
  return text.substr(prefix.size(), text.size() - prefix.size() - suffix.size());
}

/// `<m>_lib<N>.<extension>`, or `lib<N>.<extension>` (up to version 2, and operators).
struct LibraryFile {
  std::string_view module;
  std::uint64_t number = 0;
};

/// The last `lib`: the name of a module may be `my_lib0`.
std::optional<LibraryFile> parse_library_file(std::string_view name) {
  const std::size_t lib = name.rfind("lib");
  if (lib == std::string_view::npos) return std::nullopt;
  std::string_view rest = name.substr(lib + 3);
  const auto number = support::take_number<std::uint64_t>(rest);
  if (!number || !rest.starts_with('.')) return std::nullopt;
  LibraryFile file;
  file.number = *number;
  // Without a module: `lib0.c`.
  if (lib == 0) return file;
  if (name[lib - 1] != '_') return std::nullopt;
  file.module = name.substr(0, lib - 1);
  return file;
}

/// TVM's own order: lib10 comes after lib9. Files of another form come last, by name.
bool by_library_number(const FileRef& a, const FileRef& b) {
  // TVM numbers sources and objects separately, both from 0.
  const auto key = [](const FileRef& file) {
    const std::string_view name = file.name;
    const auto parsed = parse_library_file(name.substr(name.rfind('/') + 1));
    return std::pair(parsed ? parsed->number : UINT64_MAX, name);
  };
  return key(a) < key(b);
}

/// Assigns each member to the module in its name, by the paths that TVM's exporter
/// (python/tvm/micro/model_library_format.py) writes in each version.
class Assigner {
 public:
  Assigner(ModelLibrary& library, std::span<const FileRef> members) : library_(library) {
    for (std::size_t i = 0; i < library.modules.size(); ++i) {
      const std::string& name = library.modules[i].name;
      by_name_.emplace(name, i);
      by_header_.emplace(header_form(name), i);
      for (const char separator : {'_', '.', '-'}) by_prefix_.add(name + separator, i);
    }
    has_own_sources_ = std::ranges::any_of(members, [&](const FileRef& file) {
      const auto name = between(file.name, kSources, "");
      const auto library_file = name ? parse_library_file(*name) : std::nullopt;
      return library_file && named(library_file->module) != nullptr;
    });
  }

  void assign(const FileRef& file) {
    const std::string_view name = file.name;
    if (name == kMetadata) return;
    // Files of one module come first: `src/` contains such files and shared ones.
    if (assign_codegen(file) || assign_single(file)) return;
    if (name.starts_with("runtime/")) {
      library_.shared.runtime.push_back(file);
    } else if (name.starts_with("templates/")) {
      library_.shared.templates.push_back(file);
    } else if (between(name, "src/tir-", ".txt")) {
      // (Operator archives of TVM have one text for each device type.)
      library_.shared.tir.push_back(file);
    } else {
      library_.shared.other.push_back(file);
    }
  }

 private:
  Module* named(std::string_view name) {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &library_.modules[found->second];
  }

  Module* only() { return library_.modules.size() == 1 ? &library_.modules.front() : nullptr; }

  /// The module whose name is the longest prefix of `name`: of the modules `a` and `a_b`,
  /// `a_b_extra.c` belongs to the second one.
  Module* by_longest_prefix(std::string_view name) {
    const auto best = by_prefix_.longest_of(name);
    return best ? &library_.modules[*best] : only();
  }

  /// `default_lib1.c` states its module; an additional file such as `default_extra.c` is assigned
  /// by its prefix.
  Module* owner_of_library_file(std::string_view name) {
    if (const auto file = parse_library_file(name)) {
      if (Module* module = named(file->module)) return module;
      // Of a module that metadata.json lacks, unless its modules have other names there.
      if (has_own_sources_ && !file->module.empty()) return nullptr;
    }
    return by_longest_prefix(name);
  }

  /// The name of the header is that of a variable in C.
  Module* owner_of_header(std::string_view name) {
    const auto stem = module_of_header(name);
    if (!stem) return by_longest_prefix(name);
    if (Module* module = named(*stem)) return module;
    const auto same = by_header_.find(header_form(*stem));
    if (same != by_header_.end()) return &library_.modules[same->second];
    return has_own_sources_ ? nullptr : only();
  }

  bool assign_codegen(const FileRef& file) {
    // Members without a module are shared: with several modules, the owner is unknown.
    const auto put = [&file](Module* module, std::vector<FileRef> ModuleFiles::*list) {
      if (module == nullptr) return false;
      (module->files.*list).push_back(file);
      return true;
    };
    if (const auto name = between(file.name, kSources, "")) {
      // People leave products of builds and notes there.
      return support::is_c_source(*name) &&
             put(owner_of_library_file(*name), &ModuleFiles::sources);
    }
    if (const auto name = between(file.name, kObjects, "")) {
      return put(owner_of_library_file(*name), &ModuleFiles::objects);
    }
    if (const auto name = between(file.name, kHeaders, "")) {
      return put(owner_of_header(*name), &ModuleFiles::headers);
    }
    // People move it.
    const std::string_view leaf = support::leaf_of(file.name);
    const bool is_header = file.name.starts_with("codegen/") && module_of_header(leaf);
    return is_header && put(owner_of_header(leaf), &ModuleFiles::headers);
  }

  /// Files of which a module has one.
  bool assign_single(const FileRef& file) {
    // A second one of the same kind is a shared file.
    const auto put = [&file](Module* module, std::optional<FileRef> ModuleFiles::*slot) {
      if (module == nullptr || (module->files.*slot).has_value()) return false;
      module->files.*slot = file;
      return true;
    };
    const std::string_view name = file.name;
    if (const auto module = between(name, "parameters/", ".params")) {
      return put(named(*module), &ModuleFiles::parameters);
    }
    // Before version 7 an archive has one module, and these files have no module in their names.
    if (library_.version < 7) {
      if (name == relay_name()) return put(only(), &ModuleFiles::relay);
      if (name == graph_name()) return put(only(), &ModuleFiles::graph);
      return false;
    }
    if (const auto module = between(name, "src/", ".relay")) {
      return put(named(*module), &ModuleFiles::relay);
    }
    if (const auto module = between(name, "executor-config/graph/", ".graph")) {
      return put(named(*module), &ModuleFiles::graph);
    }
    return false;
  }

  /// TVM moved it in version 4 (#8072).
  std::string_view relay_name() const {
    return library_.version < 4 ? "relay.txt" : "src/relay.txt";
  }

  /// TVM renamed the directory in version 5 (#8270).
  std::string_view graph_name() const {
    return library_.version < 5 ? "runtime-config/graph/graph.json"
                                : "executor-config/graph/graph.json";
  }

  ModelLibrary& library_;
  // The first of several equal ones.
  support::NameMap<std::string, std::size_t> by_name_;
  support::NameMap<std::string, std::size_t> by_header_;
  support::PrefixTable by_prefix_;
  bool has_own_sources_ = false;  // whether a file of C has the name of a module
};

}  // namespace

std::string_view below(std::string_view name, std::string_view directory) {
  return name.starts_with(directory) ? name.substr(directory.size()) : std::string_view();
}

std::optional<std::string_view> module_of_library_file(std::string_view name) {
  const auto file = parse_library_file(name);
  return file ? std::optional(file->module) : std::nullopt;
}

std::string header_form(std::string_view module) {
  std::string result = support::sanitized(module);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

std::optional<std::string_view> module_of_header(std::string_view name) {
  return between(name, "tvmgen_", ".h");
}

void assign_files(ModelLibrary& library, std::span<const FileRef> members) {
  Assigner assigner(library, members);
  for (const FileRef& file : members) assigner.assign(file);
  for (Module& module : library.modules) {
    std::sort(module.files.sources.begin(), module.files.sources.end(), by_library_number);
    std::sort(module.files.objects.begin(), module.files.objects.end(), by_library_number);
  }
}

const archive::Member* description_of(const archive::Archive& archive) {
  const archive::Member* const metadata = archive.find(kMetadata);
  return metadata != nullptr ? metadata : archive.find(kBuild);
}

}  // namespace mlf::model_library
