#include "corpus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "mlf/archive.h"

namespace mlf::tir::corpus {
namespace {

namespace fs = std::filesystem;

/// `X` of `<prefix>X<suffix>`.
std::optional<std::string> between(std::string_view name, std::string_view prefix,
                                   std::string_view suffix) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  name.remove_suffix(suffix.size());
  return std::string(name);
}

std::vector<fs::path> files_below(const fs::path& root, std::string_view prefix,
                                  std::string_view suffix) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (between(entry.path().filename().string(), prefix, suffix)) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

class Collector {
 public:
  explicit Collector(const fs::path& root) : root_(root) {}

  void add(const fs::path& directory, const std::string& what, std::string text,
           const fs::path& json) {
    const auto dialect = detect(text);
    if (dialect != Dialect::tvmscript && dialect != Dialect::old_tvmscript &&
        dialect != Dialect::legacy_text) {
      return;
    }
    const std::string name = fs::relative(directory, root_).string() + ": " + what;
    pairs_.push_back({name, std::move(text), contents(json)});
  }

  void add_file(const fs::path& text, const fs::path& json) {
    if (fs::exists(text)) add(text.parent_path(), text.filename().string(), contents(text), json);
  }

  void add_archive(const fs::path& directory) {
    const auto archive = archive::Archive::open((directory / "module.tar").string());
    if (!archive) throw std::runtime_error(to_string(archive.error()));
    for (const archive::Member& member : archive->members()) {
      const auto part = between(member.name, "src/tir-", ".txt");
      if (!part) continue;
      const fs::path json = directory / ("save-" + *part + ".json");
      if (fs::exists(json)) add(directory, member.name, std::string(*archive->read(member)), json);
    }
  }

  std::vector<TextPair> take() && { return std::move(pairs_); }

 private:
  fs::path root_;
  std::vector<TextPair> pairs_;
};

}  // namespace

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> save_json_files(const fs::path& root) {
  return files_below(root, "save", ".json");
}

std::vector<TextPair> text_pairs(const fs::path& root) {
  Collector pairs(root);
  for (const fs::path& json : save_json_files(root)) {
    const fs::path directory = json.parent_path();
    if (const auto part = between(json.filename().string(), "save-", ".json")) {
      pairs.add_file(directory / ("script-" + *part + ".py"), json);
    } else {
      pairs.add_file(directory / "text.txt", json);
      pairs.add_file(directory / "script.py", json);
    }
  }
  for (const fs::path& tar : files_below(root, "module", ".tar")) {
    pairs.add_archive(tar.parent_path());
  }
  return std::move(pairs).take();
}

std::optional<Document> read_or_fail(const std::string& name, const std::string& text) {
  auto document = read({name, {}, text});
  if (document) return std::move(*document);
  ADD_FAILURE() << to_string(document.error());
  return std::nullopt;
}

}  // namespace mlf::tir::corpus
