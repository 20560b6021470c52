#include "model_library/layout.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model_library/files.h"
#include "support/c_files.h"
#include "support/error.h"

namespace mlf::model_library {
namespace {

using archive::Layout;
using archive::Member;
using archive::MemberType;

constexpr std::string_view kHost = "codegen/host/";
constexpr std::string_view kCodegen = "codegen/";

/// A name that identifies the file's place in the format, such as "default_lib0.c".
std::string_view directory_by_name(std::string_view name) {
  if (name.find('/') != name.npos) return {};
  if (module_of_header(name)) return kHeaders;
  // The name that TVM's documentation gives to an exported static library.
  if (name == "mod.a") return kObjects;
  if (!module_of_library_file(name)) return {};
  if (support::is_c_source(name)) return kSources;
  return name.ends_with(".o") ? kObjects : std::string_view();
}

/// Names of all members except directories.
class Files {
 public:
  explicit Files(std::span<const Member> members) {
    for (const Member& member : members) {
      if (member.type != MemberType::directory) names_.push_back(member.name);
    }
    if (!names_.empty()) common_ = common_directory();
  }

  /// "", "a/", "a/b/": directories that contain all files, the outermost first. Compares each with
  /// all names; an archive has few of them.
  std::vector<std::string_view> directories() const {
    constexpr std::size_t kMost = 16;
    std::vector<std::string_view> all{""};
    for (std::size_t i = 0; i < common_.size() && all.size() < kMost; ++i) {
      if (common_[i] == '/') all.push_back(common_.substr(0, i + 1));
    }
    return all;
  }

  template <class Predicate>
  bool any_below(std::string_view directory, Predicate&& predicate) const {
    return std::ranges::any_of(
        names_, [&](std::string_view name) { return predicate(name.substr(directory.size())); });
  }

 private:
  std::string_view common_directory() const {
    const auto [first, last] = std::ranges::minmax(names_);
    const auto differs = std::ranges::mismatch(first, last).in1;
    const auto length = static_cast<std::size_t>(differs - first.begin());
    const std::size_t slash = first.substr(0, length).rfind('/');
    return slash == first.npos ? std::string_view() : first.substr(0, slash + 1);
  }

  std::vector<std::string_view> names_;
  std::string_view common_;
};

bool begins_format(std::string_view name) {
  return name == kMetadata || name == kBuild || name.starts_with(kHost);
}

/// Whether a file in the root is captured TIR of a build without its build.json.
bool is_capture(std::string_view name) {
  return name.starts_with("tir-") && name.find('/') == name.npos;
}

/// Whether a file is in the directory that its name requires, for files in codegen/host/.
bool is_in_host(std::string_view name) {
  for (const std::string_view directory : {kSources, kHeaders, kObjects}) {
    const std::string_view in_host = directory.substr(kHost.size());
    if (directory_by_name(below(name, in_host)) == directory) return true;
  }
  return false;
}

bool is_in_codegen(std::string_view name) {
  return is_in_host(below(name, kHost.substr(kCodegen.size())));
}

bool is_bare(std::string_view name) {
  return !directory_by_name(name).empty();
}

/// Whether metadata.json and generated code are in one directory without others.
bool is_flat(const Files& files) {
  const auto is_elsewhere = [](std::string_view name) {
    return name.find('/') != name.npos || name == kBuild;
  };
  return files.any_below("", is_bare) && !files.any_below("", is_elsewhere);
}

/// The name in the format of a file that is beside generated C or objects without directories.
/// tvmc has mod.json and mod.params in its packages, TVM's documentation deploy_graph.json.
std::string name_of_bare(std::string_view name) {
  const std::string own(name);
  if (support::is_c_header(name)) return std::string(kHeaders) + own;
  if (name.ends_with(".o") || name.ends_with(".a")) return std::string(kObjects) + own;
  if (name == "graph.json" || name == "mod.json" || name == "deploy_graph.json") {
    return "executor-config/graph/graph.json";
  }
  if (name == "mod.params" || name == "deploy_param.params") return "parameters/default.params";
  return std::string(kSources) + own;
}

/// The directory itself and those around it are the root, "."; `name_of` names its content.
template <class NameOf>
std::vector<std::string> renamed(std::span<const Member> members, std::string_view directory,
                                 NameOf&& name_of) {
  std::vector<std::string> names;
  for (const Member& member : members) {
    const bool is_root = member.name == "." || directory.starts_with(member.name + "/");
    const std::string_view rest = below(member.name, directory);
    names.push_back(is_root ? "." : rest.empty() ? member.name : name_of(rest));
  }
  return names;
}

Layout part_of_format(std::span<const Member> members, std::string_view directory,
                      std::string_view where) {
  Layout layout;
  layout.names = renamed(members, directory, [&](std::string_view rest) {
    return std::string(where) + std::string(rest);
  });
  layout.no_new_members =
      "these are files of " + std::string(where) +
      " alone: what mlf writes goes into src/ beside codegen/; process what holds codegen/";
  return layout;
}

Layout bare_code(std::span<const Member> members, std::string_view directory) {
  Layout layout = part_of_format(members, directory, kHost);
  layout.names = renamed(members, directory, [&](std::string_view rest) {
    if (rest == kMetadata) return std::string(rest);
    // Other directories are not part of the format.
    return rest.find('/') == rest.npos ? name_of_bare(rest)
                                       : std::string(kHost) + std::string(rest);
  });
  if (std::ranges::find(layout.names, kMetadata) != layout.names.end()) {
    layout.no_new_members =
        "its files are in one directory, and what mlf writes goes into others: process the archive "
        "with the directories that TVM wrote";
  }
  return layout;
}

/// Whether files keep distinct names.
bool is_unique(const Layout& layout) {
  std::vector<std::string_view> names;
  for (const std::string& name : layout.names) {
    if (name != ".") names.push_back(name);
  }
  std::ranges::sort(names);
  return std::ranges::adjacent_find(names) == names.end();
}

std::optional<Layout> layout_below(std::span<const Member> members, const Files& files,
                                   std::string_view directory) {
  if (files.any_below(directory, is_in_codegen))
    return part_of_format(members, directory, kCodegen);
  if (files.any_below(directory, is_in_host)) return part_of_format(members, directory, kHost);
  if (files.any_below(directory, is_bare)) return bare_code(members, directory);
  return std::nullopt;
}

/// Whether a name is that of generated C or of an object file of it.
bool is_code(std::string_view name) {
  return is_bare(name) && directory_by_name(name) != kHeaders;
}

/// Whether a text defines a function that TVM generated: "int32_t tvmgen_default_f(…) {".
bool has_generated_function(std::string_view text) {
  constexpr std::string_view kBegin = "int32_t tvmgen_";
  for (std::size_t at = text.find(kBegin); at != text.npos; at = text.find(kBegin, at)) {
    at = text.find(')', at);
    if (at == text.npos) return false;
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + 1);
    if (next != text.npos && text[next] == '{') return true;
  }
  return false;
}

/// Whether a source in the directory itself has generated C, whatever its name. The application
/// that calls it defines no such function.
bool has_renamed_code(std::span<const Member> members, std::string_view directory,
                      const IsGenerated& is_generated) {
  return std::ranges::any_of(members, [&](const Member& member) {
    const std::string_view name = below(member.name, directory);
    return member.type == MemberType::file && support::is_c_source(name) &&
           name.find('/') == name.npos && is_generated(member);
  });
}

/// The first by name of those with the same length.
void take_shorter(std::string& best, std::string_view path) {
  const auto key = [](std::string_view text) { return std::pair(text.size(), text); };
  if (best.empty() || key(path) < key(best)) best = path;
}

}  // namespace

std::optional<Layout> published_layout(std::span<const Member> members,
                                       const IsGenerated& is_generated) {
  const Files files(members);
  const std::vector<std::string_view> directories = files.directories();
  std::optional<Layout> layout;
  if (files.any_below("", is_capture)) return std::nullopt;
  const auto begins = std::ranges::find_if(directories, [&](std::string_view directory) {
    return files.any_below(directory, begins_format);
  });
  if (begins != directories.end() && !begins->empty()) {
    layout.emplace().names =
        renamed(members, *begins, [](std::string_view rest) { return std::string(rest); });
    layout->directory = *begins;
  } else if (begins != directories.end() && !is_flat(files)) {
    return std::nullopt;
  }
  // In a larger tree with an archive in it, other files do not belong to the archive.
  if (!layout && !directory_with_format(members).empty()) return std::nullopt;
  for (std::size_t i = 0; i < directories.size() && !layout; ++i) {
    layout = layout_below(members, files, directories[i]);
  }
  for (std::size_t i = 0; i < directories.size() && !layout; ++i) {
    if (has_renamed_code(members, directories[i], is_generated)) {
      layout = bare_code(members, directories[i]);
    }
  }
  if (layout && !is_unique(*layout)) layout.reset();
  return layout;
}

void take_layout(archive::Archive& archive) {
  // With its new names, the archive has no other layout.
  if (!archive.contents().directory.empty() || !archive.contents().no_new_members.empty()) return;
  auto layout = published_layout(archive.members(), [&](const Member& member) {
    return has_generated_function(support::get_or_throw(archive.read(member)));
  });
  if (layout) apply(archive, *std::move(layout));
}

std::string directory_with_format(std::span<const Member> members) {
  std::string best;
  for (const Member& member : members) {
    const std::string_view name = member.name;
    for (const std::string_view mark : {kMetadata, kHost}) {
      const std::size_t at = name.find("/" + std::string(mark));
      const bool is_whole = mark != kMetadata || at + 1 + mark.size() == name.size();
      if (at != name.npos && is_whole) take_shorter(best, name.substr(0, at));
    }
  }
  return best;
}

std::string hint_at_format(std::span<const Member> members) {
  const std::string whole = directory_with_format(members);
  if (!whole.empty()) return "; its directory '" + whole + "' is one";
  std::string code;
  std::string tar;
  for (const Member& member : members) {
    const std::string_view name = member.name;
    const std::size_t slash = name.rfind('/');
    if (slash != name.npos && is_code(name.substr(slash + 1))) {
      take_shorter(code, name.substr(0, slash));
    }
    if (name.ends_with(".tar")) take_shorter(tar, name);
  }
  if (!code.empty()) return "; its directory '" + code + "' has generated code";
  return tar.empty() ? "" : "; its file '" + tar + "' may be one";
}

}  // namespace mlf::model_library
