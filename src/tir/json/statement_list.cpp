// Flat lists of statements: which entry governs which.
#include <fmt/core.h>

#include "tir/json/format.h"
#include "tir/json/node_reader.h"

namespace mlf::tir::tir_json {

/// Turns one list into tasks that make its statements from the inside out.
class NodeReader::StatementList {
 public:
  StatementList(json::Value list, ScopeId scope, std::vector<Task>& tasks)
      : scope_(scope), tasks_(tasks) {
    open_.push_back({.entry = list, .kind = Kind::Evaluate, .end = list.size()});
  }

  void run() {
    const json::Value list = open_.front().entry;
    std::uint32_t at = 0;
    for (const json::Value entry : list.elements()) {
      add(entry, ++at);
      while (open_.size() > 1 && open_.back().end == at) close();
    }
    fill(open_.back());
  }

 private:
  // A statement whose governed entries end before the entry at `end`, or the list itself.
  struct Open {
    json::Value entry;
    Kind kind;
    std::uint32_t end;
    std::uint32_t elements = 0;
    // The last element, if it is a SeqStmt of two or more that says nothing else.
    std::optional<json::Value> sequence = {};
  };

  void add(json::Value entry, std::uint32_t behind) {
    const json::Value name = entry.at("node");
    const auto kind = kind_named(name.as_string());
    if (!kind || info(*kind).category != Category::stmt) {
      name.fail(fmt::format("\"{}\" is no kind of statement", name.text()));
    }
    ++open_.back().elements;
    open_.back().sequence.reset();
    if (!scoped_field(*kind)) return tasks_.push_back(task(Step::node, entry, *kind));
    tasks_.push_back(task(Step::governing, entry, *kind));
    const json::Value scope = entry.at("scope");
    const std::uint32_t governed = expect_index(scope);
    if (governed > open_.back().end - behind) {
      scope.fail(fmt::format("this scope reaches past its end: {} entries follow there",
                             open_.back().end - behind));
    }
    open_.push_back({.entry = entry, .kind = *kind, .end = behind + governed});
  }

  void close() {
    const Open closed = open_.back();
    open_.pop_back();
    if (closed.kind != Kind::SeqStmt) {
      fill(closed);
      return tasks_.push_back(task(Step::make, closed.entry, closed.kind));
    }
    tasks_.push_back(task(Step::sequence, closed.entry, Kind::SeqStmt));
    tasks_.back().count = closed.elements;
    if (closed.elements >= 2 && !closed.entry.find("span")) open_.back().sequence = closed.entry;
  }

  // What stands in one place has to be one statement: several are a SeqStmt.
  void fill(const Open& place) {
    if (place.elements == 0) place.entry.fail("expected a statement, found none");
    if (place.elements >= 2) {
      tasks_.push_back(task(Step::sequence, place.entry, Kind::Evaluate));
      tasks_.back().count = place.elements;
    } else if (place.sequence) {
      place.sequence->fail("this SeqStmt is implied and cannot be written");
    }
  }

  Task task(Step step, json::Value entry, Kind kind) const {
    return {.step = step,
            .json = entry,
            .scope = scope_,
            .slot = Expects::stmt,
            .kind = kind,
            .standing = Standing::statement};
  }

  ScopeId scope_;
  std::vector<Task>& tasks_;
  std::vector<Open> open_;
};

void NodeReader::visit_statements(const Task& task) {
  StatementList(task.json, task.scope, expanded_).run();
  push_expanded();
}

}  // namespace mlf::tir::tir_json
